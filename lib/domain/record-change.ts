import type { Orm } from "@/db/client";
import { insertAudit, insertEvent } from "@/db/queries/changes";
import { idTime, newId } from "@/lib/ids";
import type { Context } from "./context";

export type ChangeType =
  | "plan.created"
  | "plan.updated"
  | "plan.activated"
  | "plan.deactivated"
  | "client_session.created"
  | "client_session.cancelled";

/** Tells the outbox and the audit log of a change, in its own transaction. `payload` is the object as the API shows it. */
export async function recordChange(
  ctx: Context,
  tx: Orm,
  type: ChangeType,
  objectId: string,
  payload: object,
): Promise<void> {
  const id = newId();
  const created_at = idTime(id);
  await insertEvent(tx, ctx.environment.id, { id, type, object_id: objectId, payload, created_at });
  await insertAudit(tx, ctx.environment.id, {
    id,
    actor: ctx.actor,
    action: type,
    object_id: objectId,
    request_id: ctx.request.id,
    created_at,
  });
}
