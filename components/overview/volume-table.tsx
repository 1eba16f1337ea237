import Link from "next/link";
import { Money } from "@/components/ui/money";
import { listedHref } from "@/lib/client/overview-links";
import { bucketText, shareText } from "@/lib/client/overview-text";
import { approvalRate, type Bucket } from "@/lib/contract/overview";
import type { Mode } from "@/lib/contract/transaction-words";

const NUMBER = "px-3 py-1.5 text-right font-normal";

/** The chart's figures, latest first; each row leads to its transactions. Amounts are in the heading's currency. */
export function VolumeTable({ mode, buckets, currency }: { mode: Mode; buckets: readonly Bucket[]; currency: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="h-full overflow-auto" tabIndex={0} aria-label="Volume as a table">
      <table className="w-full text-[13px]">
        <caption className="sr-only">Volume in {currency}, latest first</caption>
        <thead className="sticky top-0 bg-ground text-soft text-xs shadow-[0_1px_0_var(--line)]">
          <tr>
            <th scope="col" className="px-4 py-2 text-left font-normal">
              Date
            </th>
            {["Gross", "Refunds", "Fees", "Net", "Approved", "Declined", "Rate"].map((heading) => (
              <th key={heading} scope="col" className={NUMBER}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map((bucket) => {
            const { gross, refunded, fees, net, approved, declined } = bucket.figures;
            const rate = approvalRate(bucket.figures);
            return (
              <tr key={bucket.from} className="border-b last:border-0 hover:bg-raised">
                <th scope="row" className="whitespace-nowrap px-4 py-1.5 text-left font-normal">
                  <Link
                    href={listedHref(mode, "all", bucket)}
                    className="underline decoration-line underline-offset-3 hover:decoration-current"
                  >
                    {bucketText(bucket)}
                  </Link>
                </th>
                {[gross, refunded, fees, net].map((amount, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have an order and nothing else
                  <td key={index} className={NUMBER}>
                    <Money amount={amount} currency={currency} bare />
                  </td>
                ))}
                <td className={NUMBER}>{approved.toLocaleString("en-US")}</td>
                <td className={NUMBER}>
                  {declined === 0 ? (
                    0
                  ) : (
                    <Link
                      href={listedHref(mode, "declined", bucket)}
                      className="underline decoration-line underline-offset-3 hover:decoration-current"
                    >
                      {declined.toLocaleString("en-US")}
                    </Link>
                  )}
                </td>
                <td className={NUMBER}>{rate === null ? "–" : shareText(rate, { aligned: true })}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
