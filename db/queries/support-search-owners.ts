import type { Sql } from "../client";
import { columns, type FoundRow, type Fragment } from "./support-search";

const none = (sql: Sql) => sql`null::uuid as environment_id, null::text as mode`;
const merchantStatus = (sql: Sql) => sql`case when m.suspended_at is null then 'active' else 'suspended' end`;

function findMerchantsWhere(sql: Sql, condition: Fragment, limit: number): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select m.id::text, ${columns(sql, { title: sql`m.name`, status: merchantStatus(sql) })}, m.created_at as at, ${none(sql)},
      m.id as merchant_id, m.name as merchant_name
    from merchants m
    where ${condition}
    order by lower(m.name), m.id
    limit ${limit}::int`;
}

export const findMerchants = (sql: Sql, id: string, limit: number): Promise<FoundRow[]> =>
  findMerchantsWhere(sql, sql`m.id = ${id}::uuid`, limit);

/** By any part of the name. Reads all merchants, of which there are far fewer than of anything else. */
export function findMerchantsByName(sql: Sql, text: string, limit: number): Promise<FoundRow[]> {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return findMerchantsWhere(sql, sql`m.name ilike ${pattern}`, limit);
}

/** By primary key. */
export function findEnvironments(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select e.id::text, ${columns(sql, { title: sql`m.name`, status: merchantStatus(sql) })}, e.created_at as at,
      e.id as environment_id, e.mode, m.id as merchant_id, m.name as merchant_name
    from environments e join merchants m on m.id = e.merchant_id
    where e.id = ${id}::uuid
    limit ${limit}::int`;
}

/** Merchants' people and support staff. Index: primary key, or users_email. */
export function findPeople(sql: Sql, who: { id: string } | { email: string }, limit: number): Promise<FoundRow[]> {
  const condition = "id" in who ? sql`u.id = ${who.id}::uuid` : sql`lower(u.email) = lower(${who.email})`;
  const status = sql`case when u.locked_until > now() then 'locked' else u.role end`;
  return sql<FoundRow[]>`
    select u.id::text, ${columns(sql, { title: sql`u.email`, status })}, u.created_at as at, ${none(sql)},
      m.id as merchant_id, m.name as merchant_name
    from users u left join merchants m on m.id = u.merchant_id
    where ${condition}
    limit ${limit}::int`;
}
