import { createHmac, createPublicKey, timingSafeEqual, verify as verifySignature } from "node:crypto";
import type { Event, EventType } from "./api.ts";

/** The message wasn't signed with this secret, is too old, or was changed on its way. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** What an endpoint with `payload: "thin"` gets: ids to look up. */
export type ThinEvent = {
  type: EventType;
  /** When the event happened. */
  timestamp: string;
  data: { id: string; object: Event["data"]["object"]["object"]; environment: "sandbox" | "live"; sequence: number };
};

/** Of a `Request`, or of Node's own server. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How far the message's time may be from now. Default: 300. */
  toleranceSeconds?: number;
};

type Keys = string | readonly string[];

/**
 * Checks a webhook by Standard Webhooks and returns its event. `body` is the request's body as it came, not parsed and written
 * again. `secret` is the endpoint's `whsec_…`, its public key `whpk_…`, or several of them during a rotation.
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

/** The same for endpoints whose `payload` is `thin`. */
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
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ");
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      `The message is more than ${toleranceSeconds} seconds off. Check your server's clock.`,
    );
  }
  const bytes =
    typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  const keys = typeof secret === "string" ? [secret] : secret;
  if (!keys.some((key) => isSignedWith(key, content, signatures))) {
    throw new WebhookVerificationError("No signature matches this secret and body. Pass the raw body.");
  }
  return JSON.parse(bytes.toString("utf8"));
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueIn(headers, name);
  if (typeof value !== "string" || value === "")
    throw new WebhookVerificationError(`The message has no ${name} header.`);
  return value;
}

function valueIn(headers: Exclude<WebhookHeaders, Headers>, name: string) {
  const entry = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof entry === "string" ? entry : entry?.[0];
}

const V1 = "v1,";
const V1A = "v1a,";
/** Of a public Ed25519 key in DER: what stands before its 32 bytes. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

function isSignedWith(key: string, content: Buffer, signatures: readonly string[]): boolean {
  const bytes = Buffer.from(key.replace(/^wh(sec|pk)_/, ""), "base64");
  if (bytes.length === 0) throw new TypeError("Pass the endpoint's secret, whsec_…, or its public key, whpk_….");
  if (!key.startsWith("whpk_")) {
    const expected = createHmac("sha256", bytes).update(content).digest();
    return of(signatures, V1).some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  }
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: "der", type: "spki" });
  return of(signatures, V1A).some((given) => verifySignature(null, content, publicKey, given));
}

const of = (signatures: readonly string[], kind: string) =>
  signatures.filter((text) => text.startsWith(kind)).map((text) => Buffer.from(text.slice(kind.length), "base64"));
