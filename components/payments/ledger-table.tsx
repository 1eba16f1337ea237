import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import type { LedgerLine } from "@/lib/contract/dashboard/payment-detail";
import { LEDGER_ACCOUNT_WORDS } from "@/lib/contract/payment-words";

/** The payment's lines in the books: each moves an amount from one account to another. */
export function LedgerTable({ lines }: { lines: LedgerLine[] }) {
  if (lines.length === 0) return <p className="p-4 text-[13px] text-soft">No money has moved.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label="Ledger lines" tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-[13px]">
        <caption className="sr-only">Ledger lines of this payment, oldest first</caption>
        <thead className="text-soft text-xs">
          <tr className="border-b [&>th]:whitespace-nowrap [&>th]:px-4 [&>th]:py-1.5 [&>th]:font-medium">
            <th scope="col">Entry</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Time</th>
            <th scope="col" className="text-right">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.id} className="border-b last:border-0 [&>*]:whitespace-nowrap [&>*]:px-4 [&>*]:py-2">
              <th scope="row" className="font-medium">
                {line.title}
              </th>
              <td>{LEDGER_ACCOUNT_WORDS[line.debit]}</td>
              <td>{LEDGER_ACCOUNT_WORDS[line.credit]}</td>
              <td className="text-soft">
                <Time at={line.at} />
              </td>
              <td className="text-right">
                <Money amount={line.amount} currency={line.currency} bare />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
