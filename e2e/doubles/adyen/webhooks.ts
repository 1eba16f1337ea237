import { createHmac } from "node:crypto";
import type { Event } from "./books";

export type WebhookOptions = { hmacKey: string; merchantAccount: string; live?: boolean };

type Signed = Pick<Event, "eventCode" | "pspReference" | "originalReference" | "merchantReference" | "amount"> & {
  merchantAccountCode: string;
  success: string;
};

/** Reimplements the algorithm of Adyen's libraries, so that it can find mistakes in the connector's. */
function hmacSignature(item: Signed, hexKey: string): string {
  const payload = [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value.toString(),
    item.amount.currency,
    item.eventCode,
    item.success,
  ];
  return createHmac("sha256", Buffer.from(hexKey, "hex")).update(payload.join(":")).digest("base64");
}

/** Adyen's time format: whole seconds, so events within the same second have equal times. */
const inAmsterdam = (time: Date) => `${new Date(time.getTime() + 3_600_000).toISOString().slice(0, 19)}+01:00`;

/** A message about one or more events, as posted to the webhook's URL. */
export function webhookBody(
  events: readonly Event[],
  { hmacKey, merchantAccount, live = false }: WebhookOptions,
): string {
  const notificationItems = events.map((event) => {
    const item = {
      amount: event.amount,
      eventCode: event.eventCode,
      eventDate: event.eventDate ?? inAmsterdam(new Date()),
      merchantAccountCode: event.merchantAccountCode ?? merchantAccount,
      merchantReference: event.merchantReference,
      ...(event.eventCode === "AUTHORISATION" && event.success && { operations: ["CANCEL", "CAPTURE", "REFUND"] }),
      ...(event.originalReference && { originalReference: event.originalReference }),
      paymentMethod: event.paymentMethod,
      pspReference: event.pspReference,
      reason: event.reason,
      success: String(event.success),
    };
    const signature = event.unsigned ? {} : { hmacSignature: hmacSignature(item, hmacKey) };
    return { NotificationRequestItem: { additionalData: { ...event.additionalData, ...signature }, ...item } };
  });
  return JSON.stringify({ live: String(live), notificationItems });
}
