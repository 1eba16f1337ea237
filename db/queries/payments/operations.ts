import type { Sql } from "@/db/client";
import type { NewEvent } from "@/db/schema/events";
import type { OperationRow } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transactions/words";
import { type ClockColumns, clockNow } from "../clock";

/**
 * Times from the database's now in which calls may be sent, and in which this process holds the operation.
 */
export type Lease = { readonly sendWithinMs: number; readonly heldForMs: number };

/** An open operation that this process holds until the lease runs out. */
export type TakenOperation = OperationRow & {
  mode: Mode;
  merchant_id: string;
  /** A call sent now must not be executed after this time of the database. */
  not_after: string;
  /** Time since the last call for it ended or timed out, so that none can have been executed since. */
  quiet_ms: number;
} & ClockColumns;

/**
 * Max lease, and max pause between two attempts. A time further ahead was written before the database's
 * clock was set back, and counts as over.
 */
const MAX_LEASE = "2 minutes";

/** Condition that a lease or a pause between two attempts is over, as text. `column`: a name of ours. */
export const isOverText = (column: string) => `(${column} <= now() or ${column} > now() + interval '${MAX_LEASE}')`;

/** The same as a part of a statement. */
export const isOver = (sql: Sql, column: string) => sql.unsafe(isOverText(column));

/**
 * Assignments of a takeover. A time from before the clock was set back is replaced: its call was sent in the past, and
 * may be in flight for its whole time from now. A holder that writes the lease after the step leaves only `send_until`.
 */
function take(sql: Sql, { sendWithinMs, heldForMs }: Lease) {
  return sql`epoch = epoch + 1, attempts = attempts + 1,
      lease_until = now() + ${heldForMs}::int * interval '1 ms', next_attempt_at = now() + ${heldForMs}::int * interval '1 ms',
      send_until = case when greatest(lease_until, send_until) > now() + ${MAX_LEASE}::interval
        then now() + ${sendWithinMs}::int * interval '1 ms' else send_until end`;
}

function taken(sql: Sql, { sendWithinMs }: Lease) {
  return sql`o.*, e.mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at, now() + ${sendWithinMs}::int * interval '1 ms' as not_after,
    (extract(epoch from now() - o.send_until) * 1000)::float8 as quiet_ms`;
}

/** An operation, or null. */
export async function findOperation(sql: Sql, environmentId: string, id: string): Promise<OperationRow | null> {
  const [row] = await sql<OperationRow[]>`
    select * from operations where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

/** The latest operation that ended with a challenge. Index: `operations_payment`. */
export async function findChallengedOperation(
  sql: Sql,
  environmentId: string,
  paymentId: string,
): Promise<OperationRow | null> {
  const [row] = await sql<OperationRow[]>`
    select * from operations
    where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid and state = 'action_required'
    order by created_at desc, id desc limit 1`;
  return row ?? null;
}

/** A void of the payment was started at some time. Index: `operations_payment`. */
export async function hasVoid(sql: Sql, environmentId: string, paymentId: string): Promise<boolean> {
  const rows = await sql`
    select from operations
    where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid and kind = 'void' limit 1`;
  return rows.length > 0;
}

/** An operation and its holder's epoch; another epoch is another holder. */
export type HeldOperation = { environmentId: string; id: string; epoch: number };

/** The environment's time if the operation has this state and epoch, otherwise null. */
export async function timeWhileHeld(
  sql: Sql,
  operation: HeldOperation,
  state: OperationRow["state"],
): Promise<string | null> {
  const [row] = await sql<{ now: string }[]>`
    select ${clockNow(sql, operation.environmentId)} as now from operations where environment_id = ${operation.environmentId}::uuid and id = ${operation.id}::uuid
      and state = ${state} and epoch = ${operation.epoch}::int`;
  return row?.now ?? null;
}

/** Takes over an open operation whose lease ran out; null if another process holds it or it is closed. */
export async function takeOperation(
  sql: Sql,
  environmentId: string,
  id: string,
  lease: Lease,
): Promise<TakenOperation | null> {
  const [row] = await sql<TakenOperation[]>`
    update operations o set ${take(sql, lease)}
    from environments e
    where o.environment_id = ${environmentId}::uuid and o.id = ${id}::uuid and o.state = 'open' and ${isOver(sql, "o.lease_until")}
      and e.id = o.environment_id
    returning ${taken(sql, lease)}`;
  return row ?? null;
}

/** Limits of a round of takeovers: one due operation of each environment, in the order of their ids. */
export type TakeoverRound = {
  /** The environment that was served last. */
  readonly after: string;
  /** Max number of operations. */
  readonly limit: number;
  /** Environments to skip. */
  readonly skippedEnvironments: readonly string[];
  /** Payments with an operation in progress, whose other operations are skipped. */
  readonly busyPayments: readonly string[];
};

/**
 * Takes over one open operation of each environment: the one due longest that no other process holds.
 * Skip-scans the index `operations_open` from environment to environment; the two spans are `isOver` of
 * `next_attempt_at`.
 */
export async function takeDueOperations(sql: Sql, round: TakeoverRound, lease: Lease): Promise<TakenOperation[]> {
  return sql<TakenOperation[]>`
    with recursive waiting as (
      (select environment_id from operations where state = 'open' and environment_id > ${round.after}::uuid
        order by environment_id, next_attempt_at limit 1)
      union all
      select later.environment_id from waiting cross join lateral (
        select environment_id from operations where state = 'open' and environment_id > waiting.environment_id
        order by environment_id, next_attempt_at limit 1) later
    ), due as materialized (
      select own.environment_id, own.id
      from waiting cross join lateral (
        select one.environment_id, one.id
        from (values (now() - interval '24 hours', now()),
            (now() + ${MAX_LEASE}::interval, 'infinity'::timestamptz)) span (after, until)
        cross join lateral (
          select environment_id, id from operations
          where environment_id = waiting.environment_id and state = 'open'
            and next_attempt_at > span.after and next_attempt_at <= span.until and ${isOver(sql, "lease_until")}
            and created_at > now() - interval '24 hours' and payment_id <> all(${round.busyPayments}::uuid[])
          order by next_attempt_at limit 1
          for update skip locked
        ) one
        limit 1
      ) own
      where waiting.environment_id <> all(${round.skippedEnvironments}::uuid[])
      limit ${round.limit}::int
    )
    update operations o set ${take(sql, lease)}
    from due, environments e
    where o.environment_id = due.environment_id and o.id = due.id and e.id = o.environment_id
    returning ${taken(sql, lease)}`;
}

/**
 * A new lease for an operation whose call was provably not sent. Null: it is closed, or another process holds
 * it. `evenFromOthers`: also if another process took it over and released it; safe only if others never send
 * it, and while no retry of its request has.
 */
export async function holdAgain(
  sql: Sql,
  operation: HeldOperation,
  lease: Lease,
  evenFromOthers: boolean,
): Promise<{ epoch: number; not_after: string } | null> {
  const mine = sql`epoch = ${operation.epoch}::int`;
  const [row] = await sql<{ epoch: number; not_after: string }[]>`
    update operations set epoch = epoch + 1, lease_until = now() + ${lease.heldForMs}::int * interval '1 ms',
      next_attempt_at = now() + ${lease.heldForMs}::int * interval '1 ms',
      send_until = now() + ${lease.sendWithinMs}::int * interval '1 ms'
    where environment_id = ${operation.environmentId}::uuid and id = ${operation.id}::uuid and state = 'open'
      and ${evenFromOthers ? sql`(${mine} or (may_resend and ${isOver(sql, "lease_until")}))` : mine}
    returning epoch, send_until as not_after`;
  return row ?? null;
}

/**
 * Claims the right to send an authorization in place of its dead request, for a holder that knows that it was
 * never executed. It can be claimed once. Null: it was, an outcome was unknown, its stored card was removed,
 * it is closed, or another process holds it.
 */
export async function holdToResend(
  sql: Sql,
  operation: HeldOperation,
  lease: Lease,
): Promise<{ epoch: number; not_after: string } | null> {
  const [row] = await sql<{ epoch: number; not_after: string }[]>`
    update operations set epoch = epoch + 1, may_resend = false,
      lease_until = now() + ${lease.heldForMs}::int * interval '1 ms',
      next_attempt_at = now() + ${lease.heldForMs}::int * interval '1 ms',
      send_until = now() + ${lease.sendWithinMs}::int * interval '1 ms'
    where environment_id = ${operation.environmentId}::uuid and id = ${operation.id}::uuid and state = 'open'
      and not exists (
        select from payments p join payment_methods m on m.environment_id = p.environment_id and m.id = p.payment_method_id
        where p.environment_id = operations.environment_id and p.id = operations.payment_id and m.removed_at is not null)
      and kind = 'authorize' and epoch = ${operation.epoch}::int and may_resend
    returning epoch, send_until as not_after`;
  return row ?? null;
}

/** Extends the lease of the operation's holder. False: it is closed, or another process holds it. */
export async function prolongLease(sql: Sql, operation: HeldOperation, { heldForMs }: Lease): Promise<boolean> {
  const rows = await sql`
    update operations set lease_until = now() + ${heldForMs}::int * interval '1 ms',
      next_attempt_at = now() + ${heldForMs}::int * interval '1 ms'
    where environment_id = ${operation.environmentId}::uuid and id = ${operation.id}::uuid and state = 'open'
      and epoch = ${operation.epoch}::int
    returning 1`;
  return rows.length === 1;
}

/**
 * Makes an operation due as soon as its holder releases it, because of a report that the holder may not have
 * read; the lease stays. False: it is almost 24 hours old, after which recovery skips it.
 */
export async function makeDue(sql: Sql, environmentId: string, id: string): Promise<boolean> {
  const [row] = await sql<{ recovers: boolean }[]>`
    update operations set next_attempt_at = least(next_attempt_at, date_trunc('milliseconds', now()))
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid and state = 'open'
    returning created_at > now() - interval '23 hours' as recovers`;
  return row?.recovers ?? true;
}

/**
 * Releases an operation of unknown outcome for a status check after `delayMs`, or immediately if it is due.
 * `sent`: it was the call that moves the money, so none is in flight. `event`: the first one of its
 * transaction, which also increments the payment's version. False: it is closed, or another process holds it.
 */
export async function releaseOperation(
  sql: Sql,
  operation: { environmentId: string; id: string; epoch: number; paymentId: string },
  outcome: { text: string; accepted: boolean },
  { delayMs, sent, event }: { delayMs: number; sent: boolean; event: NewEvent | null },
): Promise<boolean> {
  const { environmentId } = operation;
  // All statements lock in this order: payment → operation.
  const payment = event
    ? sql`update payments set version = version + 1
        where environment_id = ${environmentId}::uuid and id = ${operation.paymentId}::uuid
        returning 1`
    : sql`select 1`;
  const insertEvent = event
    ? sql`, transaction as (
        update transactions set event_sequence = 1
        where environment_id = ${environmentId}::uuid and id = ${event.object_id}::uuid and status = 'PENDING'
          and event_sequence = 0 and (select count(*) from released) = 1
        returning 1
      ),
      event as (
        insert into events (environment_id, id, type, operation_id, object_id, sequence, data, created_at)
        select ${environmentId}::uuid, ${event.id}::uuid, ${event.type}, ${event.operation_id}::uuid, ${event.object_id}::uuid, 1,
          ${event.data}::text::json, ${event.created_at}::timestamptz
        where (select count(*) from transaction) = 1
      )`
    : sql``;
  const rows = await sql`
    with payment as (${payment}),
    released as (
      update operations set lease_until = date_trunc('milliseconds', now()),
        next_attempt_at = case when next_attempt_at <= now() then date_trunc('milliseconds', now()) else date_trunc('milliseconds', now()) + ${delayMs}::int * interval '1 ms' end,
        unknown_at = coalesce(unknown_at, now()), may_resend = may_resend and not ${sent}::boolean,
        send_until = case when ${sent}::boolean then least(send_until, now()) else send_until end, last_answer = ${outcome.text},
        accepted_at = case when ${outcome.accepted}::boolean then coalesce(accepted_at, now()) else accepted_at end
      where environment_id = ${environmentId}::uuid and id = ${operation.id}::uuid and state = 'open'
        and epoch = ${operation.epoch}::int and (select count(*) from payment) = 1
      returning 1
    )${insertEvent}
    select from released`;
  return rows.length === 1;
}
