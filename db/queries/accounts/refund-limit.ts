/** Daily amount a user may refund before a refund requires a password or second factor. */
import { eq, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { refundAllowances } from "@/db/schema/accounts";
import { payments } from "@/db/schema/payments";
import { transactions } from "@/db/schema/transactions";

/** All refunds count in USD. Rows per currency from earlier versions are ignored. */
const LIMIT_CURRENCY = "USD";

export type RefundTarget = { paymentId: string } | { transactionId: string };

/**
 * A payment's currency and its maximum refund, including what other operations in progress could add; null if
 * there is no such payment. Index: primary keys.
 */
export async function findRefundable(
  orm: Orm,
  environmentId: string,
  target: RefundTarget,
): Promise<{ currency: string; maxRefund: number } | null> {
  const paymentId =
    "paymentId" in target
      ? sql`${target.paymentId}::uuid`
      : sql`(select t.payment_id from ${transactions} t
          where t.environment_id = ${environmentId}::uuid and t.id = ${target.transactionId}::uuid)`;
  const maxRefund = sql<string>`case when ${payments.amount_captured} = 0 then ${payments.amount}
    else ${payments.amount_captured} end - ${payments.amount_refunded}`;
  const [row] = await orm
    .select({ currency: payments.currency, maxRefund: maxRefund.mapWith(Number) })
    .from(payments)
    .where(sql`${payments.environment_id} = ${environmentId}::uuid and ${payments.id} = ${paymentId}`);
  return row ?? null;
}

/**
 * Counts a refund against the user's allowance without re-authentication. Returns false and counts nothing if
 * it would exceed the limit. One guarded statement, so concurrent refunds count like sequential ones.
 */
export async function spendAllowance(
  orm: Orm,
  spending: { userId: string; usdCents: number; limitUsdCents: number },
): Promise<boolean> {
  const { userId, usdCents, limitUsdCents } = spending;
  const { spent, since } = refundAllowances;
  const isOver = sql`(${since} not between now() - interval '1 day' and now() + interval '1 minute')`;
  const total = sql`(case when ${isOver} then 0 else ${spent} end + excluded.spent)`;
  const rows = await orm.execute(sql`
    insert into ${refundAllowances} (user_id, currency, spent)
    select ${userId}::uuid, ${LIMIT_CURRENCY}, ${usdCents}::bigint where ${usdCents}::bigint <= ${limitUsdCents}::bigint
    on conflict (user_id, currency) do update
      set spent = ${total}, since = case when ${isOver} then now() else ${since} end
      where ${total} <= ${limitUsdCents}::bigint
    returning user_id`);
  return rows.length === 1;
}

/** Resets the allowance after a re-authentication. */
export async function renewAllowances(orm: Orm, userId: string): Promise<void> {
  await orm.delete(refundAllowances).where(eq(refundAllowances.user_id, userId));
}
