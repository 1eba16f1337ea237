import { sql } from "drizzle-orm";
import { index, json, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { environmentId, instant } from "../columns";
import type { ActorRecord } from "./operations";

/** The outbox: what happened, with the object as it was then, written in the commit that made it happen. */
export const events = pgTable(
  "events",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    type: text("type").notNull(),
    /** The operation or settlement batch it tells of; null for changes of plans, sessions and keys. */
    operation_id: uuid("operation_id"),
    object_id: uuid("object_id").notNull(),
    payload: json("payload").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serve the object's history, and the check that every operation told its outcome. */
    index("events_object").on(table.environment_id, table.object_id),
    index("events_operation").on(table.environment_id, table.operation_id).where(sql`operation_id is not null`),
  ],
);

/** Who did what, and when; written in the commit that did it. */
export const auditLog = pgTable(
  "audit_log",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    action: text("action").notNull(),
    object_id: uuid("object_id").notNull(),
    request_id: uuid("request_id"),
    /** What was given as the reason, or what changed. */
    detail: jsonb("detail").$type<Record<string, unknown>>(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves an object's history. */
    index("audit_log_object").on(table.environment_id, table.object_id),
    /** Serves the account's own history: a few rows among millions about payments. */
    index("audit_log_account")
      .on(table.environment_id, table.id)
      .where(sql`action like 'api_key.%' or action like 'settings.%' or action like 'team.%'`),
  ],
);
