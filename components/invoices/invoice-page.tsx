import { Printer } from "lucide-react";
import Link from "next/link";
import { JsonView } from "@/components/payments/json-view";
import { EventList } from "@/components/payments/payment-records";
import { Card, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { RefreshEvery, Time } from "@/components/ui/time";
import type { InvoiceDetail } from "@/lib/contract/invoices/invoice-detail";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import type { Mode } from "@/lib/contract/transactions/words";
import { InvoiceActions } from "./invoice-actions";
import { InvoiceFacts, InvoiceNotice } from "./invoice-facts";
import { InvoiceHistory } from "./invoice-history";
import { InvoiceBadge, invoicePath } from "./status";

type InvoicePageProps = {
  detail: InvoiceDetail;
  /** The customer's cards that can be charged; empty without the permission. */
  cards: readonly PaymentMethod[];
  /** The user may open the pages of events. */
  canReadEvents: boolean;
  mode: Mode;
};

const REFRESH_MS = 5_000;

export function InvoicePage({ detail, cards, canReadEvents, mode }: InvoicePageProps) {
  const { invoice, customer } = detail;
  return (
    <article>
      <PageHeader
        title={invoice.number ?? "Draft invoice"}
        crumbs={[{ label: "Invoices", href: `/${mode}/invoices` }]}
        badge={
          <span className="flex items-center gap-3">
            <span className="text-lg leading-8">
              <Money amount={invoice.amount_due} currency={invoice.currency} />
            </span>
            <InvoiceBadge status={invoice.status} />
          </span>
        }
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={invoice.id} label="Copy invoice id" className="text-ink" />
            <span>
              Created <Time at={invoice.created_at} />
            </span>
          </span>
        }
        actions={
          <>
            <Link href={`${invoicePath(mode, invoice.id)}/print`} className={buttonStyles()}>
              <Printer aria-hidden="true" />
              Print
            </Link>
            <InvoiceActions detail={detail} cards={cards} />
          </>
        }
      />
      {invoice.status === "OPEN" && <RefreshEvery ms={REFRESH_MS} />}
      <div className="flex flex-col gap-4">
        <InvoiceNotice detail={detail} place={mode} />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
          <div className="flex min-w-0 flex-col gap-4">
            <InvoiceHistory detail={detail} place={mode} />
          </div>
          <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
            <Card title="Details">
              <InvoiceFacts
                detail={detail}
                place={mode}
                customerHref={customer.id && `/${mode}/customers/${customer.id}`}
              />
            </Card>
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Card title="Events" flush>
              <EventList events={detail.events} mode={canReadEvents ? mode : null} />
            </Card>
            <JsonView title="Raw JSON" value={invoice} label="The invoice as JSON" />
          </div>
        </div>
      </div>
    </article>
  );
}
