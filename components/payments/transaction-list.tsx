import { CopyId } from "@/components/ui/copy-id";
import { Money } from "@/components/ui/money";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";
import { REFUND_REASON_WORDS } from "@/lib/contract/payment-words";

/** The payment's transactions: its charge, then its refunds, each with its own id. */
export function TransactionList({ detail }: { detail: PaymentDetail }) {
  const { payment, notes } = detail;
  return (
    <ul className="divide-y">
      {payment.transactions.map((transaction, index) => (
        <li
          key={transaction.id}
          id={transaction.id}
          className="flex scroll-mt-20 flex-col target:bg-accent-ground gap-0.5 px-4 py-2.5 text-[13px]"
        >
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{transaction.type === "CHARGE" ? "Charge" : "Refund"}</span>
            <StatusBadge status={transaction.status} />
            <Money amount={transaction.amount} currency={transaction.currency} className="ml-auto" />
          </div>
          <div className="flex flex-wrap items-center justify-between gap-x-3 text-soft">
            <CopyId id={transaction.id} short label={`Copy ${transaction.id}`} />
            <Time at={transaction.created_at} className="text-xs" />
          </div>
          {transaction.refund_reason && (
            <p className="text-soft [overflow-wrap:anywhere]">
              {REFUND_REASON_WORDS[transaction.refund_reason]}
              {notes[index]?.refund_comment && `: ${notes[index].refund_comment}`}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
