import {
  noteMessage,
  saveReportsCursor,
  takeUnreadReports,
  type UnreadReports,
} from "@/db/queries/processors/connections";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { decodeId } from "@/lib/contract/ids";
import type { Reporter } from "@/lib/processor/registry";
import type { Service } from "../context";
import { tryReport } from "../payments/process-reports";

/** The reporter of a URL; null if it is not one of ours, or another processor's. */
export async function reporterAt(
  { processors }: Service,
  { processor, connection }: { processor: string; connection: string | null },
): Promise<Reporter | null> {
  const name = connection === null ? processor : decodeId("connection", connection);
  const found = name === null ? null : await processors.reporter(name);
  return found?.kind === processor && (found.connectionId === null) === (connection === null) ? found : null;
}

/** Shows the owner that messages arrive. */
export async function noteMessageOf({ db }: Service, { connectionId }: Reporter): Promise<void> {
  if (connectionId !== null) await noteMessage(db.sql, connectionId);
}

/** Lists read concurrently by a process; an unresponsive processor holds one slot until its timeout. */
const MAX_CONCURRENT = 8;
/** Max pages per list and run, so that a long backlog frees its slot. */
const MAX_PAGES = 10;
/** Age up to which an unprocessable report blocks later ones in its list. */
const MAX_BLOCKING_MS = 24 * 60 * 60 * 1_000;

/**
 * Reads the report lists of all connections for messages that never arrived: each about
 * once a minute, the least recently read first, several concurrently. A failed one is
 * retried in the next run and delays no other. Returns the number of reports processed.
 */
export async function catchUpReports(service: Service, stopping?: AbortSignal): Promise<number> {
  let processed = 0;
  const running = new Set<Promise<void>>();
  while (!stopping?.aborted) {
    const free = MAX_CONCURRENT - running.size;
    const due = free > 0 ? await takeUnreadReports(service.db.sql, free) : [];
    if (due.length === 0 && running.size === 0) break;
    for (const one of due) {
      const ended = catchUp(service, one, stopping)
        .then((count) => {
          processed += count;
        })
        .finally(() => running.delete(ended));
      running.add(ended);
    }
    if (due.length === 0 || running.size >= MAX_CONCURRENT) await Promise.race(running);
  }
  await Promise.all(running);
  return processed;
}

async function catchUp(service: Service, list: UnreadReports, stopping: AbortSignal | undefined): Promise<number> {
  let processed = 0;
  let at = list;
  try {
    const from = await service.processors.reporter(list.id);
    if (from?.processor.reports.kind !== "pushed") return 0;
    await forgetCards(service, from);
    const { catchUp: read } = from.processor.reports;
    if (!read) return 0;
    for (let page = 0; page < MAX_PAGES && !stopping?.aborted; page++) {
      const { reports, cursor, more } = await read(at.cursor);
      let taken = true;
      for (const report of reports) {
        if (await tryReport(service, from, report)) processed++;
        else taken = false;
      }
      if (!taken && !isTooOld(service, at)) {
        await saveReportsCursor(service.db.sql, at, at.cursor, true);
        return processed;
      }
      if (!taken)
        service.log.error({ connection: list.id }, "a report could not be processed for a day and is skipped");
      await saveReportsCursor(service.db.sql, at, cursor, false);
      at = { ...at, cursor, held_since: null };
      if (!more) return processed;
    }
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    service.log.warn({ err: error, connection: list.id }, "a processor's list of reports could not be read");
  }
  return processed;
}

/** Cards that could not be deleted are retried later, and block no reports. */
async function forgetCards({ log }: Service, { processor, connectionId }: Reporter): Promise<void> {
  try {
    await processor.forgetOldAttempts();
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    log.warn({ err: error, connection: connectionId }, "cards that a processor keeps could not be removed in time");
  }
}

const isTooOld = ({ clock }: Service, { held_since }: UnreadReports): boolean =>
  held_since !== null && clock.now().getTime() - Date.parse(held_since) > MAX_BLOCKING_MS;
