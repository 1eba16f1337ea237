import { describe, expect, test } from "vitest";
import { testProcessor } from "@/e2e/fixtures/sandbox-processor";
import { inquiry } from "@/e2e/fixtures/scripted-processor";
import { newId } from "@/lib/ids";
import type { Outcome } from "../port";

const { processor, sql, authorization, followUp, stored } = await testProcessor();

const CARD = "4242424242424242";
const approved = { kind: "approved" };
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const approvals = (outcomes: Outcome[]) => outcomes.filter((outcome) => outcome.kind === "approved").length;

async function charged(capture: boolean, amount = 10_000) {
  const charge = await authorization(CARD, { capture, amount });
  expect(await processor.authorize(charge)).toMatchObject(approved);
  return charge;
}

test("refunds of several references, each sent many times, move money once per reference", async () => {
  const charge = await charged(true, 1_000);
  const requests = times(20, () => followUp(charge, 100));
  await Promise.all(times(160, (i) => processor.refund(requests[i % 20] as (typeof requests)[0])));
  expect(approvals(await Promise.all(requests.map((request) => processor.refund(request))))).toBe(10);
  expect(await stored(charge)).toMatchObject({ amount_refunded: 1_000 });
});

test("a refund of a charge that does not exist is refused", async () => {
  const charge = await charged(true);
  const refused = { kind: "declined", decline_code: null };
  expect(await processor.refund(followUp(charge, 1, { authorization: newId() }))).toEqual(refused);
});

test("after its notAfter nothing is executed, but an earlier execution is still reported", async () => {
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

  test("all rules together stop at the cap and still approve", async () => {
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
    await sql`update sandbox_processor.recent_attempts set at = at - interval '10 minutes', created_at = created_at - interval '10 minutes'`;
    expect(score((await pay(account)).outcome)).toBe(0);
  });

  test("counted attempts are deleted after ten minutes, and never reach the write-ahead log", async () => {
    const kept = async () => (await sql`select 1 from sandbox_processor.recent_attempts`).length;
    await processor.forgetOldAttempts();
    await pay(newId(), { customerEmail: "ada@example.com", billingAddress: address }, "4012888888881881");
    expect(await kept()).toBeGreaterThanOrEqual(3);
    await processor.forgetOldAttempts();
    expect(await kept()).toBeGreaterThanOrEqual(3);
    await sql`update sandbox_processor.recent_attempts set at = at - interval '10 minutes', created_at = created_at - interval '10 minutes'`;
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
    const { charge } = await pay(newId(), { customerEmail: "lovelace@example.com", billingAddress: address });
    const [row] =
      await sql`select to_jsonb(c)::text as text from sandbox_processor.charges c where reference = ${charge.reference}`;
    // Words that no digest or id contains by chance.
    expect(row?.text).not.toMatch(/lovelace|main|austin|\b78701\b/i);
  });
});
