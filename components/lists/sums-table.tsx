import { cn } from "@/components/ui/styles";
import { moneyText } from "@/lib/contract/format";

/** Each figure on a line of its own on phones, with its heading before it. */
const FIGURE =
  "text-right tabular-nums whitespace-nowrap sm:pl-6 max-sm:flex max-sm:justify-between max-sm:before:text-soft max-sm:before:content-[attr(data-heading)]";

type SumsTableProps = {
  title: string;
  /** Headings of the amounts; the last is the result. */
  headings: readonly string[];
  /** Minor units. */
  rows: readonly { currency: string; amounts: readonly number[] }[];
  isLive?: boolean | undefined;
};

/** A list's totals by currency. */
export function SumsTable({ title, headings, rows, isLive = false }: SumsTableProps) {
  return (
    <table className="h-min max-sm:block max-sm:w-full" aria-live={isLive ? "polite" : undefined}>
      <caption className="pb-0.5 text-left font-medium text-soft text-xs max-sm:block">
        <span className="sr-only">Totals: </span>
        <span>{title}</span>
      </caption>
      <thead className="text-soft text-xs max-sm:sr-only">
        <tr>
          <th scope="col" className="text-left font-normal">
            Currency
          </th>
          {headings.map((heading) => (
            <th key={heading} scope="col" className="pl-6 text-right font-normal">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map(({ currency, amounts }) => (
          <tr key={currency} className="max-sm:block max-sm:pb-2">
            <th scope="row" className="text-left font-normal text-soft max-sm:block">
              {currency}
            </th>
            {amounts.map((amount, index) => (
              <td
                key={headings[index]}
                data-heading={headings[index]}
                className={cn(FIGURE, index === headings.length - 1 && "font-medium")}
              >
                {moneyText(amount === 0 ? 0 : amount, currency)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
