import { type SQL, sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import {
  environments,
  merchantLogos,
  merchants,
  recoveryCodes,
  savedViews,
  userSessions,
  users,
  userTokens,
} from "@/db/schema/accounts";
import { reportMails } from "@/db/schema/reports";
import type { Mode } from "@/lib/contract/transactions/words";

/** Tables whose rows show that a merchant's account was used. */
const OWNED = ["payments", "plans", "client_sessions", "payment_tokens", "api_keys"];

const ownsNothing = (mode: Mode): SQL =>
  sql.join(
    OWNED.map(
      (table) => sql`not exists (select from environments e join ${sql.identifier(table)} o on o.environment_id = e.id
        where e.merchant_id = ${merchants}.id and e.mode = ${mode})`,
    ),
    sql` and `,
  );

export type AbandonedAfter = {
  /** Age limit of an account that owns nothing, since its last visit. */
  days: number;
  /** Age limit of one with test data, since it was opened; null keeps them all. */
  daysWithData: number | null;
};

const before = (days: number) => sql`now() - make_interval(days => ${days}::integer)`;
const everyUserIs = (condition: SQL) =>
  sql`not exists (select from ${users} u where u.merchant_id = ${merchants}.id and not (${condition}))`;

/** No user ever verified an address, and there is test data at most. */
function isAbandoned({ days, daysWithData }: AbandonedAfter): SQL {
  const lately = before(days);
  const left = sql`${merchants}.created_at < ${lately} and ${ownsNothing("test")} and ${everyUserIs(sql`u.created_at < ${lately}
    and not exists (select from ${userSessions} s where s.user_id = u.id and s.last_seen_at > ${lately})`)}`;
  const unverified =
    daysWithData === null
      ? sql`false`
      : sql`${merchants}.created_at < ${before(daysWithData)} and ${everyUserIs(sql`u.created_at < ${before(daysWithData)}`)}`;
  return sql`${merchants}.suspended_at is null and ${ownsNothing("live")} and ${everyUserIs(sql`not u.owns_email`)}
    and ((${left}) or (${unverified}))`;
}

/** Merchant ids, in order. Index: users_unproved. */
export async function findAbandonedAccounts(orm: Orm, after: AbandonedAfter, limit: number): Promise<string[]> {
  const rows = await orm.execute<{ id: string }>(sql`
    select id from ${merchants} where id in (
        select merchant_id from ${users} where not owns_email and merchant_id is not null
          and created_at < ${before(Math.min(after.days, after.daysWithData ?? after.days))})
      and ${isAbandoned(after)} order by id limit ${limit}::integer`);
  return rows.map(({ id }) => id);
}

/**
 * Removes the users and the name of an abandoned account; the merchant stays, suspended, because its history
 * does. Its test data is marked as abandoned. Returns false and changes nothing if a user is back; the locks
 * make a concurrent sign-in visible, or find no user.
 */
export async function emptyAbandonedAccount(
  tx: Orm,
  id: string,
  after: AbandonedAfter,
  called: { name: string; reason: string },
): Promise<boolean> {
  await tx.execute(sql`select from ${merchants} where id = ${id}::uuid for no key update`);
  await tx.execute(sql`select from ${users} where merchant_id = ${id}::uuid order by id for update`);
  const emptied = await tx.execute(sql`
    update ${merchants} set name = ${called.name}, website = null, support_email = null,
      business_address = null, tax_number = null, suspended_at = now(),
      suspended_reason = ${called.reason}
    where id = ${id}::uuid and ${isAbandoned(after)} returning id`);
  if (emptied.length === 0) return false;
  // Before its users are removed, because the trigger reads them.
  await tx.execute(sql`
    update ${environments} set abandoned_at = now() where merchant_id = ${id}::uuid and mode = 'test'
      and exists (select from ${merchants} where id = ${id}::uuid and not (${ownsNothing("test")}))`);
  const own = sql`select id from ${users} where merchant_id = ${id}::uuid`;
  for (const table of [savedViews, reportMails, userSessions, userTokens, recoveryCodes]) {
    await tx.delete(table).where(sql`user_id in (${own})`);
  }
  await tx.delete(merchantLogos).where(sql`merchant_id = ${id}::uuid`);
  await tx.delete(users).where(sql`merchant_id = ${id}::uuid`);
  return true;
}

/** Abandoned test environments in which no request or processor call can still be in progress. */
export async function findEnvironmentsToEmpty(client: Sql, limit: number): Promise<string[]> {
  const rows = await client<{ id: string }[]>`
    select id from environments where abandoned_at < now() - interval '1 hour' and emptied_at is null
    order by abandoned_at limit ${limit}::int`;
  return rows.map(({ id }) => id);
}

/**
 * Removes up to `limit` rows of an abandoned test environment; returns the number. At 0 it is marked as
 * empty.
 */
export async function removeAbandonedRows(client: Sql, environmentId: string, limit: number): Promise<number> {
  const [row] = await client<[{ removed: number }]>`
    select remove_abandoned(${environmentId}::uuid, ${limit}::int) as removed`;
  if (row.removed === 0) await client`update environments set emptied_at = now() where id = ${environmentId}::uuid`;
  return row.removed;
}
