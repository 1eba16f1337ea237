/** A customer's subscriptions and invoices, the latest of each. */
import Link from "next/link";
import type { ReactNode } from "react";
import { InvoiceBadge, invoicePath, invoiceSubject } from "@/components/invoices/status";
import { planText, recurringText, SubscriptionBadge, subscriptionPath } from "@/components/subscriptions/status";
import { Card, Money } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { invoicesHref } from "@/lib/contract/invoices/list";
import { subscriptionsHref } from "@/lib/contract/subscriptions/list";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import type { Mode } from "@/lib/contract/transactions/words";

type ListProps<Row> = { list: { data: readonly Row[]; total: number }; customerId: string; mode: Mode };

export function CustomerSubscriptions({ list, customerId, mode }: ListProps<Subscription>) {
  return (
    <Card
      title="Subscriptions"
      flush
      actions={<AllLink href={subscriptionsHref(mode, { customer_id: customerId })} total={list.total} />}
    >
      <ul className="divide-y">
        {list.data.map((row) => (
          <Row key={row.id}>
            <Link
              href={subscriptionPath(mode, row.id)}
              prefetch={false}
              className="min-w-0 truncate font-medium after:absolute after:inset-0"
            >
              {planText(row)}
            </Link>
            <SubscriptionBadge status={row.status} />
            <span className="text-soft tabular-nums max-sm:hidden">{recurringText(row)}</span>
            <Ending>
              {row.next_invoice_at ? (
                <>
                  Next invoice <Time at={row.next_invoice_at} style="date" />
                </>
              ) : (
                <>
                  Since <Time at={row.created_at} style="date" />
                </>
              )}
            </Ending>
          </Row>
        ))}
      </ul>
    </Card>
  );
}

export function CustomerInvoices({ list, customerId, mode }: ListProps<Invoice>) {
  return (
    <Card
      title="Invoices"
      flush
      actions={<AllLink href={invoicesHref(mode, { customer_id: customerId })} total={list.total} />}
    >
      <ul className="divide-y">
        {list.data.map((row) => (
          <Row key={row.id}>
            <Link
              href={invoicePath(mode, row.id)}
              prefetch={false}
              className="w-28 after:absolute after:inset-0 focus-visible:outline-offset-0"
            >
              <Money amount={row.amount_due} currency={row.currency} />
            </Link>
            <InvoiceBadge status={row.status} />
            <span className="text-soft tabular-nums max-sm:hidden">
              {row.number ?? "Draft"} · {invoiceSubject(row)}
            </span>
            <Ending>
              {row.next_attempt_at ? (
                <>
                  Next attempt <Time at={row.next_attempt_at} style="date" />
                </>
              ) : (
                <Time at={row.created_at} style="date" />
              )}
            </Ending>
          </Row>
        ))}
      </ul>
    </Card>
  );
}

function Row({ children }: { children: ReactNode }) {
  return (
    <li className="relative flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-[13px] hover:bg-raised has-focus-visible:bg-raised">
      {children}
    </li>
  );
}

const Ending = ({ children }: { children: ReactNode }) => (
  <span className="relative ml-auto text-soft text-xs">{children}</span>
);

function AllLink({ href, total }: { href: string; total: number }) {
  return (
    <Link href={href} prefetch={false} className="text-accent text-xs hover:underline">
      All {total.toLocaleString("en-US")}
    </Link>
  );
}
