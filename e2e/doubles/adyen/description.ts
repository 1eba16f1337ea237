import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { DoubleAnswer, DoubleRequest } from "./http-server";
import checkout from "./openapi/checkout-v72.json" with { type: "json" };
import tokenization from "./openapi/tokenization-v1.json" with { type: "json" };
import webhooks from "./openapi/webhooks-v1.json" with { type: "json" };

/**
 * Validates requests, responses and webhooks against Adyen's own API description; one line per fault. Its
 * schemas are complete, so an unknown field is a fault too. Rules that Adyen gives only in prose are checked
 * if breaking them would be refused.
 */

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const isWhole = (bits: number) => (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** (bits - 1) - 1;
const ajv = new Ajv2020({
  allErrors: true,
  // Some of Adyen's schemas don't declare `type: object`.
  strictTypes: false,
  // OpenAPI keeps its schemas under `components`.
  keywords: ["components"],
  formats: {
    "date-time": (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
    int32: { type: "number", validate: isWhole(32) },
    int64: { type: "number", validate: isWhole(54) },
  },
});
ajv.addSchema({ components: checkout.components }, "checkout");
ajv.addSchema({ components: webhooks.components }, "webhooks");
ajv.addSchema({ components: tokenization.components }, "tokenization");

type Operation = {
  takes: string | null;
  query: Readonly<Record<string, boolean>>;
  keyed: boolean;
  answers: Readonly<Record<string, string | null>>;
};
export const OPERATIONS: Readonly<Record<string, Operation>> = checkout.operations;
const EVENTS: Readonly<Record<string, string>> = webhooks.webhooks;
const TOKEN_EVENTS: Readonly<Record<string, string>> = tokenization.webhooks;

const isPath = (template: string, path: string) =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);

/** The operation's name, such as `POST /payments`; null if Adyen has no such operation. */
export function operationOf({ method, path }: Pick<DoubleRequest, "method" | "path">): string | null {
  const ours = path.replace(/^\/v72/, "");
  const names = Object.keys(OPERATIONS).filter((name) => name.startsWith(`${method} `));
  return ours === path ? null : (names.find((name) => isPath(name.slice(method.length + 1), ours)) ?? null);
}

type File = "checkout" | "webhooks" | "tokenization";

function compiled(file: File, schema: string): ValidateFunction {
  const validate = ajv.getSchema(`${file}#/components/schemas/${schema}`);
  if (!validate) throw new Error(`there is no ${schema} among Adyen's ${file}`);
  return validate as ValidateFunction;
}
// Compiled at startup, because it takes a good part of a second.
for (const { takes, answers } of Object.values(OPERATIONS))
  for (const schema of [takes, ...Object.values(answers)]) if (schema) compiled("checkout", schema);

function faultsIn(file: File, schema: string, value: unknown): string[] {
  const validate = compiled(file, schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const told = params.additionalProperty ?? params.missingProperty ?? params.allowedValues ?? "";
    return `${schema}${instancePath} ${message} ${told}`.trim();
  });
}

export function faultsOfRequest(request: DoubleRequest): string[] {
  const name = operationOf(request);
  if (!name) return [`Adyen has no ${request.method} ${request.path}`];
  const { takes, query, keyed } = OPERATIONS[name] as Operation;
  const { headers } = request;
  const given = [...request.query.keys()];
  const faults = [
    ...given
      .filter((parameter) => !Object.hasOwn(query, parameter))
      .map((parameter) => `it takes no parameter ${parameter}`),
    ...Object.keys(query)
      .filter((parameter) => query[parameter] && !given.includes(parameter))
      .map((parameter) => `it has no parameter ${parameter}`),
    ...(headers["x-api-key"] === undefined ? ["it has no X-API-Key"] : []),
    ...keyFaults(name, keyed, headers["idempotency-key"]),
  ];
  const body = jsonOf(request.body);
  if (takes === null) faults.push(...(request.body === "" ? [] : ["it takes no body"]));
  else if (headers["content-type"] !== "application/json") faults.push("its body is not declared as JSON");
  else faults.push(...faultsIn("checkout", takes, body), ...proseFaults(body));
  return faults.map((fault) => `${name}: ${fault}`);
}

function keyFaults(name: string, keyed: boolean, key: string | string[] | undefined): string[] {
  if (key === undefined)
    return name.startsWith("POST /payments") ? ["a request that moves money has no Idempotency-Key"] : [];
  if (!keyed) return ["it takes no Idempotency-Key"];
  return key.length > 0 && key.length <= 64 ? [] : ["its Idempotency-Key is not of 1 to 64 characters"];
}

/** Rules that Adyen gives only in prose. */
function proseFaults(body: unknown): string[] {
  const { reference = "", billingAddress, captureDelayHours = 0 } = (body ?? {}) as ProseFields;
  const { country, postalCode = "", stateOrProvince } = billingAddress ?? {};
  const needsState = country === "US" || country === "CA";
  return [
    ...(reference.length > 80 ? ["its reference is longer than 80 characters"] : []),
    ...(captureDelayHours < 0 || captureDelayHours > 672 ? ["it is captured later than after 28 days"] : []),
    ...(country !== undefined && !/^[A-Z]{2}$/.test(country) ? [`${country} is no country's code`] : []),
    ...(country === "US" && postalCode.length > 5 ? ["a postal code in the US has five characters at most"] : []),
    ...(needsState && !stateOrProvince ? [`an address in ${country} has no state or province`] : []),
  ];
}
type ProseFields = {
  reference?: string;
  captureDelayHours?: number;
  billingAddress?: { country?: string; postalCode?: string; stateOrProvince?: string };
};

export function faultsOfAnswer(request: DoubleRequest, { status, headers = {}, body }: DoubleAnswer): string[] {
  const name = operationOf(request);
  if (!name) return [];
  const { answers } = OPERATIONS[name] as Operation;
  const schema = answers[String(status)];
  const faults: string[] = [];
  if (schema === null) faults.push(...(body === "" ? [] : ["it has a body"]));
  else if (schema === undefined && status < 400) faults.push("Adyen has no such response");
  // The schemas cover only some of the documented errors; all have the same shape.
  else faults.push(...faultsIn("checkout", schema ?? "ServiceError", jsonOf(body)));
  const key = request.headers["idempotency-key"];
  const repeats = key !== undefined && (status < 300 || status === 422);
  if (repeats && headers["idempotency-key"] !== key) faults.push("it does not name the request's Idempotency-Key");
  return faults.map((fault) => `${name} answered ${status}: ${fault}`);
}

export function faultsOfWebhook(body: string): string[] {
  const message = jsonOf(body) as { notificationItems?: { NotificationRequestItem: { eventCode: string } }[] } | null;
  const items = message?.notificationItems ?? [];
  const events = items.map(({ NotificationRequestItem }) => NotificationRequestItem.eventCode);
  if (events.length === 0) return ["a webhook has no items"];
  return items.flatMap((item, index) => {
    const event = events[index] ?? "";
    const schema = EVENTS[event];
    if (!schema) return [`Adyen has no event ${event}`];
    const faults = faultsIn("webhooks", schema, { ...message, notificationItems: [item] });
    const said = { ...(message as object), ...item.NotificationRequestItem } as Record<string, unknown>;
    const words = ["live", "success"].filter((field) => said[field] !== "true" && said[field] !== "false");
    return [...faults, ...words.map((field) => `${field} is neither "true" nor "false"`)].map(
      (fault) => `${event}: ${fault}`,
    );
  });
}

export function faultsOfTokenWebhook(body: string): string[] {
  const message = jsonOf(body) as { type?: string } | null;
  const schema = TOKEN_EVENTS[message?.type ?? ""];
  if (!schema) return [`Adyen has no event ${message?.type}`];
  return faultsIn("tokenization", schema, message).map((fault) => `${message?.type}: ${fault}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}
