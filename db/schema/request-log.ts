import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { KEPT_BODIES } from "@/lib/contract/request-log/requests";
import { environmentId, instant, oneOf } from "../columns";
import type { ActorRecord } from "./operations";

const keptBody = oneOf("kept_body", KEPT_BODIES);

/**
 * Requests to /v1, for merchants and support. Partitioned by day of the id's time (in the migration), so that
 * a day is dropped as a whole after 30 days. The default partition takes what no day's partition does.
 */
export const requestLog = pgTable(
  "request_log",
  {
    environment_id: environmentId(),
    /** The request's id; its embedded time selects the partition. */
    id: uuid("id").notNull(),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    /** Endpoint name. */
    endpoint: text("operation").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    query: text("query"),
    status: smallint("status").notNull(),
    /** Set on refusals, as are the next two. */
    code: text("code"),
    detail: text("detail"),
    param: text("param"),
    duration_ms: integer("duration_ms").notNull(),
    idempotency_key: text("idempotency_key"),
    replayed: boolean("replayed").notNull().default(false),
    /** JSON limited to fields of the endpoint's schema, without secrets. */
    request_body: text("request_body"),
    /** Bytes of the body that were kept; null without a body. */
    request_kept: keptBody("request_kept"),
    response_body: text("response_body"),
    response_kept: keptBody("response_kept"),
    address: text("address"),
    user_agent: text("user_agent"),
    /** The object concerned: the id in the path, or of the object created. */
    object_id: text("object_id"),
    /** Number of the environment's preceding requests that were dropped by the log's rate limit. */
    left_out: integer("left_out").notNull().default(0),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the list, newest first, and the look-up by id. */
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves errors and their groups by an index-only scan. */
    index("request_log_errors").on(table.environment_id, table.id, table.code).where(sql`code is not null`),
    /** Serves the requests about a payment or another object. */
    index("request_log_object").on(table.environment_id, table.object_id, table.id).where(sql`object_id is not null`),
    /** Serves the look-up of an idempotency key. */
    index("request_log_key")
      .on(table.environment_id, table.idempotency_key, table.id)
      .where(sql`idempotency_key is not null`),
    /** Serves the requests of one API key or user. */
    index("request_log_actor").on(table.environment_id, sql`(actor ->> 'id')`, table.id),
    /** Serves the count of dropped requests. Nearly empty. */
    index("request_log_left_out").on(table.environment_id, table.id, table.left_out).where(sql`left_out > 0`),
  ],
);
export type RequestLogRow = typeof requestLog.$inferSelect;
