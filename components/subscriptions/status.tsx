import { Ban, Check, CircleDashed, CirclePause, Clock, type LucideIcon, Sparkles, TriangleAlert } from "lucide-react";
import { Badge, type Tone } from "@/components/ui/badge";
import { dateText, moneyText } from "@/lib/contract/format";
import { everyText } from "@/lib/contract/plans/schedule";
import type { UnpaidInvoice } from "@/lib/contract/subscriptions/list";
import { SUBSCRIPTION_STATUS_LABELS, type SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";

const LOOKS: Record<SubscriptionStatus, { tone: Tone; icon: LucideIcon }> = {
  INCOMPLETE: { tone: "amber", icon: CircleDashed },
  TRIALING: { tone: "blue", icon: Sparkles },
  ACTIVE: { tone: "green", icon: Check },
  PAST_DUE: { tone: "red", icon: TriangleAlert },
  PAUSED: { tone: "amber", icon: CirclePause },
  CANCELLED: { tone: "neutral", icon: Ban },
  EXPIRED: { tone: "neutral", icon: Clock },
};

export function SubscriptionBadge({ status, className }: { status: SubscriptionStatus; className?: string }) {
  const { tone, icon: Icon } = LOOKS[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />} className={className}>
      {SUBSCRIPTION_STATUS_LABELS[status]}
    </Badge>
  );
}

type Priced = Pick<Subscription, "plan" | "quantity">;

/** "€21.90 every month": the price of all units. */
export const recurringText = ({ plan, quantity }: Priced): string =>
  `${moneyText(plan.amount * quantity, plan.currency)} ${everyText(plan.interval)}`;

/** "Studio", "Studio × 2". */
export const planText = ({ plan, quantity }: Priced): string =>
  quantity === 1 ? plan.name : `${plan.name} × ${quantity.toLocaleString("en-US")}`;

type Subscriber = Pick<Subscription, "customer_email" | "customer_id">;

/** The best known name of a subscriber. */
export const subscriberText = ({ customer_email, customer_id }: Subscriber, name: string | null = null) =>
  name ?? customer_email ?? customer_id;

export const subscriptionPath = (mode: string, id: string): string => `/${mode}/subscriptions/${id}`;

/** The next step in a few words: "€21.90 on Dec 27, 2026". `zone`: time zone of displayed days. */
export function nextText(subscription: Subscription & { unpaid: UnpaidInvoice | null }, zone: string): string {
  const { status, period, currency, unpaid } = subscription;
  const day = (at: string | null | undefined) => (at ? dateText(new Date(at), zone) : "");
  const amount = moneyText(subscription.next_invoice_amount ?? 0, currency);
  switch (status) {
    case "INCOMPLETE":
      return "Waits for the first payment";
    case "TRIALING":
    case "ACTIVE":
      return subscription.cancel_at_period_end
        ? `Ends on ${day(period?.end_at)}`
        : `${amount} on ${day(period?.end_at)}`;
    case "PAST_DUE": {
      if (unpaid === null) return subscription.cancel_at_period_end ? `Ends on ${day(period?.end_at)}` : "Unpaid";
      const due = moneyText(unpaid.amount_due, currency);
      return unpaid.next_attempt_at ? `${due} retried on ${day(unpaid.next_attempt_at)}` : `${due} waits for a card`;
    }
    case "PAUSED":
      return `Paused on ${day(subscription.paused_at)}`;
    case "CANCELLED":
      return `Ended on ${day(subscription.ended_at)}`;
    case "EXPIRED":
      return "Never began";
    default:
      return status satisfies never;
  }
}
