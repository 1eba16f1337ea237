import { sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { supportAuditLog, users } from "@/db/schema/accounts";
import { auditLog, OF_TEAM } from "@/db/schema/events";
import type { ActorRecord } from "@/db/schema/operations";

/** An entry in a merchant account's history: an act of its members, a script or Cardlane's staff. */
export type AccountAct = {
  id: string;
  actor: ActorRecord;
  /** Name and address of the actor; null if it is not a user, or a removed one. */
  actor_name: string | null;
  actor_email: string | null;
  action: string;
  environment_id: string | null;
  /** UUID in the merchant's own log, public id in the support log. */
  object_id: string | null;
  request_id: string | null;
  detail: Record<string, unknown> | null;
};

type ActFilter = {
  /** Patterns for the names of acts; null = all. */
  acts: readonly string[] | null;
  /** Acts that these patterns match are left out. */
  except: readonly string[];
  /** A member (UUID), "support" for the support staff, or null for all. */
  who: string | null;
  /** First id of the range, and the first one past it. */
  fromId: string;
  beforeId: string;
};

/**
 * The newest acts of both logs, which share the order of UUIDv7. Indexes: audit_log_account (hence the
 * repeated condition), support_audit_log_merchant.
 */
export async function listAccountActs(
  orm: Orm,
  merchant: { id: string; environmentIds: readonly string[] },
  { acts, except, who, fromId, beforeId }: ActFilter,
  max: number,
): Promise<AccountAct[]> {
  const limit = sql`order by id desc limit ${max}::integer`;
  const patterns = (list: readonly string[]) =>
    sql`any(array[${sql.join(
      list.map((pattern) => sql`${pattern}`),
      sql`, `,
    )}]::text[])`;
  const matching = sql`id >= ${fromId}::uuid and id < ${beforeId}::uuid
    ${acts === null ? sql`` : sql`and action like ${patterns(acts)}`}
    ${except.length === 0 ? sql`` : sql`and not action like ${patterns(except)}`}`;
  const member = who === null ? sql`` : sql`and actor ->> 'type' = 'user' and actor ->> 'id' = ${who}`;
  const own = merchant.environmentIds.map(
    (environmentId) => sql`(
      select id, actor, action, environment_id, object_id::text as object_id, request_id, detail from ${auditLog}
      where environment_id = ${environmentId}::uuid and (${sql.raw(OF_TEAM)}) and ${matching} ${member} ${limit})`,
  );
  const staff = sql`(
      select id, jsonb_build_object('type', 'staff', 'id', staff_id) as actor, action, environment_id, object_id,
        request_id, detail
      from ${supportAuditLog} where merchant_id = ${merchant.id}::uuid and ${matching} ${limit})`;
  const logs = [...(who === "support" ? [] : own), ...(who === null || who === "support" ? [staff] : [])];
  const rows = await orm.execute<AccountAct>(sql`
    select a.*, u.name as actor_name, u.email as actor_email
    from (${sql.join(logs, sql` union all `)}) a
    left join ${users} u on u.id = (a.actor ->> 'id')::uuid and a.actor ->> 'type' in ('user', 'staff')
    order by a.id desc limit ${max}::integer`);
  return [...rows];
}

/**
 * Number of invitations a merchant sent within the last hours, in total or to one address. Index:
 * audit_log_account. `environmentId` is the environment of its audit rows.
 */
export async function countRecentInvitations(
  orm: Orm,
  environmentId: string,
  { hours, email = null }: { hours: number; email?: string | null },
): Promise<number> {
  return orm.$count(
    auditLog,
    sql`${auditLog.environment_id} = ${environmentId}::uuid and ${auditLog.action} like 'team.%'
      and ${auditLog.action} in ('team.member_invited', 'team.invitation_resent')
      and ${auditLog.created_at} > now() - make_interval(hours => ${hours}::integer)
      and (${email}::text is null or lower(${auditLog.detail} ->> 'email') = lower(${email}::text))`,
  );
}

/** Removed members: id → e-mail address, as recorded at removal. */
export async function findRemovedMembers(
  orm: Orm,
  environmentId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await orm.execute<{ object_id: string; email: string | null }>(sql`
    select object_id::text, detail ->> 'email' as email from ${auditLog}
    where environment_id = ${environmentId}::uuid and action = 'team.member_removed'
      and object_id in (${sql.join(
        ids.map((id) => sql`${id}::uuid`),
        sql`, `,
      )})`);
  return new Map([...rows].flatMap((row) => (row.email ? [[row.object_id, row.email] as const] : [])));
}

/**
 * True if the user did the same to the same object at or after an id. Index: audit_log_account, from its end.
 */
export async function wasRecordedLately(
  orm: Orm,
  environmentId: string,
  act: { action: `settings.${string}`; actorId: string | null; objectId: string; key: string },
  sinceId: string,
): Promise<boolean> {
  const rows = await orm.execute(sql`
    select from ${auditLog}
    where environment_id = ${environmentId}::uuid and action like 'settings.%' and action = ${act.action}
      and id >= ${sinceId}::uuid
      and actor ->> 'id' = ${act.actorId} and object_id = ${act.objectId}::uuid and detail ->> 'key' = ${act.key}
    limit 1`);
  return rows.length > 0;
}
