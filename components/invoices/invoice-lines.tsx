import { Money } from "@/components/ui/card";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import type { Invoice } from "@/lib/contract/invoices/invoice";

const HEADINGS = [
  ["Description", "text-left"],
  ["Quantity", "text-right max-sm:hidden"],
  ["Unit price", "text-right max-sm:hidden"],
  ["Amount", "text-right"],
] as const;

/** An invoice's lines down to the amount due, on its page and in print. */
export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  const { currency, lines } = invoice;
  return (
    <>
      <table className="w-full text-[13px] tabular-nums">
        <caption className="sr-only">Lines of the invoice</caption>
        <thead>
          <tr className="border-b text-soft text-xs">
            {HEADINGS.map(([heading, style]) => (
              <th key={heading} scope="col" className={cn("px-2 py-2 font-normal last:pr-4 first:pl-4", style)}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.type} ${line.description} ${line.start_at}`} className="border-b align-top">
              <th scope="row" className="py-2.5 pr-2 pl-4 text-left font-normal">
                {line.description}
                <span className="block text-soft text-xs">
                  <Span from={line.start_at} to={line.end_at} />
                  <span className="sm:hidden">
                    {" · "}
                    {line.quantity.toLocaleString("en-US")} ×{" "}
                    <Money amount={line.unit_amount} currency={currency} bare />
                  </span>
                </span>
              </th>
              <td className="px-2 py-2.5 text-right max-sm:hidden">{line.quantity.toLocaleString("en-US")}</td>
              <td className="px-2 py-2.5 text-right max-sm:hidden">
                <Money amount={line.unit_amount} currency={currency} bare />
              </td>
              <td className="py-2.5 pr-4 pl-2 text-right">
                <Money amount={line.amount} currency={currency} bare />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Totals invoice={invoice} />
    </>
  );
}

/** "Nov 1, 2026 – Dec 1, 2026". */
export function Span({ from, to }: { from: string; to: string }) {
  return (
    <>
      <Time at={from} style="date" /> – <Time at={to} style="date" />
    </>
  );
}

const TOTALS: Record<Invoice["status"], string> = {
  DRAFT: "To be charged",
  OPEN: "To be paid",
  PAID: "Paid in full",
  VOID: "Not paid",
  UNCOLLECTIBLE: "Not paid",
};

function Totals({ invoice }: { invoice: Invoice }) {
  const { total, tax, credit_used: credit, amount_due: due, amount_paid: paid, currency, status } = invoice;
  const rows: [term: string, amount: number][] = [
    ...(tax === null || total === 0
      ? []
      : ([
          ["Net amount", tax.net],
          [`${tax.name} ${tax.percentage}%`, tax.amount],
        ] as const)),
    ["Total", total],
    ...(total < 0 ? ([["Added to the customer’s credit", -total]] as const) : []),
    ...(credit > 0 ? ([["Credit used", -credit]] as const) : []),
    ...(due === total ? [] : ([["Amount due", due]] as const)),
  ].map(([term, amount]) => [term as string, amount as number]);
  return (
    <dl className="ml-auto flex w-full max-w-xs flex-col gap-1 px-4 py-3 text-[13px]">
      {rows.map(([term, amount]) => (
        <div key={term} className="flex items-baseline justify-between gap-4">
          <dt className="text-soft">{term}</dt>
          <dd>
            <Money amount={amount} currency={currency} bare />
          </dd>
        </div>
      ))}
      <div className="mt-1 flex items-baseline justify-between gap-4 border-t pt-2 font-semibold text-sm">
        <dt>{TOTALS[status]}</dt>
        <dd>
          <Money amount={status === "PAID" ? paid : due - paid} currency={currency} />
        </dd>
      </div>
    </dl>
  );
}
