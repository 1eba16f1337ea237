import { and, desc, eq, isNotNull, isNull, lt, not, type SQL, sql } from "drizzle-orm";
import type { PaymentMethodStatus } from "@/lib/contract/payment-methods/payment-method";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Orm, Sql } from "../client";
import { type PaymentMethodRow, paymentMethods } from "../schema/payment-methods";
import { countUpTo } from "./statement-text";

const table = paymentMethods;
const byId = (environmentId: string, id: string) => and(eq(table.environment_id, environmentId), eq(table.id, id));

/** Returns null if the id already exists. */
export async function insertPaymentMethod(orm: Orm, row: PaymentMethodRow): Promise<PaymentMethodRow | null> {
  const rows = await orm.insert(table).values(row).onConflictDoNothing().returning();
  return rows[0] ?? null;
}

export async function findPaymentMethod(orm: Orm, environmentId: string, id: string): Promise<PaymentMethodRow | null> {
  const rows = await orm.select().from(table).where(byId(environmentId, id));
  return rows[0] ?? null;
}

/** Locks a payment method until the transaction ends, so that no payment with it can begin. */
export async function lockPaymentMethod(orm: Orm, environmentId: string, id: string): Promise<PaymentMethodRow | null> {
  const rows = await orm.select().from(table).where(byId(environmentId, id)).for("update");
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
      ...(isGone ? { processor_token: "", removal_due_at: null } : { removal_due_at: sql`clock_timestamp()` }),
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

/** Finds a stored card by its processor token at one connection, in one environment or in all. */
export async function findByProcessorToken(
  sql: Sql,
  { token, connectionId, environmentId }: { token: string; connectionId: string | null; environmentId: string | null },
): Promise<{ environment_id: string; id: string } | null> {
  const [row] = await sql<{ environment_id: string; id: string }[]>`
    select environment_id, id from payment_methods
    where processor_token = ${token} and processor_token <> '' and connection_id is not distinct from ${connectionId}::uuid
      and (${environmentId}::uuid is null or environment_id = ${environmentId}::uuid)`;
  return row ?? null;
}

/** `month`: the current month, as year × 12 + zero-based month. */
export type PaymentMethodFilter = {
  customerId?: string | undefined;
  status?: PaymentMethodStatus | undefined;
  month: number;
};

function hasStatus({ status, month }: PaymentMethodFilter): SQL | undefined {
  const isExpired = sql`coalesce(${table.card_exp_year} * 12 + ${table.card_exp_month} - 1 < ${month}::int, false)`;
  switch (status) {
    case "ACTIVE":
      return and(isNull(table.removed_at), not(isExpired));
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
