/** Merchants' subscriptions, invoices and disputes, read-only. */
import type { ReactNode } from "react";
import { DisputeBody, DisputeTitle } from "@/components/disputes/dispute-page";
import { DisputeBadge } from "@/components/disputes/status";
import { InvoiceFacts, InvoiceNotice } from "@/components/invoices/invoice-facts";
import { InvoiceHistory } from "@/components/invoices/invoice-history";
import { InvoiceBadge } from "@/components/invoices/status";
import { JsonView } from "@/components/payments/json-view";
import { EventList } from "@/components/payments/payment-records";
import { planText, recurringText, SubscriptionBadge } from "@/components/subscriptions/status";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import type { SupportDispute, SupportInvoice, SupportOwner, SupportSubscription } from "@/lib/contract/support/billing";
import { ModeBadge } from "./labels";
import { InvoiceRows } from "./merchant-environment";

type HeaderProps = {
  owner: SupportOwner;
  title: ReactNode;
  badge: ReactNode;
  id: string;
  createdAt: string;
};

function Header({ owner: { merchant, environment }, title, badge, id, createdAt }: HeaderProps) {
  return (
    <PageHeader
      crumbs={[
        { label: "Search", href: "/support" },
        { label: merchant.name, href: `/support/merchants/${merchant.id}?mode=${environment.mode}` },
      ]}
      title={title}
      badge={
        <span className="flex items-center gap-1.5">
          {badge}
          <ModeBadge mode={environment.mode} />
        </span>
      }
      description={
        <span className="flex flex-wrap items-center gap-x-3">
          <CopyId id={id} className="text-ink" />
          <span>
            Created <Time at={createdAt} />
          </span>
        </span>
      }
    />
  );
}

export function SupportInvoicePage({ shown }: { shown: SupportInvoice }) {
  const { detail } = shown;
  const { invoice } = detail;
  return (
    <article>
      <Header
        owner={shown}
        title={
          <>
            {invoice.number ?? "Draft invoice"} <Money amount={invoice.amount_due} currency={invoice.currency} />
          </>
        }
        badge={<InvoiceBadge status={invoice.status} />}
        id={invoice.id}
        createdAt={invoice.created_at}
      />
      <div className="flex flex-col gap-4">
        <InvoiceNotice detail={detail} place={null} />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <InvoiceHistory detail={detail} place={null} />
            <Card title="Events" flush>
              <EventList events={detail.events} />
            </Card>
            <JsonView title="Raw JSON" value={invoice} label="The invoice as JSON" />
          </div>
          <Card title="Details">
            <InvoiceFacts detail={detail} place={null} customerHref={null} />
          </Card>
        </div>
      </div>
    </article>
  );
}

export function SupportDisputePage({ shown }: { shown: SupportDispute }) {
  const { dispute } = shown.detail;
  return (
    <article>
      <Header
        owner={shown}
        title={<DisputeTitle dispute={dispute} />}
        badge={<DisputeBadge status={dispute.status} />}
        id={dispute.id}
        createdAt={dispute.created_at}
      />
      <DisputeBody detail={shown.detail} mode={null} />
    </article>
  );
}

export function SupportSubscriptionPage({ shown }: { shown: SupportSubscription }) {
  const { subscription, invoices } = shown;
  const { period } = subscription;
  return (
    <article>
      <Header
        owner={shown}
        title={planText(subscription)}
        badge={<SubscriptionBadge status={subscription.status} />}
        id={subscription.id}
        createdAt={subscription.created_at}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Invoices" description="The newest." flush>
            {invoices.length === 0 ? (
              <p className="p-4 text-[13px] text-soft">No invoices yet.</p>
            ) : (
              <InvoiceRows invoices={invoices} />
            )}
          </Card>
          <JsonView title="Raw JSON" value={subscription} label="The subscription as JSON" />
        </div>
        <Card title="Details">
          <Facts
            items={[
              { term: "Customer", value: subscription.customer_email ?? subscription.customer_id },
              {
                term: "Merchant’s customer id",
                value: <CopyId id={subscription.customer_id} label="Copy the merchant’s customer id" />,
              },
              { term: "Price", value: recurringText(subscription) },
              {
                term: "Card on file",
                value: subscription.payment_method_id && (
                  <CopyId id={subscription.payment_method_id} short label="Copy payment method id" />
                ),
              },
              {
                term: "Period",
                value: period && (
                  <>
                    <Time at={period.start_at} style="date" /> – <Time at={period.end_at} style="date" />
                  </>
                ),
              },
              { term: "Trial ends", value: subscription.trial_end_at && <Time at={subscription.trial_end_at} /> },
              {
                term: "Next invoice",
                value: subscription.next_invoice_at && <Time at={subscription.next_invoice_at} />,
              },
              { term: "Paused", value: subscription.paused_at && <Time at={subscription.paused_at} /> },
              { term: "Ended", value: subscription.ended_at && <Time at={subscription.ended_at} /> },
              { term: "Reason", value: subscription.cancel_reason },
              { term: "Credit", value: <Money amount={subscription.credit} currency={subscription.currency} /> },
              { term: "Time zone", value: subscription.time_zone },
            ]}
          />
        </Card>
      </div>
    </article>
  );
}
