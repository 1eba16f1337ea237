import { sql as statement } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";

/** A larger batch would only make the statement longer; the rest is folded a moment later. */
const BATCH = 10_000;

/**
 * Folds deltas into the totals of their days, in one atomic statement. Skips deltas locked by another
 * instance. Days start at the merchant's midnight. Returns the number folded. Index:
 * `total_deltas_environment`.
 */
export async function foldDeltas(sql: Sql): Promise<number> {
  const [row] = await sql<[{ folded: number }]>`
    with folded as (
      delete from total_deltas where ctid = any(array(
        select ctid from total_deltas order by environment_id limit ${BATCH}::int for update skip locked))
      returning environment_id, currency, measure, amount, count, occurred_at
    ),
    -- In primary key order, so that two instances never deadlock.
    written as (
      insert into daily_totals as d (environment_id, currency, day, measure, amount, count)
      select f.environment_id, f.currency, (f.occurred_at at time zone m.time_zone)::date as day, f.measure, sum(f.amount), sum(f.count)
      from folded f
      join environments e on e.id = f.environment_id
      join merchants m on m.id = e.merchant_id
      group by 1, 2, 3, 4
      order by 1, 2, 3, 4
      on conflict (environment_id, currency, day, measure)
        do update set amount = d.amount + excluded.amount, count = d.count + excluded.count
    )
    select count(*) as folded from folded`;
  return row.folded;
}

/**
 * Recounts an environment's totals from the ledger and its transactions, with days of `timeZone`. Call it for
 * both environments in the transaction (READ COMMITTED) that sets the merchant's new zone: folding waits for
 * its end, writers of money do not.
 */
export async function rebuildTotals(tx: Orm, environmentId: string, timeZone: string): Promise<void> {
  await tx.execute(statement`lock table daily_totals in share row exclusive mode`);
  await tx.execute(statement`delete from daily_totals where environment_id = ${environmentId}::uuid`);
  // One statement has one snapshot: it deletes exactly the deltas it counts, and later ones stay.
  await tx.execute(statement`
    with counted as (delete from total_deltas where environment_id = ${environmentId}::uuid)
    insert into daily_totals (environment_id, currency, day, measure, amount, count)
    select environment_id, currency, (occurred_at at time zone ${timeZone})::date, measure, sum(amount), count(*)
    from measured_facts
    where environment_id = ${environmentId}::uuid
    group by 1, 2, 3, 4`);
}

/** The time zone of an environment's days, and when its merchant joined. */
export async function getMerchantDays(
  sql: Sql,
  environmentId: string,
): Promise<{ time_zone: string; created_at: string }> {
  const [row] = await sql<{ time_zone: string; created_at: string }[]>`
    select m.time_zone, m.created_at from environments e join merchants m on m.id = e.merchant_id
    where e.id = ${environmentId}::uuid`;
  if (!row) throw new Error(`no environment ${environmentId}`);
  return row;
}

/** A currency in use, its first day, and its number of captures within a period. */
type CurrencyRow = { currency: string; first_day: string; captures: number };

/** Most used first. Reads one index entry per currency, the period's captures, and unfolded deltas. */
export async function listCurrencies(
  sql: Sql,
  environmentId: string,
  period: { from: string; to: string },
): Promise<CurrencyRow[]> {
  return await sql<CurrencyRow[]>`
    with recursive known as (
      (select currency from daily_totals where environment_id = ${environmentId}::uuid order by currency limit 1)
      union all
      select (select currency from daily_totals
        where environment_id = ${environmentId}::uuid and currency > k.currency order by currency limit 1)
      from known k where k.currency is not null
    ),
    seen as (
      select k.currency,
        (select day from daily_totals where environment_id = ${environmentId}::uuid and currency = k.currency order by day limit 1) as first_day,
        (select coalesce(sum(count) filter (where measure = 'captured'), 0) from daily_totals
          where environment_id = ${environmentId}::uuid and currency = k.currency
            and day between ${period.from}::date and ${period.to}::date) as captures
      from known k where k.currency is not null
      union all
      select d.currency, min((d.occurred_at at time zone m.time_zone)::date),
        coalesce(sum(d.count) filter (where d.measure = 'captured'
          and (d.occurred_at at time zone m.time_zone)::date between ${period.from}::date and ${period.to}::date), 0)
      from total_deltas d
      join environments e on e.id = d.environment_id
      join merchants m on m.id = e.merchant_id
      where d.environment_id = ${environmentId}::uuid
      group by d.currency
    )
    select currency, min(first_day)::text as first_day, sum(captures)::bigint as captures
    from seen group by currency order by sum(captures) desc, currency`;
}

/**
 * One day's figures; amounts in minor units. `refunded` minus `refund_failed` is the amount finally refunded.
 */
export type FiguresRow = {
  day: string;
  captured: number;
  captures: number;
  refunded: number;
  refunds: number;
  refund_failed: number;
  refunds_failed: number;
  fees: number;
  approved: number;
  declined: number;
  failed: number;
};
type DeclineRow = { code: string; count: number; amount: number };

type FiguresOrDecline = FiguresRow & { code: string | null; declines: number; declined_amount: number };

/**
 * Totals plus unfolded deltas in one snapshot: figures of each day from `from` to `to` that has any, and
 * decline reasons from `declinesFrom`. Indexes: the primary key of daily_totals, `total_deltas_environment`.
 */
export async function listFigures(
  sql: Sql,
  environmentId: string,
  input: { currency: string; from: string; to: string; declinesFrom: string },
): Promise<{ days: FiguresRow[]; declines: DeclineRow[] }> {
  const rows = await sql<FiguresOrDecline[]>`
    with facts as materialized (
      select day, measure, amount, count from daily_totals
      where environment_id = ${environmentId}::uuid and currency = ${input.currency}
        and day between ${input.from}::date and ${input.to}::date
      union all
      select (d.occurred_at at time zone m.time_zone)::date, d.measure, d.amount, d.count
      from total_deltas d
      join environments e on e.id = d.environment_id
      join merchants m on m.id = e.merchant_id
      where d.environment_id = ${environmentId}::uuid and d.currency = ${input.currency}
        and (d.occurred_at at time zone m.time_zone)::date between ${input.from}::date and ${input.to}::date
    )
    select day::text, null as code, ${sumOf(sql, "captured", "amount")} as captured, ${sumOf(sql, "captured", "count")} as captures,
      ${sumOf(sql, "refunded", "amount")} as refunded, ${sumOf(sql, "refunded", "count")} as refunds,
      ${sumOf(sql, "refund_failed", "amount")} as refund_failed, ${sumOf(sql, "refund_failed", "count")} as refunds_failed,
      ${sumOf(sql, "fee", "amount")} as fees,
      ${sumOf(sql, "approved", "count")} as approved, ${sumOf(sql, "declined", "count")} as declined,
      ${sumOf(sql, "failed", "count")} as failed, 0::bigint as declines, 0::bigint as declined_amount
    from facts where measure not like 'declined:%' group by day
    union all
    select null, substr(measure, 10), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, sum(count)::bigint, sum(amount)::float8
    from facts where measure like 'declined:%' and day >= ${input.declinesFrom}::date group by measure
    order by 1, declines desc, 2`;
  return {
    days: rows.filter((row) => row.code === null).map(({ code: _, declines: __, declined_amount: ___, ...day }) => day),
    declines: rows.flatMap((row) =>
      row.code === null ? [] : [{ code: row.code, count: row.declines, amount: row.declined_amount }],
    ),
  };
}

/** A JavaScript number: exact up to 2^53, fifteen digits beyond. */
const sumOf = (sql: Sql, measure: string, column: "amount" | "count") =>
  sql`coalesce(sum(${sql(column)}) filter (where measure = ${measure}), 0)::float8`;
