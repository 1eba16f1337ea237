import { and, eq, sql } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "../../client";
import { type DisputeRow, disputes } from "../../schema/disputes";
import { transactions } from "../../schema/transactions";

export type NewDispute = Omit<DisputeRow, "environment_id" | "customer">;

/**
 * Inserts a dispute; null if it is already known. Call it in the transaction that reports it: a concurrent
 * insert of the same dispute waits for its end.
 */
export async function insertDispute(orm: Orm, environmentId: string, dispute: NewDispute): Promise<DisputeRow | null> {
  const customer = sql`(select customer_uuid(${environmentId}::uuid, ${transactions.customer_id}, ${transactions.customer_email_key})
    from ${transactions} where ${transactions.environment_id} = ${environmentId}
      and ${transactions.payment_id} = ${dispute.payment_id} and ${transactions.type} = 'CHARGE'
      and coalesce(${transactions.customer_id}, ${transactions.customer_email_key}) is not null limit 1)`;
  const [row] = await orm
    .insert(disputes)
    .values({ environment_id: environmentId, ...dispute, customer })
    .onConflictDoNothing()
    .returning();
  return row ?? null;
}

/** Locked, so that its events are numbered in commit order; null for a dispute of another environment. */
export async function lockDispute(
  orm: Orm,
  environmentId: string,
  { processor, processor_dispute_id }: Pick<DisputeRow, "processor" | "processor_dispute_id">,
): Promise<DisputeRow | null> {
  const [row] = await orm
    .select()
    .from(disputes)
    .where(
      and(
        eq(disputes.environment_id, environmentId),
        eq(disputes.processor, processor),
        eq(disputes.processor_dispute_id, processor_dispute_id),
      ),
    )
    .for("update");
  return row ?? null;
}

type ChangedDispute = Pick<
  DisputeRow,
  "amount" | "currency" | "reason" | "status" | "respond_before" | "read_at" | "updated_at"
>;

/** Call it in the transaction that holds its row. */
export async function updateDispute(
  orm: Orm,
  environmentId: string,
  id: string,
  changed: Partial<ChangedDispute>,
): Promise<void> {
  await orm
    .update(disputes)
    .set(changed)
    .where(and(eq(disputes.environment_id, environmentId), eq(disputes.id, id)));
}

/**
 * Copies the decisive dispute to the payment's row, where refunds see it: a lost one, else an open one, else
 * the latest. Call it in the transaction that holds the dispute's row. The payment is locked first, so that
 * the second of two concurrent calls sees both disputes.
 */
export async function showOnPayment(orm: Orm, environmentId: string, paymentId: string): Promise<void> {
  await orm.execute(sql`
    select from payments where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid for update`);
  await orm.execute(sql`
    update payments set dispute_id = d.id, dispute_status = d.status, version = version + 1, updated_at = clock_now(${environmentId}::uuid)
    from (select id, status from disputes where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
      order by ${sql.raw(DECISIVE_FIRST)} limit 1) d
    where payments.environment_id = ${environmentId}::uuid and payments.id = ${paymentId}::uuid
      and (dispute_id, dispute_status) is distinct from (d.id, d.status)`);
}

/** Sort order that puts the payment's decisive dispute first. */
export const DECISIVE_FIRST = `case status when 'LOST' then 1 when 'ACCEPTED' then 1 when 'WON' then 3 else 2 end,
  created_at desc, id desc`;

/** A payment's disputes, oldest first. Index: `disputes_payment`. */
export async function listDisputes(
  sql: Sql | Transaction,
  environmentId: string,
  paymentId: string,
  limit: number,
): Promise<DisputeRow[]> {
  return sql<DisputeRow[]>`
    select * from disputes where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
    order by created_at, id limit ${limit}::int`;
}

/**
 * Disputed amounts of some customers, by currency: what banks took back or may keep, excluding won disputes
 * and inquiries. Index: `disputes_customer`.
 */
export async function readDisputed(
  sql: Sql,
  environmentId: string,
  customers: readonly { id: string }[],
): Promise<{ customer: string; currency: string; disputed: number }[]> {
  return sql<{ customer: string; currency: string; disputed: number }[]>`
    select customer, currency, sum(amount)::float8 as disputed from disputes
    where environment_id = ${environmentId}::uuid and customer = any(${customers.map(({ id }) => id)}::uuid[])
      and status in ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'LOST', 'ACCEPTED')
    group by 1, 2 order by 3 desc, 2`;
}

/**
 * Lost disputes by currency over all environments: lost money that no ledger holds. Scans the table; for
 * reconciliation.
 */
export async function sumLostDisputes(
  sql: Sql | Transaction,
): Promise<{ currency: string; count: number; amount: number }[]> {
  return sql<{ currency: string; count: number; amount: number }[]>`
    select currency, count(*)::int as count, sum(amount)::float8 as amount from disputes where status in ('LOST', 'ACCEPTED')
    group by 1 order by 1`;
}
