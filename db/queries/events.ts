import { and, desc, eq, getTableColumns, gte, lt, sql } from "drizzle-orm";
import type { EventType } from "@/lib/contract/events/event";
import type { Orm, Sql } from "../client";
import { type EventRow, events } from "../schema/events";
import { countUpTo } from "./statement-text";

export type EventFilter = {
  readonly type?: EventType | undefined;
  /** UUID of the object. */
  readonly objectId?: string | undefined;
  /** First id to include; an id carries the millisecond of `created_at`. */
  readonly fromId: string;
  /** First id past the range. */
  readonly beforeId?: string | undefined;
};

export type EventPage = { readonly limit: number; readonly offset: number; readonly after: EventRow | null };

const { xid: _, ...shown } = getTableColumns(events);

/** Returns only an event not older than `fromId`. */
export async function findEvent(orm: Orm, environmentId: string, id: string, fromId: string): Promise<EventRow | null> {
  const rows = await orm
    .select(shown)
    .from(events)
    .where(and(eq(events.environment_id, environmentId), eq(events.id, id), gte(events.id, fromId)));
  return rows[0] ?? null;
}

/** The request that caused an event, while the log has it; null without one. Index: primary keys. */
export async function findRequestOfEvent(client: Sql, environmentId: string, id: string): Promise<string | null> {
  const [row] = await client<{ id: string }[]>`
    select r.id from events e
    left join operations o on o.environment_id = e.environment_id and o.id = e.operation_id
    left join audit_log a on a.environment_id = e.environment_id and a.id = e.id
    join request_log r on r.environment_id = e.environment_id and r.id = coalesce(o.request_id, a.request_id)
    where e.environment_id = ${environmentId}::uuid and e.id = ${id}::uuid`;
  return row?.id ?? null;
}

const matching = (environmentId: string, { type, objectId, fromId, beforeId }: EventFilter) =>
  and(
    eq(events.environment_id, environmentId),
    type && eq(events.type, type),
    objectId === undefined ? undefined : eq(events.object_id, objectId),
    gte(events.id, fromId),
    beforeId === undefined ? undefined : lt(events.id, beforeId),
  );

/**
 * Ids of a page, newest first. One object's events are ordered by sequence, which has an index; ordered by
 * id, the planner may scan the environment's latest instead. Indexes: `events_object`, `events_type`, the
 * primary key.
 */
function pageOf(orm: Orm, environmentId: string, filter: EventFilter, { limit, offset, after }: EventPage) {
  const order = filter.objectId === undefined ? events.id : events.sequence;
  const afterKey = filter.objectId === undefined ? after?.id : after?.sequence;
  return orm
    .select({ id: events.id })
    .from(events)
    .where(and(matching(environmentId, filter), afterKey === undefined ? undefined : lt(order, afterKey)))
    .orderBy(desc(order))
    .limit(limit)
    .offset(offset)
    .as("page");
}

/** An event and the length of its `data`. */
type MeasuredRow = EventRow & { bytes: number };

/** The events of a page, newest first. */
export function listEvents(
  orm: Orm,
  environmentId: string,
  filter: EventFilter,
  page: EventPage,
): Promise<MeasuredRow[]> {
  const ids = pageOf(orm, environmentId, filter, page);
  return orm
    .select({ ...shown, bytes: sql<number>`octet_length(${events.data}::text)` })
    .from(ids)
    .innerJoin(events, and(eq(events.environment_id, environmentId), eq(events.id, ids.id)))
    .orderBy(desc(filter.objectId === undefined ? events.id : events.sequence));
}

/** Stored (compressed) size of a page's `data`. */
export async function storedBytes(
  orm: Orm,
  environmentId: string,
  filter: EventFilter,
  page: EventPage,
): Promise<number> {
  const ids = pageOf(orm, environmentId, filter, page);
  const rows = await orm
    .select({ bytes: sql<number>`coalesce(sum(pg_column_size(${events.data})), 0)::integer` })
    .from(ids)
    .innerJoin(events, and(eq(events.environment_id, environmentId), eq(events.id, ids.id)));
  return rows[0]?.bytes ?? 0;
}

/** Number of matches, counted no further than `cap` + 1. */
export async function countEvents(orm: Orm, environmentId: string, filter: EventFilter, cap: number): Promise<number> {
  return countUpTo(orm, events, matching(environmentId, filter), cap + 1);
}

/**
 * A position in the event stream, which is in the order of the writing transactions. In id order an event may
 * be committed after a later one, and a consumer following ids would miss it.
 */
export type StreamPosition = {
  readonly xid: string;
  readonly id: string;
  /** A snapshot whose events are skipped although they are past the position; null for none. */
  readonly seen: string | null;
};

/**
 * Everything committed so far, as a PostgreSQL snapshot: oldest running transaction, next one, those running
 * in between.
 */
export async function currentSnapshot(client: Sql): Promise<string> {
  const [row] = await client<[{ snapshot: string }]>`select pg_current_snapshot()::text as snapshot`;
  return row.snapshot;
}

/** The position after everything our snapshot sees. Events being written at that moment are past it. */
export const positionAt = (snapshot: string): StreamPosition => ({
  xid: snapshot.slice(0, snapshot.indexOf(":")),
  id: "00000000-0000-0000-0000-000000000000",
  seen: snapshot,
});

/** The position of an event; null if no event has that id, or it is older than `fromId`. */
export async function positionOf(
  client: Sql,
  environmentId: string,
  id: string,
  fromId: string,
): Promise<StreamPosition | null> {
  const [row] = await client<StreamPosition[]>`
    select xid::text as xid, id, null as seen from events
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid and id >= ${fromId}::uuid`;
  return row ?? null;
}

/**
 * Events past a position and not older than `fromId`, in order. Leaves out transactions that began after one
 * still running, because that one may add events before them.
 */
export function listEventsAfter(
  client: Sql,
  environmentId: string,
  position: StreamPosition,
  fromId: string,
  limit: number,
): Promise<(EventRow & { xid: string })[]> {
  return client<(EventRow & { xid: string })[]>`
    select environment_id, id, type, operation_id, object_id, sequence, data, created_at, xid::text as xid from events
    where environment_id = ${environmentId}::uuid and (xid, id) > (${position.xid}::text::xid8, ${position.id}::uuid)
      and id >= ${fromId}::uuid and xid < pg_snapshot_xmin(pg_current_snapshot())
      and (${position.seen}::text is null or not pg_visible_in_snapshot(xid, ${position.seen}::text::pg_snapshot))
    order by events.xid, id limit ${limit}::int`;
}
