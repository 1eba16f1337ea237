import Link from "next/link";
import { TransactionBadge } from "@/components/ui/badge";
import { Card, Money } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { cardText } from "@/lib/contract/format";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { type Mode, signedAmount } from "@/lib/contract/transactions/words";

type LatestTransaction = Pick<
  ListedTransaction,
  | "id"
  | "payment_id"
  | "type"
  | "status"
  | "amount"
  | "currency"
  | "customer_email"
  | "customer_name"
  | "card_brand"
  | "card_last4"
  | "created_at"
>;

type LatestCardProps = {
  title?: string;
  mode: Mode;
  transactions: readonly LatestTransaction[];
  /** Address of the full list. */
  allHref?: string;
  /** The customer is named above, so each row shows its card instead. */
  ofOneCustomer?: boolean;
};

/** The newest transactions in all currencies, compact. */
export function LatestCard({
  title = "Latest payments",
  mode,
  transactions,
  allHref = transactionsHref(mode),
  ofOneCustomer = false,
}: LatestCardProps) {
  return (
    <Card
      title={title}
      flush
      actions={
        <Link href={allHref} className="text-accent text-xs hover:underline">
          All payments
        </Link>
      }
    >
      {transactions.length === 0 ? (
        <p className="px-4 py-8 text-center text-[13px] text-soft">No payments yet.</p>
      ) : (
        <table className="w-full table-fixed text-[13px]">
          <caption className="sr-only">{title}</caption>
          <thead className="sr-only">
            <tr>
              {["Amount", "Status", ofOneCustomer ? "Card" : "Customer", "Created"].map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {transactions.map((transaction) => {
              const payer =
                (ofOneCustomer ? null : (transaction.customer_name ?? transaction.customer_email)) ??
                shownCard(transaction);
              return (
                <tr
                  key={transaction.id}
                  className="relative h-9 border-b max-sm:h-12 last:border-0 hover:bg-raised has-focus-visible:bg-raised"
                >
                  <th scope="row" className="w-36 pl-4 text-left max-sm:w-auto font-normal">
                    <Link
                      href={`/${mode}/payments/${transaction.payment_id}${transaction.type === "REFUND" ? `#${transaction.id}` : ""}`}
                      className="after:absolute after:inset-0 focus-visible:outline-offset-0"
                    >
                      {transaction.type === "REFUND" && <span className="sr-only">Refund </span>}
                      <Money amount={signedAmount(transaction)} currency={transaction.currency} />
                    </Link>
                    <span className="relative block truncate text-soft text-xs sm:hidden">
                      <Time at={transaction.created_at} style="relative" by="environment" /> · {payer}
                    </span>
                  </th>
                  <td className="w-40 px-2 max-sm:w-32 max-sm:pr-4 max-sm:text-right">
                    <TransactionBadge of={transaction} />
                  </td>
                  <td className="truncate px-2 text-soft max-sm:hidden">{payer}</td>
                  <td className="relative w-28 pr-4 text-right max-sm:hidden text-soft text-xs">
                    <Time at={transaction.created_at} style="relative" by="environment" />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** Tokens from some processors reveal only the brand. */
function shownCard({ card_brand: brand, card_last4: last4 }: LatestTransaction): string {
  if (brand === null) return last4 === null ? "" : `Card •••• ${last4}`;
  return cardText(brand, last4);
}
