import { sql } from "drizzle-orm";
import { check, date, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { type Difference, RECONCILIATION_STATES } from "@/lib/contract/processors/reconciliation";
import { instant, oneOf } from "../columns";

/** Comparisons of a connection's payments and refunds with the processor's own list, each with what it found. */
export const reconciliationRuns = pgTable(
  "reconciliation_runs",
  {
    /** Null for an account that the operator has configured for all merchants: support staff alone see it. */
    environment_id: uuid("environment_id"),
    id: uuid("id").primaryKey(),
    connection_id: uuid("connection_id").notNull(),
    /** The night that it is for: one process makes it; null when somebody asked for it. */
    night: date("night", { mode: "string" }),
    /** When it was requested in the dashboard; null for a night's and for one of the command. */
    requested_at: instant("requested_at"),
    state: oneOf("reconciliation_state", RECONCILIATION_STATES)("state").notNull(),
    since: instant("since").notNull(),
    until: instant("until").notNull(),
    payments: integer("payments").notNull().default(0),
    refunds: integer("refunds").notNull().default(0),
    /** Of ours, what was not compared because something is still happening to it. */
    under_way: integer("under_way").notNull().default(0),
    /** All that were found; `differences` has the first of them, or what stands of them in an old one that was requested. */
    difference_count: integer("difference_count").notNull().default(0),
    differences: jsonb("differences").$type<Difference[]>().notNull().default([]),
    /** When those of `differences` were made that no later comparison has looked at again. */
    standing_at: instant("standing_at").array().notNull().default([]),
    /** All of its differences that no later one has looked at again: those, and what `differences` does not have. */
    standing: integer("standing").notNull().default(0),
    /** How many stood at its end, of all of the connection's comparisons: pages read it from the one that ended last. */
    standing_in_all: integer("standing_in_all").notNull().default(0),
    /** What could not be checked, in sentences. */
    unchecked: jsonb("unchecked").$type<string[]>().notNull().default([]),
    /** Why it failed, in a sentence. */
    failure: text("failure"),
    started_at: instant("started_at").notNull(),
    finished_at: instant("finished_at"),
  },
  (table) => [
    /** Serves the list of a connection, newest first. */
    index("reconciliation_runs_connection").on(table.connection_id, table.id),
    /** Serve pages: the comparison that ended last, and up to when a connection was ever compared. */
    index("reconciliation_runs_ended").on(table.connection_id, table.finished_at).where(sql`state = 'done'`),
    index("reconciliation_runs_until").on(table.connection_id, table.until).where(sql`state = 'done'`),
    /** Serves the end of a comparison, which may look again at what others found, and counts what stands. */
    index("reconciliation_runs_standing").on(table.connection_id, table.standing).where(sql`standing > 0`),
    /** Serves the limits of requests. */
    index("reconciliation_runs_requests")
      .on(table.connection_id, table.requested_at)
      .where(sql`requested_at is not null`),
    /** One process makes a night's. */
    uniqueIndex("reconciliation_runs_night").on(table.connection_id, table.night).where(sql`night is not null`),
    /** One waits for each connection; serves the look for it, and for one whose process died. */
    uniqueIndex("reconciliation_runs_requested").on(table.connection_id).where(sql`state = 'requested'`),
    index("reconciliation_runs_taken").on(table.started_at).where(sql`state = 'running' and requested_at is not null`),
    /** Serves the removal of old ones. */
    index("reconciliation_runs_started").on(table.started_at),
    check(
      "reconciliation_runs_finished",
      sql`(${table.state} in ('requested', 'running')) = (${table.finished_at} is null)`,
    ),
  ],
);
export type ReconciliationRunRow = typeof reconciliationRuns.$inferSelect;
