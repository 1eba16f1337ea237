import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { findMerchant } from "@/db/queries/business-profile";
import { insertMember, lockTeam } from "@/db/queries/team";
import { findUser } from "@/db/queries/users";
import { hashPassword } from "@/lib/auth/password";
import { type MerchantRole, ROLE_LABELS } from "@/lib/contract/roles";
import { newId } from "@/lib/ids";
import type { Context } from "../context";
import { emailTaken } from "./email-taken";
import { limitInvitations } from "./limit-invitations";
import { accountActor, recordAccountAct } from "./record-account-act";
import { LINK_HOURS, sendLink } from "./send-link";

export type InviteMemberInput = { email: string; name: string | null; role: MerchantRole };

/** Adds a person to the team and mails them a link to choose a password with. Answers the new person's id (UUID). */
export async function inviteMember(ctx: Context, input: InviteMemberInput): Promise<string> {
  // Nobody knows it: until the link is used no password fits.
  const password_hash = await hashPassword(randomBytes(32).toString("base64url"));
  const id = newId();
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, ctx.environment.merchantId);
    await limitInvitations(tx, ctx.environment.merchantId);
    if (!(await insertMember(tx, ctx.environment.merchantId, { id, ...input, password_hash }))) {
      throw emailTaken(input.email);
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
  const business = (await findMerchant(tx, ctx.environment.merchantId))?.name ?? "a business";
  const inviter = ctx.actor.id === null ? null : await findUser(tx, ctx.actor.id);
  await sendLink(tx, ctx.service, {
    userId: member.id,
    email: member.email,
    purpose: "invite",
    subject: `Join ${oneLine(business)} on Cardlane`,
    before: [
      `${oneLine(inviter?.name ?? inviter?.email ?? "An owner")} invited you to ${oneLine(business)} on Cardlane as ${ROLE_LABELS[member.role].toLowerCase()}.`,
      "Choose a password to join:",
    ],
    after: [
      `The link works once, for ${LINK_HOURS.invite / 24} days. If you do not know who this is, ignore this mail.`,
    ],
  });
}

/** A name that somebody chose, where a line break would make a header or a paragraph of its own. */
const oneLine = (text: string) => text.replace(/\s+/g, " ");
