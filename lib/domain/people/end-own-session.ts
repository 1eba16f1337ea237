import { revokeSessionOf } from "@/db/queries/session-list";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { accountActor, recordAccountAct } from "./record-account-act";

/** Ends one of the person's own sessions (public id). Somebody else's does not exist here. */
export async function endOwnSession(ctx: Context, input: { id: string }): Promise<void> {
  const userId = ctx.actor.id as string;
  const id = decodeId("session", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    if (id === null || !(await revokeSessionOf(tx, userId, id))) throw resourceNotFound("session", input.id);
    await recordAccountAct(tx, accountActor(ctx), "settings.sessions_ended", userId, { count: 1 });
  });
}
