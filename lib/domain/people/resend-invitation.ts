import { findMember, lockMember, lockTeam, voidInvitations } from "@/db/queries/team";
import { lockAddress } from "@/db/queries/user-changes";
import { countRecentTokens } from "@/db/queries/user-tokens";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { mailInvitation } from "./invite-member";
import { limitInvitations } from "./limit-invitations";
import { accountActor, recordAccountAct } from "./record-account-act";

const MAX_PER_HOUR = 5;

/** Mails the invitation again (public user id); the link of the earlier mail stops working. */
export async function resendInvitation(ctx: Context, input: { id: string }): Promise<void> {
  const id = decodeId("user", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, ctx.environment.merchantId);
    // Whoever accepts it meanwhile has joined first, or finds the new link.
    if (id !== null) await lockMember(tx, ctx.environment.merchantId, id);
    const member = id === null ? null : await findMember(tx, ctx.environment.merchantId, id);
    if (member === null) throw resourceNotFound("team member", input.id);
    if (!member.invited) throw new AppError("invalid_state", "This person has joined already.");
    if ((await countRecentTokens(tx, member.id, "invite")) >= MAX_PER_HOUR) {
      throw new AppError("rate_limited", "This invitation was sent often enough. Try again in an hour.");
    }
    await lockAddress(tx, member.email);
    await limitInvitations(tx, ctx.environment.merchantId, member.email);
    await voidInvitations(tx, member.id);
    await mailInvitation(tx, ctx, { ...member, role: member.role as MerchantRole });
    await recordAccountAct(tx, accountActor(ctx), "team.invitation_resent", member.id, { email: member.email });
  });
}
