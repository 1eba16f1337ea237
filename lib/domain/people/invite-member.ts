import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { insertMember, lockTeam } from "@/db/queries/team";
import { lockAddress } from "@/db/queries/user-changes";
import { findUser } from "@/db/queries/users";
import { hashPassword } from "@/lib/auth/password";
import { isPlainEmail } from "@/lib/contract/accounts/fields";
import { type MerchantRole, ROLE_LABELS } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import type { Context } from "../context";
import { limitInvitations } from "./limit-invitations";
import { accountActor, recordAccountAct } from "./record-account-act";
import { refuseField } from "./refuse-field";
import { LINK_HOURS, sendLink } from "./send-link";

export type InviteMemberInput = { email: string; name: string | null; role: MerchantRole };

/**
 * Adds a person to the team and mails them a link to choose a password with. Answers the new person's id (UUID). Who else has
 * the address elsewhere makes no difference: the link proves whose it is.
 */
export async function inviteMember(ctx: Context, input: InviteMemberInput): Promise<string> {
  // Nobody knows it: until the link is used no password fits.
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

export async function mailInvitation(
  tx: Orm,
  ctx: Context,
  member: { id: string; email: string; role: MerchantRole },
): Promise<void> {
  const inviter = ctx.actor.id === null ? null : (await findUser(tx, ctx.actor.id))?.email;
  await sendLink(tx, ctx.service, {
    userId: member.id,
    email: member.email,
    purpose: "invite",
    subject: "You are invited to a team on Cardlane",
    before: [
      // Neither names nor anything else that the team could fill with words of its own: a proved address alone.
      `${inviter && isPlainEmail(inviter) ? inviter : "An owner"} invited you to their team on Cardlane, as ${ROLE_LABELS[member.role].toLowerCase()}.`,
      "Choose a password to join:",
    ],
    after: [
      `The link works once, for ${LINK_HOURS.invite / 24} days. If you do not know this address, ignore this mail.`,
    ],
  });
}
