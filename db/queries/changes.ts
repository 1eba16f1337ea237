import type { Orm } from "../client";
import { auditLog, events } from "../schema/events";
import type { ActorRecord } from "../schema/operations";

/** Something that happened to an object, with the object as it is now. Inside the transaction that made it happen. */
export async function insertEvent(
  orm: Orm,
  environmentId: string,
  event: { id: string; type: string; object_id: string; payload: object; created_at: string },
): Promise<void> {
  await orm.insert(events).values({ environment_id: environmentId, ...event });
}

/** Who did it. Inside the transaction that did it. */
export async function insertAudit(
  orm: Orm,
  environmentId: string,
  entry: {
    id: string;
    actor: ActorRecord;
    action: string;
    object_id: string;
    request_id: string | null;
    /** What was given as the reason, or what changed. */
    detail?: Record<string, unknown> | null;
    created_at: string;
  },
): Promise<void> {
  await orm.insert(auditLog).values({ environment_id: environmentId, ...entry });
}
