import type { FiguresRow } from "@/db/queries/daily-totals";
import type { Bucket, BucketUnit, DayRange, Figures } from "@/lib/contract/reporting/overview";
import { addDays, addMonths, daysIn } from "@/lib/contract/reporting/period";

/** Above it, bars of single days are too thin to point at. */
const MOST_DAYS = 92;
const MOST_WEEKS_IN_DAYS = 190;

export function unitOf(range: DayRange): BucketUnit {
  const days = daysIn(range);
  if (days <= MOST_DAYS) return "day";
  return days <= MOST_WEEKS_IN_DAYS ? "week" : "month";
}

const NOTHING: Figures = {
  gross: 0,
  captures: 0,
  refunded: 0,
  refunds: 0,
  fees: 0,
  net: 0,
  approved: 0,
  declined: 0,
  failed: 0,
};

/** The figures of all days together. */
export function sumFigures(rows: readonly FiguresRow[]): Figures {
  return rows.reduce(
    (sum, row) => ({
      gross: sum.gross + row.captured,
      captures: sum.captures + row.captures,
      refunded: sum.refunded + row.refunded - row.refund_failed,
      refunds: sum.refunds + row.refunds - row.refunds_failed,
      fees: sum.fees + row.fees,
      net: sum.net + row.captured - row.refunded + row.refund_failed - row.fees,
      approved: sum.approved + row.approved,
      declined: sum.declined + row.declined,
      failed: sum.failed + row.failed,
    }),
    NOTHING,
  );
}

/** The range cut at days, Mondays or firsts of a month; what has no figures is zero. `rows` are in the order of days. */
export function bucketsOf(range: DayRange, unit: BucketUnit, rows: readonly FiguresRow[]): Bucket[] {
  const buckets: Bucket[] = [];
  let next = 0;
  while (next < rows.length && (rows[next] as FiguresRow).day < range.from) next++;
  for (let from = range.from; from <= range.to; ) {
    const end = endOf(from, unit);
    const to = end < range.to ? end : range.to;
    const first = next;
    while (next < rows.length && (rows[next] as FiguresRow).day <= to) next++;
    buckets.push({ from, to, figures: sumFigures(rows.slice(first, next)) });
    from = addDays(to, 1);
  }
  return buckets;
}

/** Last day of the unit that a day is in. */
function endOf(day: string, unit: BucketUnit): string {
  switch (unit) {
    case "day":
      return day;
    case "week":
      return addDays(day, (7 - new Date(`${day}T00:00:00Z`).getUTCDay()) % 7);
    case "month":
      return addDays(addMonths(`${day.slice(0, 8)}01`, 1), -1);
    default:
      return unit satisfies never;
  }
}
