import Link from "next/link";
import { EmailText } from "@/components/payments/payment-facts";
import { SubscriptionBadge, subscriptionPath } from "@/components/subscriptions/status";
import { Banner } from "@/components/ui/banner";
import { Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { cardText } from "@/lib/contract/format";
import type { InvoiceDetail, NextStep } from "@/lib/contract/invoices/invoice-detail";
import { type Place, paymentHref } from "./invoice-history";
import { Span } from "./invoice-lines";
import { invoiceSubject } from "./status";

const LINK = "text-accent hover:underline";

/** The next step for an unpaid invoice, or the reason why there is none. */
export function InvoiceNotice({ detail, place }: { detail: InvoiceDetail; place: Place }) {
  const { next, invoice, payments } = detail;
  if (invoice.status === "UNCOLLECTIBLE") {
    return (
      <Banner tone="red" title="Uncollectible">
        The amount stays owed, but no further payment is attempted.
      </Banner>
    );
  }
  if (next === null) return null;
  const failed = payments.at(-1)?.decline?.meaning;
  const isFailed = failed !== undefined && !("payment_id" in next);
  return (
    <Banner tone={isFailed || next.kind === "card" ? "red" : "amber"} title={<NextTitle next={next} />}>
      {isFailed && <p>The last payment failed: {failed}</p>}
      <NextAdvice next={next} detail={detail} place={place} />
    </Banner>
  );
}

function NextTitle({ next }: { next: NextStep }) {
  switch (next.kind) {
    case "attempt":
      return (
        <>
          Next attempt <Time at={next.at} />
        </>
      );
    case "outcome":
      return "A payment is in progress";
    case "hold":
      return "A payment is authorized, but not captured";
    case "customer":
      return "The customer must confirm a payment";
    case "paused":
      return "No attempts while the subscription is paused";
    case "card":
      return "Waiting for another card";
    case "nothing":
      return "No further attempt is planned";
    default:
      return next satisfies never;
  }
}

function NextAdvice({ next, detail, place }: { next: NextStep; detail: InvoiceDetail; place: Place }) {
  const card = cardText(detail.card.brand, detail.card.last4);
  const payment = "payment_id" in next && (
    <Link href={paymentHref(place, next.payment_id)} prefetch={false} className={LINK}>
      View payment
    </Link>
  );
  switch (next.kind) {
    case "attempt":
      return <p>Charges {card} automatically.</p>;
    case "outcome":
      return <p>Nothing else is attempted until its outcome is known. {payment}</p>;
    case "hold":
      return <p>Capturing it pays the invoice. Voiding it lets the next attempt begin. {payment}</p>;
    case "customer":
      return <p>The card’s issuer asks for 3-D Secure. Until then, nothing else is attempted. {payment}</p>;
    case "paused":
      return <p>Resuming the subscription charges it again.</p>;
    case "card":
      return (
        <p>
          {next.removed
            ? "The subscription’s card was removed, so no attempt is planned."
            : `${card} was refused for good, so no further attempt is planned.`}{" "}
          Another card on the subscription is charged right away.
        </p>
      );
    case "nothing":
      return <p>Charge it now, or give the subscription another card.</p>;
    default:
      return next satisfies never;
  }
}

type FactsProps = {
  detail: InvoiceDetail;
  place: Place;
  /** Address of the customer's page; null in support. */
  customerHref: string | null;
};

/** Customer, subscription, period and card. */
export function InvoiceFacts({ detail, place, customerHref }: FactsProps) {
  const { invoice, subscription, customer, card } = detail;
  const subscriptionHref =
    place === null ? `/support/subscriptions/${subscription.id}` : subscriptionPath(place, subscription.id);
  const shownName = customer.name ?? (customer.email ? <EmailText address={customer.email} /> : invoice.customer_id);
  return (
    <Facts
      items={[
        {
          term: "Customer",
          value: customerHref ? (
            <Link href={customerHref} prefetch={false} className={LINK}>
              {shownName}
            </Link>
          ) : (
            shownName
          ),
        },
        {
          term: place === null ? "Merchant’s customer id" : "Your customer id",
          value: <CopyId id={invoice.customer_id} label="Copy customer id" />,
        },
        {
          term: "Subscription",
          value: (
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Link href={subscriptionHref} prefetch={false} className={LINK}>
                {subscription.plan_name}
                {subscription.quantity > 1 && ` × ${subscription.quantity.toLocaleString("en-US")}`}
              </Link>
              <SubscriptionBadge status={subscription.status} />
            </span>
          ),
        },
        { term: "For", value: invoiceSubject(invoice) },
        { term: "Period", value: <Span from={invoice.period.start_at} to={invoice.period.end_at} /> },
        { term: "Card", value: <span className="tabular-nums">{cardText(card.brand, card.last4)}</span> },
        { term: "Attempts", value: invoice.attempts.toLocaleString("en-US") },
        ...(invoice.paid_at ? [{ term: "Paid", value: <Time at={invoice.paid_at} /> }] : []),
        ...(invoice.voided_at ? [{ term: "Voided", value: <Time at={invoice.voided_at} /> }] : []),
        ...Object.entries(invoice.metadata).map(([key, value]) => ({
          term: <span className="font-mono text-xs [overflow-wrap:anywhere]">{key}</span>,
          value: <span className="font-mono text-xs">{String(value)}</span>,
        })),
      ]}
    />
  );
}
