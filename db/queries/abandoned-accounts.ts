import { sql } from "drizzle-orm";
import type { Orm } from "../client";
import { merchants } from "../schema/merchants";
import { recoveryCodes, savedViews, userSessions, users, userTokens } from "../schema/users";

/** Tables that hold what a merchant owns: who has a row in one of them did something with the account. */
const OWNED = ["payments", "plans", "client_sessions", "payment_tokens", "api_keys"];

const hasNothing = sql.join(
  OWNED.map(
    (table) => sql`not exists (select from environments e join ${sql.identifier(table)} o on o.environment_id = e.id
      where e.merchant_id = ${merchants}.id)`,
  ),
  sql` and `,
);

/** Nobody proved an address, and nobody was here, for so many days; and nothing was done with it. */
const isAbandoned = (days: number) => {
  const lately = sql`now() - make_interval(days => ${days}::integer)`;
  return sql`${merchants}.created_at < ${lately} and ${merchants}.suspended_at is null and ${hasNothing} and not exists (
    select from ${users} u where u.merchant_id = ${merchants}.id and (u.owns_email or u.created_at > ${lately}
      or exists (select from ${userSessions} s where s.user_id = u.id and s.last_seen_at > ${lately})))`;
};

/** Merchants, by id. Index: users_unproved. */
export async function findAbandonedAccounts(orm: Orm, days: number, limit: number): Promise<string[]> {
  const rows = await orm.execute<{ id: string }>(sql`
    select id from ${merchants} where id in (
        select merchant_id from ${users} where not owns_email and merchant_id is not null
          and created_at < now() - make_interval(days => ${days}::integer))
      and ${isAbandoned(days)} order by id limit ${limit}::integer`);
  return rows.map(({ id }) => id);
}

/**
 * Removes the people of an abandoned account and what they called it; the merchant stays, as its history does. False, and
 * nothing changed, when somebody is back. A sign-in that is just accepted has opened its session by then, or finds nobody.
 */
export async function emptyAbandonedAccount(tx: Orm, id: string, days: number, name: string): Promise<boolean> {
  await tx.execute(sql`select from ${merchants} where id = ${id}::uuid for no key update`);
  await tx.execute(sql`select from ${users} where merchant_id = ${id}::uuid order by id for update`);
  const emptied = await tx.execute(sql`
    update ${merchants} set name = ${name}, website = null, support_email = null
    where id = ${id}::uuid and ${isAbandoned(days)} returning id`);
  if (emptied.length === 0) return false;
  const people = sql`select id from ${users} where merchant_id = ${id}::uuid`;
  for (const table of [savedViews, userSessions, userTokens, recoveryCodes]) {
    await tx.delete(table).where(sql`user_id in (${people})`);
  }
  await tx.delete(users).where(sql`merchant_id = ${id}::uuid`);
  return true;
}
