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

/** An unreported event of a stored card. `cause`: PSP reference of what led to it. */
export type TokenEvent = {
  type: `recurring.token.${"created" | "updated" | "disabled" | "alreadyExisting"}`;
  cause: string;
  shopper: string;
  id: string;
};

/** A message of the webhook about stored cards, whose signature is of the whole body, in a header. */
export function tokenMessage(
  { type, cause, shopper, id }: TokenEvent,
  { hmacKey, merchantAccount, live = false }: WebhookOptions,
): { headers: Headers; body: string } {
  const isStored = type !== "recurring.token.disabled";
  const body = JSON.stringify({
    createdAt: inAmsterdam(new Date()),
    data: {
      merchantAccount,
      storedPaymentMethodId: id,
      type: "visa",
      shopperReference: shopper,
      ...(isStored && { operation: "of the double" }),
    },
    environment: live ? "live" : "test",
    eventId: cause,
    type,
    version: "1",
  });
  const signature = createHmac("sha256", Buffer.from(hmacKey, "hex")).update(body).digest("base64");
  return { headers: new Headers({ "Content-Type": "application/json", HmacSignature: signature }), body };
}
