import { and, eq, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { auditLog, events, type NewEvent } from "../schema/events";
import type { ActorRecord } from "../schema/operations";

/** An event with the number after its object's last one. */
function numbered(environmentId: string, event: NewEvent) {
  const { environment_id, object_id, sequence } = events;
  return {
    environment_id: environmentId,
    ...event,
    data: sql`${event.data}::text::json`,
    sequence: sql`(select coalesce(max(${sequence}), 0) + 1 from ${events}
      where ${environment_id} = ${environmentId} and ${object_id} = ${event.object_id})`,
  };
}

/**
 * Adds an event with the object's current state. Call it in the transaction that changed the object and holds
 * its row, so that no other transaction takes the same number.
 */
export async function insertEvent(orm: Orm, environmentId: string, event: NewEvent): Promise<void> {
  await orm.insert(events).values(numbered(environmentId, event));
}

/** The same for several objects, each with one event. */
export async function insertEvents(orm: Orm, environmentId: string, rows: NewEvent[]): Promise<void> {
  if (rows.length > 0) await orm.insert(events).values(rows.map((event) => numbered(environmentId, event)));
}

/** True if an object has no event yet. Call it in the transaction that holds its row. */
export async function hasNoEvent(orm: Orm, environmentId: string, objectId: string): Promise<boolean> {
  const rows = await orm
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.environment_id, environmentId), eq(events.object_id, objectId)))
    .limit(1);
  return rows.length === 0;
}

/** Records the actor of a change. Call it in the transaction that made the change. */
export async function insertAudit(
  orm: Orm,
  environmentId: string,
  entry: {
    id: string;
    actor: ActorRecord;
    action: string;
    object_id: string;
    request_id: string | null;
    /** The stated reason, or the change. */
    detail?: Record<string, unknown> | null;
    created_at: string;
  },
): Promise<void> {
  await orm.insert(auditLog).values({ environment_id: environmentId, ...entry });
}
