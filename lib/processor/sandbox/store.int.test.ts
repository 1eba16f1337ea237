import { describe, expect, test } from "vitest";
import { newId } from "@/lib/ids";
import { CALLED, inquiry } from "@/lib/testing/processor-requests";
import type { AuthorizeRequest, Outcome } from "../port";
import { testProcessor } from "./test-processor";

const { processor, sql, authorization, followUp, stored } = await testProcessor();

const CARD = "4242424242424242";
const approved = { kind: "approved" };
const refused = { kind: "declined", decline_code: null };
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const approvals = (outcomes: Outcome[]) => outcomes.filter((outcome) => outcome.kind === "approved").length;

async function charged(capture: boolean, amount = 10_000) {
  const charge = await authorization(CARD, { capture, amount });
  expect(await processor.authorize(charge)).toMatchObject(approved);
  return charge;
}

describe("forty concurrent duplicates of one reference move money once and hear one answer", () => {
  const same = (outcomes: Outcome[]) =>
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);

  test("authorize", async () => {
    const charge = await authorization(CARD, { capture: true });
    same(await Promise.all(times(40, () => processor.authorize(charge))));
    const [row] = await sql`select count(*)::int as n from sandbox_processor.charges where account = ${charge.account}`;
    expect(row?.n).toBe(1);
  });

  test("capture, a part", async () => {
    const charge = await charged(false);
    const request = followUp(charge, 100);
    same(await Promise.all(times(40, () => processor.capture(request))));
    expect(await stored(charge)).toMatchObject({ amount_captured: 100 });
  });

  test("refund, a part", async () => {
    const charge = await charged(true);
    const request = followUp(charge, 100);
    same(await Promise.all(times(40, () => processor.refund(request))));
    expect(await stored(charge)).toMatchObject({ amount_refunded: 100 });
  });

  test("void", async () => {
    const charge = await charged(false);
    const request = followUp(charge, 10_000);
    const outcomes = await Promise.all(times(40, () => processor.void(request)));
    same(outcomes);
    expect(outcomes[0]).toEqual(approved);
  });

  test("refunds of several references, each sent many times", async () => {
    const charge = await charged(true, 1_000);
    const requests = times(20, () => followUp(charge, 100));
    await Promise.all(times(160, (i) => processor.refund(requests[i % 20] as (typeof requests)[0])));
    expect(approvals(await Promise.all(requests.map((request) => processor.refund(request))))).toBe(10);
    expect(await stored(charge)).toMatchObject({ amount_refunded: 1_000 });
  });
});

describe("the store's limits hold under concurrency", () => {
  test("refunds never exceed what was captured", async () => {
    const charge = await charged(true, 1_000);
    expect(approvals(await Promise.all(times(40, () => processor.refund(followUp(charge, 300)))))).toBe(3);
    expect(await stored(charge)).toMatchObject({ amount_captured: 1_000, amount_refunded: 900 });
  });

  test("of many captures one succeeds", async () => {
    const charge = await charged(false, 1_000);
    expect(approvals(await Promise.all(times(40, () => processor.capture(followUp(charge, 100)))))).toBe(1);
    expect(await stored(charge)).toMatchObject({ amount_captured: 100 });
  });

  test("a void and a capture never both succeed", async () => {
    for (const charge of await Promise.all(times(10, () => charged(false)))) {
      const outcomes = await Promise.all([
        processor.capture(followUp(charge, 10_000)),
        processor.void(followUp(charge, 10_000)),
        processor.capture(followUp(charge, 10_000)),
        processor.void(followUp(charge, 10_000)),
      ]);
      expect(approvals(outcomes)).toBe(1);
      const row = await stored(charge);
      expect(row?.voided).toBe(row?.amount_captured === 0);
    }
  });
});

describe("a follow-up is refused", () => {
  test("when it captures more than was authorized", async () => {
    expect(await processor.capture(followUp(await charged(false), 10_001))).toEqual(refused);
  });
  test("when it refunds what was not captured", async () => {
    const charge = await charged(false);
    expect(await processor.refund(followUp(charge, 1))).toEqual(refused);
    expect(await processor.capture(followUp(charge, 4_000))).toEqual(approved);
    expect(await processor.refund(followUp(charge, 4_001))).toEqual(refused);
    expect(await processor.refund(followUp(charge, 4_000))).toEqual(approved);
  });
  test("when it voids what was captured", async () => {
    expect(await processor.void(followUp(await charged(true), 10_000))).toEqual(refused);
  });
  test("after a void", async () => {
    const charge = await charged(false);
    await processor.void(followUp(charge, 10_000));
    expect(await processor.capture(followUp(charge, 10_000))).toEqual(refused);
  });
  test("in another currency", async () => {
    expect(await processor.capture(followUp(await charged(false), 100, { currency: "EUR" }))).toEqual(refused);
  });
  test("from another account, or for a charge that does not exist", async () => {
    const charge = await charged(true);
    expect(await processor.refund(followUp(charge, 1, { account: newId() }))).toEqual(refused);
    expect(await processor.refund(followUp(charge, 1, { authorization: newId() }))).toEqual(refused);
    expect(await stored(charge)).toMatchObject({ amount_refunded: 0 });
  });
  test("and the same reference hears the same refusal later", async () => {
    const charge = await charged(false);
    const refund = followUp(charge, 1_000);
    expect(await processor.refund(refund)).toEqual(refused);
    await processor.capture(followUp(charge, 10_000));
    expect(await processor.refund(refund)).toEqual(refused);
    expect(await processor.inquire(inquiry(refund.reference))).toEqual(refused);
  });
});

test("another account's reference is provably not executed again", async () => {
  const charge = await charged(true);
  expect(await processor.authorize({ ...charge, account: newId() })).toMatchObject({ kind: "not_sent" });
});

test("past its notAfter nothing is executed, but what was executed is still told", async () => {
  const late = new Date(Date.now() - 1_000);
  const never = await authorization(CARD, { notAfter: late });
  expect(await processor.authorize(never)).toMatchObject({ kind: "not_sent" });
  expect(await processor.inquire(inquiry(never.reference))).toEqual({ kind: "not_found" });

  const charge = await charged(false);
  expect(await processor.authorize({ ...charge, notAfter: late })).toMatchObject(approved);
  const capture = followUp(charge, 10_000, { notAfter: late });
  expect(await processor.capture(capture)).toMatchObject({ kind: "not_sent" });
  expect(await processor.inquire(inquiry(capture.reference))).toEqual({ kind: "not_found" });
  expect(await stored(charge)).toMatchObject({ amount_captured: 0 });
});

describe("a reference that is closed", () => {
  const closing = ({ reference, account, amount, currency }: AuthorizeRequest) =>
    processor.close({ ...CALLED, reference, account, amount, currency });

  test("is never executed, and says so from then on", async () => {
    const charge = await authorization(CARD);
    expect(await closing(charge)).toEqual({ kind: "never" });
    expect(await processor.authorize(charge)).toMatchObject({ kind: "not_sent" });
    expect(await processor.inquire(inquiry(charge.reference))).toEqual({ kind: "never" });
    expect(await closing(charge)).toEqual({ kind: "never" });
    expect(await processor.capture(followUp(charge, 10_000))).toMatchObject({ kind: "declined" });
  });

  test("is what it was when it was executed before, and no other account's to close", async () => {
    const charge = await charged(true);
    expect(await closing({ ...charge, account: newId() })).toMatchObject({ kind: "unknown" });
    expect(await closing(charge)).toMatchObject(approved);
    expect(await stored(charge)).toMatchObject({ amount_captured: 10_000 });
  });

  test("at the moment of the call ends one way or the other, and both are told the same", async () => {
    const ends = await Promise.all(
      Array.from({ length: 40 }, async (_, turn) => {
        const charge = await authorization(CARD);
        const calls = [() => processor.authorize(charge), () => closing(charge)];
        if (turn % 2) calls.reverse();
        const answers = (await Promise.all(calls.map((call) => call()))).map(({ kind }) => kind).sort();
        return answers.join(" and ");
      }),
    );
    expect(ends.filter((end) => end !== "approved and approved" && end !== "never and not_sent")).toEqual([]);
  });
});

describe("the database itself refuses", () => {
  test.each(["amount_captured = amount + 1", "amount_refunded = 1", "amount_captured = -1"])("%s", async (change) => {
    const charge = await charged(false);
    const update = sql`update sandbox_processor.charges set ${sql.unsafe(change)} where reference = ${charge.reference}`;
    await expect(update).rejects.toThrow(/check constraint/);
  });
  test("a void of something captured", async () => {
    const charge = await charged(true);
    const update = sql`update sandbox_processor.charges set voided = true where reference = ${charge.reference}`;
    await expect(update).rejects.toThrow(/check constraint/);
  });
});

describe("fraud rules see the account's own traffic", () => {
  const address = { line1: "1 Main St", line2: null, city: "Austin", state: "TX", postal_code: "78701", country: "US" };
  const score = (outcome: Outcome) => ("checks" in outcome ? outcome.checks?.fraud_score : undefined);
  const pay = async (account: string, request: Parameters<typeof authorization>[1] = {}, card = CARD) => {
    const charge = await authorization(card, { account, ...request });
    return { charge, outcome: await processor.authorize(charge) };
  };

  test("repeated use of a card, an e-mail address and a billing address adds up", async () => {
    const account = newId();
    const scores: (number | null | undefined)[] = [];
    for (let i = 0; i < 12; i++) {
      const customerEmail = i % 2 ? "Ada@Example.com" : "ada@example.com";
      scores.push(score((await pay(account, { customerEmail, billingAddress: address })).outcome));
    }
    expect(scores).toEqual([0, 0, 0, 0, 0, 35, 35, 35, 35, 35, 65, 65]);
  });

  test("every rule at once stops at the cap and still approves", async () => {
    const request = { customerEmail: "ada@example.com", billingAddress: address };
    const account = newId();
    for (let i = 0; i < 10; i++) await pay(account, request, "4000000000000101");
    const { outcome } = await pay(account, { ...request, amount: 999_999 }, "4000000000000101");
    expect(outcome).toMatchObject({ kind: "approved", checks: { fraud_score: 85 } });
  });

  test("another account's traffic, and what is older than ten minutes, does not count", async () => {
    const account = newId();
    for (let i = 0; i < 6; i++) await pay(account);
    expect(score((await pay(newId())).outcome)).toBe(0);
    await sql`update sandbox_processor.recent_attempts set created_at = created_at - interval '10 minutes'`;
    expect(score((await pay(account)).outcome)).toBe(0);
  });

  test("what they count is forgotten after ten minutes, and never reaches the write-ahead log", async () => {
    const kept = async () => (await sql`select 1 from sandbox_processor.recent_attempts`).length;
    await processor.forgetOldAttempts();
    await pay(newId(), { customerEmail: "ada@example.com", billingAddress: address }, "4012888888881881");
    expect(await kept()).toBeGreaterThanOrEqual(3);
    await processor.forgetOldAttempts();
    expect(await kept()).toBeGreaterThanOrEqual(3);
    await sql`update sandbox_processor.recent_attempts set created_at = created_at - interval '10 minutes'`;
    await processor.forgetOldAttempts();
    expect(await kept()).toBe(0);
    const [table] =
      await sql`select relpersistence from pg_class where oid = 'sandbox_processor.recent_attempts'::regclass`;
    expect(table?.relpersistence).toBe("u");
  });

  test("an amount is compared with the account's own history once there are five charges", async () => {
    const account = newId();
    const cards = ["4242424242424242", "4111111111111111", "5555555555554444", "6011111111111117"];
    for (const card of cards) await pay(account, { amount: 100 }, card);
    expect(score((await pay(account, { amount: 501 }, "378282246310005")).outcome)).toBe(0);
    expect(score((await pay(account, { amount: 1_000 })).outcome)).toBe(20);
  });

  test("a repeated reference keeps the score it had", async () => {
    const account = newId();
    const { charge, outcome } = await pay(account);
    for (let i = 0; i < 6; i++) await pay(account);
    expect(await processor.authorize(charge)).toEqual(outcome);
    expect(await processor.inquire(inquiry(charge.reference))).toEqual(outcome);
  });

  test("no e-mail address or billing address is stored in plain text", async () => {
    const { charge } = await pay(newId(), { customerEmail: "ada@example.com", billingAddress: address });
    const [row] =
      await sql`select to_jsonb(c)::text as text from sandbox_processor.charges c where reference = ${charge.reference}`;
    expect(row?.text).not.toMatch(/ada|main|austin|78701/i);
  });
});
