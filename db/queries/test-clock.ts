import { sql as statement } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { clockNow } from "./clock";
import { UNSETTLED, UNSETTLED_REVERSAL } from "./settlement/settle";
import type { Fragment } from "./statement-text";

export type TestClockRow = {
  now: string;
  /** Milliseconds ahead of real time. */
  ahead_ms: number;
  clock_advancing_to: string | null;
  clock_failure: string | null;
};

/** An environment's clock. Index: primary key. */
export async function findTestClock(sql: Sql, environmentId: string): Promise<TestClockRow | null> {
  const [row] = await sql<TestClockRow[]>`
    select clock_now(id)::timestamptz(3) as now, (extract(epoch from clock_now(id) - now()) * 1000)::float8 as ahead_ms,
      clock_advancing_to, clock_failure
    from environments where id = ${environmentId}::uuid`;
  return row ?? null;
}

/**
 * Freezes the clock for an advance of at most `years`. `heldMs`: delay before it moves, in which requests
 * that began with a running clock end. False: it is already advancing, or can't move to that time.
 */
export async function startAdvancing(
  tx: Orm,
  environmentId: string,
  { to, years, heldMs }: { to: string; years: number; heldMs: number },
): Promise<boolean> {
  const rows = await tx.execute(statement`
    update environments
    set clock_frozen_at = date_trunc('milliseconds', clock_now(id)), clock_advancing_to = ${to}::timestamptz, clock_failure = null,
      clock_held_until = now() + ${heldMs}::int * interval '1 ms'
    where id = ${environmentId}::uuid and mode = 'test' and clock_advancing_to is null and abandoned_at is null
      and ${to}::timestamptz > clock_now(id) and ${to}::timestamptz <= clock_now(id) + ${years}::int * interval '1 year'
    returning 1`);
  return rows.length === 1;
}

/** A clock that this process moves until its lease expires. */
export type MovingClock = { environment_id: string; merchant_id: string; frozen_at: string; to: string };

/** Claims a clock whose lease expired or was never held. Index: `environments_moved_clock`. */
export async function takeMovingClock(sql: Sql, leaseMs: number): Promise<MovingClock | null> {
  const [row] = await sql<MovingClock[]>`
    update environments e set clock_held_until = now() + ${leaseMs}::int * interval '1 ms'
    from (
      select id from environments
      where clock_advancing_to is not null and clock_held_until <= now()
      order by clock_held_until limit 1 for no key update skip locked
    ) due
    where e.id = due.id
    returning e.id as environment_id, e.merchant_id, e.clock_frozen_at as frozen_at, e.clock_advancing_to as to`;
  return row ?? null;
}

/**
 * Moves a frozen clock forward and extends the lease. False: another process has taken it over. The
 * comparison with its last time fences off a process whose lease has expired.
 */
export async function moveClock(sql: Sql, clock: MovingClock, to: string, leaseMs: number): Promise<boolean> {
  const rows = await sql`
    update environments set clock_frozen_at = ${to}::timestamptz, clock_held_until = now() + ${leaseMs}::int * interval '1 ms'
    where id = ${clock.environment_id}::uuid and clock_frozen_at = ${clock.frozen_at}::timestamptz
      and ${to}::timestamptz between clock_frozen_at and clock_advancing_to
    returning 1`;
  return rows.length === 1;
}

/** Releases the clock, which any process may claim after a pause. */
export async function releaseClock(sql: Sql, clock: MovingClock, pauseMs: number): Promise<void> {
  await sql`
    update environments set clock_held_until = now() + ${pauseMs}::int * interval '1 ms'
    where id = ${clock.environment_id}::uuid and clock_frozen_at = ${clock.frozen_at}::timestamptz`;
}

/** Unfreezes the clock where it is. `failure`: why the advance stopped early. */
export async function endAdvancing(sql: Sql, clock: MovingClock, failure: string | null): Promise<void> {
  await sql`
    update environments
    set clock_offset_ms = greatest(0, round(extract(epoch from clock_frozen_at - now()) * 1000))::bigint, clock_frozen_at = null,
      clock_advancing_to = null, clock_held_until = null, clock_failure = ${failure}
    where id = ${clock.environment_id}::uuid and clock_frozen_at = ${clock.frozen_at}::timestamptz`;
}

/** Running clocks ahead of real time, by environment id. Index: `environments_moved_clock`. */
export async function listMovedClocks(sql: Sql, after: string, limit: number): Promise<{ id: string }[]> {
  return sql<{ id: string }[]>`
    select id from environments
    where clock_offset_ms > 0 and clock_advancing_to is null and abandoned_at is null and id > ${after}::uuid
    order by id limit ${limit}::int`;
}

/** True while a process holds an operation of the environment. Index: `operations_open`. */
export async function isMoneyMoving(sql: Sql, environmentId: string): Promise<boolean> {
  const rows = await sql`
    select from operations where environment_id = ${environmentId}::uuid and state = 'open' and lease_until > now() limit 1`;
  return rows.length > 0;
}

/**
 * Real time, in milliseconds, for which the outcome of an invoice's payment has been unknown; null if all are
 * known. Index: `operations_open`.
 */
export async function readInvoicePaymentDelay(sql: Sql, environmentId: string): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from now() - min(o.created_at)) * 1000)::float8 as ms
    from operations o join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
    where o.environment_id = ${environmentId}::uuid and o.state = 'open' and o.kind in ('authorize', 'continue')
      and p.invoice_id is not null`;
  return row?.ms ?? null;
}

/* Each function returns the earliest instant after `after` at which something is due, or null. */

type NextDue = (sql: Sql, environmentId: string, after: string) => Promise<string | null>;

/** Expiry of the next authorization, by `capture_before`. Index: `payments_expiring`. */
export const nextExpiry: NextDue = async (sql, environmentId, after) => {
  const [row] = await sql<{ at: string }[]>`
    select capture_before as at from payments
    where environment_id = ${environmentId}::uuid and status = 'AUTHORIZED' and open_operation_id is null
      and capture_before > ${after}::timestamptz
    order by capture_before limit 1`;
  return row?.at ?? null;
};

/** Deadline of the oldest pending challenge. Index: `payments_waiting`. */
export async function nextAbandonment(
  sql: Sql,
  environmentId: string,
  after: string,
  minutes: number,
): Promise<string | null> {
  const [row] = await sql<{ at: string }[]>`
    select updated_at + ${minutes}::int * interval '1 minute' as at from payments
    where environment_id = ${environmentId}::uuid and status = 'REQUIRES_ACTION'
      and updated_at > ${after}::timestamptz - ${minutes}::int * interval '1 minute'
    order by updated_at limit 1`;
  return row?.at ?? null;
}

/** Expiry of the next client session whose expiry has an event. Index: `client_sessions_expiring`. */
export const nextSessionEnd: NextDue = async (sql, environmentId, after) => {
  const [row] = await sql<{ at: string }[]>`
    select expires_at as at from client_sessions
    where environment_id = ${environmentId}::uuid and tells_expiry and status = 'OPEN' and payment_link_id is null
      and open_payment_id is null and expires_at > ${after}::timestamptz
    order by expires_at limit 1`;
  return row?.at ?? null;
};

/** The settlement that follows each unsettled capture: the next night at `hour` (UTC). */
const settlements = (sql: Sql, environmentId: string, hour: number): Fragment => sql`
  select (date_trunc('day', (due.since at time zone 'UTC') - ${hour}::int * interval '1 hour')
    + interval '1 day' + ${hour}::int * interval '1 hour') at time zone 'UTC' as at
  from (
    select captured_at as since from transactions t where environment_id = ${environmentId}::uuid and ${sql.unsafe(UNSETTLED)}
    union all
    select updated_at from transactions t where environment_id = ${environmentId}::uuid and ${sql.unsafe(UNSETTLED_REVERSAL)}
  ) due`;

/**
 * When unsettled transactions are next settled. Reads all of them: in test mode, about a day's. Indexes:
 * `transactions_unsettled`, `transactions_unsettled_reversals`.
 */
export async function nextSettlement(
  sql: Sql,
  environmentId: string,
  after: string,
  hour: number,
): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(at) as at from (${settlements(sql, environmentId, hour)}) night where at > ${after}::timestamptz`;
  return row?.at ?? null;
}

/** True if unsettled transactions are due. Indexes: as for {@link nextSettlement}. */
export async function isSettlementDue(sql: Sql, environmentId: string, hour: number): Promise<boolean> {
  const rows = await sql`
    select from (${settlements(sql, environmentId, hour)}) night where at <= ${clockNow(sql, environmentId)} limit 1`;
  return rows.length > 0;
}

/** The next step of a payout. Index: `payouts_due`. */
export const nextPayoutStep: NextDue = async (sql, environmentId, after) => {
  const [row] = await sql<{ at: string | null }[]>`
    select min(due_at) as at from payouts
    where environment_id = ${environmentId}::uuid and status in ('PENDING', 'IN_TRANSIT') and due_at > ${after}::timestamptz`;
  return row?.at ?? null;
};
