import { sql } from "drizzle-orm";
import { index, integer, json, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { EventData, EventType } from "@/lib/contract/events/event";
import { environmentId, instant, xid8 } from "../columns";
import type { ActorRecord } from "./operations";

/**
 * The outbox: each event with its object as of then, written in the commit it reports. The columns and `data`
 * are the event as in the contract; lib/contract/events/event.ts defines `data` for each type.
 */
export const events = pgTable(
  "events",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    type: text("type").$type<EventType>().notNull(),
    /** The operation or settlement batch it reports; null for changes of plans and sessions. */
    operation_id: uuid("operation_id"),
    /** The object it is about: the one in `data`. */
    object_id: uuid("object_id").notNull(),
    /** Numbers the object's events 1, 2, 3 without gaps, in commit order. */
    sequence: integer("sequence").notNull(),
    data: json("data").$type<EventData<EventType>>().notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
    /**
     * The writing transaction; readers of the stream use it to know which earlier events may still appear.
     */
    xid: xid8("xid").notNull().default(sql`pg_current_xact_id()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the list of one type. */
    index("events_type").on(table.environment_id, table.type, table.id),
    /** Serves the stream, which must not miss late commits. */
    index("events_stream").on(table.environment_id, table.xid, table.id),
    /** Serves the object's history and the lookup of its last event; keeps sequence numbers unique. */
    uniqueIndex("events_object").on(table.environment_id, table.object_id, table.sequence),
  ],
);
export type EventRow = Omit<typeof events.$inferSelect, "xid">;

declare const held: unique symbol;
/**
 * Event data as JSON. Only `newEvent` creates it, and checks it against its type's schema at compile time.
 */
export type EventJson = string & { readonly [held]: true };

/** An event to be inserted. */
export type NewEvent = Pick<typeof events.$inferInsert, "id" | "type" | "object_id"> & {
  operation_id: string | null;
  data: EventJson;
  created_at: string;
};
export type NumberedEvent = NewEvent & { sequence: number };

/** Condition on rows of the audit log: acts on the account, and acts of its users on anything. */
export const OF_TEAM = `action like 'api_key.%' or action like 'settings.%' or action like 'team.%' or actor ->> 'type' = 'user'`;

/** Audit log: actor, action and time, written in the same commit as the action. */
export const auditLog = pgTable(
  "audit_log",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    action: text("action").notNull(),
    object_id: uuid("object_id").notNull(),
    request_id: uuid("request_id"),
    /** The stated reason, or the change. */
    detail: jsonb("detail").$type<Record<string, unknown>>(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves an object's history. */
    index("audit_log_object").on(table.environment_id, table.object_id),
    /** Serves the team's activity: a few rows among millions about payments by API keys and shoppers. */
    index("audit_log_account").on(table.environment_id, table.id).where(sql.raw(OF_TEAM)),
  ],
);
