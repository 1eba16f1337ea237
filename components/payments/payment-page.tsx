"use client";

import { Printer } from "lucide-react";
import { PaymentActions } from "@/components/money/payment-actions";
import { Banner } from "@/components/ui/banner";
import { CopyId } from "@/components/ui/copy-id";
import { IconButton } from "@/components/ui/icon-button";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { StatusBadge, statusLabel } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { useDashboard } from "@/lib/client/dashboard-context";
import { failureText } from "@/lib/client/failure-text";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";
import { PaymentAmounts } from "./payment-amounts";
import { DeveloperBlocks, FactBlocks, HistoryBlocks, StatusAnnouncement } from "./payment-blocks";
import { PaymentNotice } from "./payment-notice";
import { Receipt } from "./receipt";
import { usePaymentDetail } from "./use-payment-detail";

/** One payment as a page of its own; it follows what happens while it is open. */
export function PaymentPage({ initial }: { initial: PaymentDetail }) {
  const { mode, merchant } = useDashboard();
  const { data: detail = initial, error } = usePaymentDetail(initial.payment.id, mode, initial);
  const { payment } = detail;
  return (
    <article>
      <PageHeader
        crumbs={[{ label: "Transactions", href: `/${mode}/transactions` }]}
        title={<Money amount={payment.amount} currency={payment.currency} className="text-2xl" />}
        badge={<StatusBadge status={payment.status} />}
        actions={
          <>
            <PaymentActions payment={payment} />
            <IconButton label="Print receipt" onClick={() => window.print()}>
              <Printer aria-hidden="true" />
            </IconButton>
          </>
        }
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={payment.id} label="Copy payment id" className="text-ink" />
            <span>
              Created <Time at={payment.created_at} />
            </span>
          </span>
        }
      />
      <StatusAnnouncement>Status: {statusLabel(payment.status)}</StatusAnnouncement>
      {error && (
        <Banner tone="amber" title="Not up to date" role="status" className="mb-4">
          {failureText(error)}
        </Banner>
      )}
      <div className="flex flex-col gap-4">
        <PaymentNotice detail={detail} />
        <PaymentAmounts payment={payment} wide />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <HistoryBlocks detail={detail} mode={mode} />
          </div>
          <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
            <FactBlocks detail={detail} mode={mode} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <DeveloperBlocks detail={detail} mode={mode} />
          </div>
        </div>
      </div>
      <Receipt payment={payment} merchantName={merchant.name} />
    </article>
  );
}
