import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { dateText, moneyText } from "@/lib/contract/format";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";

/** A shop's conclusion from the API's response, and from nothing else. */
export type OrderOutcome = {
  kind: "paid" | "reserved" | "waiting" | "action" | "unpaid" | "closed" | "returned";
  title: string;
  text: string;
};

const UNPAID: OrderOutcome = {
  kind: "unpaid",
  title: "Not paid yet",
  text: "Nothing was charged. We kept your order. You can pay with this card or another one.",
};

/**
 * `payment`: the session's, or its latest attempt; null if there is none. `subscription`: the one that it
 * began.
 */
export function outcomeOf(
  session: ClientSession | null,
  payment: Payment | null,
  subscription: Subscription | null = null,
): OrderOutcome {
  if (subscription && subscription.status !== "INCOMPLETE") return ofSubscription(subscription);
  if (payment) return ofPayment(payment, session);
  switch (session?.status) {
    case "EXPIRED":
      return {
        kind: "closed",
        title: "This order has expired",
        text: "It wasn’t paid within a day. Nothing was charged.",
      };
    case "CANCELLED":
      return { kind: "closed", title: "This order was cancelled", text: "Nothing was charged." };
    default:
      return UNPAID;
  }
}

function ofSubscription({ status, next_invoice_at: at, next_invoice_amount, currency }: Subscription): OrderOutcome {
  if (status === "CANCELLED" || status === "EXPIRED") {
    return { kind: "closed", title: "This subscription has ended", text: "Nothing more is charged." };
  }
  const next =
    at === null || next_invoice_amount === null
      ? "No payment is planned."
      : `${moneyText(next_invoice_amount, currency)} on ${dateText(new Date(at), "UTC")}, then every month until you cancel.`;
  return status === "TRIALING"
    ? { kind: "paid", title: "Your trial has begun", text: `Nothing was charged today. The first payment is ${next}` }
    : { kind: "paid", title: "You’re subscribed", text: `The next payment is ${next}` };
}

function ofPayment({ status }: Payment, session: ClientSession | null): OrderOutcome {
  switch (status) {
    case "CAPTURED":
    case "SETTLED":
      return {
        kind: "paid",
        title: "It’s yours",
        text: "The payment is confirmed. The print leaves us within three days.",
      };
    case "AUTHORIZED":
      return {
        kind: "reserved",
        title: "It’s reserved for you",
        text: "The amount is held on your card, and charged when the print is shipped.",
      };
    case "PENDING":
      return {
        kind: "waiting",
        title: "Your payment is being confirmed",
        text: "The bank hasn’t answered yet. This page updates by itself. Don’t pay again.",
      };
    case "REQUIRES_ACTION":
      return {
        kind: "action",
        title: "Your bank needs your confirmation",
        text: "The payment continues once you confirm it with your bank.",
      };
    case "DECLINED":
    case "FAILED":
      return session?.status === "OPEN"
        ? UNPAID
        : { kind: "unpaid", title: "The card was declined", text: "Nothing was charged. Try another card." };
    case "VOIDED":
      return { kind: "returned", title: "The order was cancelled", text: "The hold on your card is released." };
    case "REFUNDED":
    case "PARTIALLY_REFUNDED":
      return { kind: "returned", title: "Your refund is on its way", text: "We refunded the card you paid with." };
    default:
      return status satisfies never;
  }
}
