"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { InvoiceBadge, invoicePath } from "@/components/invoices/status";
import { SubscriptionBadge, subscriptionPath } from "@/components/subscriptions/status";
import { StatusBadge } from "@/components/ui/badge";
import { Address, Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { shortId } from "@/lib/contract/format";
import type { Payment } from "@/lib/contract/payments/payment";
import type { PaymentDetail, ShownPayment } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import { JsonView } from "./json-view";
import { EmailText, idFacts, PaymentCard, PaymentFacts, ProcessorObjects } from "./payment-facts";
import { EventList, LedgerTable } from "./payment-records";
import { OperationKeys } from "./payment-timeline";
import { RequestList } from "./request-list";

type BlocksProps = { detail: PaymentDetail; mode: Mode };

/** Facts: customer, card, linked objects, details. */
export function FactBlocks({ detail, mode }: BlocksProps) {
  const linked = linkedObjects(detail, mode, useDashboard().can("balance.read"));
  return (
    <>
      <Card title="Customer">
        <CustomerFacts detail={detail} mode={mode} />
      </Card>
      <Card title="Card and checks">
        <PaymentCard detail={detail} />
      </Card>
      <Card title="Details">
        <PaymentFacts payment={detail.payment} />
      </Card>
      {linked.length > 0 && (
        <Card title="Linked">
          <Facts items={linked} />
        </Card>
      )}
    </>
  );
}

/** For developers: ids, ledger accounts, requests, events, the object itself. */
export function DeveloperBlocks({ detail, mode }: BlocksProps) {
  const { can } = useDashboard();
  return (
    <>
      <Card title="Ids">
        <PaymentIds detail={detail} mode={mode} />
      </Card>
      {detail.processor && (
        <Card title={`At ${detail.processor.name ?? "the processor"}`}>
          <ProcessorObjects processor={detail.processor} />
        </Card>
      )}
      <Part id="operations">
        <Card title="Operations" flush>
          <OperationKeys entries={detail.timeline} mode={mode} />
        </Card>
      </Part>
      <Part id="ledger">
        <Card title="Ledger accounts" flush>
          <LedgerTable lines={detail.ledger} />
        </Card>
      </Part>
      <Part id="requests">
        <Card title="API requests" description="Card numbers and security codes are never stored." flush>
          <RequestList requests={detail.requests} mode={mode} />
          <p className="border-t px-4 py-2.5 text-[13px]">
            <Link href={`/${mode}/developers/requests?q=${detail.payment.id}`} className="text-accent hover:underline">
              All requests of the last 30 days
            </Link>
          </p>
        </Card>
      </Part>
      <Part id="events">
        <Card title="Events" flush>
          <EventList events={detail.events} mode={can("event.read") ? mode : null} />
        </Card>
      </Part>
      <JsonView title="Raw JSON" value={wholePayment(detail.payment)} label="The payment as JSON" />
    </>
  );
}

/** A part with an anchor. */
function Part({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div id={id} className="min-w-0 scroll-mt-20">
      {children}
    </div>
  );
}

function PaymentIds({ detail, mode }: BlocksProps) {
  const { payment, linked } = detail;
  const session = linked.client_session;
  return (
    <Facts
      columns={2}
      items={[
        ...idFacts(payment),
        { term: "BIN", value: payment.card && <span className="tabular-nums">{payment.card.bin}</span> },
        {
          term: "Client session",
          value: session && (
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Link
                href={`/${mode}/checkout/${session.id}`}
                className={cn(LINK, "font-mono text-xs")}
                title={session.id}
              >
                {shortId(session.id)}
              </Link>
              <StatusBadge status={session.status} />
            </span>
          ),
        },
      ]}
    />
  );
}

/** Announces a status change to screen readers. */
export function StatusAnnouncement({ children }: { children: ReactNode }) {
  return <output className="sr-only">{children}</output>;
}

const LINK = "text-accent hover:underline";

/** Linked objects: plan, payment link, subscription, invoice, settlement batches, which not every role may open. */
function linkedObjects({ linked }: PaymentDetail, mode: Mode, canOpenBatches: boolean) {
  const { plan, payment_link: link, subscription, invoice, batches } = linked;
  const items: { term: string; value: ReactNode }[] = [];
  if (plan) {
    items.push({
      term: "Plan",
      value: (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link href={`/${mode}/plans/${plan.id}`} className={LINK}>
            {plan.name}
          </Link>
          <StatusBadge status={plan.status} />
        </span>
      ),
    });
  }
  if (link) {
    items.push({
      term: "Payment link",
      value: (
        <Link href={`/${mode}/checkout/links/${link.id}`} className={LINK}>
          {link.title}
        </Link>
      ),
    });
  }
  if (subscription) {
    items.push({
      term: "Subscription",
      value: (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link href={subscriptionPath(mode, subscription.id)} prefetch={false} className={LINK}>
            {subscription.plan_name}
          </Link>
          <SubscriptionBadge status={subscription.status} />
        </span>
      ),
    });
  }
  if (invoice) {
    items.push({
      term: "Invoice",
      value: (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link href={invoicePath(mode, invoice.id)} prefetch={false} className={LINK}>
            {invoice.number ?? shortId(invoice.id)}
          </Link>
          <InvoiceBadge status={invoice.status} />
        </span>
      ),
    });
  }
  for (const batch of batches) {
    items.push({
      term: "Settlement batch",
      value: (
        <span className="flex flex-wrap items-center gap-x-2">
          {canOpenBatches ? (
            <Link
              href={`/${mode}/settlement-batches/${batch.id}`}
              prefetch={false}
              className={cn(LINK, "font-mono text-xs")}
              title={batch.id}
            >
              {shortId(batch.id)}
            </Link>
          ) : (
            <CopyId id={batch.id} short label="Copy batch id" />
          )}
          <Time at={batch.created_at} className="text-soft text-xs" />
        </span>
      ),
    });
  }
  return items;
}

/** The customer, and a link to their other payments. */
function CustomerFacts({ detail, mode }: { detail: PaymentDetail; mode: Mode }) {
  const { payment, linked } = detail;
  const { customer_id: id, customer_email: email, customer_name: name, billing_address: address } = payment;
  if (!id && !email && !name && !address) return <p className="text-soft">The payment has no customer details.</p>;
  const others = linked.customer_payments;
  return (
    <Facts
      items={[
        {
          term: "Name",
          value: linked.customer ? (
            <CustomerLink href={`/${mode}/customers/${linked.customer.id}`}>
              {name ?? linked.customer.name ?? "View customer"}
            </CustomerLink>
          ) : (
            name
          ),
        },
        { term: "E-mail", value: email && <EmailText address={email} /> },
        { term: "Your customer id", value: id && <CopyId id={id} label="Copy customer id" /> },
        { term: "Billing address", value: address && <Address address={address} /> },
        ...(others && id
          ? [
              {
                term: "Other payments",
                value:
                  others.count === 0 ? (
                    "None"
                  ) : (
                    <Link href={`/${mode}/transactions?customer=${encodeURIComponent(id)}`} className={LINK}>
                      {others.more ? `More than ${others.count}` : others.count}
                    </Link>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}

function CustomerLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={LINK}>
      {children}
    </Link>
  );
}

const PENDING_MS = 3_000;
const SETTLED_MS = 5_000;

/** A payment with its details, polled while shown: faster while something is in progress. */
export function usePaymentDetail(paymentId: string, mode: Mode, initial?: PaymentDetail) {
  return useQuery({
    queryKey: ["payment", paymentId, mode],
    queryFn: async ({ signal }) =>
      (await callApi("GET /api/dashboard/{mode}/payments/{id}", { params: { mode, id: paymentId }, signal })).data,
    ...(initial && { initialData: initial }),
    refetchInterval: ({ state }) => (state.data?.pending ? PENDING_MS : SETTLED_MS),
  });
}

/** The API's payment object, in which every transaction repeats these fields of its payment. */
export function wholePayment(payment: ShownPayment): Payment {
  const { description, metadata, billing_address } = payment;
  return {
    ...payment,
    transactions: payment.transactions.map((shown) => ({ ...shown, description, metadata, billing_address })),
  };
}
