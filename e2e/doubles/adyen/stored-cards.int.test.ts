import { describe, expect, onTestFinished, test } from "vitest";
import { newId } from "@/lib/ids";
import { ownToken } from "@/lib/processor/adyen/tokens";
import type { StoreCardOutcome } from "@/lib/processor/cards";
import { type AuthorizeRequest, type Outcome, type PushedReports, UnreadableReportError } from "@/lib/processor/port";
import type { ProcessorObject } from "@/lib/processor/records";
import { memoryJournal } from "../../fixtures/memory-journal";
import { type AdyenDouble, type AdyenDoubleOptions, startAdyenDouble } from "./api";
import { faultsOfTokenWebhook } from "./description";
import type { Fault } from "./http-server";
import { connectorOf, messageOf } from "./under-test";

const PAGES = "https://pages.adyen.example/threeDS/redirect";
const PAGE = "https://cardlane.example/challenge/of-this-card";
const TIMEOUT_MS = 1_000;

/** A customer at a double of their own, and Cardlane's calls for the customer's cards. */
async function newCustomer(options: AdyenDoubleOptions = {}) {
  const double = await startAdyenDouble({ pages: PAGES, ...options });
  onTestFinished(() => double.stop());
  const processor = connectorOf(double, memoryJournal(), { timeoutMs: TIMEOUT_MS });
  const { storeCard, continueStoring, removeCard } = processor;
  const reports = processor.reports as PushedReports;
  if (!storeCard || !continueStoring || !removeCard) throw new Error("it stores cards");
  const [account, customer] = [newId(), newId()];
  /** Encrypted by Adyen's component, or typed. */
  const tokenize = async (number: string, from: "component" | "typed" = "component") =>
    from === "component"
      ? ownToken(double.encrypt({ number, expiryMonth: "12", expiryYear: "2040", cvc: "737" }))
      : (await processor.tokenize(account, { number, exp_month: 12, exp_year: 2040, cvv: "737" })).token;

  async function check(number: string, from: "component" | "typed" = "component") {
    const holder = { name: null, address: null };
    const token = await tokenize(number, from);
    return { reference: newId(), account, customer, token, holder, challengePage: PAGE };
  }
  async function stored(number: string, from: "component" | "typed" = "component"): Promise<string> {
    const outcome = await storeCard?.(await check(number, from));
    if (outcome?.kind !== "stored") throw new Error(`the check of ${number} ended as ${outcome?.kind}`);
    return outcome.token;
  }
  function charge(token: string, given: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
    const objects: ProcessorObject[] = [];
    return {
      reference: newId(),
      account,
      token,
      amount: 10_000,
      currency: "USD",
      capture: true,
      customerEmail: null,
      billingAddress: null,
      description: null,
      metadata: {},
      challengePage: PAGE,
      objects,
      notAfter: new Date(Date.now() + 60_000),
      keep: async (object: ProcessorObject) => void objects.push(object),
      ...given,
    };
  }
  const pay = (token: string, initiator: "customer" | "merchant") =>
    processor.authorize(charge(token, { stored: { customer, initiator } }));
  const hear = async () => {
    const read = double.tokenMessages().map(async (message) => reports.read(message));
    return (await Promise.all(read)).flat();
  };
  const calls = { storeCard, continueStoring, removeCard, reports, account, customer };
  return { double, processor, ...calls, tokenize, check, stored, charge, pay, hear };
}

const idIn = (token: string) => token.split(".").at(-1) ?? "";

describe.each(["component", "typed"] as const)("a card that is %s", (from) => {
  test("is stored by a check, charged, and removed", async () => {
    const { double, stored, pay, removeCard, account, customer } = await newCustomer();
    const token = await stored("4242424242424242", from);
    expect(token).not.toMatch(/4242/);
    expect(double.stored.has(idIn(token))).toBe(true);
    for (const initiator of ["merchant", "customer"] as const)
      expect(await pay(token, initiator)).toMatchObject({ kind: "approved" });
    await removeCard(account, { token, customer });
    expect(double.stored.size).toBe(0);
    expect(await pay(token, "merchant")).toMatchObject({ kind: "declined", refusal: expect.any(String) });
  });

  test("is stored by a payment, even if the response is lost", async () => {
    const { double, processor, reports, tokenize, charge, customer, pay, hear } = await newCustomer();
    const request = charge(await tokenize("4242424242424242", from), { store: { customer } });
    double.fault(/\/payments$/, "lost after");
    expect(await processor.authorize(request)).toMatchObject({ kind: "unknown" });
    for (const body of double.messages()) await reports.read(messageOf(body));
    await hear();
    const asked = { ...request, kind: "authorize", authorization: request.reference } as const;
    const found = await processor.inquire(asked);
    expect(found).toMatchObject({ kind: "approved", storedToken: expect.stringMatching(/^adyen_card\./) });
    const { storedToken = "" } = found as Extract<Outcome, { kind: "approved" }>;
    expect(await pay(storedToken, "merchant")).toMatchObject({ kind: "approved" });
    expect(double.books.byReference(request.reference)?.captured).toBe(10_000);
  });

  test("isn't deleted with the unused ones once it is stored for a customer", async () => {
    const { double, processor, tokenize, charge, customer, pay } = await newCustomer();
    const request = charge(await tokenize("4242424242424242", from), { store: { customer } });
    const { storedToken = "" } = (await processor.authorize(request)) as Extract<Outcome, { kind: "approved" }>;
    await processor.forgetOldAttempts();
    expect(double.stored.size).toBe(1);
    expect(await pay(storedToken, "merchant")).toMatchObject({ kind: "approved" });
  });
});

/** The message that another shop's stored card was removed. */
function otherMessage(double: AdyenDouble) {
  double.stored.set("OTHER", { card: CARD, shopper: "of-another-shop", models: [], uses: 0 });
  double.endToken("OTHER");
  const [message] = double.tokenMessages();
  if (!message) throw new Error("there is no message about the stored card");
  return message;
}
const CARD = { number: "4242424242424242", expiryMonth: "12", expiryYear: "2040", cvc: null };

const answer = (status: number, errorCode: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify({ status, errorCode, message: "a fault", errorType: "internal" }),
});
const FAULTS: Readonly<Record<string, Fault>> = {
  "lost before": "lost before",
  "lost after": "lost after",
  late: "late",
  "silent before": "silent before",
  "silent after": "silent after",
  "429": { answer: answer(429, "029"), executed: false },
  "401": { answer: answer(401, "000"), executed: false },
  "a 500 before": { answer: answer(500, "905"), executed: false },
  "a 500 after": { answer: answer(500, "905"), executed: true },
  "garbage after": { answer: { status: 200, body: "<html>" }, executed: true },
};

test.each(Object.entries(FAULTS))("%s: a check that is sent again stores its card once", async (_name, fault) => {
  const { double, storeCard, check, pay } = await newCustomer();
  const request = await check("4242424242424242");
  double.fault(/\/payments$/, fault);
  let outcome: StoreCardOutcome = await storeCard(request);
  expect(outcome.kind === "unknown" || outcome.kind === "not_sent").toBe(true);
  outcome = await storeCard(request);
  expect(outcome).toMatchObject({ kind: "stored" });
  await double.releaseLate();
  expect(double.stored.size).toBe(1);
  expect(await storeCard(request)).toEqual(outcome);
  const { token } = outcome as Extract<StoreCardOutcome, { kind: "stored" }>;
  expect(await pay(token, "merchant")).toMatchObject({ kind: "approved" });
});

test.each(Object.entries(FAULTS))("%s: a removal rejects, or the card is gone", async (_name, fault) => {
  const { double, stored, removeCard, account, customer } = await newCustomer();
  const token = await stored("4242424242424242");
  double.fault(/\/storedPaymentMethods\//, fault);
  const gone = await removeCard(account, { token, customer }).then(
    () => true,
    () => false,
  );
  expect(gone && double.stored.size > 0).toBe(false);
  await removeCard(account, { token, customer });
  expect(double.stored.size).toBe(0);
});

test("a token that only the webhook contains is known once it arrives, by the same reference", async () => {
  const { storeCard, check, hear, pay } = await newCustomer({ tokens: "told" });
  const request = await check("4242424242424242");
  expect(await storeCard(request)).toMatchObject({ kind: "unknown", reason: expect.stringContaining("not named") });
  expect(await hear()).toEqual([]);
  const outcome = await storeCard(request);
  expect(outcome).toMatchObject({ kind: "stored", card: { brand: "visa", last4: "4242" } });
  expect(await pay((outcome as { token: string }).token, "merchant")).toMatchObject({ kind: "approved" });
});

test("messages about a check report nothing, because it isn't a payment", async () => {
  const { double, stored, reports } = await newCustomer();
  await stored("4242424242424242");
  const messages = double.messages();
  expect(messages).toHaveLength(1);
  for (const body of messages) expect(await reports.read(messageOf(body))).toEqual([]);
});

test.each([
  ["4000000000007106", "insufficient_funds"],
  ["4000000000007304", "stolen_card"],
  ["4000000000007403", "authentication_failed"],
])("without the shopper, %s is declined: %s", async (number, decline_code) => {
  const { stored, pay } = await newCustomer();
  const token = await stored(number);
  expect(await pay(token, "merchant")).toMatchObject({ kind: "declined", decline_code });
  expect(await pay(token, "customer")).toMatchObject({ kind: "approved", checks: { cvv_result: "P" } });
});

test("equal cards of a customer are stored separately, so that removing one leaves the other", async () => {
  const { stored, pay, removeCard, account, customer } = await newCustomer();
  const [first, second] = [await stored("4242424242424242"), await stored("4242424242424242")];
  await removeCard(account, { token: first, customer });
  expect(await pay(first, "merchant")).toMatchObject({ kind: "declined" });
  expect(await pay(second, "merchant")).toMatchObject({ kind: "approved" });
});

describe("messages about stored cards", () => {
  test("report a new expiry date, and a removal", async () => {
    const { double, stored, hear } = await newCustomer();
    const storedCard = await stored("4242424242424242");
    expect(await hear()).toEqual([]);
    double.renewToken(idIn(storedCard), { expiryMonth: "07", expiryYear: "2045" });
    const card = { brand: "visa", bin: "424242", last4: "4242", exp_month: 7, exp_year: 2045 };
    const id = expect.stringMatching(/\w/);
    expect(await hear()).toEqual([{ id, storedCard, change: "updated", card }]);
    double.endToken(idIn(storedCard));
    expect(await hear()).toEqual([{ id, storedCard, change: "removed" }]);
  });

  test("about a renewal that arrive after the removal report the removal", async () => {
    const { double, stored, hear } = await newCustomer();
    const storedCard = await stored("4242424242424242");
    double.renewToken(idIn(storedCard), { expiryMonth: "07", expiryYear: "2045" });
    double.stored.clear();
    expect(await hear()).toMatchObject([{ storedCard, change: "removed" }]);
  });

  test("are refused unless they are unchanged and signed with the connection's key", async () => {
    const { double, reports } = await newCustomer();
    const message = otherMessage(double);
    expect(reports.isAuthentic?.(message)).toBe(true);
    expect(await reports.read(message)).toMatchObject([{ change: "removed" }]);
    for (const forged of [
      { ...message, body: `${message.body} ` },
      { ...message, body: message.body.replace("disabled", "updated") },
      { ...message, headers: new Headers() },
    ])
      await expect((async () => reports.read(forged))()).rejects.toBeInstanceOf(UnreadableReportError);
  });

  test("about another merchant account report nothing", async () => {
    const other = await newCustomer({ merchantAccount: "AnotherShopECOM" });
    const { reports } = await newCustomer({ tokensKey: other.double.tokensKey });
    expect(await reports.read(otherMessage(other.double))).toEqual([]);
  });

  test("match Adyen's description of them", async () => {
    const { double } = await newCustomer();
    const { body } = otherMessage(double);
    expect(faultsOfTokenWebhook(body)).toEqual([]);
    expect(faultsOfTokenWebhook(body.replace("storedPaymentMethodId", "token"))).not.toEqual([]);
    expect(faultsOfTokenWebhook(body.replace("disabled", "gone"))).not.toEqual([]);
  });
});
