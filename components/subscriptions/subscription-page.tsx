import Link from "next/link";
import type { ReactNode } from "react";
import { InvoiceLines } from "@/components/invoices/invoice-lines";
import { InvoiceBadge, invoicePath, invoiceSubject } from "@/components/invoices/status";
import { JsonView } from "@/components/payments/json-view";
import { EmailText } from "@/components/payments/payment-facts";
import { PortalLink } from "@/components/portal/portal-link";
import { LatestCard } from "@/components/reporting/latest-card";
import { Banner } from "@/components/ui/banner";
import { Card, Facts, MetadataFacts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery, Time } from "@/components/ui/time";
import { cardText, moneyText } from "@/lib/contract/format";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { everyText } from "@/lib/contract/plans/schedule";
import type { SubscriptionDetail } from "@/lib/contract/subscriptions/detail";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";
import { planText, recurringText, SubscriptionBadge, subscriberText } from "./status";
import { KeepButton, SubscriptionActions } from "./subscription-actions";
import { SubscriptionTimeline } from "./subscription-timeline";

const LINK = "text-accent hover:underline";
const REFRESH_MS = 5_000;

type SubscriptionPageProps = {
  detail: SubscriptionDetail;
  /** Its latest payments and refunds; null without the permission. */
  payments: readonly ListedTransaction[] | null;
  /** The user may open the pages of events. */
  canReadEvents: boolean;
  mode: Mode;
};

/** A subscription's own page, refreshed while it is open. */
export function SubscriptionPage({ detail, payments, canReadEvents, mode }: SubscriptionPageProps) {
  const { subscription } = detail;
  return (
    <article>
      <PageHeader
        title={subscriberText(subscription, detail.customer?.name)}
        crumbs={[{ label: "Subscriptions", href: `/${mode}/subscriptions` }]}
        badge={<SubscriptionBadge status={subscription.status} />}
        actions={<SubscriptionActions detail={detail} />}
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={subscription.id} label="Copy subscription id" className="text-ink" />
            <span>
              Since <Time at={subscription.created_at} style="date" />
            </span>
          </span>
        }
      />
      <div className="flex flex-col gap-4">
        <Notices detail={detail} mode={mode} />
        <Headline detail={detail} mode={mode} />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
          <div className="flex min-w-0 flex-col gap-4">
            {detail.next_invoice && <NextInvoice invoice={detail.next_invoice} />}
            <Invoices detail={detail} mode={mode} />
            {payments !== null && payments.length > 0 && (
              <LatestCard
                title="Payments"
                mode={mode}
                transactions={payments}
                allHref={transactionsHref(mode, { subscription_id: subscription.id })}
                ofOneCustomer
              />
            )}
            <Card title="Timeline">
              <SubscriptionTimeline entries={detail.timeline} mode={mode} />
              {detail.more_entries && canReadEvents && (
                <p className="mt-4 border-t pt-3">
                  <Link href={`/${mode}/developers/events?object_id=${subscription.id}`} className={LINK}>
                    Earlier events
                  </Link>
                </p>
              )}
            </Card>
          </div>
          <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
            <Side detail={detail} mode={mode} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Card title="For developers">
              <ul className="flex flex-col gap-1">
                {canReadEvents && (
                  <li>
                    <Link href={`/${mode}/developers/events?object_id=${subscription.id}`} className={LINK}>
                      Events of this subscription
                    </Link>
                  </li>
                )}
                <li>
                  <Link href={`/${mode}/developers/requests?q=${subscription.id}`} className={LINK}>
                    API requests of the last 30 days
                  </Link>
                </li>
              </ul>
            </Card>
            <JsonView title="Raw JSON" value={subscription} label="The subscription as JSON" />
          </div>
        </div>
      </div>
      <RefreshEvery ms={REFRESH_MS} />
    </article>
  );
}

/** The most important notice: an unpaid invoice or an upcoming end. */
function Notices({ detail, mode }: Pick<SubscriptionPageProps, "detail" | "mode">) {
  const { subscription, unpaid, pending_plan: plan } = detail;
  const { status, period, pending_change: change, currency } = subscription;
  return (
    <>
      {unpaid && status !== "INCOMPLETE" && <UnpaidNotice unpaid={unpaid} mode={mode} />}
      {status === "INCOMPLETE" && (
        <Banner tone="amber" title="The first payment isn’t done">
          The customer hasn’t confirmed it, or the processor hasn’t reported a result. Without a payment within 23
          hours, the subscription expires.
        </Banner>
      )}
      {subscription.cancel_at_period_end && period && (
        <Banner
          tone="amber"
          title={
            <>
              Ends on <Time at={period.end_at} style="date" />
            </>
          }
          actions={<KeepButton detail={detail} />}
        >
          It won’t be renewed, and nothing more will be charged.
        </Banner>
      )}
      {change && plan && (
        <Banner
          tone="neutral"
          title={
            <>
              Changes to {planText({ plan, quantity: change.quantity })} on <Time at={change.at} style="date" />
            </>
          }
        >
          Then {moneyText(plan.amount * change.quantity, currency)} {everyText(plan.interval)}.
        </Banner>
      )}
      {subscription.ended_at && (
        <Banner
          tone="neutral"
          title={
            <>
              {status === "EXPIRED" ? "Expired" : "Ended"} on <Time at={subscription.ended_at} style="date" />
            </>
          }
        >
          {reasonText(detail)}
        </Banner>
      )}
    </>
  );
}

function reasonText({ subscription }: SubscriptionDetail): string {
  const { status, cancel_reason: reason, cancelled_at: at, cancel_at_period_end: hasEndedWithPeriod } = subscription;
  if (status === "EXPIRED") return "The first payment did not succeed within 23 hours.";
  if (reason === "payment_failed") return "The last attempt to charge its invoice failed.";
  if (reason !== null) return `Reason: ${reason}`;
  return at === null || hasEndedWithPeriod ? "It was cancelled for the end of its period." : "No reason was given.";
}

function UnpaidNotice({ unpaid, mode }: { unpaid: NonNullable<SubscriptionDetail["unpaid"]>; mode: Mode }) {
  const { invoice, attempt, of, cancels } = unpaid;
  const next = invoice.next_attempt_at;
  const isLast = attempt === of;
  return (
    <Banner
      tone="red"
      title={
        <>
          <Money amount={invoice.amount_due} currency={invoice.currency} /> unpaid
          {next && (
            <>
              : attempt {attempt} of {of} on <Time at={next} style="date" />
            </>
          )}
        </>
      }
    >
      <p>
        {next
          ? isLast
            ? `This is the last attempt. If it fails, ${cancels ? "the subscription is cancelled" : "the invoice stays open"}.`
            : "The card is charged again automatically. If you change the card, the new one is charged right away."
          : "No further attempt is planned. Charge the card again, or change it: the new one is charged right away."}
      </p>
      <p className="mt-1">
        <Link href={invoicePath(mode, invoice.id)} className={LINK}>
          {invoice.number ?? "View invoice"}
        </Link>
      </p>
    </Banner>
  );
}

/** Plan, price, period and what comes next, side by side. */
function Headline({ detail, mode }: Pick<SubscriptionPageProps, "detail" | "mode">) {
  const { subscription } = detail;
  const { period, trial_end_at: trialEnd, status } = subscription;
  const isTrial = period?.number === 0;
  const which = status === "CANCELLED" || status === "EXPIRED" ? "Last period" : "Current period";
  return (
    <dl className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-2 xl:grid-cols-4">
      <Fact term="Plan">
        <Link href={`/${mode}/plans/${subscription.plan_id}`} className="hover:underline">
          {planText(subscription)}
        </Link>
      </Fact>
      <Fact term="Price">{recurringText(subscription)}</Fact>
      <Fact term={isTrial ? "Trial" : period ? `${which} (${period.number})` : which}>
        {period ? (
          <>
            <Time at={period.start_at} style="date" /> –{" "}
            <Time at={isTrial && trialEnd ? trialEnd : period.end_at} style="date" />
          </>
        ) : (
          "–"
        )}
      </Fact>
      <Fact term="What happens next">
        <Next detail={detail} />
      </Fact>
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="bg-ground px-4 py-2.5">
      <dt className="text-soft text-xs">{term}</dt>
      <dd className="text-sm tabular-nums">{children}</dd>
    </div>
  );
}

function Next({ detail: { subscription, next_invoice: next, unpaid } }: { detail: SubscriptionDetail }) {
  const { status, period, paused_at, ended_at } = subscription;
  switch (status) {
    case "INCOMPLETE":
      return "The first payment";
    case "PAUSED":
      return paused_at ? (
        <>
          Nothing, paused since <Time at={paused_at} style="date" />
        </>
      ) : null;
    case "CANCELLED":
    case "EXPIRED":
      return ended_at ? "Nothing, it has ended" : null;
    case "PAST_DUE":
      if (unpaid?.invoice.next_attempt_at)
        return (
          <>
            Attempt {unpaid.attempt} of {unpaid.of} on <Time at={unpaid.invoice.next_attempt_at} style="date" />
          </>
        );
      return "Waits for another card";
    case "TRIALING":
    case "ACTIVE":
      if (next === null || period === null)
        return period ? (
          <>
            Ends on <Time at={period.end_at} style="date" />
          </>
        ) : null;
      return (
        <>
          {status === "TRIALING" ? "First charge" : "Next invoice"}{" "}
          <Money amount={next.amount_due} currency={next.currency} bare /> on <Time at={period.end_at} style="date" />
        </>
      );
    default:
      return status satisfies never;
  }
}

function NextInvoice({ invoice }: { invoice: Invoice }) {
  return (
    <Card
      title="Next invoice"
      description={
        <>
          On <Time at={invoice.period.start_at} style="date" />, as it would be issued now
        </>
      }
      flush
    >
      <InvoiceLines invoice={invoice} />
    </Card>
  );
}

function Invoices({ detail, mode }: Pick<SubscriptionPageProps, "detail" | "mode">) {
  const { invoices, more_invoices: hasMore, subscription } = detail;
  return (
    <Card
      title="Invoices"
      flush
      actions={
        hasMore && (
          <Link
            href={`/${mode}/invoices?subscription=${subscription.id}`}
            className="text-accent text-xs hover:underline"
          >
            All invoices
          </Link>
        )
      }
    >
      {invoices.length === 0 ? (
        <p className="p-4 text-[13px] text-soft">
          {subscription.status === "TRIALING" ? "The first one follows the trial." : "No invoices yet."}
        </p>
      ) : (
        <ul className="divide-y">
          {invoices.map((invoice) => (
            <li
              key={invoice.id}
              className="relative grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2 text-[13px] hover:bg-raised has-focus-visible:bg-raised sm:grid-cols-[7rem_7rem_1fr_auto_6rem]"
            >
              <Link
                href={invoicePath(mode, invoice.id)}
                prefetch={false}
                className="font-medium tabular-nums after:absolute after:inset-0"
              >
                {invoice.number ?? "Draft"}
              </Link>
              <span className="max-sm:text-right">
                <InvoiceBadge status={invoice.status} />
              </span>
              <span className="text-soft">{invoiceSubject(invoice)}</span>
              <span className="text-right">
                <Money amount={invoice.amount_due} currency={invoice.currency} bare />
              </span>
              <Time
                at={invoice.created_at}
                style="date"
                className="relative text-soft text-xs max-sm:col-span-2 sm:text-right"
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Side({ detail, mode }: Pick<SubscriptionPageProps, "detail" | "mode">) {
  const { subscription, card, customer } = detail;
  return (
    <>
      <Card title="Customer">
        <Facts
          items={[
            {
              term: "Name",
              value: customer && (
                <Link href={`/${mode}/customers/${customer.id}`} className={LINK}>
                  {customer.name ?? "View customer"}
                </Link>
              ),
            },
            {
              term: "E-mail",
              value: subscription.customer_email && <EmailText address={subscription.customer_email} />,
            },
            {
              term: "Your customer id",
              value: <CopyId id={subscription.customer_id} label="Copy your customer id" />,
            },
          ]}
        />
        <p className="mt-3">
          <PortalLink customerId={subscription.customer_id} />
        </p>
      </Card>
      <Card title="Card on file">
        {card?.card ? (
          <Facts
            items={[
              {
                term: "Card",
                value: <span className="tabular-nums">{cardText(card.card.brand, card.card.last4)}</span>,
              },
              {
                term: "Expires",
                value: `${String(card.card.exp_month).padStart(2, "0")} / ${card.card.exp_year}`,
              },
              { term: "Id", value: <CopyId id={card.id} short label="Copy payment method id" /> },
            ]}
          />
        ) : (
          <p className="text-soft">The card was removed. Change it before the next charge.</p>
        )}
        {card?.status === "EXPIRED" && <p className="mt-2 text-amber">The card has expired.</p>}
        {card?.status === "REMOVED" && <p className="mt-2 text-amber">The card was removed and can’t be charged.</p>}
      </Card>
      <Card title="Details">
        <Facts
          items={[
            { term: "Quantity", value: subscription.quantity.toLocaleString("en-US") },
            {
              term: "Credit",
              value: <Money amount={subscription.credit} currency={subscription.currency} bare />,
            },
            ...(subscription.trial_end_at
              ? [{ term: "Trial end", value: <Time at={subscription.trial_end_at} /> }]
              : []),
            ...(subscription.trial_refused ? [{ term: "Trial", value: "Not given: the customer had one before" }] : []),
            { term: "Billing anchor", value: <Time at={subscription.anchor_at} /> },
            { term: "Time zone", value: subscription.time_zone },
          ]}
        />
        <MetadataFacts metadata={subscription.metadata} />
      </Card>
    </>
  );
}
