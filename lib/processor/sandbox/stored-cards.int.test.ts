import { describe, expect, test } from "vitest";
import { testProcessor } from "@/e2e/fixtures/sandbox-processor";
import { CALLED, inquiry } from "@/e2e/fixtures/scripted-processor";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { newId } from "@/lib/ids";
import type { StoreCardOutcome, StoreCardRequest } from "../cards";
import type { AuthorizeRequest } from "../port";

const { processor, sql, slept, authorization } = await testProcessor();

async function storeCard(request: StoreCardRequest): Promise<StoreCardOutcome> {
  if (!processor.storeCard) throw new Error("the sandbox stores cards");
  return processor.storeCard(request);
}

async function check(number: string, given: Partial<AuthorizeRequest> & { expYear?: number } = {}) {
  const { account, token } = await authorization(number, given);
  const { challengePage } = CALLED;
  return {
    reference: newId(),
    account,
    customer: newId(),
    token,
    holder: { name: null, address: null },
    challengePage,
  };
}

async function stored(number: string) {
  const request = await check(number);
  const outcome = await storeCard(request);
  if (outcome.kind !== "stored") throw new Error(`the check of ${number} ended as ${outcome.kind}`);
  return { account: request.account, customer: request.customer, token: outcome.token };
}

type Card = Awaited<ReturnType<typeof stored>>;

async function charge(
  { account, customer, token }: Card,
  initiator: "customer" | "merchant" = "merchant",
  given: Partial<AuthorizeRequest> = {},
) {
  const request = await authorization("4242424242424242", { account, capture: true, ...given });
  return { ...request, token, stored: { customer, initiator } };
}

const pay = async (...given: Parameters<typeof charge>) => processor.authorize(await charge(...given));
const insufficient = { kind: "declined", decline_code: "insufficient_funds" };

describe("the recurring cards pass a check and a payment by the customer, and then", () => {
  test.each([
    ["4000000000007106", "insufficient_funds"],
    ["4000000000007304", "stolen_card"],
    ["4000000000007403", "authentication_failed"],
  ])("%s declines each charge by the merchant: %s", async (number, decline_code) => {
    const card = await stored(number);
    for (const initiator of ["merchant", "customer", "merchant"] as const)
      expect(await pay(card, initiator)).toMatchObject(
        initiator === "customer" ? { kind: "approved" } : { kind: "declined", decline_code },
      );
    expect(await processor.authorize(await authorization(number))).toMatchObject({ kind: "approved" });
  });

  test("…7205 approves two charges by the merchant for each stored card, whatever the customer pays", async () => {
    const [card, other] = [await stored("4000000000007205"), await stored("4000000000007205")];
    expect(await pay(card, "customer")).toMatchObject({ kind: "approved" });
    expect(await pay(card)).toMatchObject({ kind: "approved" });
    const second = await charge(card);
    expect(await processor.authorize(second)).toMatchObject({ kind: "approved" });
    expect(await processor.authorize(second)).toMatchObject({ kind: "approved" });
    const third = await charge(card);
    expect(await processor.authorize(third)).toMatchObject(insufficient);
    expect(await processor.inquire(inquiry(third.reference))).toMatchObject(insufficient);
    const [row] = await sql`select amount_captured from sandbox_processor.charges where reference = ${third.reference}`;
    expect(row).toEqual({ amount_captured: 0 });
    expect(await pay(card, "customer")).toMatchObject({ kind: "approved" });
    expect(await pay(other)).toMatchObject({ kind: "approved" });
  });

  test("…7205 approves two of many concurrent charges", async () => {
    const card = await stored("4000000000007205");
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => pay(card)));
    expect(outcomes.filter(({ kind }) => kind === "approved")).toHaveLength(2);
    expect(outcomes.filter(({ kind }) => kind === "declined")).toHaveLength(18);
  });
});

test.each(SANDBOX_CARDS.filter((card) => card.behavior.startsWith("decline:")))(
  "a check of $number is declined, and nothing is stored: $behavior",
  async ({ number, behavior }) => {
    const request = await check(number);
    const declined = { kind: "declined", decline_code: behavior.slice("decline:".length) };
    expect(await storeCard(request)).toEqual(declined);
    expect(await storeCard(request)).toEqual(declined);
    const card = { ...request, token: `sbc_${request.reference}` };
    expect(await pay(card)).toMatchObject({ kind: "declined", refusal: expect.any(String) });
  },
);

test("only charges by the customer have a stored card's challenge", async () => {
  const request = await check("4000000000003220");
  expect(await storeCard(request)).toMatchObject({
    kind: "action_required",
    challenge: { url: CALLED.challengePage },
    pending: request.reference,
  });
  const card = { ...request, token: `sbc_${request.reference}` };
  expect(await pay(card)).toMatchObject({ kind: "declined", refusal: expect.any(String) });
  const next = { ...request, pending: request.reference, challenge: "passed" } as const;
  expect(await processor.continueStoring?.(next)).toMatchObject({ kind: "stored", token: card.token });
  expect(await pay(card)).toMatchObject({ kind: "approved" });
  expect(await pay(card, "customer")).toMatchObject({ kind: "action_required" });
  expect(await processor.continueStoring?.({ ...next, customer: newId() })).toMatchObject({ kind: "declined" });
});

test("an expired card is neither stored nor charged", async () => {
  const expired = { kind: "declined", decline_code: "expired_card" };
  expect(await storeCard(await check("4242424242424242", { expYear: 2025 }))).toEqual(expired);
  const card = await stored("4242424242424242");
  await sql`update sandbox_processor.stored_cards set exp_year = 2025 where reference = ${card.token.slice(4)}`;
  expect(await pay(card)).toMatchObject(expired);
});

test("a stored card is charged without a security code, and the fraud rules count it like the typed card", async () => {
  const card = await stored("4242424242424242");
  const { account } = card;
  for (let i = 0; i < 5; i++) await processor.authorize(await authorization("4242424242424242", { account }));
  expect(await pay(card)).toMatchObject({ kind: "approved", checks: { cvv_result: "P", fraud_score: 15 } });
});

test("equal cards of an account have equal fingerprints, stored by a check or a payment", async () => {
  const account = newId();
  const fingerprintOf = (outcome: object) => (outcome as { fingerprint?: string }).fingerprint;
  const byCheck = async (number: string, at = account) =>
    fingerprintOf(await storeCard(await check(number, { account: at, expYear: 2090 })));
  const first = await byCheck("4242424242424242");
  expect(first).toMatch(/^[\da-f-]{36}$/);
  expect(await byCheck("4242424242424242")).toBe(first);
  const payment = await authorization("4242424242424242", { account, store: { customer: newId() } });
  expect(fingerprintOf(await processor.authorize(payment))).toBe(first);
  expect(fingerprintOf(await processor.inquire(inquiry(payment.reference)))).toBe(first);
  expect(await byCheck("5555555555554444")).not.toBe(first);
  expect(await byCheck("4242424242424242", newId())).not.toBe(first);
});

describe("a failing processor", () => {
  test("a check with a lost response has stored the card, which the same reference returns", async () => {
    const request = await check("4000000000001976");
    expect(await storeCard(request)).toMatchObject({ kind: "unknown" });
    expect(await storeCard(request)).toMatchObject({ kind: "stored", token: `sbc_${request.reference}` });
  });

  test("a payment with a lost response has stored its card", async () => {
    const customer = newId();
    const request = await authorization("4000000000001976", { store: { customer } });
    expect(await processor.authorize(request)).toMatchObject({ kind: "unknown" });
    const found = await processor.inquire(inquiry(request.reference));
    expect(found).toMatchObject({ kind: "approved", storedToken: `sbc_${request.reference}` });
    const card = { account: request.account, customer, token: `sbc_${request.reference}` };
    expect(await pay(card)).toMatchObject({ kind: "unknown" });
  });

  test("the first check is refused unexecuted, and the second stores the card", async () => {
    const request = await check("4000000000001984");
    expect(await storeCard(request)).toMatchObject({ kind: "not_sent" });
    expect(await storeCard(request)).toMatchObject({ kind: "stored" });
  });

  test("garbage is unknown every time, and stores nothing", async () => {
    const request = await check("4000000000001968");
    expect(await storeCard(request)).toMatchObject({ kind: "unknown" });
    expect(await storeCard(request)).toMatchObject({ kind: "unknown" });
    const rows = await sql`select 1 from sandbox_processor.stored_cards where reference = ${request.reference}`;
    expect(rows).toHaveLength(0);
  });

  test("the slow card is stored before it responds, 5 seconds later", async () => {
    const before = slept.length;
    await stored("4000000000001992");
    expect(slept.slice(before)).toEqual([5_000]);
  });
});

test("a charge whose card is removed in the meantime is either made or refused", async () => {
  const card = await stored("4242424242424242");
  const requests = await Promise.all(Array.from({ length: 10 }, () => charge(card)));
  const sent = requests.map((request) => processor.authorize(request));
  await processor.removeCard?.(card.account, card);
  for (const [index, outcome] of (await Promise.all(sent)).entries()) {
    const { reference } = requests[index] as AuthorizeRequest;
    const rows = await sql`select 1 from sandbox_processor.charges where reference = ${reference}`;
    expect(rows).toHaveLength(outcome.kind === "approved" ? 1 : 0);
  }
  expect(await pay(card)).toMatchObject({ kind: "declined", refusal: expect.any(String) });
});

test("a stored card belongs to one account", async () => {
  const card = await stored("4242424242424242");
  const other = { ...card, account: newId() };
  expect(await pay(other)).toMatchObject({ kind: "declined", refusal: expect.any(String) });
  await processor.removeCard?.(other.account, other);
  expect(await pay(card)).toMatchObject({ kind: "approved" });
  const request = await check("4242424242424242");
  expect(await storeCard(request)).toMatchObject({ kind: "stored" });
  const stranger = await check("4242424242424242");
  expect(await storeCard({ ...stranger, reference: request.reference })).toMatchObject({ kind: "not_sent" });
});

test("neither the number nor the security code of a stored card is stored", async () => {
  const { token } = await stored("4242424242424242");
  const [row] =
    await sql`select to_jsonb(c)::text as text from sandbox_processor.stored_cards c where reference = ${token.slice(4)}`;
  const rest = row?.text.replace(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:.+]+/g, "");
  expect(rest).not.toMatch(/4242/);
});

test("a card's expiry and its recent attempts are judged by the environment's time", async () => {
  const card = await stored("4242424242424242");
  const at = async (now: string) => processor.authorize({ ...(await charge(card)), now: new Date(now) });
  const scores = [];
  for (const time of [...Array.from({ length: 11 }, () => "2039-01-01"), "2039-02-01"]) {
    const outcome = await at(`${time}T10:00:00Z`);
    scores.push("checks" in outcome ? outcome.checks?.fraud_score : null);
  }
  expect(scores[10]).not.toBe(scores[0]);
  expect(scores[11]).toBe(scores[0]);
  expect(await at("2200-01-01T00:00:00Z")).toMatchObject({ kind: "declined", decline_code: "expired_card" });
  const request = { ...(await check("4242424242424242")), now: new Date("2200-01-01T00:00:00Z") };
  expect(await storeCard(request)).toEqual({ kind: "declined", decline_code: "expired_card" });
});
