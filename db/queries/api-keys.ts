import { and, desc, eq, sql as fragment, inArray } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { ClockColumns } from "@/db/queries/clock";
import type { KeyLimits } from "@/lib/contract/api-keys/api-keys";
import type { Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Orm, Sql } from "../client";
import { environments } from "../schema/accounts";
import { type API_KEY_STATUSES, apiKeys } from "../schema/api-keys";

export type ApiKeyRow = typeof apiKeys.$inferSelect;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export async function findEnvironmentMode(orm: Orm, environmentId: string): Promise<Mode | null> {
  const rows = await orm
    .select({ mode: environments.mode })
    .from(environments)
    .where(eq(environments.id, environmentId));
  return rows[0]?.mode ?? null;
}

export async function insertApiKey(
  orm: Orm,
  environmentId: string,
  key: Omit<ApiKeyRow, "environment_id" | "last_used_at" | "last_used_ip" | `limited_${string}`>,
): Promise<ApiKeyRow> {
  const rows = await orm
    .insert(apiKeys)
    .values({ environment_id: environmentId, ...key })
    .returning();
  return rows[0] as ApiKeyRow;
}

const byId = (environmentId: string, id: string) => and(eq(apiKeys.environment_id, environmentId), eq(apiKeys.id, id));

/** Locks the key until the transaction ends. */
export async function lockApiKey(orm: Orm, environmentId: string, id: string): Promise<ApiKeyRow | null> {
  const rows = await orm.select().from(apiKeys).where(byId(environmentId, id)).for("update");
  return rows[0] ?? null;
}

export async function findApiKey(orm: Orm, environmentId: string, id: string): Promise<ApiKeyRow | null> {
  const rows = await orm.select().from(apiKeys).where(byId(environmentId, id));
  return rows[0] ?? null;
}

/** Newest first, by the index api_keys_list. */
export function listApiKeys(orm: Orm, environmentId: string, limit: number, offset = 0): Promise<ApiKeyRow[]> {
  return orm
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.environment_id, environmentId))
    .orderBy(desc(apiKeys.created_at), desc(apiKeys.id))
    .limit(limit)
    .offset(offset);
}

export function countApiKeys(orm: Orm, environmentId: string): Promise<number> {
  return orm.$count(apiKeys, eq(apiKeys.environment_id, environmentId));
}

/** Replacements of these keys: old id → new id. */
export async function findReplacements(
  orm: Orm,
  environmentId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await orm
    .select({ id: apiKeys.id, rotated_from: apiKeys.rotated_from })
    .from(apiKeys)
    .where(and(eq(apiKeys.environment_id, environmentId), inArray(apiKeys.rotated_from, [...ids])));
  return new Map(rows.map((row) => [row.rotated_from as string, row.id]));
}

export async function updateApiKeyStatus(
  orm: Orm,
  environmentId: string,
  id: string,
  status: ApiKeyStatus,
  updated_at: string,
): Promise<ApiKeyRow> {
  const rows = await orm.update(apiKeys).set({ status, updated_at }).where(byId(environmentId, id)).returning();
  return rows[0] as ApiKeyRow;
}

export type ApiKeySettings = Pick<ApiKeyRow, "name" | "permissions" | "expires_at" | "ip_allow_list" | "limits">;

export async function updateApiKey(
  orm: Orm,
  environmentId: string,
  id: string,
  settings: ApiKeySettings & Pick<ApiKeyRow, "updated_at">,
): Promise<ApiKeyRow> {
  const rows = await orm.update(apiKeys).set(settings).where(byId(environmentId, id)).returning();
  return rows[0] as ApiKeyRow;
}

/**
 * Expires a key after some hours by the database's clock, which lookups use, or at its own expiry if that is
 * sooner.
 */
export async function expireApiKeyIn(
  orm: Orm,
  environmentId: string,
  id: string,
  hours: number,
  updated_at: string,
): Promise<ApiKeyRow> {
  const expires_at = fragment`least(${apiKeys.expires_at}, now() + make_interval(hours => ${hours}::integer))`;
  const rows = await orm.update(apiKeys).set({ expires_at, updated_at }).where(byId(environmentId, id)).returning();
  return rows[0] as ApiKeyRow;
}

/** Resets the day's amounts, for limits in another currency. */
export async function forgetLimitedAmount(orm: Orm, environmentId: string, id: string): Promise<void> {
  await orm.update(apiKeys).set({ limited_amount: 0 }).where(byId(environmentId, id));
}

/** A key's limits, and the use of the current day (UTC), which ends at `resets_at`. */
export type LimitUse = { limits: KeyLimits; refunds: number; amount: number; resets_at: string };

/**
 * Condition that a key's counts are of this day (UTC). A refund that began before midnight may be counted after
 * one that began later: the day never goes back, and later days than the next are from a clock that was wrong.
 */
const IS_COUNTED_DAY = "between (now() at time zone 'UTC')::date and (now() at time zone 'UTC')::date + 1";

/** The same as text, for a key's row with this alias. */
export const countsToday = (alias: string): string => `(${alias}.limited_day ${IS_COUNTED_DAY}) is true`;

/** The day to which a refund counts. */
export const countedDay = (alias: string): string =>
  `case when ${countsToday(alias)} then ${alias}.limited_day else (now() at time zone 'UTC')::date end`;

/** The use of a key's limits today; null without limits. `lock`: until the transaction ends. */
export async function findLimitUse(
  orm: Orm,
  environmentId: string,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<LimitUse | null> {
  const counter = alias(apiKeys, "counter");
  const ofToday = (count: typeof counter.limited_refunds | typeof counter.limited_amount) =>
    fragment<number>`case when ${fragment.raw(countsToday("counter"))} then ${count} else 0 end`.mapWith(Number);
  const query = orm
    .select({
      limits: apiKeys.limits,
      refunds: ofToday(counter.limited_refunds),
      amount: ofToday(counter.limited_amount),
      resets_at: fragment<string>`(${fragment.raw(countedDay("counter"))} + 1)::text || 'T00:00:00.000Z'`,
    })
    .from(apiKeys)
    .innerJoin(
      counter,
      and(
        eq(counter.environment_id, apiKeys.environment_id),
        eq(counter.id, fragment`coalesce(${apiKeys.limits_counted_in}, ${apiKeys.id})`),
      ),
    )
    .where(byId(environmentId, id));
  const [row] = await (lock ? query.for("update", { of: counter }) : query);
  return row?.limits ? { ...row, limits: row.limits } : null;
}

/** Adds a refund to the use of a key's limits, which `findLimitUse` has locked. */
export async function addLimitUse(
  orm: Orm,
  environmentId: string,
  id: string,
  { refunds, amount: refunded }: LimitUse,
  amount: number,
): Promise<void> {
  await orm
    .update(apiKeys)
    .set({
      limited_day: fragment`${fragment.raw(countedDay("api_keys"))}`,
      limited_refunds: refunds + 1,
      limited_amount: refunded + amount,
    })
    .where(
      and(
        eq(apiKeys.environment_id, environmentId),
        eq(
          apiKeys.id,
          fragment`(select coalesce(key.limits_counted_in, key.id) from api_keys key
            where key.environment_id = ${environmentId}::uuid and key.id = ${id}::uuid)`,
        ),
      ),
    );
}

/** True if another key has replaced this one. */
export async function isRotated(orm: Orm, environmentId: string, id: string): Promise<boolean> {
  const rows = await orm
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.environment_id, environmentId), eq(apiKeys.rotated_from, id)))
    .limit(1);
  return rows.length > 0;
}

/** A key that is usable now by the database's clock, with its environment. */
export type UsableKey = {
  id: string;
  permissions: Permission[];
  ip_allow_list: string[];
  environment_id: string;
  mode: Mode;
  merchant_id: string;
  suspended: boolean;
  /** A user of the merchant has verified an e-mail address. */
  verified: boolean;
} & ClockColumns;

/**
 * Lookup for every request, by the unique indexes api_keys_secret and users_merchant; null if unknown,
 * disabled, revoked or expired.
 */
export async function findUsableKey(sql: Sql, secretSha256: Buffer): Promise<UsableKey | null> {
  const rows = await sql<UsableKey[]>`
    select k.id, k.permissions, k.ip_allow_list, k.environment_id, e.mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at,
      m.suspended_at is not null as suspended,
      exists (select from users u where u.merchant_id = m.id and u.owns_email) as verified
    from api_keys k
    join environments e on e.id = k.environment_id
    join merchants m on m.id = e.merchant_id
    where k.secret_sha256 = ${secretSha256} and k.status = 'ACTIVE' and (k.expires_at is null or k.expires_at > now())`;
  return rows[0] ?? null;
}

export type KeyUse = { environmentId: string; keyId: string; at: Date; ip: string };

/**
 * Records the latest use of many keys in one statement. Locks them in a fixed order, so that two processes
 * never deadlock.
 */
export async function recordKeyUses(sql: Sql, uses: KeyUse[]): Promise<void> {
  await sql`
    with used as (
      select k.environment_id, k.id, u.at, u.ip
      from unnest(
        ${uses.map((use) => use.environmentId)}::uuid[], ${uses.map((use) => use.keyId)}::uuid[],
        ${uses.map((use) => use.at.toISOString())}::timestamptz[], ${uses.map((use) => use.ip)}::text[]
      ) as u (environment_id, id, at, ip)
      join api_keys k on k.environment_id = u.environment_id and k.id = u.id
      where k.last_used_at is null or k.last_used_at < u.at
      order by k.environment_id, k.id
      for no key update of k
    )
    update api_keys k set last_used_at = used.at, last_used_ip = used.ip
    from used where k.environment_id = used.environment_id and k.id = used.id`;
}
