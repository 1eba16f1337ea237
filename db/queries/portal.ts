import { eq, sql } from "drizzle-orm";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { Orm, Sql } from "../client";
import { type PortalSessionRow, portalSessions } from "../schema/portal";
import { SUBSCRIPTION_LOCALE, SUBSCRIPTIONS_WITH_LOCALE } from "./subscriptions/mails";

export async function insertPortalSession(orm: Orm, row: PortalSessionRow): Promise<void> {
  await orm.insert(portalSessions).values(row);
}

/** The session of a token, expired or not. Index: `portal_sessions_token`. */
export async function findPortalSession(orm: Orm, tokenSha256: Buffer): Promise<PortalSessionRow | null> {
  const rows = await orm.select().from(portalSessions).where(eq(portalSessions.token_sha256, tokenSha256));
  return rows[0] ?? null;
}

/**
 * The language of a customer's documents, as their latest subscription's have it; null without one. Index:
 * `subscriptions_customer`.
 */
export async function findPortalLocale(
  sql: Sql,
  environmentId: string,
  customerId: string,
): Promise<CheckoutLocale | null> {
  const [row] = await sql<{ locale: CheckoutLocale }[]>`
    select ${sql.unsafe(SUBSCRIPTION_LOCALE)} from ${sql.unsafe(SUBSCRIPTIONS_WITH_LOCALE)}
    where s.environment_id = ${environmentId}::uuid and s.customer_id = ${customerId} and s.event_sequence > 0
    order by s.id desc limit 1`;
  return row?.locale ?? null;
}

/**
 * Deletes sessions a week after they expired, during which their page reports the expiry. Those of a test
 * clock that is ahead stay until real time reaches them. Returns the number deleted.
 */
export async function deleteExpiredPortalSessions(orm: Orm, limit: number): Promise<number> {
  const removed = await orm.execute(sql`
    delete from ${portalSessions} where (environment_id, id) in (
      select environment_id, id from ${portalSessions} where expires_at < now() - interval '7 days'
      order by expires_at limit ${limit}::int)
    returning 1`);
  return removed.length;
}
