import { randomUUID } from "node:crypto";
import { configure } from "safe-stable-stringify";
import { HOLDS_OWN_CARD, holdsNumber } from "@/lib/contract/card-numbers";
import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import type { IdempotencyRequest } from "@/lib/domain/context";
import { keepableBody } from "@/lib/domain/idempotency/keepable-body";
import type { ComparedRequest, Secret } from "@/lib/secret";
import { type ApiRequest, decidingHeader } from "./request-parts";

const MAX_KEY_LENGTH = 255;

/**
 * Prefix of keys that come in bodies, from shoppers and dashboard pages: a space, which no header value
 * starts with. Those callers choose keys freely and must not use up the merchant's own.
 */
export const BODY_KEY_PREFIX = " ";

/** Sorts members at every level, so that equal bodies give equal text in any order. */
const stableStringify = configure({ deterministic: true });

const HEADER = "X-Idempotency-Key";
/** The same header in the IETF draft. */
const STANDARD_HEADER = "Idempotency-Key";

/** Keys of attempts to pay an invoice and of approved refunds, which must not be in use. */
const RESERVED = /^(?:inv_[0-9a-z]{26}:attempt_\d+|apr_[0-9a-z]{26}:refund)$/;

const invalidKey = (sentence: string) => new AppError("idempotency_key_invalid", sentence, { param: HEADER });

/**
 * The request's idempotency key, or null. Throws 400 if it is missing where required, empty, too long, sent
 * twice with different values, or contains an unfilled template.
 */
export function readIdempotencyKey(request: ApiRequest, endpoint: Endpoint): string | null {
  if (endpoint.idempotency === "none") return null;
  const [own, standard] = [HEADER, STANDARD_HEADER].map((name) => decidingHeader(request.headers, name));
  const header = own ?? standard ?? null;
  if (own != null && standard != null && own !== standard) {
    throw invalidKey(`The ${HEADER} and ${STANDARD_HEADER} headers differ. Send one of them.`);
  }
  if (header === null) {
    if (endpoint.idempotency === "optional") return null;
    // The operation runs under a key like any other; without the caller's, no repeat finds its response.
    if (endpoint.keyMayBeAbsent) return randomUUID();
    throw new AppError(
      "idempotency_key_missing",
      `Send an ${HEADER} header with a new UUID for each operation, so that a retry never pays twice.`,
      { param: HEADER },
    );
  }
  // Header bytes arrive as Latin-1; a key of 255 characters may have more bytes than that in UTF-8.
  const utf8 = Buffer.from(header, "latin1").toString("utf8");
  const key = utf8.includes("\uFFFD") ? header : utf8;
  if (key === "" || key.length > MAX_KEY_LENGTH) {
    throw invalidKey(`The ${HEADER} must have 1 to ${MAX_KEY_LENGTH} characters.`);
  }
  // Such a client sends the same key every time, and only its first request would run.
  if (key.includes("{{")) {
    throw invalidKey(
      `The ${HEADER} holds a template variable that was not filled in: send a new UUID instead of "{{…}}".`,
    );
  }
  if (RESERVED.test(key)) {
    throw invalidKey(`An ${HEADER} like this is Cardlane's own. Send a new UUID.`);
  }
  return key;
}

type SentRequest = { environmentId: string; method: string; path: string; body: unknown };

/**
 * The key with a digest of method, path and parsed body (not white space, member order or omitted defaults).
 * A card number enters it as its slow fingerprint, computed on demand; a CVV is omitted, because nothing
 * derived from it may be stored. Throws 400 for a key that contains the body's card number.
 */
export function idempotencyOf(secret: Secret, key: string, request: SentRequest): IdempotencyRequest {
  if (hasCard(request.body) && holdsNumber(key, request.body.card.number)) throw invalidKey(HOLDS_OWN_CARD);
  const compared = comparedRequest(request);
  let digest: Promise<Buffer> | null = null;
  return {
    key,
    body: keepableBody(request.body),
    digest() {
      digest ??= secret.requestDigest(compared);
      return digest;
    },
    isSame: (stored) => secret.isSameRequest(stored, compared),
  };
}

function comparedRequest({ environmentId, method, path, body }: SentRequest): ComparedRequest {
  const write = (sent: unknown) => `${method} ${path}\n${stableStringify(sent ?? null)}`;
  if (!hasCard(body)) return { card: null, write: () => write(body) };
  const { card } = body;
  return {
    card: { environmentId, given: card },
    write: (number) => write({ ...body, card: { ...card, number, cvv: undefined } }),
  };
}

function hasCard(body: unknown): body is { card: { number: string } } {
  if (typeof body !== "object" || body === null || !("card" in body)) return false;
  const { card } = body;
  return typeof card === "object" && card !== null && "number" in card && typeof card.number === "string";
}
