import { revokeSessions } from "@/db/queries/session-list";
import type { Context } from "../context";
import { accountActor, recordAccountAct } from "./record-account-act";

/** Ends all of the person's sessions but `sessionId` (UUID). Answers how many. */
export function endOtherSessions(ctx: Context, input: { sessionId: string }): Promise<number> {
  const userId = ctx.actor.id as string;
  return ctx.service.db.orm.transaction(async (tx) => {
    const count = await revokeSessions(tx, userId, input.sessionId);
    if (count > 0) await recordAccountAct(tx, accountActor(ctx), "settings.sessions_ended", userId, { count });
    return count;
  });
}
