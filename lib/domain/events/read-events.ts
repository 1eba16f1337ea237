import {
  countEvents,
  currentSnapshot,
  findEvent,
  listEventsAfter,
  positionAt,
  positionOf,
  type StreamPosition,
  listEvents as selectEvents,
  findRequestOfEvent as selectRequest,
  storedBytes,
} from "@/db/queries/events";
import { AppError } from "@/lib/contract/errors";
import type { ListEventsQuery } from "@/lib/contract/events/endpoints";
import type { Event } from "@/lib/contract/events/event";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeAnyId, decodeId, encodeId } from "@/lib/contract/ids";
import { firstIdAt } from "@/lib/ids";
import { type Context, resourceNotFound, type Service } from "../context";
import { idRange, type ListResult, presentList, unknownCursor } from "../lists";
import { presentEvent } from "./event";

export const EVENTS_KEPT_DAYS = 90;
/**
 * The first id that is still shown. Older events are kept for reconciliation, which compares them with the
 * ledger.
 */
export const oldestEventId = ({ clock }: Pick<Service, "clock">): string =>
  firstIdAt(new Date(clock.now().getTime() - EVENTS_KEPT_DAYS * 86_400_000));

/**
 * One event of the last 90 days. Throws `resource_not_found` for unknown, malformed and foreign ids alike.
 */
export async function getEvent(ctx: Context, input: { id: string }): Promise<Event> {
  const row = await findRow(ctx, input.id);
  if (!row) throw resourceNotFound("event", input.id);
  return presentEvent(row, ctx.environment.mode);
}

/** The `req_…` of the request that caused an event, while the log has it; null if no request caused it. */
export async function findRequestOfEvent(ctx: Context, event: Pick<Event, "id">): Promise<string | null> {
  const id = decodeId("event", event.id);
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const found = id && (await selectRequest(sql, ctx.environment.id, id));
  return found && encodeId("request", found);
}

async function findRow(ctx: Context, publicId: string) {
  const id = decodeId("event", publicId);
  const { orm } = ctx.service.db.within(ctx.environment.id);
  return id === null ? null : findEvent(orm, ctx.environment.id, id, oldestEventId(ctx.service));
}

/**
 * Max size of a page: of the compressed rows in PostgreSQL, checked before they are read, and of the JSON.
 */
const MAX_PAGE_BYTES = 2_000_000;

/**
 * Events of the last 90 days, newest first. Throws `invalid_parameter` if `starting_after` is not an event of
 * this environment, or if the page would be too long, which happens with large metadata or many refunds.
 */
export async function listEvents(ctx: Context, query: ListEventsQuery): Promise<ListResult<Event>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const { limit = 20, offset = 0 } = query;
  const after = query.starting_after === undefined ? null : await findRow(ctx, query.starting_after);
  if (query.starting_after !== undefined && !after) throw unknownCursor("event", query.starting_after);
  const objectId = query.object_id === undefined ? undefined : decodeAnyId(query.object_id);
  // No object has a malformed id.
  if (objectId === null) return presentList([], { hasMore: false, total: 0 }, limit, offset);
  // An object's events are ordered by sequence number, which cannot be compared between objects.
  if (query.starting_after !== undefined && objectId !== undefined && after?.object_id !== objectId)
    throw unknownCursor("event of that object", query.starting_after);
  const { gte, lt } = idRange({ after: query.created_after, before: query.created_before });
  const oldest = oldestEventId(ctx.service);
  const filter = { type: query.type, objectId, fromId: gte && gte > oldest ? gte : oldest, beforeId: lt };
  const page = { limit: limit + 1, offset, after };
  if ((await storedBytes(orm, ctx.environment.id, filter, page)) > MAX_PAGE_BYTES) throw tooLong(limit);
  const [rows, total] = await Promise.all([
    selectEvents(orm, ctx.environment.id, filter, page),
    countEvents(orm, ctx.environment.id, filter, TOTAL_CAP),
  ]);
  const shown = rows.slice(0, limit);
  if (limit > 1 && shown.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PAGE_BYTES) throw tooLong(limit);
  const data = shown.map((row) => presentEvent(row, ctx.environment.mode));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

const tooLong = (limit: number) =>
  new AppError(
    "invalid_parameter",
    `These ${limit} events contain payments with so much metadata or so many refunds that the page would be too long. Request fewer at once.`,
    { param: "limit", readBytes: MAX_PAGE_BYTES },
  );

/**
 * The stream's poll interval; its batch, small because an event may have 500 kB; and the pause after a full
 * batch.
 */
const POLL_MS = 500;
const BATCH_SIZE = 5;
const NEXT_BATCH_MS = 50;
/** Keeps proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000;

/**
 * Prefix of a start id, which contains a stream's first snapshot: clients without an event yet reconnect with
 * it.
 */
const START_PREFIX = "start_";
const PURPOSE = "event-stream-start";

/**
 * Signed per environment, because every poll scans the events that the snapshot sees, to skip them: with a
 * forged snapshot, that could be all events.
 */
function createStartId({ environment, service }: Context, snapshot: string): string {
  return `${START_PREFIX}${snapshot}.${service.secret.mac(PURPOSE, `${environment.id} ${snapshot}`)}`;
}

/** The snapshot in a start id; null if its signature is not valid. */
function readSnapshot({ environment, service }: Context, startId: string): string | null {
  const [snapshot = "", mac = "", ...rest] = startId.slice(START_PREFIX.length).split(".");
  const isOurs = rest.length === 0 && service.secret.isMac(PURPOSE, `${environment.id} ${snapshot}`, mac);
  return isOurs ? snapshot : null;
}

type EventStream = {
  /** The id of the stream's start. Passed as `lastEventId`, it resumes there. */
  readonly startId: string;
  /** Events, and null as a heartbeat. Ends with `signal`. */
  events(signal: AbortSignal): AsyncGenerator<Event | null, void>;
};

/**
 * Streams events as they are committed, from now on or after `lastEventId`, which is an event's id or an
 * earlier `startId`. Throws `invalid_parameter` for an unknown one.
 */
export async function followEvents(ctx: Context, lastEventId: string | null): Promise<EventStream> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const startId = lastEventId ?? createStartId(ctx, await currentSnapshot(sql));
  const first = await findPosition(ctx, startId);
  async function* events(signal: AbortSignal) {
    let position: StreamPosition = first;
    let aliveAtMs = ctx.service.timer.elapsedMs();
    while (!signal.aborted) {
      const rows = await listEventsAfter(sql, ctx.environment.id, position, oldestEventId(ctx.service), BATCH_SIZE);
      for (const row of rows) {
        if (signal.aborted) return;
        yield presentEvent(row, ctx.environment.mode);
        position = { ...position, xid: row.xid, id: row.id };
      }
      if (ctx.service.timer.elapsedMs() - aliveAtMs >= HEARTBEAT_MS) {
        aliveAtMs = ctx.service.timer.elapsedMs();
        yield null;
      }
      await ctx.service.timer.wait(rows.length < BATCH_SIZE ? POLL_MS : NEXT_BATCH_MS);
    }
  }
  return { startId, events };
}

async function findPosition(ctx: Context, lastEventId: string): Promise<StreamPosition> {
  const id = decodeId("event", lastEventId);
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const snapshot = lastEventId.startsWith(START_PREFIX) ? readSnapshot(ctx, lastEventId) : null;
  if (snapshot !== null) return positionAt(snapshot);
  const position = id && (await positionOf(sql, ctx.environment.id, id, oldestEventId(ctx.service)));
  if (position) return position;
  const message = `Last-Event-ID must be the id of an event of this environment's last ${EVENTS_KEPT_DAYS} days.`;
  throw new AppError("invalid_parameter", message, { param: "Last-Event-ID" });
}
