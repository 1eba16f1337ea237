import { readFileSync, writeFileSync } from "node:fs";

/**
 * Extracts the parts that Adyen's double uses from Adyen's own OpenAPI description, which is twenty times as
 * long. Arguments: the path of a copy of https://github.com/Adyen/adyen-openapi, and its commit.
 */
const [copy, commit] = process.argv.slice(2);
if (!copy || !commit) throw new Error("Usage: node --import tsx scripts/trim-adyen-openapi.ts <copy> <commit>");

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Named = { [name: string]: Json };
type Content = { content?: { "application/json": { schema: { $ref: string } } } };
type Operation = {
  parameters?: { name?: string; in?: string; required?: boolean; $ref?: string }[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Described = Record<string, Record<string, Operation>>;
type Description = {
  info: { version: string };
  paths?: Described;
  webhooks?: Described;
  components: { schemas: Named };
};

const OPERATIONS = [
  ...["POST /payments", "POST /payments/details", "POST /paymentMethods"],
  ...["captures", "cancels", "refunds"].map((what) => `POST /payments/{paymentPspReference}/${what}`),
  ...["GET /storedPaymentMethods", "POST /storedPaymentMethods"],
  "DELETE /storedPaymentMethods/{storedPaymentMethodId}",
];
const EVENTS = [
  ...["AUTHORISATION", "CAPTURE", "CAPTURE_FAILED", "CANCELLATION", "REFUND", "REFUND_FAILED", "REFUNDED_REVERSED"],
  ...["NOTIFICATION_OF_CHARGEBACK", "REQUEST_FOR_INFORMATION", "CHARGEBACK", "CHARGEBACK_REVERSED"],
  ...["SECOND_CHARGEBACK", "PREARBITRATION_WON", "PREARBITRATION_LOST", "INFORMATION_SUPPLIED"],
  ...["DISPUTE_DEFENSE_PERIOD_ENDED", "ISSUER_RESPONSE_TIMEFRAME_EXPIRED"],
  ...["REPORT_AVAILABLE", "EXPIRE", "NOTIFICATION_OF_FRAUD"],
];
const TOKEN_EVENTS = ["created", "updated", "disabled", "alreadyExisting"].map((what) => `recurring.token.${what}`);
/**
 * Schemas to keep. Members with other schemas, such as airline data and other payment methods, are omitted.
 */
const OF_CARDS = new Set([
  ...["PaymentRequest", "PaymentResponse", "PaymentDetailsRequest", "PaymentDetailsResponse"],
  ...["PaymentCompletionDetails", "PaymentCaptureRequest", "PaymentCaptureResponse", "PaymentCancelRequest"],
  ...["PaymentCancelResponse", "PaymentRefundRequest", "PaymentRefundResponse", "PaymentMethodsRequest"],
  ...["PaymentMethodsResponse", "PaymentMethod", "PaymentMethodToStore", "StoredPaymentMethodRequest"],
  ...["StoredPaymentMethodResource", "ListStoredPaymentMethodsResponse", "CardDetails", "ResponsePaymentMethod"],
  ...["Amount", "BillingAddress", "BrowserInfo", "AuthenticationData", "ThreeDSRequestData", "FraudResult"],
  ...["FraudCheckResult", "CheckoutRedirectAction", "ServiceError"],
]);

const REF = "#/components/schemas/";
const WORDS = new Set(["description", "title", "example", "deprecated"]);
const isNamed = (value: Json): value is Named => typeof value === "object" && value !== null && !Array.isArray(value);
const nameIn = ({ $ref }: Named) => (typeof $ref === "string" ? $ref.slice(REF.length) : null);

type Keeps = (name: string) => boolean;

/**
 * A schema without prose. References to omitted schemas become `false`, so that using one requires adding it.
 */
function trimmed(value: Json, keeps: Keeps, areProperties = false): Json {
  if (Array.isArray(value)) return value.map((one) => trimmed(one, keeps));
  if (!isNamed(value)) return value;
  const ref = nameIn(value);
  if (ref && !keeps(ref)) return false;
  if (Array.isArray(value.oneOf)) {
    const oneOf = value.oneOf.map((one) => trimmed(one, keeps)).filter((one) => one !== false);
    return oneOf.length > 0 && { oneOf };
  }
  const parts = Object.entries(value).filter(([name]) => areProperties || !(WORDS.has(name) || name.startsWith("x-")));
  return Object.fromEntries(
    parts.map(([name, part]) => [name, trimmed(part, keeps, name === "properties" && !areProperties)]),
  );
}

function namesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isNamed(value)) return [];
  const ref = nameIn(value);
  return ref ? [ref] : Object.values(value).flatMap(namesIn);
}

/** The schemas of these names, and those that they refer to. */
function schemasOf(names: string[], { components }: Description, keeps: Keeps): Named {
  const kept: Named = {};
  for (const name of names) {
    if (kept[name] !== undefined) continue;
    kept[name] = trimmed(components.schemas[name] ?? null, keeps);
    names.push(...namesIn(kept[name]));
  }
  return Object.fromEntries(Object.entries(kept).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const schemaOf = (content: Content | undefined) =>
  content?.content?.["application/json"].schema.$ref.slice(REF.length) ?? null;

function operationOf({ paths }: Description, name: string): Named {
  const [method = "", path = ""] = name.split(" ");
  const found = paths?.[path]?.[method.toLowerCase()];
  if (!found) throw new Error(`Adyen describes no ${name}`);
  const { parameters = [], requestBody, responses } = found;
  const query = parameters.filter((parameter) => parameter.in === "query");
  return {
    takes: schemaOf(requestBody),
    query: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.required === true])),
    keyed: parameters.some(({ $ref }) => $ref === "#/components/parameters/Idempotency-Key"),
    answers: Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, schemaOf(answer)])),
  };
}

function webhookOf({ webhooks }: Description, event: string): string {
  const found = schemaOf((webhooks?.[`/${event}`] ?? webhooks?.[event])?.post?.requestBody);
  if (!found) throw new Error(`Adyen describes no ${event}`);
  return found;
}

const read = (file: string) => JSON.parse(readFileSync(`${copy}/json/${file}.json`, "utf8")) as Description;
const write = (file: string, from: string, kept: object) =>
  writeFileSync(
    `e2e/doubles/adyen/openapi/${file}.json`,
    JSON.stringify({
      trimmedFrom: `https://github.com/Adyen/adyen-openapi/blob/${commit}/json/${from}.json`,
      license: "MIT, Copyright (c) 2017 Adyen bv: see LICENSE beside this file",
      ...kept,
    }),
  );

const checkout = read("CheckoutService-v72");
const operations = Object.fromEntries(OPERATIONS.map((name) => [name, operationOf(checkout, name)]));
const named = Object.values(operations).flatMap(({ takes, answers }) => [takes, ...Object.values(answers as Named)]);
const spoken = named.filter((name) => typeof name === "string");
const schemas = schemasOf(spoken, checkout, (name) => OF_CARDS.has(name));
write("checkout-v72", "CheckoutService-v72", { operations, components: { schemas } });

const notices = read("Webhooks-v1");
const webhooks = Object.fromEntries(EVENTS.map((event) => [event, webhookOf(notices, event)]));
const items = schemasOf(Object.values(webhooks), notices, () => true);
write("webhooks-v1", "Webhooks-v1", { webhooks, components: { schemas: items } });

const tokens = read("TokenizationNotification-v1");
const tokenWebhooks = Object.fromEntries(TOKEN_EVENTS.map((event) => [event, webhookOf(tokens, event)]));
const ofTokens = schemasOf(Object.values(tokenWebhooks), tokens, () => true);
write("tokenization-v1", "TokenizationNotification-v1", {
  webhooks: tokenWebhooks,
  components: { schemas: ofTokens },
});
