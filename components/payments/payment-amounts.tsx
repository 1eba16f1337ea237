import type { ReactNode } from "react";
import { cn } from "@/components/ui/class-names";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import type { ShownPayment } from "@/lib/contract/dashboard/payment-detail";

/** The payment's counters, side by side: what was asked for, taken, given back, and is left. */
export function PaymentAmounts({ payment, wide }: { payment: ShownPayment; wide: boolean }) {
  const { currency } = payment;
  const fee = (amount: number) => <Money amount={amount} currency={currency} bare />;
  return (
    <dl className={cn("grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line", wide && "sm:grid-cols-4")}>
      <Amount term="Amount">{fee(payment.amount)}</Amount>
      <Amount term="Captured">{fee(payment.amount_captured)}</Amount>
      <Amount term="Refunded">{fee(payment.amount_refunded)}</Amount>
      {payment.amount_capturable > 0 ? (
        <Amount term="Can be captured" hint={<CaptureBefore payment={payment} />}>
          {fee(payment.amount_capturable)}
        </Amount>
      ) : (
        <Amount term="Can be refunded">{fee(payment.amount_refundable)}</Amount>
      )}
    </dl>
  );
}

function CaptureBefore({ payment }: { payment: ShownPayment }) {
  const at = payment.transactions[0]?.capture_before;
  return at ? (
    <>
      until <Time at={at} />
    </>
  ) : null;
}

function Amount({ term, hint, children }: { term: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="bg-ground px-4 py-2.5">
      <dt className="text-soft text-xs">{term}</dt>
      <dd className="text-sm">
        {children}
        {hint && <span className="block text-soft text-xs">{hint}</span>}
      </dd>
    </div>
  );
}
