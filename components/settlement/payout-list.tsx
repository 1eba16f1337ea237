import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { Money } from "@/components/ui/card";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import { dayText } from "@/lib/contract/format";
import type { Payout } from "@/lib/contract/settlement/payout";
import type { SettlementBatch } from "@/lib/contract/settlement/settlement-batch";
import type { Mode } from "@/lib/contract/transactions/words";

const PAYOUT_COLUMNS = [
  ["Amount", "w-40 pr-6 text-right"],
  ["Status", "w-32 pr-4"],
  ["Bank account", "pr-4 max-sm:hidden"],
  ["Arrival", "w-32 pr-4 max-md:hidden"],
  ["Created", "w-36 max-lg:hidden"],
] as const;

/** A page of payouts; on narrow screens the amount's cell holds the rest. */
export function PayoutTable({ payouts, mode }: { payouts: readonly Payout[]; mode: Mode }) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Payouts, newest first</caption>
      <ColumnHeads columns={PAYOUT_COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {payouts.map((payout) => (
          <tr key={payout.id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-6 align-middle sm:text-right">
              <Link href={`/${mode}/payouts/${payout.id}`} className="font-medium after:absolute after:inset-0">
                <Money amount={payout.amount} currency={payout.currency} />
              </Link>
              <span className="mt-0.5 block text-soft text-xs sm:hidden">
                {payout.status === "FAILED" ? accountText(payout) : arrivalText(payout)}
              </span>
            </td>
            <td className="py-2 pr-4 align-middle max-sm:pr-0 max-sm:text-right">
              <StatusBadge status={payout.status} />
            </td>
            <td className="py-2 pr-4 align-middle text-soft max-sm:hidden">
              <span className="block truncate">{accountText(payout)}</span>
            </td>
            <td className="py-2 pr-4 align-middle text-soft tabular-nums max-md:hidden">
              {payout.status === "FAILED" ? "–" : dayText(payout.arrival_date)}
            </td>
            <td className="relative py-2 align-middle text-soft max-lg:hidden">
              <Time at={payout.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const arrivalText = ({ status, arrival_date }: Payout): string =>
  `${status === "PAID" ? "Arrived" : "Arrives"} ${dayText(arrival_date)}`;

export const accountText = ({ bank_account: { bank_name, last4 } }: Payout): string => `${bank_name} •••• ${last4}`;

const BATCH_COLUMNS = [
  ["Net", "w-40 pr-6 text-right"],
  ["Charges", "w-36 pr-6 text-right max-sm:hidden"],
  ["Refunds", "w-36 pr-6 text-right max-md:hidden"],
  ["Fees", "w-32 pr-6 text-right max-md:hidden"],
  ["Transactions", "w-28 pr-6 text-right max-lg:hidden"],
  ["Settled", "w-36 pr-4"],
  ["Payout", "max-sm:hidden"],
] as const;

type BatchTableProps = {
  batches: readonly SettlementBatch[];
  mode: Mode;
  /** On a payout's own page, where a link to it would be redundant. */
  ofOnePayout?: boolean;
};

export function BatchTable({ batches, mode, ofOnePayout = false }: BatchTableProps) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Settlement batches</caption>
      <ColumnHeads columns={ofOnePayout ? BATCH_COLUMNS.slice(0, -1) : BATCH_COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {batches.map((batch) => (
          <tr key={batch.id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-6 align-middle sm:text-right">
              <Link
                href={`/${mode}/settlement-batches/${batch.id}`}
                className="font-medium after:absolute after:inset-0"
              >
                <Money amount={batch.net_amount} currency={batch.currency} />
              </Link>
            </td>
            <Amount amount={batch.charge_amount} currency={batch.currency} hidden="max-sm:hidden" />
            <Amount amount={batch.reversal_amount - batch.refund_amount} currency={batch.currency} />
            <Amount amount={-batch.fee_amount} currency={batch.currency} />
            <td className="py-2 pr-6 text-right align-middle text-soft tabular-nums max-lg:hidden">
              {batch.transaction_count.toLocaleString("en-US")}
            </td>
            <td className="relative py-2 pr-4 align-middle text-soft max-sm:pr-0 max-sm:text-right">
              <Time at={batch.created_at} />
            </td>
            {!ofOnePayout && (
              <td className="relative py-2 align-middle text-soft max-sm:hidden">
                {batch.payout_id === null ? (
                  "None yet"
                ) : (
                  <Link href={`/${mode}/payouts/${batch.payout_id}`} className="text-accent hover:underline">
                    View payout
                  </Link>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type AmountProps = { amount: number; currency: string; hidden?: string };

const Amount = ({ amount, currency, hidden = "max-md:hidden" }: AmountProps) => (
  <td className={`py-2 pr-6 text-right align-middle text-soft ${hidden}`}>
    {amount === 0 ? "–" : <Money amount={amount} currency={currency} bare />}
  </td>
);
