import { and, desc, eq, inArray, isNull, lt, ne, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { merchants, supportAuditLog, users } from "@/db/schema/accounts";
import { UNLOCKED } from "../accounts/users";

type NewStaffRow = {
  id: string;
  email: string;
  name: string | null;
  password_hash: string;
  /** Encrypted. */
  totp_secret: string;
  totp_enabled_at: string;
};

/** False if another user has the e-mail address. */
export async function insertStaff(tx: Orm, staff: NewStaffRow): Promise<boolean> {
  const rows = await tx
    .insert(users)
    .values({ ...staff, merchant_id: null, role: "staff", owns_email: true, email_verified_at: sql`now()` })
    .onConflictDoNothing()
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Unlocks a member of staff and clears the failures. Null if no member has the address. */
export async function unlockStaff(orm: Orm, email: string): Promise<{ id: string; email: string } | null> {
  const rows = await orm
    .update(users)
    .set(UNLOCKED)
    .where(and(sql`lower(${users.email}) = lower(${email})`, isNull(users.merchant_id)))
    .returning({ id: users.id, email: users.email });
  return rows[0] ?? null;
}

/** Records a lookup or action of a member of staff, in the transaction of the action if there is one. */
export async function insertSupportAct(orm: Orm, act: typeof supportAuditLog.$inferInsert): Promise<void> {
  await orm.insert(supportAuditLog).values(act);
}

export type SupportActRow = {
  id: string;
  action: string;
  staff_id: string;
  staff_email: string;
  staff_name: string | null;
  merchant_id: string | null;
  merchant_name: string | null;
  object_id: string | null;
  detail: Record<string, unknown> | null;
  request_id: string | null;
  created_at: string;
};

type SupportActFilter = {
  staffId?: string | undefined;
  merchantId?: string | undefined;
  action?: string | undefined;
  /** Public ids; matches acts about any of them. */
  objectIds?: readonly string[];
  /** Leaves out which merchants' objects searches returned. */
  withoutFound?: boolean;
  /** Only entries older than this. */
  beforeId?: string | undefined;
};

/**
 * Newest first. Index: support_audit_log_merchant, support_audit_log_staff or the primary key, read
 * backwards.
 */
export async function listSupportActs(orm: Orm, filter: SupportActFilter, limit: number): Promise<SupportActRow[]> {
  const log = supportAuditLog;
  return orm
    .select({
      id: log.id,
      action: log.action,
      staff_id: log.staff_id,
      staff_email: users.email,
      staff_name: users.name,
      merchant_id: log.merchant_id,
      merchant_name: merchants.name,
      object_id: log.object_id,
      detail: log.detail,
      request_id: log.request_id,
      created_at: log.created_at,
    })
    .from(log)
    .innerJoin(users, eq(users.id, log.staff_id))
    .leftJoin(merchants, eq(merchants.id, log.merchant_id))
    .where(
      and(
        filter.staffId === undefined ? undefined : eq(log.staff_id, filter.staffId),
        filter.merchantId === undefined ? undefined : eq(log.merchant_id, filter.merchantId),
        filter.action === undefined ? undefined : eq(log.action, filter.action),
        filter.objectIds === undefined ? undefined : inArray(log.object_id, [...filter.objectIds]),
        filter.withoutFound ? ne(log.action, "support.found") : undefined,
        filter.beforeId === undefined ? undefined : lt(log.id, filter.beforeId),
      ),
    )
    .orderBy(desc(log.id))
    .limit(limit);
}

/** All members of staff, for the actor filter. */
export async function listStaff(orm: Orm, limit: number): Promise<{ id: string; email: string }[]> {
  return orm
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.role, "staff"))
    .orderBy(users.email)
    .limit(limit);
}
