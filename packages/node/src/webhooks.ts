import { createHmac, createPublicKey, timingSafeEqual, verify as verifySignature } from "node:crypto";
import type { Event, EventType } from "./api.ts";
import { tidied } from "./settings.ts";

/** The message wasn't signed with this secret, is too old, or was altered. Respond with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** Payload of an endpoint with `payload: "thin"`: ids to look up. */
export type ThinEvent = {
  type: EventType;
  /** Time of the event. */
  timestamp: string;
  data: { id: string; object: Event["data"]["object"]["object"]; environment: "sandbox" | "live"; sequence: number };
};

/** Headers of a `Request`, or of Node's own server. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** Max difference between the message's time and now. Default: 300. */
  toleranceSeconds?: number;
};

type Keys = string | readonly string[];

/**
 * Verifies a webhook by Standard Webhooks and returns its event. `body` is the raw request body, not parsed
 * and serialized again. `secret` is the endpoint's `whsec_…`, its public key `whpk_…`, or several of them
 * during a rotation.
 */
export function verify(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: Keys,
  options?: VerifyOptions,
): Event {
  const event = check(body, headers, secret, options) as Event;
  if (event?.object === "event") return event;
  throw new WebhookVerificationError(
    "The message doesn't contain a whole event. Use verifyThin for endpoints with thin payloads.",
  );
}

/** The same for endpoints with `payload: "thin"`. */
export function verifyThin(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: Keys,
  options?: VerifyOptions,
): ThinEvent {
  const event = check(body, headers, secret, options) as ThinEvent & { object?: string };
  if (event?.object === undefined && typeof event?.data?.id === "string") return event;
  throw new WebhookVerificationError("The message isn't a thin event. Use verify for endpoints with full payloads.");
}

function check(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: Keys,
  { toleranceSeconds = 300 }: VerifyOptions = {},
): unknown {
  const keys = checkedKeys(secret);
  const bytes = bytesOf(body);
  if (typeof headers !== "object" || headers === null) throw new TypeError("Pass the request's headers as they came.");
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ");
  const isSigned = (content: Buffer) => {
    const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), content]);
    return keys.some((key) => isSignedWith(key, message, signatures));
  };
  if (!isSigned(bytes)) {
    throw new WebhookVerificationError(`No signature matches. ${causeOf({ id, bytes, keys, signatures, isSigned })}`);
  }
  checkTime(timestamp, toleranceSeconds);
  return JSON.parse(bytes.toString("utf8"));
}

/** Runs after the signature was verified, because the time is trusted only then. */
function checkTime(timestamp: string, toleranceSeconds: number): void {
  const offSeconds = Math.round(Date.now() / 1_000 - Number(timestamp));
  if (/^\d{1,12}$/.test(timestamp) && Math.abs(offSeconds) <= toleranceSeconds) return;
  const sent = offSeconds > 0 ? `${offSeconds} seconds ago` : `${-offSeconds} seconds from now`;
  throw new WebhookVerificationError(
    `By this server's clock the message was sent ${sent}, which is more than ${toleranceSeconds} seconds off. ` +
      "Check the clock; if it is right, this is an old message that somebody sent again.",
  );
}

const RAW = 'In Express use express.raw({ type: "application/json" }), in Next await request.text().';

function bytesOf(body: unknown): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (body instanceof Promise) throw new TypeError("The body is a promise: await it first.");
  if (body === undefined || body === null) {
    throw new TypeError(`The body is ${body}: pass the request's raw body. ${RAW}`);
  }
  throw new TypeError(`The body was parsed already: pass the request's raw body, as text or bytes. ${RAW}`);
}

/** Prefixes of other values that are mistaken for a secret. */
const MISTAKEN: readonly [RegExp, string][] = [
  [/^v1a?,/, "There is something before whsec_ or whpk_"],
  [/^we_/, "That is the endpoint's id"],
  [/^sk_/, "That is an API key"],
  [/^evt_/, "That is an event's id"],
];
const PASS = "pass the endpoint's secret, whsec_…, or its public key, whpk_….";

function checkedKeys(secret: unknown): string[] {
  const given: unknown[] = Array.isArray(secret) ? secret : [secret];
  if (given.length === 0) throw new TypeError(`There is no secret: ${PASS}`);
  return given.map((one) => {
    if (typeof one !== "string" || tidied(one) === "") {
      const what = typeof one === "string" ? "empty" : `${one === null ? "null" : typeof one}`;
      throw new TypeError(`The secret is ${what}: ${PASS} Is its environment variable set?`);
    }
    const key = tidied(one);
    const mistake = MISTAKEN.find(([beginning]) => beginning.test(key));
    if (mistake) throw new TypeError(`${mistake[1]}: ${PASS}`);
    const digits = key.replace(/^wh(?:sec|pk)_/, "");
    if (!/^[A-Za-z\d+/]+=*$/.test(digits)) {
      throw new TypeError(`The secret has characters that no secret has: ${PASS}`);
    }
    const length = Buffer.from(digits, "base64").length;
    if (key.startsWith("whpk_") ? length === 32 : length >= 24) return key;
    throw new TypeError(`The secret isn't whole: ${PASS}`);
  });
}

type Unsigned = {
  id: string;
  bytes: Buffer;
  keys: readonly string[];
  signatures: readonly string[];
  isSigned: (content: Buffer) => boolean;
};

/** The likely reason why no signature matches, for the receiver's developer. */
function causeOf({ id, bytes, keys, signatures, isSigned }: Unsigned): string {
  const hasKind = (kind: string) => signatures.some((text) => text.startsWith(kind));
  const [secrets, publicKeys] = [
    keys.some((key) => !key.startsWith("whpk_")),
    keys.some((key) => key.startsWith("whpk_")),
  ];
  if (!(secrets && hasKind(V1)) && !(publicKeys && hasKind(V1A))) {
    if (hasKind(V1A)) return "The message is signed with the endpoint's private key: pass its public key, whpk_….";
    if (hasKind(V1)) return "The message is signed with the endpoint's secret: pass whsec_… and not the public key.";
    return "The webhook-signature header holds no signature of Cardlane's.";
  }
  const text = bytes.toString("utf8");
  const event = parsedOrNull(text) as { id?: unknown } | null;
  const compact = event === null ? text.trim() : JSON.stringify(event);
  if (isSigned(Buffer.from(compact)) || isSigned(Buffer.from(text.trim())) || isSigned(Buffer.from(text, "latin1"))) {
    return `The body was changed on its way, as by parsing it and writing it again: pass the raw body. ${RAW}`;
  }
  if (event !== null && compact === text && (event.id === undefined || event.id === id)) {
    return "The body looks as it was sent, so the secret is another endpoint's, or from before its last rotation: copy the current one, or pass both in an array. If you parsed the body, pass the raw one.";
  }
  return `Pass the raw body, as it came, and the secret of this endpoint. ${RAW}`;
}

function parsedOrNull(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function header(headers: WebhookHeaders, name: string): string {
  // Frameworks have their own classes.
  const value = "get" in headers && typeof headers.get === "function" ? headers.get(name) : valueIn(headers, name);
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError(
    `The message has no ${name} header. Pass the headers of the request as they came.`,
  );
}

function valueIn(headers: object, name: string): unknown {
  const entry = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return Array.isArray(entry) ? entry[0] : entry;
}

const V1 = "v1,";
const V1A = "v1a,";
/** DER prefix of a public Ed25519 key, before its 32 bytes. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

function isSignedWith(key: string, content: Buffer, signatures: readonly string[]): boolean {
  const bytes = Buffer.from(key.replace(/^wh(?:sec|pk)_/, ""), "base64");
  if (!key.startsWith("whpk_")) {
    const expected = createHmac("sha256", bytes).update(content).digest();
    return of(signatures, V1).some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  }
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: "der", type: "spki" });
  return of(signatures, V1A).some((given) => verifySignature(null, content, publicKey, given));
}

const of = (signatures: readonly string[], kind: string) =>
  signatures.filter((text) => text.startsWith(kind)).map((text) => Buffer.from(text.slice(kind.length), "base64"));
