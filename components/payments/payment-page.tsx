"use client";

import { ChevronRight, Printer } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { StatusBadge, statusLabel } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { useHydrated } from "@/components/ui/hooks";
import { Time } from "@/components/ui/time";
import { IconButton } from "@/components/ui/tooltip";
import { failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useTimeZone } from "@/lib/client/time-display";
import { cardText, fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import type { PaymentDetail, ShownPayment } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import { PaymentActions } from "./payment-actions";
import { DeveloperBlocks, FactBlocks, HistoryBlocks, StatusAnnouncement, usePaymentDetail } from "./payment-blocks";
import { PaymentAmounts, PaymentNotice } from "./payment-facts";
import "./receipt.css";

/** One payment as a page of its own; it follows what happens while it is open. */
export function PaymentPage({ initial }: { initial: PaymentDetail }) {
  const { mode, merchant } = useDashboard();
  const { data: detail = initial, error } = usePaymentDetail(initial.payment.id, mode, initial);
  const { payment } = detail;
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
        <PaymentNotice detail={detail} />
        <PaymentAmounts payment={payment} wide />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
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

function Header({ payment, mode }: { payment: ShownPayment; mode: Mode }) {
  return (
    <header className="mb-5">
      <nav aria-label="Breadcrumb" className="mb-1.5">
        <ol className="flex items-center gap-1 text-[13px] text-soft">
          <li className="flex items-center gap-1">
            <Link href={`/${mode}/transactions`} className="hover:text-ink">
              Transactions
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
        </div>
        <div className="flex flex-wrap items-center gap-2 max-sm:order-last max-sm:-ml-2 max-sm:w-full">
          <PaymentActions payment={payment} />
          <IconButton label="Print receipt" onClick={() => window.print()}>
            <Printer aria-hidden="true" />
          </IconButton>
        </div>
        <p className="-mt-1 flex w-full flex-wrap items-center gap-x-3 text-[13px] text-soft">
          <CopyId id={payment.id} label="Copy payment id" className="text-ink" />
          <span>
            Created <Time at={payment.created_at} />
          </span>
        </p>
      </div>
    </header>
  );
}

type ReceiptProps = { payment: ShownPayment; merchantName: string };

/** What is printed instead of the page: beside the page's own content, shown on paper alone. */
function Receipt(props: ReceiptProps) {
  return useHydrated() ? createPortal(<Paper {...props} />, document.body) : null;
}

function Paper({ payment, merchantName }: ReceiptProps) {
  const zone = useTimeZone();
  const money = (amount: number) => moneyTextWithCode(amount, payment.currency);
  const refunds = payment.transactions.filter(({ type, status }) => type === "REFUND" && status !== "FAILED");
  return (
    <section className="receipt" aria-hidden="true">
      <p className="text-xl font-semibold">{merchantName}</p>
      <p className="mb-6">{payment.environment === "sandbox" ? "Test receipt: no money was moved" : "Receipt"}</p>
      <table className="w-full [&_td]:py-1.5 [&_td:last-child]:text-right [&_tr]:border-b">
        <tbody>
          <Row term="Payment">{payment.id}</Row>
          <Row term="Date">{fullTimeText(new Date(payment.created_at), zone)}</Row>
          <Row term="Customer">{payment.customer_name ?? payment.customer_email ?? payment.customer_id ?? "–"}</Row>
          <Row term="Description">{payment.description ?? "–"}</Row>
          <Row term="Paid with">{payment.card ? cardText(payment.card.brand, payment.card.last4) : "–"}</Row>
          <Row term="Charged">{money(payment.amount_captured)}</Row>
          {refunds.map((refund) => (
            <Row key={refund.id} term={`Refunded ${fullTimeText(new Date(refund.created_at), zone)}`}>
              -{money(refund.amount)}
            </Row>
          ))}
          <Row term="Total">
            <strong>{money(payment.amount_captured - payment.amount_refunded)}</strong>
          </Row>
        </tbody>
      </table>
    </section>
  );
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <tr>
      <td>{term}</td>
      <td>{children}</td>
    </tr>
  );
}
