import { expect, onTestFinished, test } from "vitest";
import type { BillingAddress } from "@/lib/contract/fields";
import { REFUND_REASONS } from "@/lib/contract/transactions/words";
import { ownToken } from "@/lib/processor/adyen/tokens";
import type { AuthorizeRequest } from "@/lib/processor/port";
import { memoryJournal } from "../../fixtures/memory-journal";
import { callsTo } from "../../port-suite/calls";
import { startAdyenDouble } from "./api";
import { faultsOfAnswer, faultsOfRequest, faultsOfWebhook, OPERATIONS, operationOf } from "./description";
import type { DoubleRequest } from "./http-server";
import { adyenUnderTest } from "./under-test";

/**
 * A double that stops when the test ends, and fails it if anything violates Adyen's description of its API.
 */
async function underTest() {
  const double = await startAdyenDouble({ pages: "https://pages.adyen.example/threeDS/redirect" });
  onTestFinished(() => double.stop());
  const tested = adyenUnderTest(double, memoryJournal());
  return { double, tested, processor: tested.processor, calls: callsTo(tested) };
}

const ADDRESS: BillingAddress = {
  line1: "Redwood Block",
  line2: null,
  city: null,
  state: null,
  postal_code: "10039-0001",
  country: null,
};
const address = (given: Partial<BillingAddress>) => ({ billingAddress: { ...ADDRESS, ...given } });
const BROWSER = {
  acceptHeader: "*/*",
  colorDepth: 24,
  javaEnabled: false,
  javaScriptEnabled: true,
  language: "nl-NL",
  screenHeight: 723,
  screenWidth: 1536,
  timeZoneOffset: -60,
  userAgent: "Mozilla/5.0",
};
const LONG = `https://${"a".repeat(60)}.${"b".repeat(60)}.example`;

test.each<[string, Partial<AuthorizeRequest>]>([
  ["an address in the United States without a state", address({ country: "US" })],
  ["one with a state in full", address({ country: "US", state: "New York" })],
  ["one with a state's code", address({ country: "US", state: "NY", city: "New York", line2: "37C" })],
  ["one in Canada without a province", address({ country: "CA", postal_code: "M5V 2T6" })],
  ["one elsewhere", address({ country: "NL", state: "Noord-Holland", postal_code: "1011 DJ" })],
  ["one of no country, with a long postal code", address({ postal_code: "a very long postal code" })],
  ["a page at a long address", { challengePage: `${LONG}/challenge/of-this-payment` }],
  ["an e-mail address, captured immediately", { customerEmail: "s.hopper@example.com", capture: true }],
])("a payment with %s is approved, and as Adyen describes one", async (_what, given) => {
  const { processor, calls } = await underTest();
  expect(await processor.authorize(await calls.authorization("approved", given))).toMatchObject({ kind: "approved" });
});

test("a card of Adyen's component is charged with all of the component's data", async () => {
  const { double, processor, calls } = await underTest();
  const card = double.encrypt({ number: "4242424242424242", expiryMonth: "03", expiryYear: "2040", cvc: "737" });
  const token = ownToken({ ...card, holderName: "S. Hopper", browserInfo: BROWSER });
  const charge = await calls.authorization("approved", { token });
  expect(await processor.authorize(charge)).toMatchObject({ kind: "approved" });
});

test("every other request, response and webhook matches Adyen's description", async () => {
  const { double, tested, processor, calls } = await underTest();
  const charge = await calls.charged(false);
  await calls.end("capture", calls.followUp(charge, 9_000));
  for (const reason of [null, ...REFUND_REASONS]) await calls.end("refund", calls.followUp(charge, 1_000, { reason }));
  await calls.end("void", calls.followUp(await calls.charged(false), 10_000));
  await processor.authorize(await calls.authorization("declined"));
  for (const passed of [true, false]) {
    const challenged = await calls.authorization("challenged");
    const asked = await processor.authorize(challenged);
    if (asked.kind !== "action_required") throw new Error(`it was answered ${asked.kind}`);
    const redirectResult = double.answerChallenge(asked.challenge.url, passed);
    const back = { ...calls.continuation(challenged, "passed"), returned: { redirectResult } };
    expect(await processor.continueAuthorization(back)).toMatchObject({ kind: passed ? "approved" : "declined" });
  }
  double.fault(/\/payments$/, "lost before");
  const lost = await calls.authorization();
  await processor.authorize(lost);
  expect(await calls.close(lost)).toEqual({ kind: "never" });
  expect(await processor.checkConnection?.()).toMatchObject({ kind: "works" });
  double.fault(/\/storedPaymentMethods$/, "lost after");
  await expect(calls.authorization()).rejects.toThrow("did not take a card");
  await tested.unusedCards?.age();
  await processor.forgetOldAttempts?.();
  const returning = await calls.authorization("refundComesBack", { capture: true });
  await processor.authorize(returning);
  await calls.end("refund", calls.followUp(returning, 10_000));
  await tested.giveBack(returning.account);
  const asked = new Set(double.requests.map((request) => operationOf(request)));
  expect(asked).toEqual(new Set(Object.keys(OPERATIONS)));
});

const PAYMENT = {
  merchantAccount: "ExampleShopECOM",
  reference: "of a test",
  returnUrl: "https://example.com",
  amount: { value: 1000, currency: "EUR" },
  paymentMethod: { type: "scheme", storedPaymentMethodId: "X" },
};
const BILLED = { street: "S", houseNumberOrName: "1", city: "C", postalCode: "10039", country: "US" };
function request(given: Partial<DoubleRequest> & { say?: object } = {}): DoubleRequest {
  const { say = {}, headers = {}, ...rest } = given;
  return {
    method: "POST",
    path: "/v72/payments",
    query: new URLSearchParams(),
    body: JSON.stringify({ ...PAYMENT, ...say }),
    headers: { "x-api-key": "a key", "content-type": "application/json", "idempotency-key": "a-key", ...headers },
    ...rest,
  };
}

test.each<[string, Parameters<typeof request>[0]]>([
  ["/paymentMethod must match exactly one schema in oneOf", { say: { paymentMethod: { type: "scheme", pan: "4" } } }],
  ["must NOT have additional properties captureDelay", { say: { captureDelay: 1 } }],
  ["/lineItems/0 boolean schema is false", { say: { lineItems: [{}] } }],
  ["must have required property 'returnUrl' returnUrl", { say: { returnUrl: undefined } }],
  ["/amount/value must be integer", { say: { amount: { value: "1000", currency: "EUR" } } }],
  ["/amount/currency must NOT have fewer than 3 characters", { say: { amount: { value: 1, currency: "EU" } } }],
  ['/captureDelayHours must match format "int32"', { say: { captureDelayHours: 2 ** 31 } }],
  ["/channel must be equal to one of the allowed values iOS,Android,Web", { say: { channel: "web" } }],
  ["/additionalData/manualCapture must be string", { say: { additionalData: { manualCapture: true } } }],
  [
    "its reference is longer than 80 characters",
    { say: { reference: "x".repeat(81) }, path: "/v72/payments/P/cancels" },
  ],
  ["an address in US has no state or province", { say: { billingAddress: BILLED } }],
  ["a postal code in the US has five characters", { say: { billingAddress: { ...BILLED, postalCode: "10039-1" } } }],
  ["usa is no country's code", { say: { billingAddress: { ...BILLED, country: "usa" } } }],
  ["a request that moves money has no Idempotency-Key", { headers: { "idempotency-key": undefined } }],
  ["its Idempotency-Key is not of 1 to 64", { headers: { "idempotency-key": "x".repeat(65) } }],
  ["it has no X-API-Key", { headers: { "x-api-key": undefined } }],
  ["its body is not declared as JSON", { headers: { "content-type": "text/plain" } }],
  ["Adyen has no POST /v71/payments", { path: "/v71/payments" }],
  ["Adyen has no GET /v72/payments", { method: "GET" }],
  ["it takes no parameter merchant", { query: new URLSearchParams({ merchant: "1" }) }],
  ["it has no parameter shopperReference", { method: "DELETE", path: "/v72/storedPaymentMethods/X", body: "" }],
  ["it takes no body", { method: "DELETE", path: "/v72/storedPaymentMethods/X" }],
])("an invalid request to Adyen is found: %s", (fault, given) => {
  expect(faultsOfRequest(request())).toEqual([]);
  expect(faultsOfRequest(request(given))).toContainEqual(expect.stringContaining(fault));
});

test.each<[string, number, unknown, string?]>([
  ["/resultCode must be equal to one of", 200, { resultCode: "Approved" }],
  ["must NOT have additional properties psp", 200, { psp: "X" }],
  ["/status must be integer", 422, { status: "422" }],
  ["ServiceError must be object", 503, "<html>"],
  ["Adyen has no such response", 201, {}],
  ["it does not name the request's Idempotency-Key", 200, {}, "another-key"],
])("an invalid response of Adyen's is found: %s", (fault, status, body, key = "a-key") => {
  const answer = { status, headers: { "idempotency-key": key }, body: JSON.stringify(body) };
  expect(faultsOfAnswer(request(), answer)).toContainEqual(expect.stringContaining(fault));
});

const ITEM = {
  eventCode: "CHARGEBACK",
  pspReference: "D",
  merchantAccountCode: "M",
  merchantReference: "R",
  success: "true",
  amount: { value: 1, currency: "EUR" },
  eventDate: "2026-11-01T12:00:00+01:00",
};
test.each([
  ["CHARGEBACK: success is neither", { success: true }],
  ["/amount must be object", { amount: 5 }],
  ["must have required property 'merchantReference'", { merchantReference: undefined }],
  ["must NOT have additional properties payment", { payment: "P" }],
  ["/additionalData/disputeStatus must be equal to one of", { additionalData: { disputeStatus: "lost" } }],
  ["/eventDate must match format", { eventDate: "yesterday" }],
  ["Adyen has no event CHARGED_BACK", { eventCode: "CHARGED_BACK" }],
])("an invalid webhook of Adyen's is found: %s", (fault, given) => {
  const body = (item: object) =>
    JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem: { ...ITEM, ...item } }] });
  expect(faultsOfWebhook(body({}))).toEqual([]);
  expect(faultsOfWebhook(body(given))).toContainEqual(expect.stringContaining(fault));
});
