import type { ReactNode } from "react";
import { EventList } from "@/components/payments/event-list";
import { JsonView } from "@/components/payments/json-view";
import { LedgerTable } from "@/components/payments/ledger-table";
import { PaymentAmounts } from "@/components/payments/payment-amounts";
import { PaymentCard } from "@/components/payments/payment-card";
import { PaymentFacts } from "@/components/payments/payment-facts";
import { PaymentNotice } from "@/components/payments/payment-notice";
import { TransactionList } from "@/components/payments/transaction-list";
import { Card } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { OPERATIONS_SHOWN, type PaymentInside } from "@/lib/contract/support/payment-inside";
import { ActList } from "./act-list";
import { AuditList } from "./audit-list";
import { KeyUses } from "./key-uses";
import { ModeBadge } from "./mode-badge";
import { OperationList } from "./operation-list";
import { PaymentCustomer } from "./payment-customer";
import { PaymentOwner } from "./payment-owner";
import { StaffRefund } from "./staff-refund";

type PaymentInsidePageProps = {
  inside: PaymentInside;
  /** Operation → what the processor says of it. */
  answers: Record<string, ReactNode>;
};

/** The merchant's payment page, turned inside out: how each call to the processor stands in our books. */
export function PaymentInsidePage({ inside, answers }: PaymentInsidePageProps) {
  const { detail, operations, environment, merchant, audit, acts } = inside;
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
        <PaymentNotice detail={detail} />
        <PaymentAmounts payment={payment} wide />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <Card
              title="Operations"
              description={`Every call to the processor, newest first${operations.length === OPERATIONS_SHOWN ? `; the latest ${OPERATIONS_SHOWN} are shown` : ""}.`}
              flush
            >
              <OperationList operations={operations} answers={answers} />
            </Card>
            <Card title="Charge and refunds" flush>
              <TransactionList detail={detail} />
            </Card>
            <Card title="Ledger" flush>
              <LedgerTable lines={detail.ledger} />
            </Card>
            <Card title="Idempotency keys" description="Card numbers and security codes are never kept." flush>
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
            <Card title="Whose it is">
              <PaymentOwner inside={inside} />
            </Card>
            <Card title="Card and checks">
              <PaymentCard detail={detail} />
            </Card>
            <Card title="Customer">
              <PaymentCustomer payment={payment} />
            </Card>
            <Card title="Details">
              <PaymentFacts payment={payment} />
            </Card>
            <Card title="What support did" description="The merchant sees it, too." flush>
              <ActList acts={acts} about={payment.id} />
            </Card>
          </div>
        </div>
      </div>
    </article>
  );
}
