import Link from "next/link";
import { Card, Money } from "@/components/ui/card";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { BalanceMovement } from "@/lib/contract/settlement/balance";
import {
  type BalanceStatement,
  MOVEMENT_LABELS,
  STATEMENT_LINES,
  statementLines,
} from "@/lib/contract/settlement/statement";
import type { Mode } from "@/lib/contract/transactions/words";

export function StatementCard({ statement }: { statement: BalanceStatement }) {
  const { currency } = statement;
  const all = statementLines(statement);
  const lines = all.filter(
    ({ amounts }, index) => index === 0 || index === all.length - 1 || amounts.some((amount) => amount !== 0),
  );
  const isEnd = (index: number) => index === 0 || index === lines.length - 1;
  return (
    <Card title={currency} flush className="mb-3">
      <table className="w-full text-left text-[13px] max-sm:block sm:table-fixed">
        <caption className="sr-only">From the opening to the closing balance in {currency}</caption>
        <ColumnHeads
          className="max-sm:block max-sm:[&_tr]:grid max-sm:[&_tr]:grid-cols-4 max-sm:[&_tr]:items-center"
          columns={[
            ["Movement", "w-1/3 px-4 max-sm:sr-only"],
            ["Pending", "px-4 text-right max-sm:px-1.5"],
            ["Available", "px-4 text-right max-sm:px-1.5"],
            ["In payout", "px-4 text-right max-sm:px-1.5"],
            ["In dispute", "px-4 text-right max-sm:px-1.5"],
          ]}
        />
        <tbody className="max-sm:block">
          {lines.map(({ line, amounts }, index) => (
            <tr
              key={line}
              className={`not-last:border-b max-sm:grid max-sm:grid-cols-4 ${isEnd(index) ? "bg-raised font-medium" : ""}`}
            >
              <th
                scope="row"
                className={`px-4 py-1.5 max-sm:col-span-4 max-sm:pb-0 ${isEnd(index) ? "font-medium" : "font-normal"}`}
              >
                {STATEMENT_LINES[line]}
              </th>
              {amounts.map((amount, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the four columns
                <td key={column} className="px-4 py-1.5 text-right max-sm:px-1.5">
                  {amount === 0 && !isEnd(index) ? (
                    <span className="text-soft">–</span>
                  ) : (
                    <Money amount={amount} currency={currency} bare />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const COLUMNS = [
  ["Type", "w-44 pr-4"],
  ["Amount", "w-40 pr-6 text-right"],
  ["For", "pr-4 max-sm:hidden"],
  ["Booked", "w-36 max-sm:hidden"],
] as const;

export function MovementTable({ movements, mode }: { movements: readonly BalanceMovement[]; mode: Mode }) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Movements of the balance, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {movements.map((movement) => {
          const { href, label } = subjectOf(movement, mode);
          return (
            <tr key={movement.id} className="relative h-10 border-b hover:bg-raised">
              <td className="py-2 pr-4 align-middle">
                {MOVEMENT_LABELS[movement.type]}
                <span className="block text-soft text-xs sm:hidden">
                  <Time at={movement.created_at} />
                </span>
              </td>
              <td className="py-2 pr-6 text-right align-middle max-sm:pr-0">
                <Money amount={movement.amount} currency={movement.currency} />
                <Link href={href} className="block text-accent text-xs hover:underline sm:hidden">
                  {label}
                </Link>
              </td>
              <td className="py-2 pr-4 align-middle max-sm:hidden">
                <Link href={href} className="text-accent hover:underline">
                  {label}
                </Link>
              </td>
              <td className="py-2 align-middle text-soft max-sm:hidden">
                <Time at={movement.created_at} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The object behind a movement; each has exactly one. */
function subjectOf({ transaction_id, settlement_batch_id, payout_id, dispute_id }: BalanceMovement, mode: Mode) {
  if (dispute_id !== null) return { href: `/${mode}/disputes/${dispute_id}`, label: "View dispute" };
  if (transaction_id !== null) return { href: `/${mode}/transactions/${transaction_id}`, label: "View transaction" };
  return settlement_batch_id === null
    ? { href: `/${mode}/payouts/${payout_id}`, label: "View payout" }
    : { href: `/${mode}/settlement-batches/${settlement_batch_id}`, label: "View settlement batch" };
}
