import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { UnreadableReportError } from "../port";

/** What is read of a webhook's item. Only what {@link signedText} covers is proven to be Adyen's words. */
const noticeItem = z.object({
  eventCode: z.string().regex(/^[A-Z_]{1,60}$/),
  success: z.enum(["true", "false"]),
  pspReference: z.string().regex(/^[A-Za-z0-9]{1,40}$/),
  originalReference: z.string().max(40).optional(),
  merchantReference: z.string().max(1_000),
  merchantAccountCode: z.string().max(200),
  eventDate: z.string().max(60),
  amount: z.object({ value: z.int(), currency: z.string().regex(/^[A-Z]{3}$/) }),
  reason: z.string().max(2_000).nullish(),
  additionalData: z.record(z.string(), z.unknown()).optional(),
});
type NoticeItem = z.infer<typeof noticeItem>;

const message = z.object({
  live: z.enum(["true", "false"]),
  notificationItems: z
    .array(z.object({ NotificationRequestItem: noticeItem }))
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

/** Events about a cardholder's dispute, whose reference is the dispute's own. */
export const DISPUTE_EVENTS: ReadonlySet<string> = new Set([
  "NOTIFICATION_OF_CHARGEBACK",
  "REQUEST_FOR_INFORMATION",
  "INFORMATION_SUPPLIED",
  "CHARGEBACK",
  "CHARGEBACK_REVERSED",
  "SECOND_CHARGEBACK",
  "PREARBITRATION_WON",
  "PREARBITRATION_LOST",
  "DISPUTE_DEFENSE_PERIOD_ENDED",
]);

/** What the signature covers: eight values in this order, in each of which backslashes and colons are escaped. */
export function signedText(item: Omit<NoticeItem, "eventDate" | "reason" | "additionalData">): string {
  const { pspReference, originalReference = "", merchantAccountCode, merchantReference, amount, eventCode } = item;
  const values = [pspReference, originalReference, merchantAccountCode, merchantReference];
  values.push(String(amount.value), amount.currency, eventCode, item.success);
  return values.map((value) => value.replaceAll("\\", "\\\\").replaceAll(":", "\\:")).join(":");
}

export const signatureOf = (text: string, hexKey: string) =>
  createHmac("sha256", Buffer.from(hexKey, "hex")).update(text, "utf8").digest("base64");

type Expected = { readonly hmacKey: string; readonly merchantAccount: string; readonly live: boolean };

/** The items of a message. Throws UnreadableReportError unless each is signed, and about our merchant account. */
export function readNotices(body: string, { hmacKey, merchantAccount, live }: Expected): Notice[] {
  const { data } = message.safeParse(jsonOf(body));
  if (!data) throw new UnreadableReportError("it is no message of Adyen's");
  if ((data.live === "true") !== live)
    throw new UnreadableReportError(live ? "it is about a test account" : "it is about a live account");
  return data.notificationItems.map(({ NotificationRequestItem: item }) => {
    if (!isSigned(item, hmacKey)) throw new UnreadableReportError("its signature is not made with the HMAC key");
    if (item.merchantAccountCode !== merchantAccount)
      throw new UnreadableReportError(`it is about the merchant account ${item.merchantAccountCode}`);
    return noticeOf(item);
  });
}

function isSigned(item: NoticeItem, hmacKey: string): boolean {
  const { hmacSignature } = item.additionalData ?? {};
  if (typeof hmacSignature !== "string") return false;
  const given = Buffer.from(hmacSignature);
  const right = Buffer.from(signatureOf(signedText(item), hmacKey));
  return given.length === right.length && timingSafeEqual(given, right);
}

function noticeOf(item: NoticeItem): Notice {
  const { eventCode, originalReference, additionalData: data = {} } = item;
  const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 100) : null);
  return {
    event: eventCode,
    success: item.success === "true",
    pspReference: item.pspReference,
    original: originalReference || null,
    reference: item.merchantReference,
    amount: item.amount,
    at: item.eventDate,
    reason: item.reason || null,
    ...(DISPUTE_EVENTS.has(eventCode) && {
      dispute: { respondBefore: text(data.defensePeriodEndsAt), status: text(data.disputeStatus) },
    }),
  };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}
