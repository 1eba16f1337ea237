"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { PaymentApprovals } from "@/components/approvals/payment-approvals";
import { NotesCard } from "@/components/notes/notes-card";
import { MoneyMarks, StatusBadge, statusLabel } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useListHref } from "@/lib/client/transactions/last-list";
import type { PaymentDetail, ShownPayment } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import { DeveloperFold } from "./developer-fold";
import { PaymentActions, useRefundKey } from "./payment-actions";
import { DeveloperBlocks, FactBlocks, StatusAnnouncement, usePaymentDetail } from "./payment-blocks";
import { Payer, PaymentAmounts, PaymentNotice } from "./payment-facts";
import { HistoryBlocks } from "./payment-records";

/** A payment's own page, refreshed while it is open. */
export function PaymentPage({ initial }: { initial: PaymentDetail }) {
  const { mode } = useDashboard();
  const { data: detail = initial, error } = usePaymentDetail(initial.payment.id, mode, initial);
  const { payment } = detail;
  useRefundKey(payment);
  return (
    <article>
      <Header payment={payment} mode={mode} />
      <StatusAnnouncement>Status: {statusLabel(payment.status)}</StatusAnnouncement>
      {error && (
        <Banner tone="amber" title="Not up to date" className="mb-4">
          {failureText(error)}
        </Banner>
      )}
      <div className="flex flex-col gap-4">
        <PaymentNotice detail={detail} mode={mode} />
        <PaymentApprovals paymentId={payment.id} />
        <PaymentAmounts detail={detail} wide />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <HistoryBlocks detail={detail} mode={mode} />
            <NotesCard subjectId={payment.id} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <FactBlocks detail={detail} mode={mode} />
          </div>
        </div>
        <DeveloperFold>
          <DeveloperBlocks detail={detail} mode={mode} />
        </DeveloperFold>
      </div>
    </article>
  );
}

function Header({ payment, mode }: { payment: ShownPayment; mode: Mode }) {
  return (
    <header className="mb-5">
      <nav aria-label="Breadcrumb" className="mb-1.5">
        <ol className="flex items-center gap-1 text-[13px] text-soft">
          <li className="flex items-center gap-1">
            <Link href={useListHref(mode)} className="hover:text-ink">
              Payments
            </Link>
            <ChevronRight aria-hidden="true" className="size-3.5" />
          </li>
        </ol>
      </nav>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="font-semibold text-2xl leading-9">
            <Money amount={payment.amount} currency={payment.currency} />
          </h1>
          <StatusBadge status={payment.status} />
          <MoneyMarks transaction={payment} />
        </div>
        <div className="flex flex-wrap items-center gap-2 max-sm:order-last max-sm:w-full">
          <PaymentActions payment={payment} />
        </div>
        <p className="-mt-1 flex w-full flex-wrap items-center gap-x-3 text-[13px] text-soft">
          <Payer payment={payment} />
          <span>
            Created <Time at={payment.created_at} />
          </span>
          <CopyId id={payment.id} label="Copy payment id" />
        </p>
      </div>
    </header>
  );
}
