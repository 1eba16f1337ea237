import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type InquireRequest, UnreadableReportError } from "../port";

/** Adyen's references and accounts contain no colon, which keeps {@link signedText} unambiguous. */
const reference = z.string().regex(/^[A-Za-z0-9]{0,40}$/);
/** Larger than any payment in any currency, and still exact in our minor units. */
const MAX_VALUE = 10 ** 13;

/** Fields of a webhook item. Only those in {@link signedText} are authenticated. */
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

/**
 * An item that is not read only needs a valid event code: a report's reference, for example, is a file name.
 */
const message = z.object({
  live: z.enum(["true", "false"]),
  notificationItems: z
    .array(z.object({ NotificationRequestItem: z.looseObject({ eventCode: z.string() }) }))
    .min(1)
    .max(100),
});

/** An item as stored in the journal. */
export type Notice = {
  readonly event: string;
  readonly success: boolean;
  readonly pspReference: string;
  readonly original: string | null;
  readonly reference: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly at: string;
  readonly reason: string | null;
  /** For a dispute: the deadline to respond, its status, and the card network's code of the reason. */
  readonly dispute?: {
    readonly respondBefore: string | null;
    readonly status: string | null;
    /** Undefined in items that were stored before it was read. */
    readonly reasonCode?: string | null;
  };
};

/** Events that decide an operation, and its kind. */
export const EVENTS: ReadonlyMap<string, InquireRequest["kind"]> = new Map([
  ["AUTHORISATION", "authorize"],
  ["CAPTURE", "capture"],
  ["CAPTURE_FAILED", "capture"],
  ["CANCELLATION", "void"],
  ["REFUND", "refund"],
  ["REFUND_FAILED", "refund"],
  ["REFUNDED_REVERSED", "refund"],
]);

/** Informational events that Adyen's libraries list as unsigned. Unsigned messages are not trusted. */
const RARELY_SIGNED: ReadonlySet<string> = new Set([
  "INFORMATION_SUPPLIED",
  "DISPUTE_DEFENSE_PERIOD_ENDED",
  "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
]);

/** Dispute events. Their reference is the dispute's. */
export const DISPUTE_EVENTS: ReadonlySet<string> = new Set([
  "NOTIFICATION_OF_CHARGEBACK",
  "REQUEST_FOR_INFORMATION",
  "CHARGEBACK",
  "CHARGEBACK_REVERSED",
  "SECOND_CHARGEBACK",
  "PREARBITRATION_WON",
  "PREARBITRATION_LOST",
  ...RARELY_SIGNED,
]);

/**
 * The signed text: eight values in this order, joined as in Adyen's libraries, without escaping. Only the
 * merchant's reference can contain a colon, so text can't be moved from one value into another.
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
  /** The fault of an item that may be about our payment, so that Adyen has to redeliver it. */
  readonly refused: string | null;
  /** At least one item has a valid signature, whether it is read or not. */
  readonly signed: boolean;
};

/**
 * Reads a message item by item. Adyen redelivers a refused message for 30 days and holds back later ones, so
 * it is refused only if it may be ours. Throws UnreadableReportError if it isn't Adyen's message for this
 * connection.
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
    if (RARELY_SIGNED.has(eventCode)) return { signed };
    return { signed, refused: data ? "its signature is not made with the HMAC key" : "it is no message of Adyen's" };
  }
  // A company-level webhook covers all its merchant accounts.
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
        reasonCode: textOf(additionalData?.chargebackReasonCode, 100),
      },
    }),
  };
}

const textOf = (value: unknown, max: number) => (typeof value === "string" ? value.slice(0, max) || null : null);

/** Null if it isn't a time, or its year is implausible. */
export function timeOf(text: string): Date | null {
  const time = new Date(text);
  const year = time.getUTCFullYear();
  return year >= 2000 && year <= 9999 ? time : null;
}

export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}
