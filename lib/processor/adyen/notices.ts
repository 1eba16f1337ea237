import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type InquireRequest, UnreadableReportError } from "../port";

/** None of Adyen's references and accounts has a colon: only so does {@link signedText} belong to one item. */
const reference = z.string().regex(/^[A-Za-z0-9]{0,40}$/);
/** More than any payment has in any currency, and still exact in our minor units. */
const MAX_VALUE = 10 ** 13;

/** What is read of a webhook's item. Only what {@link signedText} covers is proven to be Adyen's words. */
const noticeItem = z.object({
  eventCode: z.string(),
  success: z.enum(["true", "false"]),
  pspReference: reference.min(1),
  originalReference: reference.nullish(),
  merchantReference: z.string().max(1_000).nullish(),
  merchantAccountCode: z.string().regex(/^[^:]{1,200}$/),
  eventDate: z
    .string()
    .max(60)
    .refine((text) => timeOf(text) !== null),
  amount: z.object({ value: z.int().min(0).max(MAX_VALUE), currency: z.string().regex(/^[A-Z]{3}$/) }),
  reason: z.unknown().optional(),
  additionalData: z.record(z.string(), z.unknown()).nullish(),
});
type NoticeItem = z.infer<typeof noticeItem>;
type SignedItem = Omit<NoticeItem, "eventDate" | "reason" | "additionalData">;

/** Of an item that nobody reads, nothing but its event has to be right: a report's reference is the name of its file. */
const message = z.object({
  live: z.enum(["true", "false"]),
  notificationItems: z
    .array(z.object({ NotificationRequestItem: z.looseObject({ eventCode: z.string() }) }))
    .min(1)
    .max(100),
});

/** What the journal keeps of an item. */
export type Notice = {
  readonly event: string;
  readonly success: boolean;
  readonly pspReference: string;
  readonly original: string | null;
  readonly reference: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly at: string;
  readonly reason: string | null;
  /** For a dispute: until when to respond, and whether it can be defended. */
  readonly dispute?: { readonly respondBefore: string | null; readonly status: string | null };
};

/** Which operations an event decides. */
export const EVENTS: ReadonlyMap<string, InquireRequest["kind"]> = new Map([
  ["AUTHORISATION", "authorize"],
  ["CAPTURE", "capture"],
  ["CAPTURE_FAILED", "capture"],
  ["CANCELLATION", "void"],
  ["REFUND", "refund"],
  ["REFUND_FAILED", "refund"],
  ["REFUNDED_REVERSED", "refund"],
]);

/** Adyen signs no messages of these, as far as its libraries say: they only tell, and one that is not signed is not believed. */
const SELDOM_SIGNED: ReadonlySet<string> = new Set([
  "INFORMATION_SUPPLIED",
  "DISPUTE_DEFENSE_PERIOD_ENDED",
  "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
]);

/** Events about a cardholder's dispute, whose reference is the dispute's own. */
export const DISPUTE_EVENTS: ReadonlySet<string> = new Set([
  "NOTIFICATION_OF_CHARGEBACK",
  "REQUEST_FOR_INFORMATION",
  "CHARGEBACK",
  "CHARGEBACK_REVERSED",
  "SECOND_CHARGEBACK",
  "PREARBITRATION_WON",
  "PREARBITRATION_LOST",
  ...SELDOM_SIGNED,
]);

/**
 * What the signature covers: eight values in this order, as Adyen's libraries join them, with nothing escaped. A colon can stand
 * in the merchant's reference alone, so it cannot be moved from one value into another.
 */
export function signedText({ amount, ...item }: SignedItem): string {
  const { pspReference, originalReference, merchantAccountCode, merchantReference, eventCode, success } = item;
  const values = [pspReference, originalReference ?? "", merchantAccountCode, merchantReference ?? ""];
  return [...values, String(amount.value), amount.currency, eventCode, success].join(":");
}

export const signatureOf = (text: string, hexKey: string) =>
  createHmac("sha256", Buffer.from(hexKey, "hex")).update(text, "utf8").digest("base64");

type Expected = { readonly hmacKey: string; readonly merchantAccount: string; readonly live: boolean };

type Notices = {
  readonly notices: readonly Notice[];
  /** What is wrong with an item that may be about a payment of ours: it has to come again. */
  readonly refused: string | null;
  /** Adyen has sent some of it, whether it is read or not. */
  readonly signed: boolean;
};

/**
 * What a message has for us, item by item. Adyen sends what is refused again for 30 days, and what came later only after it: so
 * it is refused only when it may be ours. Throws UnreadableReportError for what is no message of Adyen's for this connection.
 */
export function readNotices(body: string, expected: Expected): Notices {
  const { data } = message.safeParse(jsonOf(body));
  if (!data) throw new UnreadableReportError("it is no message of Adyen's");
  if ((data.live === "true") !== expected.live)
    throw new UnreadableReportError(expected.live ? "it is about a test account" : "it is about a live account");
  const judged = data.notificationItems.map(({ NotificationRequestItem }) => judge(NotificationRequestItem, expected));
  return {
    notices: judged.flatMap(({ notice }) => notice ?? []),
    refused: judged.find(({ refused }) => refused)?.refused ?? null,
    signed: judged.some(({ signed }) => signed),
  };
}

type Judged = { readonly signed: boolean; readonly notice?: Notice; readonly refused?: string };

function judge(item: { eventCode: string }, { hmacKey, merchantAccount }: Expected): Judged {
  const { eventCode } = item;
  const { data } = noticeItem.safeParse(item);
  const signed = data !== undefined && isSigned(data, hmacKey);
  if (!EVENTS.has(eventCode) && !DISPUTE_EVENTS.has(eventCode)) return { signed };
  if (!signed) {
    if (SELDOM_SIGNED.has(eventCode)) return { signed };
    return { signed, refused: data ? "its signature is not made with the HMAC key" : "it is no message of Adyen's" };
  }
  // A webhook of the company's tells of all its merchant accounts.
  return data.merchantAccountCode === merchantAccount ? { signed, notice: noticeOf(data) } : { signed };
}

function isSigned(item: NoticeItem, hmacKey: string): boolean {
  const { hmacSignature } = item.additionalData ?? {};
  if (typeof hmacSignature !== "string") return false;
  const given = Buffer.from(hmacSignature);
  const right = Buffer.from(signatureOf(signedText(item), hmacKey));
  return given.length === right.length && timingSafeEqual(given, right);
}

function noticeOf({ eventCode, originalReference, additionalData, ...item }: NoticeItem): Notice {
  return {
    event: eventCode,
    success: item.success === "true",
    pspReference: item.pspReference,
    original: originalReference || null,
    reference: item.merchantReference ?? "",
    amount: item.amount,
    at: item.eventDate,
    reason: textOf(item.reason, 2_000),
    ...(DISPUTE_EVENTS.has(eventCode) && {
      dispute: {
        respondBefore: textOf(additionalData?.defensePeriodEndsAt, 100),
        status: textOf(additionalData?.disputeStatus, 100),
      },
    }),
  };
}

const textOf = (value: unknown, max: number) => (typeof value === "string" ? value.slice(0, max) || null : null);

/** Null for what is no time, or one in a year that nobody means. */
export function timeOf(text: string): Date | null {
  const time = new Date(text);
  const year = time.getUTCFullYear();
  return year >= 2000 && year <= 9999 ? time : null;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}
