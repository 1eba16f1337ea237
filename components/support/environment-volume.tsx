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
          <table className="data-table">
            <caption className="sr-only">Volume by currency: the last 30 days, and all time</caption>
            <thead>
              <tr>
                <th scope="col">Currency</th>
                <th scope="col" className="num">
                  Captured, 30 days
                </th>
                <th scope="col" className="num">
                  Refunded, 30 days
                </th>
                <th scope="col" className="num">
                  Approved
                </th>
                <th scope="col" className="num">
                  Captured, all time
                </th>
                <th scope="col" className="num">
                  Refunded, all time
                </th>
                <th scope="col" className="num">
                  Fees
                </th>
              </tr>
            </thead>
            <tbody>
              {volume.map((row) => (
                <tr key={row.currency}>
                  <th scope="row">{row.currency}</th>
                  <Amount amount={row.recentCaptured} currency={row.currency} />
                  <Amount amount={row.recentRefunded} currency={row.currency} />
                  <td className="num">{approval(row)}</td>
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
    <td className="num">
      <Money amount={amount} currency={currency} bare />
    </td>
  );
}

/** Of the attempts of the last 30 days that the issuer decided on. */
function approval({ recentApproved, recentDeclined }: CurrencyVolume): string {
  const decided = recentApproved + recentDeclined;
  return decided === 0 ? "–" : `${Math.round((recentApproved / decided) * 1000) / 10} %`;
}
