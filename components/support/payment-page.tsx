import Link from "next/link";
import type { ReactNode } from "react";
import { JsonView } from "@/components/payments/json-view";
import {
  EmailText,
  PaymentAmounts,
  PaymentCard,
  PaymentFacts,
  PaymentNotice,
  ProcessorObjects,
} from "@/components/payments/payment-facts";
import { EventList, HistoryBlocks, LedgerTable } from "@/components/payments/payment-records";
import { Actor, HttpStatus, times } from "@/components/payments/request-list";
import { StatusBadge } from "@/components/ui/badge";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import type { ShownPayment, ShownRequest } from "@/lib/contract/payments/payment-detail";
import { OPERATIONS_SHOWN, type SupportPayment } from "@/lib/contract/support/payment-detail";
import { ActList, AuditList } from "./act-list";
import { ModeBadge } from "./labels";
import { OperationList } from "./operation-list";
import { StaffRefund } from "./staff-refund";

type SupportPaymentPageProps = {
  shown: SupportPayment;
  /** Operation → the processor's report. */
  answers: Record<string, ReactNode>;
};

/** The merchant's payment page, plus our recorded state of each call to the processor. */
export function SupportPaymentPage({ shown, answers }: SupportPaymentPageProps) {
  const { detail, operations, environment, merchant, audit, acts } = shown;
  const { payment } = detail;
  const money = {
    mode: environment.mode,
    merchantId: merchant.id,
    environmentId: environment.id,
    paymentId: payment.id,
  };
  return (
    <article>
      <PageHeader
        crumbs={[
          { label: "Search", href: "/support" },
          { label: merchant.name, href: `/support/merchants/${merchant.id}?mode=${environment.mode}` },
        ]}
        title={<Money amount={payment.amount} currency={payment.currency} className="text-2xl" />}
        badge={
          <span className="flex items-center gap-1.5">
            <StatusBadge status={payment.status} />
            <ModeBadge mode={environment.mode} />
          </span>
        }
        actions={<StaffRefund payment={payment} money={money} />}
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={payment.id} label="Copy payment id" className="text-ink" />
            <span>
              Created <Time at={payment.created_at} />
            </span>
          </span>
        }
      />
      <div className="flex flex-col gap-4">
        <PaymentNotice detail={detail} mode={null} />
        <PaymentAmounts detail={detail} wide />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <HistoryBlocks detail={detail} mode={null} />
            <Card title="Ledger" flush>
              <LedgerTable lines={detail.ledger} />
            </Card>
            <Card
              title="Operations"
              description={`Every call to the processor, newest first${operations.length === OPERATIONS_SHOWN ? `; the latest ${OPERATIONS_SHOWN} are shown` : ""}.`}
              flush
            >
              <OperationList operations={operations} answers={answers} />
            </Card>
            <Card title="Idempotency keys" description="Card numbers and security codes are never stored." flush>
              <KeyUses requests={detail.requests} />
            </Card>
            <Card title="Events" flush>
              <EventList events={detail.events} />
            </Card>
            <Card title="Audit" description="Who changed the payment." flush>
              <AuditList entries={audit} />
            </Card>
            <JsonView title="Raw JSON" value={payment} label="The payment as JSON" />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Card title="Merchant">
              <PaymentOwner shown={shown} />
            </Card>
            <Card title="Card and checks">
              <PaymentCard detail={detail} bin />
            </Card>
            {detail.processor && (
              <Card title={`At ${detail.processor.name ?? "the processor"}`}>
                <ProcessorObjects processor={detail.processor} />
              </Card>
            )}
            <Card title="Customer">
              <PaymentCustomer payment={payment} />
            </Card>
            <Card title="Details">
              <PaymentFacts payment={payment} ids />
            </Card>
            <Card title="Support activity" description="Visible to the merchant." flush>
              <ActList acts={acts} about={payment.id} />
            </Card>
          </div>
        </div>
      </div>
    </article>
  );
}

function PaymentOwner({ shown: { merchant, environment } }: { shown: SupportPayment }) {
  return (
    <Facts
      items={[
        {
          term: "Merchant",
          value: (
            <span className="flex flex-wrap items-center gap-2">
              <Link
                href={`/support/merchants/${merchant.id}?mode=${environment.mode}`}
                prefetch={false}
                className="text-accent hover:underline"
              >
                {merchant.name}
              </Link>
              {merchant.suspended && <StatusBadge status="SUSPENDED" />}
            </span>
          ),
        },
        { term: "Mode", value: environment.mode === "live" ? "Live" : "Test" },
        { term: "Environment", value: <CopyId id={environment.id} short label="Copy environment id" /> },
      ]}
    />
  );
}

const searchFor = (text: string, shown: ReactNode = text) => (
  <Link href={`/support?q=${encodeURIComponent(text)}`} prefetch={false} className="text-accent hover:underline">
    {shown}
  </Link>
);

/** The customer; address and id link to a search across merchants. */
function PaymentCustomer({ payment }: { payment: ShownPayment }) {
  const { customer_id: id, customer_email: email, customer_name: name, billing_address: address } = payment;
  if (!id && !email && !name && !address) return <p className="text-soft">The payment has no customer details.</p>;
  return (
    <Facts
      items={[
        { term: "Name", value: name },
        { term: "E-mail", value: email && searchFor(email, <EmailText address={email} />) },
        { term: "Merchant’s customer id", value: id && searchFor(id) },
        {
          term: "Billing address",
          value:
            address &&
            [address.line1, address.line2, address.postal_code, address.city, address.state, address.country]
              .filter(Boolean)
              .join(", "),
        },
      ]}
    />
  );
}

/** Idempotency keys used on the payment: first use, stored response, replays and reuses. */
function KeyUses({ requests }: { requests: readonly ShownRequest[] }) {
  if (requests.length === 0) {
    return <p className="p-4 text-[13px] text-soft">None. Keys are kept for 24 hours.</p>;
  }
  return (
    <ul className="divide-y">
      {requests.map((request) => (
        <li key={request.key} className="flex min-w-0 flex-col gap-1 px-4 py-2.5 text-[13px]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <CopyId id={request.key} label="Copy idempotency key" />
            <HttpStatus status={request.status} />
            <Time at={request.at} className="ml-auto text-soft text-xs" />
          </div>
          <code className="font-mono text-xs [overflow-wrap:anywhere]">
            {request.method} {request.path}
          </code>
          <p className="text-soft text-xs">
            By <Actor actor={request.actor} inSentence />
            {request.replay_count > 0 && ` · replayed ${times(request.replay_count)}`}
            {request.reuse_count > 0 && ` · refused ${times(request.reuse_count)} for a different request`}
          </p>
          <CopyId id={request.request_id} short label="Copy request id" className="text-soft" />
          {request.body !== null && (
            <JsonView title="Request body" value={request.body} label={`Body of ${request.request_id}`} />
          )}
          {request.response !== null && (
            <JsonView title="Stored response" value={request.response} label={`Response to ${request.request_id}`} />
          )}
        </li>
      ))}
    </ul>
  );
}
