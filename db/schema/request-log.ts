import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { environmentId, instant } from "../columns";
import type { ActorRecord } from "./operations";

/** API requests that were refused or failed, for support and for the merchant's own search. No bodies. Kept for 30 days. */
export const requestErrors = pgTable(
  "request_errors",
  {
    environment_id: environmentId(),
    /** The request's id. */
    id: uuid("id").notNull(),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    operation: text("operation").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    status: smallint("status").notNull(),
    code: text("code").notNull(),
    detail: text("detail").notNull(),
    param: text("param"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serve a look-up by request id alone, and the clean-up. */
    index("request_errors_id").on(table.id),
    index("request_errors_age").on(table.created_at),
  ],
);
export type RequestErrorRow = typeof requestErrors.$inferSelect;
