import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { countRecentInvitations } from "@/db/queries/accounts/history";
import { countMails } from "@/db/queries/accounts/mail-outbox";
import { findEnvironmentId } from "@/db/queries/accounts/merchants";
import { countRecentTokens } from "@/db/queries/accounts/tokens";
import { findUser, lockAddress } from "@/db/queries/accounts/users";
import {
  deleteMember,
  findMember,
  insertMember,
  listMembers,
  lockMember,
  lockTeam,
  type MemberRow,
  updateMemberRole,
  voidInvitations,
  withdrawRequestsOf,
} from "@/db/queries/team";
import { hashPassword } from "@/lib/auth/password";
import { APPROVAL_ACTIONS, APPROVAL_PERMISSIONS, type ApprovalAction } from "@/lib/contract/approvals/words";
import { isMailable } from "@/lib/contract/emails";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { type MerchantRole, ROLE_LABELS, ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { MODES } from "@/lib/contract/transactions/words";
import { newId } from "@/lib/ids";
import { accountActor, recordAccountAct } from "../accounts/activity";
import { LINK_HOURS, sendLink } from "../accounts/mail";
import { refuseField } from "../accounts/reauthentication";
import { type Context, resourceNotFound } from "../context";

/** The merchant's members, including open invitations, in order of joining. */
export function listTeam(ctx: Context): Promise<MemberRow[]> {
  return listMembers(ctx.service.db.orm, ctx.environment.merchantId, 500);
}

type InviteMemberInput = { email: string; name: string | null; role: MerchantRole };

/**
 * Adds a member and mails them a link to choose a password. Returns the new user's id (UUID). Other users may
 * have the same address: the link verifies its owner.
 */
export async function inviteMember(ctx: Context, input: InviteMemberInput): Promise<string> {
  // Random, so that no password matches until the link is used.
  const password_hash = await hashPassword(randomBytes(32).toString("base64url"));
  const id = newId();
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, ctx.environment.merchantId);
    await lockAddress(tx, input.email);
    await limitInvitations(tx, ctx.environment.merchantId, input.email);
    if (!(await insertMember(tx, ctx.environment.merchantId, { id, ...input, password_hash }))) {
      throw refuseField("email", `${input.email} is in your team already.`);
    }
    await mailInvitation(tx, ctx, { id, ...input });
    const { email, role } = input;
    await recordAccountAct(tx, accountActor(ctx), "team.member_invited", id, { email, role });
  });
  return id;
}

async function mailInvitation(
  tx: Orm,
  ctx: Context,
  member: { id: string; email: string; role: MerchantRole },
): Promise<void> {
  const inviter = ctx.actor.id === null ? null : (await findUser(tx, ctx.actor.id))?.email;
  await sendLink(tx, ctx.service, {
    userId: member.id,
    email: member.email,
    purpose: "invite",
    subject: "Join a team on Cardlane",
    before: [
      // Contains no text that the team can choose, such as names, only a verified address.
      `${inviter && isMailable(inviter) ? inviter : "An owner"} invited you to their team on Cardlane, with the role ${ROLE_LABELS[member.role]}.`,
      "Accept the invitation and choose a password:",
    ],
    after: [
      `The link works once, for ${LINK_HOURS.invite / 24} days. If you don't know this person, ignore this e-mail.`,
    ],
  });
}

const MAX_INVITATIONS_PER_HOUR = 30;
/** Max invitations to one mailbox per day: from one team, and from all. */
const MAX_OF_TEAM_PER_DAY = 5;
const MAX_PER_ADDRESS_PER_DAY = 20;

/**
 * Throws if a merchant has sent its maximum of invitations, in total or to this
 * address, as they can go to any mailbox. `lockTeam` and `lockAddress` serialize
 * concurrent ones. Counts audit records, which remain when an invited user is removed.
 */
async function limitInvitations(tx: Orm, merchantId: string, email: string): Promise<void> {
  const environmentId = await findEnvironmentId(tx, merchantId, "live");
  if (environmentId === null) throw new Error("a merchant has a live environment");
  if ((await countRecentInvitations(tx, environmentId, { hours: 1 })) >= MAX_INVITATIONS_PER_HOUR) {
    throw new AppError(
      "rate_limited",
      `Your team sent ${MAX_INVITATIONS_PER_HOUR} invitations within an hour. Try again later.`,
    );
  }
  const sent = await countRecentInvitations(tx, environmentId, { hours: 24, email });
  if (sent >= MAX_OF_TEAM_PER_DAY || (await countMails(tx, email, "invite", 24)) >= MAX_PER_ADDRESS_PER_DAY) {
    throw new AppError("rate_limited", "This address has received the daily limit of invitations. Try again tomorrow.");
  }
}

const MAX_RESENT_PER_HOUR = 5;

/** Mails the invitation again (public user id); the earlier mail's link stops working. */
export async function resendInvitation(ctx: Context, input: { id: string }): Promise<void> {
  const id = decodeId("user", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, ctx.environment.merchantId);
    // A member who is accepting now has either joined already, or finds the new link.
    if (id !== null) await lockMember(tx, ctx.environment.merchantId, id);
    const member = id === null ? null : await findMember(tx, ctx.environment.merchantId, id);
    if (member === null) throw resourceNotFound("team member", input.id);
    if (!member.invited) throw new AppError("invalid_state", "This member has already joined.");
    if ((await countRecentTokens(tx, member.id, "invite")) >= MAX_RESENT_PER_HOUR) {
      throw new AppError("rate_limited", "This invitation was sent too often. Try again in an hour.");
    }
    await lockAddress(tx, member.email);
    await limitInvitations(tx, ctx.environment.merchantId, member.email);
    await voidInvitations(tx, member.id);
    await mailInvitation(tx, ctx, { ...member, role: member.role as MerchantRole });
    await recordAccountAct(tx, accountActor(ctx), "team.invitation_resent", member.id, { email: member.email });
  });
}

/** Changes a member's role (public user id), effective from their next request. */
export async function changeRole(ctx: Context, input: { id: string; role: MerchantRole }): Promise<void> {
  const { merchantId } = ctx.environment;
  const id = decodeId("user", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, merchantId);
    const member = id === null ? null : await findMember(tx, merchantId, id);
    if (member === null) throw resourceNotFound("team member", input.id);
    if (member.role === input.role) return;
    if (!(await updateMemberRole(tx, merchantId, member.id, input.role))) throw lastOwner();
    const lost = APPROVAL_ACTIONS.filter(
      (action) => !(ROLE_PERMISSIONS[input.role] as readonly string[]).includes(APPROVAL_PERMISSIONS[action]),
    );
    await endRequestsOf(tx, merchantId, { userId: member.id, actions: lost });
    const detail = { email: member.email, changes: { role: [member.role, input.role] } };
    await recordAccountAct(tx, accountActor(ctx), "team.role_changed", member.id, detail);
  });
}

/**
 * Removes a member (public user id) and their sessions. Their acts stay in the history under their address.
 */
export async function removeMember(ctx: Context, input: { id: string }): Promise<void> {
  const { merchantId } = ctx.environment;
  const id = decodeId("user", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, merchantId);
    // A concurrent sign-in has either opened its session already, or finds no user.
    if (id !== null) await lockMember(tx, merchantId, id);
    const member = id === null ? null : await findMember(tx, merchantId, id);
    if (member === null) throw resourceNotFound("team member", input.id);
    if (member.id === ctx.actor.id) {
      throw new AppError("invalid_state", "You cannot remove yourself. Ask another owner to do it.");
    }
    if (!(await deleteMember(tx, merchantId, member.id, ctx.actor.id as string))) throw lastOwner();
    await endRequestsOf(tx, merchantId, { userId: member.id, actions: APPROVAL_ACTIONS });
    const { email, name, role } = member;
    await recordAccountAct(tx, accountActor(ctx), "team.member_removed", member.id, { email, name, role });
  });
}

/** A member's requests in either mode end once they may not act anymore. */
async function endRequestsOf(
  tx: Orm,
  merchantId: string,
  ended: { userId: string; actions: readonly ApprovalAction[] },
): Promise<void> {
  const found = await Promise.all(MODES.map((mode) => findEnvironmentId(tx, merchantId, mode)));
  await withdrawRequestsOf(
    tx,
    found.filter((id) => id !== null),
    ended,
  );
}

const lastOwner = () =>
  new AppError(
    "invalid_state",
    "This is the last owner who can sign in. Make another member an owner first: without one the account could no longer be managed.",
  );
