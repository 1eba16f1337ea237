import {
  countEvents,
  currentSnapshot,
  eventsBehind,
  findEvent,
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
import { idRange, type ListAnswer, listAnswer, unknownCursor } from "../lists";
import { presentEvent } from "./event";

export const EVENTS_KEPT_DAYS = 90;
/** First id that is still shown. What is older stays for the reconciliation, which holds it against the ledger. */
export const oldestEventId = ({ clock }: Pick<Service, "clock">): string =>
  firstIdAt(new Date(clock.now().getTime() - EVENTS_KEPT_DAYS * 86_400_000));

/** One event of the last 90 days. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getEvent(ctx: Context, input: { id: string }): Promise<Event> {
  const row = await findRow(ctx, input.id);
  if (!row) throw resourceNotFound("event", input.id);
  return presentEvent(row, ctx.environment.mode);
}

/** `req_…` of the request that made an event true, while the log has it; null for what happened by itself. */
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

/** Longest page, both as PostgreSQL compresses it, which is checked before it is read, and as JSON. */
const MAX_PAGE_BYTES = 2_000_000;

/**
 * Events of the last 90 days, newest first. Throws `invalid_parameter` when `starting_after` is none of ours, and when the page
 * would be too long, which takes payments with much metadata or many refunds.
 */
export async function listEvents(ctx: Context, query: ListEventsQuery): Promise<ListAnswer<Event>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const { limit = 20, offset = 0 } = query;
  const after = query.starting_after === undefined ? null : await findRow(ctx, query.starting_after);
  if (query.starting_after !== undefined && !after) throw unknownCursor("event", query.starting_after);
  const objectId = query.object_id === undefined ? undefined : decodeAnyId(query.object_id);
  // Nothing has an id that is none.
  if (objectId === null) return listAnswer([], { hasMore: false, total: 0 }, limit, offset);
  // One object's events go by their numbers, which say nothing of another's.
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
  return listAnswer(data, { hasMore: rows.length > limit, total }, limit, offset);
}

const tooLong = (limit: number) =>
  new AppError(
    "invalid_parameter",
    `These ${limit} events contain payments with so much metadata or so many refunds that the page would be too long. Request fewer at once.`,
    { param: "limit", readBytes: MAX_PAGE_BYTES },
  );

/** How often the stream looks for new events, how many it takes at once, as one may be half a megabyte, and how soon the next. */
const LOOK_MS = 500;
const AT_ONCE = 5;
const NEXT_MS = 50;
/** Keeps proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000;

/** Before the snapshot at which a stream began: with this id its reader comes back who has had no event yet. */
const START_PREFIX = "start_";
const PURPOSE = "event-stream-start";

/**
 * Signed, for one environment: all events that a snapshot sees are read to be passed over, and of one that somebody made up those
 * would be all that there are.
 */
function startIdOf({ environment, service }: Context, snapshot: string): string {
  return `${START_PREFIX}${snapshot}.${service.secret.mac(PURPOSE, `${environment.id} ${snapshot}`)}`;
}

/** The snapshot in a start id; null for any that is not ours. */
function snapshotIn({ environment, service }: Context, startId: string): string | null {
  const [snapshot = "", mac = "", ...rest] = startId.slice(START_PREFIX.length).split(".");
  const isOurs = rest.length === 0 && service.secret.isMac(PURPOSE, `${environment.id} ${snapshot}`, mac);
  return isOurs ? snapshot : null;
}

type Followed = {
  /** Where it begins: as `lastEventId` it leads back there. */
  readonly startId: string;
  /** Events; null now and then, as a sign of life. Ends with `signal`. */
  events(signal: AbortSignal): AsyncGenerator<Event | null, void>;
};

/**
 * Events as they are committed, from now on or from behind `lastEventId`, which is an event's or an earlier `startId`. Throws
 * `invalid_parameter` for an unknown one.
 */
export async function followEvents(ctx: Context, lastEventId: string | null): Promise<Followed> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const startId = lastEventId ?? startIdOf(ctx, await currentSnapshot(sql));
  const first = await positionBehind(ctx, startId);
  async function* events(signal: AbortSignal) {
    let position: StreamPosition = first;
    let aliveAtMs = ctx.service.timer.elapsedMs();
    while (!signal.aborted) {
      const rows = await eventsBehind(sql, ctx.environment.id, position, oldestEventId(ctx.service), AT_ONCE);
      for (const row of rows) {
        if (signal.aborted) return;
        yield presentEvent(row, ctx.environment.mode);
        position = { ...position, xid: row.xid, id: row.id };
      }
      if (ctx.service.timer.elapsedMs() - aliveAtMs >= HEARTBEAT_MS) {
        aliveAtMs = ctx.service.timer.elapsedMs();
        yield null;
      }
      await ctx.service.timer.wait(rows.length < AT_ONCE ? LOOK_MS : NEXT_MS);
    }
  }
  return { startId, events };
}

async function positionBehind(ctx: Context, lastEventId: string): Promise<StreamPosition> {
  const id = decodeId("event", lastEventId);
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const snapshot = lastEventId.startsWith(START_PREFIX) ? snapshotIn(ctx, lastEventId) : null;
  if (snapshot !== null) return positionAt(snapshot);
  const position = id && (await positionOf(sql, ctx.environment.id, id, oldestEventId(ctx.service)));
  if (position) return position;
  const message = `Last-Event-ID must be the id of an event of this environment's last ${EVENTS_KEPT_DAYS} days.`;
  throw new AppError("invalid_parameter", message, { param: "Last-Event-ID" });
}
