import { sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { type PaymentTokenRow, paymentTokens } from "@/db/schema/checkout";

/** Its single use is claimed in the statement that creates the payment. */
export async function insertPaymentToken(
  orm: Orm,
  environmentId: string,
  token: Omit<PaymentTokenRow, "environment_id" | "payment_id" | "payment_method_id" | "checked_for">,
): Promise<void> {
  await orm.insert(paymentTokens).values({ environment_id: environmentId, ...token });
}

export async function findPaymentToken(sql: Sql, environmentId: string, id: string): Promise<PaymentTokenRow | null> {
  const [row] = await sql<PaymentTokenRow[]>`
    select * from payment_tokens where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

/**
 * Claims a token for the check that stores its card, and returns the check's reference: `reference`, or that
 * of an earlier check whose outcome is not known. Null: the token is used up or too old, or was checked for
 * another customer.
 */
export async function claimTokenForCheck(
  sql: Sql,
  environmentId: string,
  id: string,
  { reference, customerId }: { reference: string; customerId: string },
): Promise<string | null> {
  const [row] = await sql<{ payment_method_id: string }[]>`
    update payment_tokens set payment_method_id = coalesce(payment_method_id, ${reference}::uuid),
      checked_for = coalesce(checked_for, ${customerId})
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid
      and (checked_for is null or checked_for = ${customerId})
      and payment_id is null and processor_token <> '' and expires_at > now()
    returning payment_method_id`;
  return row?.payment_method_id ?? null;
}

/** Uses up a token whose check has an outcome. */
export async function useUpCheckedToken(orm: Orm, environmentId: string, id: string): Promise<void> {
  await orm.execute(sql`
    update ${paymentTokens} set processor_token = ''
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid and payment_id is null`);
}

/** Clears the cards of expired tokens; returns the number. Index: `payment_tokens_held`. */
export async function clearOldPaymentTokens(orm: Orm, limit: number): Promise<number> {
  const cleared = await orm.execute(sql`
    update ${paymentTokens} set processor_token = ''
    where (environment_id, id) in (
      select environment_id, id from ${paymentTokens}
      where processor_token <> '' and expires_at <= now()
      order by expires_at limit ${limit}::int for update skip locked)
    returning 1`);
  return cleared.length;
}

/**
 * Deletes tokens 25 hours after they expire: by then the idempotency key of a payment with one is past its 24
 * hours, so no replay needs it. Returns the number. Index: `payment_tokens_age`.
 */
export async function deleteOldPaymentTokens(orm: Orm, limit: number): Promise<number> {
  const removed = await orm.execute(sql`
    delete from ${paymentTokens}
    where (environment_id, id) in (
      select environment_id, id from ${paymentTokens} where expires_at <= now() - interval '25 hours'
      order by expires_at limit ${limit}::int for update skip locked)
    returning 1`);
  return removed.length;
}
