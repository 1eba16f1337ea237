import type { Sql } from "@/db/client";
import type { Mode } from "@/lib/contract/transactions/words";
import type { ClockColumns } from "../clock";

/** A due subscription or invoice, with its environment's clock. `id`: UUID. */
export type Due = { environment_id: string; mode: Mode; merchant_id: string; id: string } & ClockColumns;
/** `only`: a single environment; null = all of them, without `busy`. */
export type DuePage = {
  readonly only: string | null;
  readonly busy: readonly string[];
  readonly perEnvironment: number;
  readonly limit: number;
};

/** The environments with rows in a partial index on (environment_id, time), by a skip scan. */
function environmentsOf(sql: Sql, table: "subscriptions" | "invoices", only: string | null) {
  if (only !== null) return sql`waiting as (select ${only}::uuid as environment_id)`;
  const [having, order] =
    table === "subscriptions"
      ? [sql`due_at is not null`, sql`due_at`]
      : [sql`next_attempt_at is not null and open_payment_id is null`, sql`next_attempt_at`];
  const from = sql.unsafe(table);
  return sql`waiting as (
      (select environment_id from ${from} where ${having} order by environment_id, ${order} limit 1)
      union all
      select later.environment_id from waiting cross join lateral (
        select environment_id from ${from} where ${having} and environment_id > waiting.environment_id
        order by environment_id, ${order} limit 1) later
    )`;
}

/**
 * The environments that are served: none of a suspended merchant. While a clock advances, the job that moves
 * it does what is due at each instant.
 */
const served = (sql: Sql, { only, busy }: DuePage) => sql`
  join environments e on e.id = waiting.environment_id
  join merchants m on m.id = e.merchant_id and m.suspended_at is null
    and ${only === null ? sql`e.clock_advancing_to is null and e.id <> all(${busy as never}::uuid[])` : sql`true`}`;

/**
 * Postpones a subscription or an invoice that can't be handled now, unless it has changed. `id`: UUID of
 * either.
 */
export async function postpone(
  sql: Sql,
  { environment_id, id, delayMs }: { environment_id: string; id: string; delayMs: number },
): Promise<void> {
  await sql`
    with later as (
      select clock_now(${environment_id}::uuid) as now, ${delayMs}::int * interval '1 ms' as delay),
    subscription as (
      update subscriptions s set due_at = later.now + later.delay from later
      where s.environment_id = ${environment_id}::uuid and s.id = ${id}::uuid and s.due_at <= later.now)
    update invoices i set next_attempt_at = later.now + later.delay from later
    where i.environment_id = ${environment_id}::uuid and i.id = ${id}::uuid and i.status = 'OPEN'
      and i.open_payment_id is null and i.next_attempt_at <= later.now`;
}

/** Subscriptions that are due, each environment's oldest first. Index: `subscriptions_due`. */
export async function listDueSubscriptions(sql: Sql, page: DuePage): Promise<Due[]> {
  return sql<Due[]>`
    with recursive ${environmentsOf(sql, "subscriptions", page.only)}
    select own.environment_id, own.id, e.mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at
    from waiting ${served(sql, page)}
    cross join lateral (
      select s.environment_id, s.id, s.due_at from subscriptions s
      where s.environment_id = waiting.environment_id and s.due_at <= (select clock_now(waiting.environment_id))
      order by s.due_at limit ${page.perEnvironment}::int
    ) own
    order by own.due_at
    limit ${page.limit}::int`;
}

/**
 * Invoices whose next attempt is due, each environment's oldest first. At most one per subscription, because
 * the last attempt on one may void the others, and none of a subscription that is due, because it may end.
 * Index: `invoices_due`.
 */
export async function listDueInvoices(sql: Sql, page: DuePage): Promise<Due[]> {
  const due = await sql<(Due & { subscription_id: string })[]>`
    with recursive ${environmentsOf(sql, "invoices", page.only)}
    select own.environment_id, own.id, own.subscription_id, e.mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at
    from waiting ${served(sql, page)}
    cross join lateral (
      select i.environment_id, i.id, i.subscription_id, i.next_attempt_at from invoices i
      where i.environment_id = waiting.environment_id and i.open_payment_id is null
        and i.next_attempt_at <= (select clock_now(waiting.environment_id))
        and not exists (
          select from subscriptions s
          where s.environment_id = i.environment_id and s.id = i.subscription_id
            and s.due_at <= (select clock_now(waiting.environment_id)))
      order by i.next_attempt_at, i.id limit ${page.perEnvironment}::int
    ) own
    order by own.next_attempt_at, own.id
    limit ${page.limit}::int`;
  const seen = new Set<string>();
  return due.filter(({ subscription_id: id }) => !seen.has(id) && seen.add(id));
}

/**
 * The next renewal and the next end of a trial in an environment. Indexes: `subscriptions_due`,
 * `subscriptions_status`.
 */
export async function findNextPeriods(
  sql: Sql,
  environmentId: string,
): Promise<{ renewal: string | null; trial: string | null }> {
  const [row] = await sql<{ renewal: string | null; trial: string | null }[]>`
    select
      (select due_at from subscriptions
        where environment_id = ${environmentId}::uuid and due_at is not null
          and case when status in ('ACTIVE', 'PAST_DUE') and not cancel_at_period_end then true end
        order by due_at limit 1) as renewal,
      (select min(period_end_at) from subscriptions
        where environment_id = ${environmentId}::uuid and status = 'TRIALING') as trial`;
  return row ?? { renewal: null, trial: null };
}

/** The earliest time after `after` at which a subscription or invoice of the environment is due, or null. */
export async function nextSubscriptionDue(sql: Sql, environmentId: string, after: string): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select least(
      (select min(due_at) from subscriptions
        where environment_id = ${environmentId}::uuid and due_at is not null and due_at > ${after}::timestamptz),
      (select min(next_attempt_at) from invoices
        where environment_id = ${environmentId}::uuid and next_attempt_at is not null and open_payment_id is null
          and next_attempt_at > ${after}::timestamptz)) as at`;
  return row?.at ?? null;
}
