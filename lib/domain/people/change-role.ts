import { findMember, lockTeam, updateMemberRole } from "@/db/queries/team";
import { decodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { lastOwner } from "./last-owner";
import { accountActor, recordAccountAct } from "./record-account-act";

/** Gives a member of the team (public user id) another role; it counts from their next request on. */
export async function changeRole(ctx: Context, input: { id: string; role: MerchantRole }): Promise<void> {
  const { merchantId } = ctx.environment;
  const id = decodeId("user", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, merchantId);
    const member = id === null ? null : await findMember(tx, merchantId, id);
    if (member === null) throw resourceNotFound("team member", input.id);
    if (member.role === input.role) return;
    if (!(await updateMemberRole(tx, merchantId, member.id, input.role))) throw lastOwner();
    const detail = { email: member.email, changes: { role: [member.role, input.role] } };
    await recordAccountAct(tx, accountActor(ctx), "team.role_changed", member.id, detail);
  });
}
