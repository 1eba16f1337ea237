import {
  ArrowLeftRight,
  Ban,
  CalendarCheck,
  CalendarClock,
  CheckCheck,
  CirclePause,
  CirclePlay,
  CircleX,
  Clock,
  CreditCard,
  FilePlus,
  type LucideIcon,
  PencilLine,
  Repeat,
  Sparkles,
  TriangleAlert,
} from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { invoicePath, invoiceSubject } from "@/components/invoices/status";
import { Actor } from "@/components/payments/request-list";
import type { Tone } from "@/components/ui/badge";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { Timeline, TimelineItem } from "@/components/ui/timeline";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { SubscriptionEntry } from "@/lib/contract/subscriptions/detail";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import type { Mode } from "@/lib/contract/transactions/words";
import { planText } from "./status";

type Look = { icon: LucideIcon; tone: Tone; title: ReactNode; more?: ReactNode };

/** Events of the subscription and its invoices, newest first. */
export function SubscriptionTimeline({ entries, mode }: { entries: readonly SubscriptionEntry[]; mode: Mode }) {
  if (entries.length === 0) return <p className="text-soft">Its events are older than 90 days.</p>;
  return (
    <Timeline>
      {entries.map((entry) => {
        const { more, ...look } = lookOf(entry, mode);
        const isPerson = entry.actor !== null && entry.actor.type !== "system";
        return (
          <TimelineItem key={entry.id} at={entry.at} {...look}>
            {more && <p className="text-soft">{more}</p>}
            {isPerson && entry.actor && (
              <p className="flex flex-wrap items-center gap-x-2 text-soft text-xs">
                <span>
                  By <Actor actor={entry.actor} inSentence />
                </span>
                {entry.request_id && <CopyId id={entry.request_id} short label="Copy request id" />}
              </p>
            )}
          </TimelineItem>
        );
      })}
    </Timeline>
  );
}

function lookOf({ type, subject }: SubscriptionEntry, mode: Mode): Look {
  return "invoice" in subject ? invoiceLook(type, subject.invoice, mode) : subscriptionLook(type, subject);
}

function invoiceLook(type: string, invoice: Invoice, mode: Mode): Look {
  const name = (
    <>
      <Link href={invoicePath(mode, invoice.id)} className="text-accent underline">
        {invoice.number ?? "Invoice"}
      </Link>
      {" · "}
      {invoiceSubject(invoice)}
    </>
  );
  const amount = <Money amount={invoice.amount_due} currency={invoice.currency} bare className="font-normal" />;
  switch (type) {
    case "invoice.paid":
      return { icon: CheckCheck, tone: "green", title: <>Paid {amount}</>, more: name };
    case "invoice.payment_failed":
      return {
        icon: CircleX,
        tone: "red",
        title: <>Payment of {amount} failed</>,
        more: (
          <>
            {name}
            {invoice.next_attempt_at && (
              <>
                , next attempt on <Time at={invoice.next_attempt_at} style="date" />
              </>
            )}
          </>
        ),
      };
    case "invoice.voided":
      return { icon: Ban, tone: "neutral", title: <>Invoice of {amount} voided</>, more: name };
    case "invoice.uncollectible":
      return { icon: CircleX, tone: "red", title: <>Invoice of {amount} marked as uncollectible</>, more: name };
    default:
      return { icon: FilePlus, tone: "neutral", title: <>Invoice of {amount}</>, more: name };
  }
}

type Change = { subscription: Subscription; previous: Partial<Subscription> | null };

function subscriptionLook(type: string, change: Change): Look {
  const { subscription } = change;
  switch (type) {
    case "subscription.created":
      return {
        icon: Repeat,
        tone: "blue",
        title: `Subscribed to ${planText(subscription)}`,
        more: subscription.trial_end_at && (
          <>
            Trial until <Time at={subscription.trial_end_at} style="date" />
          </>
        ),
      };
    case "subscription.activated":
      return { icon: CalendarCheck, tone: "green", title: "Paid up" };
    case "subscription.trial_will_end":
      return {
        icon: Sparkles,
        tone: "blue",
        title: (
          <>
            Trial ends on <Time at={subscription.trial_end_at ?? subscription.anchor_at} style="date" />
          </>
        ),
      };
    case "subscription.past_due":
      return { icon: TriangleAlert, tone: "red", title: "Past due" };
    case "subscription.paused":
      return { icon: CirclePause, tone: "amber", title: "Paused" };
    case "subscription.resumed":
      return { icon: CirclePlay, tone: "green", title: "Resumed" };
    case "subscription.cancelled":
      return { icon: Ban, tone: "neutral", title: "Cancelled", more: cancelText(subscription) };
    case "subscription.expired":
      return { icon: Clock, tone: "neutral", title: "Expired", more: "The first payment did not succeed in time." };
    default:
      return updateLook(change);
  }
}

function cancelText({ cancel_reason: reason }: Subscription): string | null {
  if (reason === null) return null;
  return reason === "payment_failed" ? "The last attempt to charge it failed." : `Reason: ${reason}`;
}

/** Names an update by the members that changed. */
function updateLook({ subscription, previous }: Change): Look {
  const has = (name: keyof Subscription) => previous !== null && Object.hasOwn(previous, name);
  const end = subscription.period && <Time at={subscription.period.end_at} style="date" />;
  if (has("cancel_at_period_end")) {
    return subscription.cancel_at_period_end
      ? { icon: CalendarClock, tone: "amber", title: <>Set to end on {end}</> }
      : { icon: CalendarCheck, tone: "green", title: "Cancellation undone" };
  }
  if (has("payment_method_id")) return { icon: CreditCard, tone: "blue", title: "Card changed" };
  if (has("trial_end_at")) {
    return {
      icon: Sparkles,
      tone: "blue",
      title: (
        <>
          Trial extended to <Time at={subscription.trial_end_at ?? subscription.anchor_at} style="date" />
        </>
      ),
    };
  }
  if (has("plan") || has("plan_id") || has("quantity")) {
    return { icon: ArrowLeftRight, tone: "blue", title: `Changed to ${planText(subscription)}` };
  }
  if (has("pending_change") && subscription.pending_change) {
    return {
      icon: CalendarClock,
      tone: "blue",
      title: (
        <>
          Change planned for <Time at={subscription.pending_change.at} style="date" />
        </>
      ),
    };
  }
  if (has("period")) {
    return { icon: Repeat, tone: "neutral", title: `Period ${subscription.period?.number ?? ""} began` };
  }
  return { icon: PencilLine, tone: "neutral", title: has("metadata") ? "Metadata changed" : "Updated" };
}
