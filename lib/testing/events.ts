import { isDeepStrictEqual } from "node:util";
import type { Database } from "@/db/client";
import type { EventRow } from "@/db/schema/events";
import { EVENTS, eventSchema } from "@/lib/contract/events/event";
import type { Mode } from "@/lib/contract/transactions/words";
import { presentEvent } from "@/lib/domain/events/event";

/** Enough for what a test file writes; one that fills tables by the ten thousand writes the same again and again. */
const MOST = 500;

/** Every event that was written, oldest first, as merchants would see it; without those that tests put in by hand, which are empty. */
export async function eventsAsTold(db: Database, environmentId: string | null = null) {
  const rows = await db.sql<(EventRow & { mode: Mode })[]>`
    select e.*, n.mode from events e join environments n on n.id = e.environment_id
    where e.data::text <> '{}' and (${environmentId}::uuid is null or e.environment_id = ${environmentId}::uuid)
    order by e.environment_id, e.object_id, e.sequence limit ${MOST}`;
  return rows.map((row) => ({ row, event: presentEvent(row, row.mode) }));
}

/** What is wrong with the events of a database, by the contract's catalogue: of a sound one nothing. */
export async function faultyEvents(db: Database): Promise<{ type: string; problem: string }[]> {
  return (await eventsAsTold(db)).flatMap(({ row, event }) => {
    if (!(event.type in EVENTS)) return [{ type: event.type, problem: "is not in the catalogue" }];
    const parsed = eventSchema(event.type).safeParse(event);
    if (!parsed.success) return [{ type: event.type, problem: parsed.error.message }];
    // A schema drops what it does not know, and nothing unknown may be told.
    if (!isDeepStrictEqual(parsed.data, event))
      return [{ type: event.type, problem: `tells more than its schema: ${JSON.stringify(event)}` }];
    if ((row.sequence === 1) !== (event.data.previous === null))
      return [{ type: event.type, problem: `is number ${row.sequence}, and previous is ${event.data.previous}` }];
    return [];
  });
}
