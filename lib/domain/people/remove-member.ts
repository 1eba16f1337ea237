import { deleteMember, findMember, lockMember, lockTeam } from "@/db/queries/team";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { lastOwner } from "./last-owner";
import { accountActor, recordAccountAct } from "./record-account-act";

/** Removes a member of the team (public user id), sessions included. What they did stays in the history, under their address. */
export async function removeMember(ctx: Context, input: { id: string }): Promise<void> {
  const { merchantId } = ctx.environment;
  const id = decodeId("user", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockTeam(tx, merchantId);
    // A sign-in that is just accepted has opened its session by then, or finds nobody.
    if (id !== null) await lockMember(tx, merchantId, id);
    const member = id === null ? null : await findMember(tx, merchantId, id);
    if (member === null) throw resourceNotFound("team member", input.id);
    if (member.id === ctx.actor.id) {
      throw new AppError("invalid_state", "You cannot remove yourself. Ask another owner to do it.");
    }
    if (!(await deleteMember(tx, merchantId, member.id, ctx.actor.id as string))) throw lastOwner();
    const { email, name, role } = member;
    await recordAccountAct(tx, accountActor(ctx), "team.member_removed", member.id, { email, name, role });
  });
}
