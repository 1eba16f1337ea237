import {
  type ClaimedRun,
  type ConnectionToCompare,
  countRecentRequests,
  deleteOldRuns,
  endRun,
  findConnectionToCompare,
  findOwnConnection,
  listConnectionsToCompare,
  listEnvironmentsOfConnection,
  listLastRuns,
  releaseRun,
  requestRun,
  startRun,
  takeRequestedRun,
} from "@/db/queries/processors/reconciliation";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { abortAfter } from "@/lib/clock";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { ConnectionStatus } from "@/lib/contract/processors/connection";
import type { Findings } from "@/lib/contract/processors/reconciliation";
import { newId } from "@/lib/ids";
import { type FiledStatement, type StatementFile, UnreadableStatementError } from "@/lib/processor/records";
import { type Context, resourceNotFound, type Service } from "../context";
import { type Comparison, compareWithProcessor } from "./compare";

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
/** Operations of the day before have ended everywhere by then. */
const NIGHT_HOUR_UTC = 3;
/** Days that a nightly run covers; late failures of older payments were found on earlier nights. */
const NIGHT_DAYS = 3;
/** Younger entries are in progress anyway. */
const MIN_AGE_MS = 5 * MINUTE_MS;
/** Max duration, so that a slow processor can't delay others for longer. Half of a dead process's lease. */
const MAX_DURATION_MS = 60 * MINUTE_MS;
/** Limits per connection: each request reads the processor's list and stores its findings. */
const MAX_REQUESTS = { hour: 20, day: 100 } as const;
/** Each may hold thousands of payments in memory. */
const MAX_CONCURRENT = 3;

type ComparisonInput = {
  readonly connectionId: string;
  readonly since: Date;
  readonly until?: Date;
  /** Files of the processor's payments report, if its API has no list. */
  readonly files?: readonly StatementFile[];
};
/** Result of a comparison, with the id it is stored under. */
type ComparisonResult = {
  readonly id: string;
  readonly label: string;
  readonly since: Date;
  readonly until: Date;
} & Findings;

/**
 * Compares a connection's payments and refunds with the processor's list, or with
 * files of its report, and stores the result. Throws AppError for an unknown
 * connection (`con_…`) or unreadable files, and rethrows the processor's errors.
 */
export async function reconcile(service: Service, input: ComparisonInput): Promise<ComparisonResult> {
  const id = decodeId("connection", input.connectionId);
  const connection = id && (await findConnectionToCompare(service.db.sql, id));
  if (!connection)
    throw new AppError(
      "resource_not_found",
      `There is no connection '${input.connectionId}'. Its id is in its settings.`,
    );
  const latest = new Date(service.clock.now().getTime() - MIN_AGE_MS);
  const until = input.until && input.until < latest ? input.until : latest;
  if (input.since >= until)
    throw new AppError("invalid_parameter", "Begin earlier: what is younger than five minutes is not compared.");
  const filed = input.files?.length ? await readFiles(service, connection, input.files) : null;
  requireOverlap(filed, { since: input.since, until });
  const made = await run(service, connection, { since: input.since, until, night: null, filed });
  if (made === null) throw new Error("a comparison that is not a night's waits for no other");
  return made;
}

/**
 * Requests a comparison of the last `days` days, made by a job; replaces one that is still queued. Throws
 * AppError if the connection is unknown, its processor has no list, or the limit is reached.
 */
export async function requestComparison(
  ctx: Context,
  { id: connectionId, days }: { id: string; days: number },
): Promise<{ id: string }> {
  const { service, environment } = ctx;
  const { sql } = service.db.within(environment.id);
  const id = decodeId("connection", connectionId);
  const connection = id && (await findOwnConnection(sql, environment.id, id));
  if (!connection) throw resourceNotFound("connection", connectionId);
  if (!isComparable(service, connection))
    throw new AppError(
      "invalid_state",
      `${labelOf(service, connection)} cannot be compared from here: ${connection.status === "CONNECTED" ? "it has no list of payments to ask for" : "it is disconnected"}.`,
    );
  const recent = await countRecentRequests(sql, id);
  for (const period of ["hour", "day"] as const)
    if (recent[period] >= MAX_REQUESTS[period])
      throw new AppError(
        "rate_limited",
        `${labelOf(service, connection)} was compared ${MAX_REQUESTS[period]} times within the last ${period}. Try again in ${period === "hour" ? "an hour" : "a day"}.`,
      );
  const now = service.clock.now().getTime();
  const run = {
    id: newId(),
    environment_id: environment.id,
    connection_id: id,
    since: new Date(now - days * DAY_MS).toISOString(),
    until: new Date(now - MIN_AGE_MS).toISOString(),
  };
  return { id: encodeId("reconciliation", await requestRun(sql, run)) };
}

/** True if its processor can list payments now. */
export const isComparable = (
  { connectors }: Pick<Service, "connectors">,
  connection: ConnectionToCompare & { status: ConnectionStatus },
): boolean => connection.status === "CONNECTED" && !reportOf(connectors, connection);

/** Makes one requested comparison; returns the number made. If stopped, another process makes it. */
export async function compareRequested(service: Service, stopping?: AbortSignal): Promise<number> {
  const { sql } = service.db;
  const taken = await takeRequestedRun(sql);
  if (!taken) return 0;
  const connection = await findConnectionToCompare(sql, taken.connection_id);
  if (!connection) throw new Error(`connection ${taken.connection_id} no longer exists`);
  try {
    await finish(service, connection, taken, { signal: stopping });
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    service.log.error(
      { err: error, connection: encodeId("connection", connection.id) },
      "a connection could not be compared with its processor",
    );
  }
  return 1;
}

/** Null if nothing is connected, which the comparison itself reports. */
async function readFiles(
  service: Service,
  connection: ConnectionToCompare,
  files: readonly StatementFile[],
): Promise<FiledStatement | null> {
  const reporter = await service.processors.reporter(connection.id);
  if (!reporter) return null;
  const { readStatement } = reporter.processor;
  if (!readStatement)
    throw new AppError(
      "invalid_parameter",
      `${labelOf(service, connection)} is asked for its own list of payments: leave the report out.`,
    );
  try {
    return readStatement(files);
  } catch (error) {
    if (error instanceof UnreadableStatementError) throw new AppError("invalid_parameter", error.message);
    throw error;
  }
}

function requireOverlap(filed: FiledStatement | null, { since, until }: { since: Date; until: Date }): void {
  if (filed && (filed.until <= since || filed.from >= until))
    throw new AppError(
      "invalid_parameter",
      `The report is about the time from ${filed.from.toISOString()} to ${filed.until.toISOString()}, and the comparison about another.`,
    );
}

/**
 * Makes last night's remaining comparisons, a few concurrently. A failed or slow one does not block the
 * others.
 */
export async function reconcileNightly(service: Service, stopping?: AbortSignal): Promise<number> {
  const until = lastNight(service.clock.now());
  const night = {
    since: new Date(until.getTime() - NIGHT_DAYS * DAY_MS),
    until,
    night: until.toISOString().slice(0, 10),
  };
  const connections = (await listConnectionsToCompare(service.db.sql)).values();
  let made = 0;
  const work = async () => {
    for (const connection of connections) {
      if (stopping?.aborted) break;
      try {
        if (await isComparedByFiles(service, connection)) continue;
        if (await run(service, connection, night, stopping)) made += 1;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        service.log.error(
          { err: error, connection: encodeId("connection", connection.id) },
          "a connection could not be compared with its processor and will be retried",
        );
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT }, work));
  for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
  return made + (await deleteOldRuns(service.db.sql, 1_000));
}

/** A nightly run without a list must not hide the findings of a person's run with report files. */
async function isComparedByFiles({ connectors, db }: Service, connection: ConnectionToCompare): Promise<boolean> {
  if (!reportOf(connectors, connection)) return false;
  const [last] = await listLastRuns(db.sql, [connection.id]);
  return last !== undefined && last.payments + last.refunds + last.difference_count > 0;
}

const reportOf = (connectors: Service["connectors"], { processor }: ConnectionToCompare) =>
  connectors.find(({ key }) => key === processor)?.report;

/** The last midnight (UTC) that is at least three hours ago. */
export function lastNight(now: Date): Date {
  const at = new Date(now.getTime() - NIGHT_HOUR_UTC * 60 * MINUTE_MS);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));
}

type Range = {
  readonly since: Date;
  readonly until: Date;
  readonly night: string | null;
  readonly filed?: FiledStatement | null;
};

/** Null if another process makes or has made it. */
async function run(
  service: Service,
  connection: ConnectionToCompare,
  { since, until: wantedUntil, night, filed = null }: Range,
  signal?: AbortSignal,
): Promise<ComparisonResult | null> {
  const { sql } = service.db;
  // The comparison ends where the report ends.
  const until = filed && filed.until < wantedUntil ? filed.until : wantedUntil;
  const started = await startRun(sql, {
    id: newId(),
    environment_id: connection.environment_id,
    connection_id: connection.id,
    night,
    since: since.toISOString(),
    until: until.toISOString(),
  });
  if (started === null) return null;
  const { label, findings } = await finish(
    service,
    connection,
    { ...started, since, until: wantedUntil },
    { filed, signal },
  );
  return { ...findings, id: encodeId("reconciliation", started.id), label, since, until };
}

/** Makes a started comparison, and stores its findings or the reason why there are none. */
async function finish(
  service: Service,
  connection: ConnectionToCompare,
  { since, until, ...started }: ClaimedRun & { since: Date; until: Date },
  { filed = null, signal: stopping }: { filed?: FiledStatement | null; signal?: AbortSignal | undefined },
): Promise<{ label: string; findings: Findings }> {
  const { sql } = service.db;
  const label = labelOf(service, connection);
  const { signal, release } = abortAfter(MAX_DURATION_MS, stopping);
  try {
    const findings = await findingsOf(service, connection, { label, since, until, signal, filed });
    await endRun(sql, started, findings);
    return { label, findings };
  } catch (error) {
    const isDone = isDatabaseUnavailable(error) || (stopping?.aborted && (await releaseRun(sql, started)));
    if (!isDone) await endRun(sql, started, { failure: sentenceOf(error, label) });
    throw error;
  } finally {
    release();
  }
}

async function findingsOf(
  service: Service,
  connection: ConnectionToCompare,
  range: Pick<Comparison, "label" | "since" | "until" | "signal" | "filed">,
): Promise<Findings> {
  const reporter = await service.processors.reporter(connection.id);
  if (!reporter) throw new NotConnectedError(range.label);
  const environmentIds =
    connection.environment_id === null
      ? await listEnvironmentsOfConnection(service.db.sql, connection.id)
      : [connection.environment_id];
  const { processor } = reporter;
  return compareWithProcessor(service, { ...range, connectionId: connection.id, processor, environmentIds });
}

const differencesText = (count: number) => (count === 1 ? "1 difference" : `${count} differences`);

class NotConnectedError extends Error {
  constructor(label: string) {
    super(`${label} is not connected anymore: connect the same account again to compare with it.`);
  }
}

/** The fault as a sentence for people; the processor's own message is in the log. */
function sentenceOf(error: unknown, label: string): string {
  if (error instanceof NotConnectedError) return error.message;
  if (error instanceof DOMException && error.name === "AbortError") return "The service was stopped in the meantime.";
  if (error instanceof DOMException && error.name === "TimeoutError")
    return "It took longer than an hour and was stopped. Compare a shorter period.";
  return `${label} did not give its list of payments. Check the connection, then compare again.`;
}

/** "Stripe (Main account)". */
export function labelOf(
  { connectors }: Pick<Service, "connectors">,
  { processor, label }: ConnectionToCompare,
): string {
  const name = connectors.find(({ key }) => key === processor)?.label ?? processor;
  return label === name ? name : `${name} (${label})`;
}

/**
 * Gaps in the proof of our own books, as sentences: connections not compared with their processor or found to
 * differ.
 */
export async function listUnchecked(service: Service): Promise<string[]> {
  const connections = await listConnectionsToCompare(service.db.sql);
  const runs = new Map(
    (
      await listLastRuns(
        service.db.sql,
        connections.map(({ id }) => id),
      )
    ).map((last) => [last.connection_id, last]),
  );
  return connections.flatMap((connection) => {
    const id = encodeId("connection", connection.id);
    const name = `${labelOf(service, connection)}, ${id}`;
    const last = runs.get(connection.id);
    const how = `npm run reconcile -- --connection ${id} --since DATE${reportOf(service.connectors, connection) ? " --report FILE.csv" : ""}`;
    if (!last) return [`${name}: never compared with the processor's own books. Run ${how}.`];
    if (last.state === "failed") return [`${name}: the last comparison failed. ${last.failure}`];
    return [
      ...(last.old && last.until
        ? [`${name}: last compared up to ${last.until}, more than a day ago. Run ${how}.`]
        : []),
      ...(last.difference_count > 0
        ? [`${name}: ${differencesText(last.difference_count)} found. Details are in its settings.`]
        : []),
      ...last.unchecked.map((sentence) => `${name}: ${sentence}`),
    ];
  });
}
