/** An invoice's lines, payments and timeline, on the dashboard's page and in support. */
import {
  Ban,
  CheckCheck,
  CircleDashed,
  CircleX,
  Clock,
  FilePlus,
  Hourglass,
  type LucideIcon,
  ShieldQuestion,
} from "lucide-react";
import Link from "next/link";
import { CreditNoteLink } from "@/components/payments/payment-records";
import { Actor } from "@/components/payments/request-list";
import { StatusBadge, type Tone } from "@/components/ui/badge";
import { Card, Money } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { Timeline, TimelineItem } from "@/components/ui/timeline";
import { cardText } from "@/lib/contract/format";
import type { InvoiceDetail, InvoicePayment, InvoiceTimelineEntry } from "@/lib/contract/invoices/invoice-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import { InvoiceLines } from "./invoice-lines";

/** Null in support. */
export type Place = Mode | null;

export const paymentHref = (place: Place, id: string): string =>
  place === null ? `/support/payments/${id}` : `/${place}/payments/${id}`;

export function InvoiceHistory({ detail, place }: { detail: InvoiceDetail; place: Place }) {
  return (
    <>
      <Card title="Lines" flush>
        <InvoiceLines invoice={detail.invoice} />
      </Card>
      <Card title="Payments" flush>
        <InvoicePayments payments={detail.payments} place={place} />
      </Card>
      {detail.credit_notes.length > 0 && (
        <Card title="Credit notes" flush>
          <CreditNotes notes={detail.credit_notes} place={place} />
        </Card>
      )}
      <Card title="Timeline">
        <InvoiceTimeline detail={detail} place={place} />
      </Card>
    </>
  );
}

/** Every attempt to charge the invoice, newest first. */
function InvoicePayments({ payments, place }: { payments: readonly InvoicePayment[]; place: Place }) {
  if (payments.length === 0) return <p className="p-4 text-[13px] text-soft">No payment has been attempted.</p>;
  return (
    <ul className="divide-y">
      {payments.toReversed().map((payment) => (
        <li
          key={payment.id}
          className="relative flex flex-col gap-0.5 px-4 py-2.5 text-[13px] hover:bg-raised has-focus-visible:bg-raised"
        >
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Link
              href={paymentHref(place, payment.id)}
              prefetch={false}
              className="font-medium after:absolute after:inset-0"
            >
              <Money amount={payment.amount} currency={payment.currency} />
            </Link>
            <StatusBadge status={payment.status} />
            <span className="tabular-nums">{cardText(payment.card.brand, payment.card.last4)}</span>
            <Time at={payment.at} className="relative ml-auto text-soft text-xs" />
          </div>
          {payment.decline && <p>{payment.decline.meaning}</p>}
          <p className="text-soft text-xs">
            {payment.automatic ? (
              "Automatic"
            ) : (
              <>
                By <Actor actor={payment.actor} inSentence />
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The document of each refund. */
function CreditNotes({ notes, place }: { notes: InvoiceDetail["credit_notes"]; place: Place }) {
  return (
    <ul className="divide-y">
      {notes.map(({ number, payment_id, amount, currency, at, voided_at }) => (
        <li key={number} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-[13px]">
          <CreditNoteLink number={number} paymentId={payment_id} mode={place} />
          <Money amount={-amount} currency={currency} className={voided_at ? "line-through" : ""} />
          {voided_at && <span className="text-soft">Void: the refund was returned</span>}
          <Time at={at} className="ml-auto text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}

const LOOKS: Record<InvoiceTimelineEntry["kind"], { icon: LucideIcon; tone: Tone; title: string }> = {
  created: { icon: FilePlus, tone: "neutral", title: "Created" },
  opened: { icon: CircleDashed, tone: "blue", title: "Opened" },
  failed: { icon: CircleX, tone: "red", title: "Payment failed" },
  paid: { icon: CheckCheck, tone: "green", title: "Paid" },
  void: { icon: Ban, tone: "neutral", title: "Voided" },
  uncollectible: { icon: CircleX, tone: "red", title: "Marked as uncollectible" },
  pending: { icon: Hourglass, tone: "amber", title: "Payment sent, outcome not known yet" },
  customer: { icon: ShieldQuestion, tone: "amber", title: "The customer must confirm the payment" },
};

/** Newest first, as on payments and subscriptions. */
function InvoiceTimeline({ detail, place }: { detail: InvoiceDetail; place: Place }) {
  const { timeline, invoice, next } = detail;
  return (
    <Timeline>
      {next?.kind === "attempt" && (
        <TimelineItem icon={Clock} tone="amber" title="Next attempt" at={next.at}>
          <p className="text-soft text-xs">
            Charges {cardText(detail.card.brand, detail.card.last4)}, the subscription’s card, automatically.
          </p>
        </TimelineItem>
      )}
      {timeline.toReversed().map((entry) => (
        <Entry key={entry.id} entry={entry} paid={invoice.amount_due > 0} place={place} />
      ))}
    </Timeline>
  );
}

function Entry({ entry, paid, place }: { entry: InvoiceTimelineEntry; paid: boolean; place: Place }) {
  const { kind, actor, said } = entry;
  const payment = kind === "created" || kind === "opened" ? null : entry.payment_id;
  const { icon, tone, title } = LOOKS[kind];
  return (
    <TimelineItem icon={icon} tone={tone} title={title} at={entry.at}>
      {said && <p className="text-soft">{said}</p>}
      {kind === "paid" && !paid && <p className="text-soft">Nothing was due.</p>}
      {kind === "failed" && entry.next_attempt_at && (
        <p className="text-soft">
          Next attempt planned for <Time at={entry.next_attempt_at} />.
        </p>
      )}
      {(actor || payment) && (
        <p className="flex flex-wrap gap-x-3 text-soft text-xs">
          {actor && (
            <span>
              By{" "}
              <span className="text-ink">
                <Actor actor={actor} inSentence />
              </span>
            </span>
          )}
          {payment && (
            <Link href={paymentHref(place, payment)} prefetch={false} className="text-accent hover:underline">
              View payment
            </Link>
          )}
        </p>
      )}
    </TimelineItem>
  );
}
