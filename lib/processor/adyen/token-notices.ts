import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type ReportMessage, UnreadableReportError } from "../port";
import { jsonOf } from "./notices";
import type { KeptCard } from "./tokens";

/** A message of the webhook `Recurring tokens life cycle events`. */
const message = z.object({
  environment: z.enum(["test", "live"]),
  /** PSP reference of the payment or request that caused it. */
  eventId: z.string().regex(/^[A-Za-z0-9]{1,40}$/),
  type: z.string(),
  data: z.object({
    merchantAccount: z.string(),
    shopperReference: z.string().regex(/^[\w-]{3,200}$/),
    storedPaymentMethodId: z.string().regex(/^\w{1,64}$/),
  }),
});

export type TokenNotice = { readonly event: string; readonly cause: string; readonly card: KeptCard };

const PREFIX = "recurring.token.";
const HEADER = "hmacsignature";

type Expected = {
  readonly hmacKeys: readonly (string | undefined)[];
  readonly merchantAccount: string;
  readonly live: boolean;
};

/**
 * The parsed message if it is of that webhook, whose format and signature differ from all others; otherwise
 * null.
 */
export function tokenMessageIn(body: string): unknown {
  const { data } = z.looseObject({ type: z.string().startsWith(PREFIX) }).safeParse(jsonOf(body));
  return data ?? null;
}

const bodySignature = (body: string, hexKey: string) =>
  createHmac("sha256", Buffer.from(hexKey, "hex")).update(body, "utf8").digest("base64");

/**
 * Null if it is about another merchant account. Each of Adyen's webhooks has its own HMAC key. Throws
 * UnreadableReportError if it isn't Adyen's message for this connection.
 */
export function readTokenNotice(
  given: unknown,
  { headers, body }: ReportMessage,
  expected: Expected,
): TokenNotice | null {
  const signature = Buffer.from(headers.get(HEADER) ?? "");
  const signed = expected.hmacKeys.some((key) => {
    const right = Buffer.from(key ? bodySignature(body, key) : "");
    return right.length > 0 && signature.length === right.length && timingSafeEqual(signature, right);
  });
  if (!signed) throw new UnreadableReportError("its signature is not made with an HMAC key of the connection");
  const { data: read } = message.safeParse(given);
  if (!read) throw new UnreadableReportError("it is no message about a stored card");
  if ((read.environment === "live") !== expected.live)
    throw new UnreadableReportError(expected.live ? "it is about a test account" : "it is about a live account");
  const { merchantAccount, shopperReference: shopper, storedPaymentMethodId: id } = read.data;
  if (merchantAccount !== expected.merchantAccount) return null;
  return { event: read.type.slice(PREFIX.length), cause: read.eventId, card: { id, shopper } };
}
