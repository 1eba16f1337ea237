import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { environments, merchants, users } from "@/db/schema/accounts";
import { auditLog } from "@/db/schema/events";
import type { ActorRecord } from "@/db/schema/operations";
import { plans } from "@/db/schema/plans";
import type { UserRole } from "@/lib/contract/permissions";
import { UNLOCKED } from "../accounts/users";

type EnvironmentRow = Pick<
  typeof environments.$inferSelect,
  "id" | "mode" | "fee_basis_points" | "clock_offset_ms" | "clock_frozen_at"
>;

export async function listEnvironments(orm: Orm, merchantId: string): Promise<EnvironmentRow[]> {
  const { id, mode, fee_basis_points, clock_offset_ms, clock_frozen_at } = environments;
  return orm
    .select({ id, mode, fee_basis_points, clock_offset_ms, clock_frozen_at })
    .from(environments)
    .where(eq(environments.merchant_id, merchantId));
}

type MemberRow = {
  id: string;
  email: string;
  name: string | null;
  role: UserRole;
  mfa: boolean;
  /** ISO 8601; null unless it is in the future. */
  locked_until: string | null;
  last_sign_in_at: string | null;
};

/** Index: users_merchant. */
export async function listMerchantMembers(orm: Orm, merchantId: string, limit: number): Promise<MemberRow[]> {
  const lockedUntil = sql<string | null>`case when ${users.locked_until} > now() then ${users.locked_until} end`;
  return orm
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      role: users.role,
      mfa: sql<boolean>`${users.totp_enabled_at} is not null`,
      locked_until: lockedUntil.mapWith(users.locked_until),
      last_sign_in_at: users.last_sign_in_at,
    })
    .from(users)
    .where(eq(users.merchant_id, merchantId))
    .orderBy(asc(users.created_at), asc(users.id))
    .limit(limit);
}

export async function countPlans(orm: Orm, environmentId: string): Promise<number> {
  return orm.$count(plans, eq(plans.environment_id, environmentId));
}

/** Suspends a merchant, which disables all of its keys. False if it is suspended already. */
export async function suspendMerchant(orm: Orm, id: string, reason: string): Promise<boolean> {
  const rows = await orm
    .update(merchants)
    .set({ suspended_at: sql`now()`, suspended_reason: reason })
    .where(and(eq(merchants.id, id), isNull(merchants.suspended_at)))
    .returning({ id: merchants.id });
  return rows.length === 1;
}

/** False if it is not suspended. */
export async function reinstateMerchant(orm: Orm, id: string): Promise<boolean> {
  const rows = await orm
    .update(merchants)
    .set({ suspended_at: null, suspended_reason: null })
    .where(and(eq(merchants.id, id), isNotNull(merchants.suspended_at)))
    .returning({ id: merchants.id });
  return rows.length === 1;
}

/** Unlocks a merchant's member and clears the failures. Null if there is no such member. */
export async function unlockMember(orm: Orm, merchantId: string, userId: string): Promise<{ email: string } | null> {
  const rows = await orm
    .update(users)
    .set(UNLOCKED)
    .where(and(eq(users.id, userId), eq(users.merchant_id, merchantId)))
    .returning({ email: users.email });
  return rows[0] ?? null;
}

export type OwnActRow = {
  id: string;
  actor: ActorRecord;
  actor_email: string | null;
  action: string;
  environment_id: string;
};

/**
 * Account changes by a merchant's members, newest first. Index: audit_log_account (hence the repeated
 * condition).
 */
export async function listOwnActs(orm: Orm, environmentIds: readonly string[], limit: number): Promise<OwnActRow[]> {
  const parts = environmentIds.map(
    (environmentId) => sql`(select id, actor, action, environment_id from ${auditLog}
      where environment_id = ${environmentId}::uuid
        and (action like 'api_key.%' or action like 'settings.%' or action like 'team.%')
      order by id desc limit ${limit}::integer)`,
  );
  const rows = await orm.execute<OwnActRow>(sql`
    select a.*, u.email as actor_email
    from (${sql.join(parts, sql` union all `)}) a
    left join ${users} u on u.id = (a.actor ->> 'id')::uuid and a.actor ->> 'type' = 'user'
    order by a.id desc limit ${limit}::integer`);
  return [...rows];
}

/** Sums of one measure in one currency: all time, and the last 30 days in the merchant's time zone. */
export type VolumeRow = {
  currency: string;
  measure: "captured" | "refunded" | "refund_failed" | "fee" | "approved" | "declined" | "failed";
  amount: number;
  count: number;
  recent_amount: number;
  recent_count: number;
};

/** Daily totals plus unfolded deltas. Index: primary key of daily_totals, total_deltas_environment. */
export async function sumVolume(sql: Sql, environmentId: string, timeZone: string): Promise<VolumeRow[]> {
  return sql<VolumeRow[]>`
    with facts as (
      select currency, measure, day, amount, count from daily_totals
      where environment_id = ${environmentId}::uuid and measure not like 'declined:%'
      union all
      select currency, measure, (occurred_at at time zone ${timeZone})::date, amount, count from total_deltas
      where environment_id = ${environmentId}::uuid and measure not like 'declined:%'
    )
    select currency, measure, sum(amount)::float8 as amount, sum(count)::bigint as count,
      coalesce(sum(amount) filter (where day > (now() at time zone ${timeZone})::date - 30), 0)::float8 as recent_amount,
      coalesce(sum(count) filter (where day > (now() at time zone ${timeZone})::date - 30), 0)::bigint as recent_count
    from facts
    group by currency, measure
    order by currency, measure`;
}
