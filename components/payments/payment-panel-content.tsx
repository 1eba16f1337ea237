"use client";

import { PaymentApprovals } from "@/components/approvals/payment-approvals";
import { NotesCard } from "@/components/notes/notes-card";
import { MoneyMarks, StatusBadge, statusLabel } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { ErrorState } from "@/components/ui/error-state";
import { Time } from "@/components/ui/time";
import { ApiError, failureText } from "@/lib/client/api";
import type { Mode } from "@/lib/contract/transactions/words";
import { DeveloperFold } from "./developer-fold";
import { PaymentActions, useRefundKey } from "./payment-actions";
import { DeveloperBlocks, FactBlocks, StatusAnnouncement, usePaymentDetail } from "./payment-blocks";
import { Payer, PaymentAmounts, PaymentNotice } from "./payment-facts";
import { HistoryBlocks } from "./payment-records";
import { PaymentPanelSkeleton } from "./payment-skeleton";

/** Content of the side panel: the page's blocks, stacked. */
export function PaymentPanelContent({ paymentId, mode }: { paymentId: string; mode: Mode }) {
  const { data: detail, error, refetch, isFetching } = usePaymentDetail(paymentId, mode);
  useRefundKey(detail?.payment);
  if (!detail) {
    if (!error) return <PaymentPanelSkeleton />;
    return (
      <ErrorState
        title={error instanceof ApiError && error.status === 404 ? "Payment not found" : undefined}
        detail={failureText(error)}
        requestId={error instanceof ApiError ? error.requestId : null}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  }
  const { payment } = detail;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="font-semibold text-2xl leading-8">
          <Money amount={payment.amount} currency={payment.currency} />
        </p>
        <StatusBadge status={payment.status} />
        <MoneyMarks transaction={payment} />
        <p className="flex w-full flex-wrap items-center gap-x-3 text-soft">
          <Payer payment={payment} />
          <Time at={payment.created_at} />
          <CopyId id={payment.id} label="Copy payment id" />
        </p>
      </div>
      <StatusAnnouncement>Status: {statusLabel(payment.status)}</StatusAnnouncement>
      <PaymentActions payment={payment} size="sm" />
      {error && (
        <Banner tone="amber" title="Not up to date">
          {failureText(error)}
        </Banner>
      )}
      <PaymentNotice detail={detail} mode={mode} />
      <PaymentApprovals paymentId={payment.id} />
      <PaymentAmounts detail={detail} wide={false} />
      <HistoryBlocks detail={detail} mode={mode} />
      <FactBlocks detail={detail} mode={mode} />
      <NotesCard subjectId={payment.id} />
      <DeveloperFold>
        <DeveloperBlocks detail={detail} mode={mode} />
      </DeveloperFold>
    </div>
  );
}
