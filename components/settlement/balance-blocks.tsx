import Link from "next/link";
import { Card, Money } from "@/components/ui/card";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { BalanceMovement, CurrencyBalance, MovementType } from "@/lib/contract/settlement/balance";
import type { Mode } from "@/lib/contract/transactions/words";

export const MOVEMENT_LABELS: Record<MovementType, string> = {
  capture: "Capture",
  fee: "Fee",
  refund: "Refund",
  refund_reversal: "Refund reversal",
  settlement: "Settlement",
  payout: "Payout",
  payout_failure: "Failed payout",
  adjustment: "Adjustment",
};

const PARTS = [
  ["pending", "Pending", "Captured, not yet settled"],
  ["available", "Available", "Settled, not yet in a payout"],
  ["in_payout", "In payout", "On its way to your bank"],
] as const;

/** Current balance, one row per currency. */
export function BalanceCards({ balances }: { balances: readonly CurrencyBalance[] }) {
  return (
    <ul className="mb-6 flex flex-col gap-3">
      {balances.map((balance) => (
        <li key={balance.currency} className="rounded-lg border">
          <h2 className="border-b px-4 py-2 font-semibold text-sm">{balance.currency}</h2>
          <dl className="grid sm:grid-cols-3">
            {PARTS.map(([part, label, sentence]) => (
              <div key={part} className="px-4 py-3 max-sm:not-last:border-b sm:not-last:border-r">
                <dt className="text-[13px] text-soft">{label}</dt>
                <dd className="mt-0.5 text-lg">
                  <Money amount={balance[part]} currency={balance.currency} bare />
                  <span className="block text-soft text-xs leading-5">{sentence}</span>
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** A currency's statement: opening balance, movements by kind, closing balance. */
export type BalanceStatement = {
  currency: string;
  opening_pending: number;
  opening_available: number;
  opening_in_payout: number;
  captures: number;
  fees: number;
  refunds: number;
  refund_reversals: number;
  settlements: number;
  payouts: number;
  payout_failures: number;
  payouts_paid: number;
};

type Line = { label: string; amounts: [pending: number, available: number, inPayout: number] };

/** The columns add up: each closing balance is its opening balance plus all lines between. */
function linesOf(statement: BalanceStatement): Line[] {
  const { settlements, payouts, payout_failures } = statement;
  const opening: Line = {
    label: "Opening balance",
    amounts: [statement.opening_pending, statement.opening_available, statement.opening_in_payout],
  };
  const movements: Line[] = [
    { label: "Captures", amounts: [statement.captures, 0, 0] },
    { label: "Fees", amounts: [-statement.fees, 0, 0] },
    { label: "Refunds", amounts: [-statement.refunds, 0, 0] },
    { label: "Refund reversals", amounts: [statement.refund_reversals, 0, 0] },
    { label: "Settlements", amounts: [-settlements, settlements, 0] },
    { label: "Payouts", amounts: [0, -payouts, payouts] },
    { label: "Failed payouts", amounts: [0, payout_failures, -payout_failures] },
    { label: "Paid to your bank", amounts: [0, 0, -statement.payouts_paid] },
  ];
  const sum = (column: 0 | 1 | 2) => [opening, ...movements].reduce((total, line) => total + line.amounts[column], 0);
  const shown = movements.filter(({ amounts }) => amounts.some((amount) => amount !== 0));
  return [opening, ...shown, { label: "Closing balance", amounts: [sum(0), sum(1), sum(2)] }];
}

export function StatementCard({ statement }: { statement: BalanceStatement }) {
  const { currency } = statement;
  const lines = linesOf(statement);
  return (
    <Card title={currency} flush className="mb-3">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="overflow-x-auto" tabIndex={0} aria-label={`BalanceStatement in ${currency}`}>
        <table className="w-full min-w-120 text-left text-[13px]">
          <caption className="sr-only">From the opening to the closing balance in {currency}</caption>
          <ColumnHeads
            columns={[
              ["Movement", "px-4"],
              ["Pending", "px-4 text-right"],
              ["Available", "px-4 text-right"],
              ["In payout", "px-4 text-right"],
            ]}
          />
          <tbody>
            {lines.map(({ label, amounts }, index) => (
              <tr
                key={label}
                className={`not-last:border-b ${index === 0 || index === lines.length - 1 ? "bg-raised font-medium" : ""}`}
              >
                <th scope="row" className="px-4 py-1.5 font-[inherit]">
                  {label}
                </th>
                {amounts.map((amount, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the three columns
                  <td key={column} className="px-4 py-1.5 text-right">
                    {amount === 0 && index > 0 && index < lines.length - 1 ? (
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
      </section>
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
function subjectOf({ transaction_id, settlement_batch_id, payout_id }: BalanceMovement, mode: Mode) {
  if (transaction_id !== null) return { href: `/${mode}/transactions/${transaction_id}`, label: "View transaction" };
  return settlement_batch_id === null
    ? { href: `/${mode}/payouts/${payout_id}`, label: "View payout" }
    : { href: `/${mode}/settlement-batches/${settlement_batch_id}`, label: "View settlement batch" };
}
