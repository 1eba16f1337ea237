import Link from "next/link";
import { Card } from "@/components/ui/card";
import type { DayRange, Decline } from "@/lib/contract/reporting/overview";
import { countedHref, type OverviewScope, rangeText, shareText } from "./overview-text";

const SHOWN = 6;

type DeclinesCardProps = { shown: OverviewScope; declines: readonly Decline[]; range: DayRange };

/** Decline reasons, most frequent first, as a table with bars for their shares. */
export function DeclinesCard({ shown, declines, range }: DeclinesCardProps) {
  const all = declines.reduce((sum, decline) => sum + decline.count, 0);
  return (
    <Card
      title="Decline reasons"
      flush
      actions={
        all > 0 && (
          <Link href={countedHref(shown, "declined", range)} className="text-accent text-xs hover:underline">
            {all.toLocaleString("en-US")} declined
          </Link>
        )
      }
    >
      {all === 0 ? (
        <p className="px-4 py-8 text-center text-[13px] text-soft">No card was declined in this period.</p>
      ) : (
        <table className="w-full text-[13px]">
          <caption className="sr-only">Decline reasons, {rangeText(range)}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Reason</th>
              <th scope="col">Declined</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {grouped(declines).map(({ codes, text, meaning, count }) => (
              <tr key={text} className="relative border-b last:border-0 hover:bg-raised has-focus-visible:bg-raised">
                <th scope="row" className="w-full py-2 pr-2 pl-4 text-left font-normal">
                  <Link
                    href={countedHref(shown, "declined", range, codes)}
                    title={meaning}
                    className="after:absolute after:inset-0 focus-visible:outline-offset-0"
                  >
                    {text}
                  </Link>
                  <span aria-hidden="true" className="mt-1.5 block h-1.5 overflow-hidden rounded-full bg-raised">
                    {/* Drawn as SVG, because the page's policy blocks style attributes. */}
                    <svg className="block size-full" aria-hidden="true">
                      <rect rx="3" width={`${Math.max((count / all) * 100, 1)}%`} height="100%" className="fill-red" />
                    </svg>
                  </span>
                </th>
                <td className="py-2 pr-2 text-right align-top tabular-nums">{count.toLocaleString("en-US")}</td>
                <td className="py-2 pr-4 text-right align-top text-soft tabular-nums">
                  {shareText(count / all, { aligned: true })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** `insufficient_funds` → "Insufficient funds". */
function codeText(code: string): string {
  const words = code.replaceAll("_", " ").replace("cvv", "CVV");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type Reason = { codes: string[]; text: string; meaning: string; count: number };

/** The most frequent reasons, with the rest combined. */
function grouped(declines: readonly Decline[]): Reason[] {
  const alone = declines.length <= SHOWN ? declines : declines.slice(0, SHOWN - 1);
  const rest = declines.slice(alone.length);
  const reasons = alone.map(({ code, meaning, count }) => ({ codes: [code], text: codeText(code), meaning, count }));
  if (rest.length === 0) return reasons;
  const meaning = rest.map((decline) => codeText(decline.code)).join(", ");
  const count = rest.reduce((sum, decline) => sum + decline.count, 0);
  return [...reasons, { codes: rest.map(({ code }) => code), text: "Other reasons", meaning, count }];
}
