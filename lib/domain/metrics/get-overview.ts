import { TZDate } from "@date-fns/tz";
import { format } from "date-fns";
import { type FiguresRow, getMerchantDays, listCurrencies, listFigures } from "@/db/queries/daily-totals";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { Bucket, BucketUnit, DayRange, Decline, Overview } from "@/lib/contract/reporting/overview";
import { addDays, type ResolvedPeriod } from "@/lib/contract/reporting/period";
import type { Context } from "../context";
import { bucketsOf, sumFigures, unitOf } from "./buckets";

/** `currency: null`, or one that never occurred, asks for the one used most in the period. */
export type OverviewRequest = { period: (today: string) => ResolvedPeriod; currency: string | null };

/**
 * The figures of a period in one currency, by day, week or month, and those of the period before. Days begin at midnight in
 * the merchant's time zone. Reads figures kept ready and what is not in them yet: exact at any moment.
 */
export async function getOverview(ctx: Context, request: OverviewRequest): Promise<Overview> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const environmentId = ctx.environment.id;
  const merchant = await getMerchantDays(sql, environmentId);
  const dayOf = (time: Date) => format(new TZDate(time, merchant.time_zone), "yyyy-MM-dd");
  const today = dayOf(ctx.service.clock.now());
  const created = dayOf(new Date(merchant.created_at));
  const period = request.period(today);

  const known = await listCurrencies(sql, environmentId, { from: period.from ?? created, to: period.to });
  const firstDay = known.reduce((first, row) => (row.first_day < first ? row.first_day : first), created);
  const range: DayRange = { from: period.from ?? firstDay, to: period.to };
  const currency = known.find((row) => row.currency === request.currency)?.currency ?? known[0]?.currency ?? null;
  const before = period.previous && period.previous.to >= firstDay ? period.previous : null;

  const { days, declines } =
    currency === null
      ? { days: [], declines: [] }
      : await listFigures(sql, environmentId, {
          currency,
          from: before?.from ?? range.from,
          to: range.to,
          declinesFrom: range.from,
        });
  const unit = unitOf(range);
  const buckets = bucketsOf(range, unit, days);
  return {
    ...range,
    timeZone: merchant.time_zone,
    today,
    firstDay,
    currency,
    currencies: known.map((row) => row.currency),
    figures: sumFigures(within(range, days)),
    unit,
    buckets,
    previous: before && {
      ...before,
      figures: sumFigures(within(before, days)),
      buckets: bucketsBefore(before, unit, days, buckets),
    },
    declines: declines.map(
      (row): Decline => ({
        ...row,
        meaning: DECLINE_GUIDE[row.code as keyof typeof DECLINE_GUIDE]?.meaning ?? row.code,
      }),
    ),
  };
}

const within = ({ from, to }: DayRange, days: readonly FiguresRow[]) =>
  days.filter((row) => row.day >= from && row.day <= to);

/** The period before, cut where it lies under the period's own buckets; weeks may then begin on another day. */
function bucketsBefore(before: DayRange, unit: BucketUnit, days: readonly FiguresRow[], buckets: Bucket[]): Bucket[] {
  if (unit !== "week") return bucketsOf(before, unit, days);
  let from = before.from;
  return buckets.map((bucket) => {
    const to = addDays(from, (Date.parse(bucket.to) - Date.parse(bucket.from)) / 86_400_000);
    const cut = { from, to, figures: sumFigures(within({ from, to }, days)) };
    from = addDays(to, 1);
    return cut;
  });
}
