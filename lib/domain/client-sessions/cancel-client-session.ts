import { cancelOpenClientSession, findClientSession } from "@/db/queries/client-sessions";
import type { ClientSession } from "@/lib/contract/client-session";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { recordChange } from "../record-change";
import { resourceNotFound } from "../resource-not-found";
import { clientSessionStatus, presentClientSession } from "./present-client-session";

/** Closes a session that is open: it takes no more attempts. */
export function cancelClientSession(ctx: Context, input: { id: string }): Promise<ClientSession> {
  const id = decodeId("clientSession", input.id);
  return ctx.service.db.orm.transaction(async (tx) => {
    if (id === null) throw resourceNotFound("client session", input.id);
    const now = ctx.service.clock.now();
    const row = await cancelOpenClientSession(tx, ctx.environment.id, id, now.toISOString());
    if (row === null) {
      const existing = await findClientSession(tx, ctx.environment.id, id);
      if (existing === null) throw resourceNotFound("client session", input.id);
      const current_status = clientSessionStatus(existing, now);
      throw new AppError(
        "invalid_state",
        `The client session is ${current_status}; only an OPEN one can be cancelled.`,
        {
          extra: { current_status, allowed_actions: [] },
        },
      );
    }
    const session = presentClientSession(ctx, row);
    await recordChange(ctx, tx, "client_session.cancelled", id, session);
    return session;
  });
}
