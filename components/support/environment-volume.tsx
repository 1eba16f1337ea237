import { Card } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import type { CurrencyVolume } from "@/lib/contract/support/merchant-view";

/** What moved in an environment, per currency: the last 30 days beside all time. */
export function EnvironmentVolume({ volume }: { volume: readonly CurrencyVolume[] }) {
  return (
    <Card title="Volume" flush>
      {volume.length === 0 ? (
        <p className="p-4 text-[13px] text-soft">No money has moved yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section aria-label="Volume by currency" tabIndex={0} className="overflow-x-auto">
          <table className="w-full text-[13px] tabular-nums">
            <caption className="sr-only">Volume by currency: the last 30 days, and all time</caption>
            <thead className="text-soft text-xs">
              <tr className="border-b [&>th]:whitespace-nowrap [&>th]:px-4 [&>th]:py-1.5 [&>th]:text-right [&>th]:font-medium [&>th]:first:text-left">
                <th scope="col">Currency</th>
                <th scope="col">Captured, 30 days</th>
                <th scope="col">Refunded, 30 days</th>
                <th scope="col">Approved</th>
                <th scope="col">Captured, all time</th>
                <th scope="col">Refunded, all time</th>
                <th scope="col">Fees</th>
              </tr>
            </thead>
            <tbody>
              {volume.map((row) => (
                <tr key={row.currency} className="border-b last:border-0 [&>*]:whitespace-nowrap [&>*]:px-4 [&>*]:py-2">
                  <th scope="row" className="text-left font-medium">
                    {row.currency}
                  </th>
                  <Amount amount={row.recentCaptured} currency={row.currency} />
                  <Amount amount={row.recentRefunded} currency={row.currency} />
                  <td className="text-right">{approval(row)}</td>
                  <Amount amount={row.captured} currency={row.currency} />
                  <Amount amount={row.refunded} currency={row.currency} />
                  <Amount amount={row.fees} currency={row.currency} />
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}

function Amount({ amount, currency }: { amount: number; currency: string }) {
  return (
    <td className="text-right">
      <Money amount={amount} currency={currency} bare />
    </td>
  );
}

/** Of the attempts of the last 30 days that the issuer decided on. */
function approval({ recentApproved, recentDeclined }: CurrencyVolume): string {
  const decided = recentApproved + recentDeclined;
  return decided === 0 ? "–" : `${Math.round((recentApproved / decided) * 1000) / 10} %`;
}
