import { cancelOpenClientSession, findClientSession, lockClientSession } from "@/db/queries/client-sessions";
import { findPayment } from "@/db/queries/payments";
import type { ClientSessionRow } from "@/db/schema/client-sessions";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { changedMembers, recordChange } from "../events/event";
import { continuePayment } from "../payments/continue-payment";
import { resourceNotFound } from "../resource-not-found";
import { clientSessionStatus, presentClientSession } from "./present-client-session";

/**
 * Closes a session that is open: it takes no more attempts. A 3-D Secure challenge that its shopper has not answered ends
 * as abandoned. A payment whose outcome is not known is left alone: 409 `outcome_pending`, and nothing is closed.
 */
export async function cancelClientSession(ctx: Context, input: { id: string }): Promise<ClientSession> {
  const id = decodeId("clientSession", input.id);
  if (id === null) throw resourceNotFound("client session", input.id);
  // A session whose challenge was abandoned for this was open until then, whatever the time or the number of attempts.
  const cancelled =
    (await cancel(ctx, id, { evenExpired: false })) ??
    ((await abandonChallenge(ctx, id)) ? await cancel(ctx, id, { evenExpired: true }) : null);
  if (cancelled) return cancelled;
  const row = await findClientSession(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("client session", input.id);
  throw refusal(ctx, row);
}

function cancel(ctx: Context, id: string, options: { evenExpired: boolean }): Promise<ClientSession | null> {
  return ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    const now = ctx.service.clock.now().toISOString();
    const open = await lockClientSession(tx, ctx.environment.id, id);
    if (open === null) return null;
    const row = await cancelOpenClientSession(tx, ctx.environment.id, id, now, options);
    if (row === null) return null;
    const session = presentClientSession(ctx, row);
    const previous = changedMembers(presentClientSession(ctx, open), session);
    const type = "client_session.cancelled";
    await recordChange(ctx, tx, { type, action: type, objectId: id, data: { object: session, previous } });
    return session;
  });
}

/** Ends the challenge that the session waits for. False: it waits for none. */
async function abandonChallenge({ service, environment }: Context, id: string): Promise<boolean> {
  const row = await findClientSession(service.db.within(environment.id).orm, environment.id, id);
  if (!row?.open_payment_id) return false;
  const snapshot = await findPayment(service.db.within(environment.id).sql, environment.id, row.open_payment_id);
  if (snapshot?.payment.status !== "REQUIRES_ACTION") return false;
  await continuePayment(service, environment, row.open_payment_id, "abandoned");
  return true;
}

function refusal(ctx: Context, row: ClientSessionRow): AppError {
  const current_status = clientSessionStatus(row, ctx.service.clock.now());
  if (row.open_payment_id !== null) {
    return new AppError(
      "outcome_pending",
      "A payment of this client session is under way. Ask again in a moment: it is then paid, or can be cancelled.",
    );
  }
  return new AppError("invalid_state", `The client session is ${current_status}; only an OPEN one can be cancelled.`, {
    extra: { current_status, allowed_actions: [] },
  });
}
