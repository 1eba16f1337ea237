import { insertEvents } from "@/db/queries/changes";
import { listEnvironmentsWithExpired, takeExpiredSessions } from "@/db/queries/checkout/expired-sessions";
import { readClockIn } from "@/db/queries/clock";
import type { ClientSessionRow } from "@/db/schema/checkout";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transactions/words";
import { BEFORE_ALL } from "@/lib/ids";
import { clockTime, type Service } from "../context";
import { newEvent } from "../events/event";
import { presentClientSession } from "./present-session";

/** Environments per query, and sessions per environment and round. */
const ENVIRONMENTS_PER_QUERY = 100;
const SESSIONS_PER_TURN = 50;

/**
 * Emits events for expired client sessions, a few per environment and round. Each session
 * is claimed in the transaction that writes its event, so any number of instances emit
 * one event. Sessions of links emit none. Returns the number of events.
 */
export async function emitExpiredSessions(service: Service, stopping?: AbortSignal): Promise<number> {
  let emitted = 0;
  for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
    const environments = await listEnvironmentsWithExpired(service.db.sql, { after, limit: ENVIRONMENTS_PER_QUERY });
    for (const environment of environments) {
      if (stopping?.aborted) return emitted;
      try {
        emitted += await emitExpiredSessionsIn(service, environment);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        service.log.error(
          { err: error, environment: environment.id },
          "events of expired client sessions could not be written",
        );
      }
    }
    after = environments.length < ENVIRONMENTS_PER_QUERY ? undefined : environments.at(-1)?.id;
  }
  return emitted;
}

/** Emits events for one environment's expired sessions, by its own time; call again until it returns 0. */
export function emitExpiredSessionsIn(
  { db, clock }: Service,
  { id, mode }: { id: string; mode: Mode },
): Promise<number> {
  return db.within(id).orm.transaction(async (tx) => {
    const expired = await takeExpiredSessions(tx, id, SESSIONS_PER_TURN);
    if (expired.length === 0) return 0;
    const at = clockTime(clock, await readClockIn(tx, id));
    const events = expired.map((row) => expiredEvent(row, mode, at));
    await insertEvents(tx, id, events);
    return expired.length;
  });
}

/** The session as of its expiry, whatever this process's clock shows. */
function expiredEvent(row: ClientSessionRow, mode: Mode, at: Date) {
  const object = presentClientSession(row, { mode, now: new Date(row.expires_at) });
  const about = { objectId: row.id, operationId: null };
  return newEvent("client_session.expired", about, { object, previous: { status: "OPEN" } }, at.toISOString());
}
