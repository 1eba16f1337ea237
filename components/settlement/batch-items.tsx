import Link from "next/link";
import { Money } from "@/components/ui/card";
import { ColumnHeads, PageLinks } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { Mode } from "@/lib/contract/transactions/words";

type BatchItem = {
  transaction_id: string;
  kind: "charge" | "refund" | "reversal";
  customer: string | null;
  amount: number;
  fee: number;
  created_at: string;
};

const KIND_LABELS = { charge: "Charge", refund: "Refund", reversal: "Refund reversal" } as const;

const COLUMNS = [
  ["Type", "w-36 pr-4"],
  ["Amount", "w-32 pr-6 text-right"],
  ["Fee", "w-28 pr-6 text-right max-sm:hidden"],
  ["Net", "w-32 pr-6 text-right max-sm:hidden"],
  ["Customer", "pr-4 max-lg:hidden"],
  ["Created", "w-36 max-sm:hidden"],
] as const;

/** Rows per page. */
export const BATCH_ITEMS_PER_PAGE = 50;

type SettledTransactionsProps = {
  of: "payout" | "batch";
  items: readonly BatchItem[];
  offset: number;
  total: number;
  currency: string;
  /** Address of the first page. */
  href: string;
  mode: Mode;
};

/** A page of the transactions of a payout or of a batch. */
export function SettledTransactions({ of, items, offset, total, currency, href, mode }: SettledTransactionsProps) {
  const page = {
    limit: BATCH_ITEMS_PER_PAGE,
    offset,
    data: [...items],
    total,
    has_more: offset + items.length < total,
  };
  return (
    <section aria-labelledby="items">
      <h2 id="items" className="mb-2 font-semibold text-[15px]">
        Transactions
      </h2>
      <BatchItemTable
        caption={`Transactions of this ${of}, oldest first`}
        items={items}
        currency={currency}
        mode={mode}
      />
      <PageLinks what="transactions" href={href} page={page} />
    </section>
  );
}

type BatchItemTableProps = { caption: string } & Pick<SettledTransactionsProps, "items" | "currency" | "mode">;

function BatchItemTable({ caption, items, currency, mode }: BatchItemTableProps) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">{caption}</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {items.map((item) => (
          <tr key={item.transaction_id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-4 align-middle">
              <Link
                href={`/${mode}/transactions/${item.transaction_id}`}
                className="font-medium after:absolute after:inset-0"
              >
                {KIND_LABELS[item.kind]}
              </Link>
              <span className="block truncate text-soft text-xs lg:hidden">{item.customer}</span>
            </td>
            <td className="py-2 pr-6 text-right align-middle max-sm:pr-0">
              <Money amount={item.amount} currency={currency} bare />
              {item.fee > 0 && (
                <span className="block text-soft text-xs sm:hidden">
                  Fee <Money amount={item.fee} currency={currency} bare />
                </span>
              )}
            </td>
            <td className="py-2 pr-6 text-right align-middle text-soft max-sm:hidden">
              {item.fee === 0 ? "–" : <Money amount={-item.fee} currency={currency} bare />}
            </td>
            <td className="py-2 pr-6 text-right align-middle max-sm:hidden">
              <Money amount={item.amount - item.fee} currency={currency} bare />
            </td>
            <td className="truncate py-2 pr-4 align-middle max-lg:hidden">{item.customer ?? "–"}</td>
            <td className="relative py-2 align-middle text-soft max-sm:hidden">
              <Time at={item.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DisputeItem = { dispute_id: string; amount: number; fee: number; created_at: string };

const DISPUTE_COLUMNS = [
  ["Dispute", "w-44 pr-4"],
  ["Amount", "w-32 pr-6 text-right"],
  ["Fee", "w-28 pr-6 text-right max-sm:hidden"],
  ["Net", "w-32 pr-6 text-right max-sm:hidden"],
  ["Booked", "w-36 max-sm:hidden"],
] as const;

/** Amounts that disputes took from a payout, or returned to it. */
export function DisputeItemTable({
  items,
  currency,
  mode,
}: {
  items: readonly DisputeItem[];
  currency: string;
  mode: Mode;
}) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Disputes of this payout, oldest first</caption>
      <ColumnHeads columns={DISPUTE_COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {items.map((item) => (
          <tr key={`${item.dispute_id} ${item.created_at}`} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-4 align-middle">
              <Link href={`/${mode}/disputes/${item.dispute_id}`} className="font-medium after:absolute after:inset-0">
                {item.amount > 0 ? "Dispute returned" : "Dispute"}
              </Link>
            </td>
            <td className="py-2 pr-6 text-right align-middle max-sm:pr-0">
              <Money amount={item.amount} currency={currency} bare />
              {item.fee !== 0 && (
                <span className="block text-soft text-xs sm:hidden">
                  Fee <Money amount={-item.fee} currency={currency} bare />
                </span>
              )}
            </td>
            <td className="py-2 pr-6 text-right align-middle text-soft max-sm:hidden">
              {item.fee === 0 ? "–" : <Money amount={item.fee} currency={currency} bare />}
            </td>
            <td className="py-2 pr-6 text-right align-middle max-sm:hidden">
              <Money amount={item.amount + item.fee} currency={currency} bare />
            </td>
            <td className="relative py-2 align-middle text-soft max-sm:hidden">
              <Time at={item.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
