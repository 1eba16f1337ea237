import { describe, expect, test } from "vitest";
import { testProcessor } from "@/e2e/fixtures/sandbox-processor";
import { CALLED, inquiry } from "@/e2e/fixtures/scripted-processor";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { newId } from "@/lib/ids";

const { processor, sql, slept, authorization, followUp, stored } = await testProcessor();

const numbers = (behavior: string) =>
  SANDBOX_CARDS.filter((card) => card.behavior === behavior).map((card) => card.number);
const approved = { kind: "approved" };
const refused = { kind: "declined", decline_code: null };

test.each(numbers("approve"))("%s is approved, and captured if requested", async (number) => {
  const held = await authorization(number);
  expect(await processor.authorize(held)).toMatchObject({
    kind: "approved",
    checks: { avs_result: "U", cvv_result: "M", fraud_score: 0, fraud_reasons: [] },
  });
  expect(await stored(held)).toMatchObject({ outcome: "approved", amount_captured: 0 });
  const sale = await authorization(number, { capture: true });
  expect(await processor.authorize(sale)).toMatchObject(approved);
  expect(await stored(sale)).toMatchObject({ outcome: "approved", amount_captured: 10_000 });
});

test.each(SANDBOX_CARDS.filter((card) => card.behavior.startsWith("decline:")))(
  "$number is declined: $behavior",
  async ({ number, behavior }) => {
    const charge = await authorization(number, { capture: true });
    const decline_code = behavior.slice("decline:".length);
    const outcome = await processor.authorize(charge);
    expect(outcome).toMatchObject({ kind: "declined", decline_code });
    expect(await processor.inquire(inquiry(charge.reference))).toEqual(outcome);
    expect(await stored(charge)).toMatchObject({ outcome: "declined", amount_captured: 0 });
    expect(await processor.capture(followUp(charge, 1))).toEqual(refused);
    expect(await processor.refund(followUp(charge, 1))).toEqual(refused);
    expect(await processor.void(followUp(charge, 10_000))).toEqual(refused);
  },
);

test("a valid number that isn't a test card is declined, and nothing of it is stored", async () => {
  const number = "4012888888881881";
  const charge = await authorization(number);
  expect(await processor.authorize(charge)).toMatchObject({ kind: "declined", decline_code: "generic_decline" });
  const [row] =
    await sql`select to_jsonb(c)::text as text from sandbox_processor.charges c where reference = ${charge.reference}`;
  // First and last four digits, except in ids, digests and times, which contain any four digits by chance.
  const rest = row?.text.replace(/[\da-f]{8}-[\da-f-]{27}|\\\\x[\da-f]+|\d{4}-\d\d-\d\dT[\d:.+]+/g, "");
  expect(rest).not.toMatch(/4012|1881/);
});

test("an expired card is declined, whatever else it does", async () => {
  expect(await processor.authorize(await authorization("4242424242424242", { expYear: 2025 }))).toMatchObject({
    kind: "declined",
    decline_code: "expired_card",
  });
});

test("the card known for fraud scores 95 and has a reason", async () => {
  expect(await processor.authorize(await authorization("4000000000004954"))).toMatchObject({
    decline_code: "fraud_suspected",
    checks: { fraud_score: 95, fraud_reasons: [expect.stringContaining("fraud")] },
  });
});

test("the cards whose checks fail are approved with the letter N", async () => {
  const address = { line1: "1 Main St", line2: null, city: "Austin", state: "TX", postal_code: "78701", country: "US" };
  expect(await processor.authorize(await authorization("4000000000000044", { billingAddress: address }))).toMatchObject(
    {
      kind: "approved",
      checks: { avs_result: "N", cvv_result: "M", fraud_score: 20 },
    },
  );
  expect(await processor.authorize(await authorization("4000000000000101", { billingAddress: address }))).toMatchObject(
    {
      kind: "approved",
      checks: { avs_result: "Y", cvv_result: "N", fraud_score: 25 },
    },
  );
});

describe("3-D Secure", () => {
  const start = async (capture: boolean) => {
    const charge = await authorization("4000000000003220", { capture });
    expect(await processor.authorize(charge)).toMatchObject({
      kind: "action_required",
      challenge: { url: CALLED.challengePage },
    });
    return charge;
  };
  const answer = (charge: { account: string; reference: string }, challenge: "passed" | "failed" | "abandoned") => ({
    ...CALLED,
    reference: newId(),
    account: charge.account,
    notAfter: new Date(Date.now() + 60_000),
    authorization: charge.reference,
    challenge,
  });

  test.each([true, false])("a passed challenge approves, with immediate capture: %s", async (capture) => {
    const charge = await start(capture);
    expect(await processor.capture(followUp(charge, 1))).toEqual(refused);
    expect(await processor.continueAuthorization(answer(charge, "passed"))).toEqual(approved);
    expect(await stored(charge)).toMatchObject({ outcome: "approved", amount_captured: capture ? 10_000 : 0 });
    expect(await processor.inquire(inquiry(charge.reference))).toMatchObject(approved);
  });

  test.each(["failed", "abandoned"] as const)("a %s challenge declines", async (challenge) => {
    const charge = await start(true);
    const declined = { kind: "declined", decline_code: "authentication_failed" };
    expect(await processor.continueAuthorization(answer(charge, challenge))).toEqual(declined);
    expect(await stored(charge)).toMatchObject({ outcome: "declined", amount_captured: 0 });
    expect(await processor.inquire(inquiry(charge.reference))).toMatchObject(declined);
  });
});

describe("fault cards", () => {
  test("the failing capture leaves the authorization as it was, and a void still works", async () => {
    const charge = await authorization("4000000000000341");
    expect(await processor.authorize(charge)).toMatchObject(approved);
    expect(await processor.capture(followUp(charge, 10_000))).toEqual(refused);
    expect(await stored(charge)).toMatchObject({ outcome: "approved", amount_captured: 0, voided: false });
    expect(await processor.void(followUp(charge, 10_000))).toEqual(approved);
  });

  test("the failing capture, requested together with the authorization, leaves it authorized", async () => {
    const charge = await authorization("4000000000000341", { capture: true });
    expect(await processor.authorize(charge)).toMatchObject({ kind: "approved", captured: false });
    expect(await processor.inquire(inquiry(charge.reference))).toMatchObject({ kind: "approved", captured: false });
    expect(await stored(charge)).toMatchObject({ outcome: "approved", amount_captured: 0, voided: false });
  });

  test("a lost response was charged, and the same reference gets it on a retry", async () => {
    const charge = await authorization("4000000000001976", { capture: true });
    expect(await processor.authorize(charge)).toMatchObject({ kind: "unknown" });
    expect(await stored(charge)).toMatchObject({ outcome: "approved", amount_captured: 10_000 });
    expect(await processor.inquire(inquiry(charge.reference))).toMatchObject(approved);
    expect(await processor.authorize(charge)).toMatchObject(approved);
    expect(await processor.refund(followUp(charge, 10_000))).toEqual(approved);
  });

  test("the first attempt per reference is not executed, the second is", async () => {
    const charge = await authorization("4000000000001984");
    expect(await processor.authorize(charge)).toMatchObject({ kind: "not_sent" });
    expect(await processor.inquire(inquiry(charge.reference))).toEqual({ kind: "not_found" });
    expect(await processor.authorize(charge)).toMatchObject(approved);
    expect(await processor.authorize(await authorization("4000000000001984"))).toMatchObject({ kind: "not_sent" });
  });

  test("garbage is unknown every time and never executed", async () => {
    const charge = await authorization("4000000000001968");
    expect(await processor.authorize(charge)).toMatchObject({ kind: "unknown" });
    expect(await processor.authorize(charge)).toMatchObject({ kind: "unknown" });
    expect(await processor.inquire(inquiry(charge.reference))).toEqual({ kind: "not_found" });
  });

  test("the slow card is charged before it responds, 5 seconds later", async () => {
    const charge = await authorization("4000000000001992");
    const before = slept.length;
    expect(await processor.authorize(charge)).toMatchObject(approved);
    expect(slept.slice(before)).toEqual([5_000]);
    expect(await processor.authorize(charge)).toMatchObject(approved);
    expect(slept.slice(before)).toEqual([5_000]);
  });
});
