import {
  type IntervalSum,
  listSubscriptionCurrencies,
  readSubscriptionFigures,
} from "@/db/queries/reporting/subscription-figures";
import { type SubscriptionFigures, TRIAL_DAYS } from "@/lib/contract/reporting/subscription-figures";
import { resolveTimes } from "@/lib/contract/transactions/time-range";
import { type Context, environmentNow } from "../context";
import { toMillisecondRange } from "../lists";
import { divideHalfEven } from "../subscriptions/proration";

/** Currencies in which the environment has or had subscriptions. */
export const listRecurringCurrencies = (ctx: Context): Promise<string[]> =>
  listSubscriptionCurrencies(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id);

const DAY_MS = 86_400_000;

/** Figures of the subscriptions in one currency at the environment's time. Days are in `timeZone`. */
export async function getSubscriptionFigures(
  ctx: Context,
  currency: string,
  timeZone: string,
): Promise<SubscriptionFigures> {
  const now = environmentNow(ctx);
  const { intervals, ...figures } = await readSubscriptionFigures(
    ctx.service.db.within(ctx.environment.id).sql,
    ctx.environment.id,
    {
      currency,
      trialsUntil: new Date(now.getTime() + TRIAL_DAYS * DAY_MS),
      // The same days as in the list of these subscriptions.
      churned: toMillisecondRange(resolveTimes({ preset: "last-30-days" }, timeZone, now.getTime())),
    },
  );
  return {
    ...figures,
    currency,
    mrr: monthlyRevenue(intervals),
    paying: intervals.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Twelfths of a month in one unit of a billing interval: a year has 365 days, 52 weeks or 12 months. */
const PER_YEAR: Record<IntervalSum["unit"], bigint> = { DAYS: 365n, WEEKS: 52n, MONTHS: 12n };

/**
 * Amounts per billing interval as an amount per month: exact fractions, rounded half-even once at the end.
 */
export function monthlyRevenue(intervals: readonly Pick<IntervalSum, "unit" | "value" | "amount">[]): number {
  const denominator = intervals.reduce((product, { value }) => product * BigInt(value), 12n);
  const numerator = intervals.reduce(
    (sum, { unit, value, amount }) => sum + (BigInt(amount) * PER_YEAR[unit] * denominator) / (12n * BigInt(value)),
    0n,
  );
  return Number(divideHalfEven(numerator, denominator));
}
