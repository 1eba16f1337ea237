"use client";

import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useHydrated } from "@/components/ui/use-hydrated";
import { cardText } from "@/lib/client/card-text";
import { moneyTextWithCode } from "@/lib/client/money-text";
import { useTimeZone } from "@/lib/client/time-display";
import { fullTimeText } from "@/lib/client/time-text";
import type { ShownPayment } from "@/lib/contract/dashboard/payment-detail";
import "./receipt.css";

type ReceiptProps = { payment: ShownPayment; merchantName: string };

/** What is printed instead of the page: beside the page's own content, shown on paper alone. */
export function Receipt(props: ReceiptProps) {
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
