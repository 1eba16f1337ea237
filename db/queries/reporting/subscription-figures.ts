import type { Sql } from "@/db/client";
import type { BoughtPlan } from "@/lib/contract/subscriptions/subscription";
import { PAYMENT_FAILED_WHERE } from "../invoices/search";

/** Currencies of an environment's subscriptions, a loose scan of `subscriptions_currency`. */
export async function listSubscriptionCurrencies(sql: Sql, environmentId: string): Promise<string[]> {
  const rows = await sql<{ currency: string }[]>`
    with recursive known as (
      (select currency from subscriptions where environment_id = ${environmentId}::uuid order by currency limit 1)
      union all
      select (select currency from subscriptions
        where environment_id = ${environmentId}::uuid and currency > k.currency order by currency limit 1)
      from known k where k.currency is not null
    )
    select currency from known where currency is not null`;
  return rows.map(({ currency }) => currency);
}

/** Paying subscriptions of one billing interval. `amount`: the sum of plan amount × quantity, exact. */
export type IntervalSum = BoughtPlan["interval"] & { count: number; amount: string };

export type FigureRows = {
  intervals: IntervalSum[];
  trials: number;
  trialsEnding: number;
  churned: number;
  failed: number;
  failedAmount: number;
};

/**
 * Figures in one currency. `churned`: the time in which a cancellation counts. Indexes:
 * `subscriptions_currency`, `invoices_status`.
 */
export async function readSubscriptionFigures(
  sql: Sql,
  environmentId: string,
  {
    currency,
    trialsUntil,
    churned: range,
  }: { currency: string; trialsUntil: Date; churned: { gte?: Date; lt?: Date } },
): Promise<FigureRows> {
  const [intervals, [trials], [churned], [failed]] = await Promise.all([
    sql<IntervalSum[]>`
      select plan #>> '{interval,unit}' as unit, (plan #>> '{interval,value}')::int as value, count(*)::int as count,
        sum((plan ->> 'amount')::numeric * quantity)::text as amount
      from subscriptions
      where environment_id = ${environmentId}::uuid and currency = ${currency} and event_sequence > 0 and status in ('ACTIVE', 'PAST_DUE')
      group by 1, 2`,
    sql<[{ count: number; ending: number }]>`
      select count(*)::int as count,
        count(*) filter (where trial_end_at <= ${trialsUntil.toISOString()}::timestamptz
          and not cancel_at_period_end)::int as ending
      from subscriptions
      where environment_id = ${environmentId}::uuid and currency = ${currency} and event_sequence > 0 and status = 'TRIALING'`,
    sql<[{ count: number }]>`
      select count(*)::int as count from subscriptions
      where environment_id = ${environmentId}::uuid and currency = ${currency} and event_sequence > 0 and status = 'CANCELLED'
        and period_number > 0 and ended_at >= ${range.gte?.toISOString() ?? "-infinity"}::timestamptz
        and ended_at < ${range.lt?.toISOString() ?? "infinity"}::timestamptz`,
    sql<[{ count: number; amount: number }]>`
      select count(*)::int as count, coalesce(sum(r.amount_due), 0)::float8 as amount from invoices r
      where r.environment_id = ${environmentId}::uuid and r.currency = ${currency} and r.event_sequence > 0 and ${sql.unsafe(PAYMENT_FAILED_WHERE)}`,
  ]);
  return {
    intervals: [...intervals],
    ...{ trials: trials.count, trialsEnding: trials.ending, churned: churned.count },
    ...{ failed: failed.count, failedAmount: failed.amount },
  };
}
