import { and, desc, eq, inArray, isNotNull, isNull, lt, not, type SQL, sql } from "drizzle-orm";
import type { PaymentMethodStatus } from "@/lib/contract/payment-methods/payment-method";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Orm, Sql, Transaction } from "../client";
import { type PaymentMethodRow, paymentMethods } from "../schema/payment-methods";
import { payments } from "../schema/payments";
import { countUpTo } from "./statement-text";

const table = paymentMethods;
const byId = (environmentId: string, id: string) => and(eq(table.environment_id, environmentId), eq(table.id, id));

/** A stored time is rounded to milliseconds, and must not become one that is still to come. */
const DUE_NOW = sql`date_trunc('milliseconds', clock_timestamp())`;

/** Returns null if the id or the stored card already exists. */
export async function insertPaymentMethod(orm: Orm, row: PaymentMethodRow): Promise<PaymentMethodRow | null> {
  const rows = await orm.insert(table).values(row).onConflictDoNothing().returning();
  return rows[0] ?? null;
}

/**
 * Adds the card that an approved payment stored, and locks the payment. False: it has a card already, or an
 * operation in progress decides. The payment must be read before.
 */
export async function attachToPayment(
  orm: Orm,
  { environment_id, payment_id, id, updated_at }: PaymentMethodRow,
): Promise<boolean> {
  if (payment_id === null) return false;
  const rows = await orm
    .update(payments)
    .set({
      payment_method_id: id,
      updated_at: sql`greatest(${payments.updated_at}, ${updated_at}::timestamptz)`,
      version: sql`${payments.version} + 1`,
    })
    .where(
      and(
        eq(payments.environment_id, environment_id),
        eq(payments.id, payment_id),
        isNull(payments.payment_method_id),
        isNull(payments.open_operation_id),
      ),
    )
    .returning({ id: payments.id });
  return rows.length === 1;
}

export async function findPaymentMethod(orm: Orm, environmentId: string, id: string): Promise<PaymentMethodRow | null> {
  const rows = await orm.select().from(table).where(byId(environmentId, id));
  return rows[0] ?? null;
}

/** The payment methods with these ids, in any order. By primary key. */
export async function listPaymentMethodsById(
  orm: Orm,
  environmentId: string,
  ids: readonly string[],
): Promise<PaymentMethodRow[]> {
  return orm
    .select()
    .from(table)
    .where(and(eq(table.environment_id, environmentId), inArray(table.id, [...ids])));
}

/** Locks a payment method until the transaction ends, so that no payment with it can begin. */
export async function lockPaymentMethod(orm: Orm, environmentId: string, id: string): Promise<PaymentMethodRow | null> {
  const rows = await orm.select().from(table).where(byId(environmentId, id)).for("update");
  return rows[0] ?? null;
}

/**
 * Blocks a payment method's removal until the transaction ends, but no payment: T1 holds the same lock while
 * it waits for an invoice, which the caller may have locked.
 */
export async function holdPaymentMethod(orm: Orm, environmentId: string, id: string): Promise<PaymentMethodRow | null> {
  const rows = await orm.select().from(table).where(byId(environmentId, id)).for("share");
  return rows[0] ?? null;
}

/**
 * Marks a locked payment method as removed. Uses `clock_timestamp()`, because the transaction may have begun
 * before a payment that held the lock. `isGone`: the processor has already deleted it.
 */
export async function markRemoved(
  orm: Orm,
  environmentId: string,
  id: string,
  { updated_at, isGone }: { updated_at: string; isGone: boolean },
): Promise<PaymentMethodRow> {
  const rows = await orm
    .update(table)
    .set({
      removed_at: sql`clock_timestamp()`,
      updated_at,
      ...(isGone ? { processor_token: "", removal_due_at: null } : { removal_due_at: DUE_NOW }),
    })
    .where(and(byId(environmentId, id), isNull(table.removed_at)))
    .returning();
  if (!rows[0]) throw new Error(`payment method ${id} vanished while it was locked`);
  return rows[0];
}

/** Writes the new details of a locked payment method's card. */
export async function updateStoredCard(
  orm: Orm,
  environmentId: string,
  id: string,
  changes: Partial<PaymentMethodRow> & { updated_at: string },
): Promise<PaymentMethodRow> {
  const rows = await orm.update(table).set(changes).where(byId(environmentId, id)).returning();
  if (!rows[0]) throw new Error(`payment method ${id} vanished while it was locked`);
  return rows[0];
}

/** Records that the processor has deleted a removed card. */
export async function noteRemovalDone(orm: Orm, environmentId: string, id: string): Promise<void> {
  await orm
    .update(table)
    .set({ processor_token: "", removal_due_at: null })
    .where(and(byId(environmentId, id), isNotNull(table.removed_at)));
}

/**
 * Claims removed cards that their processor hasn't deleted yet, in all environments. The delay to the next
 * attempt equals the time since the removal: at least a minute, at most a day. Index:
 * `payment_methods_removals`.
 */
export async function takeDueRemovals(sql: Sql, limit: number): Promise<(PaymentMethodRow & { mode: Mode })[]> {
  return sql<(PaymentMethodRow & { mode: Mode })[]>`
    update payment_methods m
    set removal_due_at = now() + greatest(interval '1 minute', least(now() - removed_at, interval '1 day'))
    from environments e
    where e.id = m.environment_id and (m.environment_id, m.id) in (
      select environment_id, id from payment_methods where removal_due_at <= now()
      order by removal_due_at limit ${limit}::int for update skip locked)
    returning m.*, e.mode`;
}

/** Unschedules the deletion of a removed card whose connection is disconnected. */
export async function suspendRemoval(orm: Orm, environmentId: string, id: string): Promise<void> {
  await orm
    .update(table)
    .set({ removal_due_at: null })
    .where(and(byId(environmentId, id), isNotNull(table.removed_at)));
}

const atConnection = (environmentId: string, connectionId: string) =>
  and(eq(table.environment_id, environmentId), eq(table.connection_id, connectionId));

/** Schedules the deletion of removed cards that a connection still stores, once it is connected again. */
export async function resumeRemovals(tx: Orm, environmentId: string, connectionId: string): Promise<void> {
  await tx
    .update(table)
    .set({ removal_due_at: DUE_NOW })
    .where(
      and(atConnection(environmentId, connectionId), isNotNull(table.removed_at), sql`${table.processor_token} <> ''`),
    );
}

/** Stored cards and subscriptions at a connection, each counted no further than `cap`. */
export type KeptThere = { cards: number; subscriptions: number };

/**
 * Counts the cards that only this connection can charge, and the subscriptions that they pay for. Indexes:
 * `payment_methods_connection`, `subscriptions_payment_method`.
 */
export async function countKeptThere(
  orm: Orm,
  environmentId: string,
  connectionId: string,
  cap: number,
): Promise<KeptThere> {
  const [row] = await orm.execute<KeptThere>(sql`
    with cards as (
      select id from ${table}
      where environment_id = ${environmentId}::uuid and connection_id = ${connectionId}::uuid and removed_at is null)
    select (select count(*)::int from (select 1 from cards limit ${cap}::int) c) as cards,
      (select count(*)::int from (
        select 1 from cards join subscriptions s on s.environment_id = ${environmentId}::uuid and s.payment_method_id = cards.id
        where s.status not in ('CANCELLED', 'EXPIRED') limit ${cap}::int) s) as subscriptions`);
  if (!row) throw new Error("a count has a row");
  return row;
}

/** Finds a stored card by its processor token at one connection, in one environment or in all. */
export async function findByProcessorToken(
  sql: Sql | Transaction,
  { token, connectionId, environmentId }: { token: string; connectionId: string | null; environmentId: string | null },
): Promise<Pick<PaymentMethodRow, "environment_id" | "id" | "customer_id" | "removed_at"> | null> {
  const [row] = await sql<Pick<PaymentMethodRow, "environment_id" | "id" | "customer_id" | "removed_at">[]>`
    select environment_id, id, customer_id, removed_at from payment_methods
    where processor_token = ${token} and processor_token <> '' and connection_id is not distinct from ${connectionId}::uuid
      and (${environmentId}::uuid is null or environment_id = ${environmentId}::uuid)`;
  return row ?? null;
}

/** A card's last month, as year × 12 + zero-based month; null if unknown. */
const LAST_MONTH = sql.raw("(card_exp_year * 12 + card_exp_month - 1)");

/**
 * Cards whose last month has begun by `month` without being announced, in one environment or in all. Index:
 * `payment_methods_expiring`.
 */
export async function listExpiring(
  orm: Orm,
  { month, environmentId, limit }: { month: number; environmentId: string | null; limit: number },
): Promise<{ environment_id: string; id: string }[]> {
  return orm
    .select({ environment_id: table.environment_id, id: table.id })
    .from(table)
    .where(
      and(
        sql`${LAST_MONTH} <= ${month}::int`,
        eq(table.expiry_announced, false),
        isNull(table.removed_at),
        environmentId === null ? undefined : eq(table.environment_id, environmentId),
      ),
    )
    .orderBy(sql`${LAST_MONTH}`)
    .limit(limit);
}

/**
 * When the last month of another card begins, or null if none does later than in `month`. Index:
 * `payment_methods_expiry`.
 */
export async function nextExpiring(sql: Sql, environmentId: string, month: number): Promise<string | null> {
  const [row] = await sql<{ month: number | null }[]>`
    select min(card_exp_year * 12 + card_exp_month - 1) as month from payment_methods
    where environment_id = ${environmentId}::uuid and removed_at is null and not expiry_announced
      and (card_exp_year * 12 + card_exp_month - 1) > ${month}::int`;
  const next = row?.month ?? null;
  return next === null ? null : new Date(Date.UTC(Math.floor(next / 12), next % 12, 1)).toISOString();
}

/** The payment method of a stored card at one connection. Index: `payment_methods_stored_card`. */
export async function findStoredMethod(
  orm: Orm,
  environmentId: string,
  { processor_token, connection_id }: Pick<PaymentMethodRow, "processor_token" | "connection_id">,
): Promise<PaymentMethodRow | null> {
  const rows = await orm
    .select()
    .from(table)
    .where(
      and(
        eq(table.processor_token, processor_token),
        sql`processor_token <> ''`,
        eq(table.environment_id, environmentId),
        connection_id === null ? isNull(table.connection_id) : eq(table.connection_id, connection_id),
      ),
    );
  return rows[0] ?? null;
}

/** `month`: the current month, as year × 12 + zero-based month. */
export type PaymentMethodFilter = {
  customerId?: string | undefined;
  status?: PaymentMethodStatus | undefined;
  month: number;
};

function hasStatus({ status, month }: PaymentMethodFilter): SQL | undefined {
  const isExpired = sql`${LAST_MONTH} < ${month}::int`;
  switch (status) {
    case "ACTIVE":
      return and(isNull(table.removed_at), not(sql`coalesce(${isExpired}, false)`));
    case "EXPIRED":
      return and(isNull(table.removed_at), isExpired);
    case "REMOVED":
      return isNotNull(table.removed_at);
    case undefined:
      return undefined;
    default:
      return status satisfies never;
  }
}

const matching = (environmentId: string, filter: PaymentMethodFilter) =>
  and(
    eq(table.environment_id, environmentId),
    filter.customerId === undefined ? undefined : eq(table.customer_id, filter.customerId),
    hasStatus(filter),
  );

/** Newest first. Indexes: `payment_methods_customer`, the primary key. */
export function listPaymentMethods(
  orm: Orm,
  environmentId: string,
  filter: PaymentMethodFilter,
  page: { limit: number; offset: number; after: string | null },
): Promise<PaymentMethodRow[]> {
  return orm
    .select()
    .from(table)
    .where(and(matching(environmentId, filter), page.after === null ? undefined : lt(table.id, page.after)))
    .orderBy(desc(table.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** Number of matches, counted no further than `cap` + 1. */
export const countPaymentMethods = (orm: Orm, environmentId: string, filter: PaymentMethodFilter, cap: number) =>
  countUpTo(orm, table, matching(environmentId, filter), cap + 1);
