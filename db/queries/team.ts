import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { ApprovalAction } from "@/lib/contract/approvals/words";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { Orm } from "../client";
import {
  merchants,
  recoveryCodes,
  savedViews,
  type UserRow,
  userSessions,
  users,
  userTokens,
} from "../schema/accounts";
import { approvalRequests } from "../schema/approvals";
import { reportMails } from "../schema/reports";

/** SQL condition: the user is invited and has not chosen a password yet. */
const invited = (id: unknown) =>
  sql<boolean>`exists (select from ${userTokens} t where t.user_id = ${id} and t.purpose = 'invite' and t.used_at is null)`;

/** True if a user was invited and has not joined, even if the invitation has expired. */
export async function isInvited(orm: Orm, id: string): Promise<boolean> {
  const rows = await orm
    .select({ invited: invited(sql`${users}.id`) })
    .from(users)
    .where(eq(users.id, id));
  return rows[0]?.invited ?? false;
}

export type MemberRow = Pick<UserRow, "id" | "email" | "name" | "role" | "last_sign_in_at" | "created_at"> & {
  invited: boolean;
  second_factor: boolean;
};

const MEMBER = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  last_sign_in_at: users.last_sign_in_at,
  created_at: users.created_at,
  invited: invited(sql`${users}.id`),
  second_factor: sql<boolean>`${users.totp_enabled_at} is not null`,
};

/** In joining order, by the index users_merchant. */
export function listMembers(orm: Orm, merchantId: string, limit: number): Promise<MemberRow[]> {
  return orm.select(MEMBER).from(users).where(eq(users.merchant_id, merchantId)).orderBy(asc(users.id)).limit(limit);
}

/** Owners' addresses that are known to be theirs. Index: users_merchant. */
export const listOwnerAddresses = (orm: Orm, merchantId: string, limit: number): Promise<string[]> =>
  listAddresses(orm, merchantId, ["owner"], limit);

/** Addresses of members with one of the roles, if known to be theirs. Index: users_merchant. */
export async function listAddresses(
  orm: Orm,
  merchantId: string,
  roles: readonly MerchantRole[],
  limit: number,
): Promise<string[]> {
  const rows = await orm
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.merchant_id, merchantId), inArray(users.role, [...roles]), users.owns_email))
    .orderBy(asc(users.id))
    .limit(limit);
  return rows.map(({ email }) => email);
}

/**
 * Serializes changes of the team, so that what was read about its owners holds until the transaction ends.
 */
export async function lockTeam(tx: Orm, merchantId: string): Promise<void> {
  await tx.select({ id: merchants.id }).from(merchants).where(eq(merchants.id, merchantId)).for("no key update");
}

/** Locks the member until the transaction ends. After `lockTeam`. */
export async function lockMember(tx: Orm, merchantId: string, id: string): Promise<void> {
  const own = and(eq(users.merchant_id, merchantId), eq(users.id, id));
  await tx.select({ id: users.id }).from(users).where(own).for("update");
}

export async function findMember(orm: Orm, merchantId: string, id: string): Promise<MemberRow | null> {
  const rows = await orm
    .select(MEMBER)
    .from(users)
    .where(and(eq(users.merchant_id, merchantId), eq(users.id, id)));
  return rows[0] ?? null;
}

/** True if a member still has one of these roles. */
export async function hasRole(orm: Orm, id: string, roles: readonly MerchantRole[]): Promise<boolean> {
  const rows = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), inArray(users.role, [...roles])));
  return rows.length === 1;
}

/** False if a member of the team has the e-mail address. Under `lockTeam`. */
export async function insertMember(
  tx: Orm,
  merchantId: string,
  member: { id: string; email: string; name: string | null; role: MerchantRole; password_hash: string },
): Promise<boolean> {
  const same = and(eq(users.merchant_id, merchantId), sql`lower(${users.email}) = lower(${member.email})`);
  if ((await tx.$count(users, same)) > 0) return false;
  await tx.insert(users).values({ ...member, merchant_id: merchantId });
  return true;
}

/** SQL condition: another owner who can sign in remains. */
const anotherOwner = (merchantId: string, id: string) =>
  sql`exists (select from ${users} o where o.merchant_id = ${merchantId} and o.role = 'owner' and o.id <> ${id}
    and not ${invited(sql`o.id`)})`;

const replaceable = (merchantId: string, id: string) =>
  and(
    eq(users.merchant_id, merchantId),
    eq(users.id, id),
    sql`(${users.role} <> 'owner' or ${anotherOwner(merchantId, id)})`,
  );

/** False for the last owner. Under `lockTeam`. */
export async function updateMemberRole(tx: Orm, merchantId: string, id: string, role: MerchantRole): Promise<boolean> {
  const rows = await tx.update(users).set({ role }).where(replaceable(merchantId, id)).returning({ id: users.id });
  return rows.length === 1;
}

/**
 * Removes a member with their own data; shared views go to `heirId`. False for the last owner; the caller
 * must then roll back. Under `lockTeam`.
 */
export async function deleteMember(tx: Orm, merchantId: string, id: string, heirId: string): Promise<boolean> {
  const sameName = sql`exists (select from ${savedViews} v where v.environment_id = ${savedViews}.environment_id
    and v.user_id = ${heirId} and v.list = ${savedViews}.list and lower(v.name) = lower(${savedViews}.name))`;
  await tx
    .update(savedViews)
    .set({ user_id: heirId })
    .where(and(eq(savedViews.user_id, id), eq(savedViews.shared, true), sql`not ${sameName}`));
  for (const table of [savedViews, reportMails, userSessions, userTokens, recoveryCodes]) {
    await tx.delete(table).where(eq(table.user_id, id));
  }
  const rows = await tx.delete(users).where(replaceable(merchantId, id)).returning({ id: users.id });
  return rows.length === 1;
}

/** Voids the open invitations of a user. */
export async function voidInvitations(tx: Orm, userId: string): Promise<void> {
  await tx
    .update(userTokens)
    .set({ expires_at: sql`now()` })
    .where(and(eq(userTokens.user_id, userId), eq(userTokens.purpose, "invite"), isNull(userTokens.used_at)));
}

/**
 * Withdraws the open requests of a member who leaves, or may no longer act. Their row locks order this against
 * an approval: T1 sees the withdrawal, or the approval is committed.
 */
export async function withdrawRequestsOf(
  tx: Orm,
  environmentIds: readonly string[],
  { userId, actions }: { userId: string; actions: readonly ApprovalAction[] },
): Promise<void> {
  await tx
    .update(approvalRequests)
    .set({ status: "WITHDRAWN", mail_due: false })
    .where(
      and(
        inArray(approvalRequests.environment_id, [...environmentIds]),
        eq(approvalRequests.requested_by, userId),
        eq(approvalRequests.status, "PENDING"),
        inArray(approvalRequests.action, [...actions]),
      ),
    );
}
