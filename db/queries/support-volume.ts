import type { Sql } from "../client";

/** Sums of one measure in one currency: since the beginning, and of the last 30 days of the merchant's time zone. */
export type VolumeRow = {
  currency: string;
  measure: "captured" | "refunded" | "refund_failed" | "fee" | "approved" | "declined" | "failed";
  amount: number;
  count: number;
  recent_amount: number;
  recent_count: number;
};

/** The daily totals, and what is not folded into them yet. Index: primary key of daily_totals, total_deltas_environment. */
export async function sumVolume(sql: Sql, environmentId: string, timeZone: string): Promise<VolumeRow[]> {
  return sql<VolumeRow[]>`
    with facts as (
      select currency, measure, day, amount, count from daily_totals
      where environment_id = ${environmentId}::uuid and measure not like 'declined:%'
      union all
      select currency, measure, (occurred_at at time zone ${timeZone})::date, amount, count from total_deltas
      where environment_id = ${environmentId}::uuid and measure not like 'declined:%'
    )
    select currency, measure, sum(amount)::float8 as amount, sum(count)::bigint as count,
      coalesce(sum(amount) filter (where day > (now() at time zone ${timeZone})::date - 30), 0)::float8 as recent_amount,
      coalesce(sum(count) filter (where day > (now() at time zone ${timeZone})::date - 30), 0)::bigint as recent_count
    from facts
    group by currency, measure
    order by currency, measure`;
}
