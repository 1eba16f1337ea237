import { sql } from "drizzle-orm";
import { check, date, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { type Difference, RECONCILIATION_STATES } from "@/lib/contract/processors/reconciliation";
import { instant, oneOf } from "../columns";

/** Comparisons of a connection's payments and refunds with the processor's own list, and their findings. */
export const reconciliationRuns = pgTable(
  "reconciliation_runs",
  {
    /** Null for an account the operator configured for all merchants, which only support staff see. */
    environment_id: uuid("environment_id"),
    id: uuid("id").primaryKey(),
    connection_id: uuid("connection_id").notNull(),
    /** The night of a scheduled run, which only one process makes; null for a requested run. */
    night: date("night", { mode: "string" }),
    /** When it was requested in the dashboard; null for scheduled and command-line runs. */
    requested_at: instant("requested_at"),
    state: oneOf("reconciliation_state", RECONCILIATION_STATES)("state").notNull(),
    since: instant("since").notNull(),
    until: instant("until").notNull(),
    payments: integer("payments").notNull().default(0),
    refunds: integer("refunds").notNull().default(0),
    /** Our payments and refunds left out of the comparison because they are still changing. */
    under_way: integer("under_way").notNull().default(0),
    /** Total found. `differences` holds the first of them, or in an old requested run those still open. */
    difference_count: integer("difference_count").notNull().default(0),
    differences: jsonb("differences").$type<Difference[]>().notNull().default([]),
    /** Creation times of the entries in `differences` that no later comparison has rechecked. */
    standing_at: instant("standing_at").array().notNull().default([]),
    /**
     * Number of its differences that no later comparison has rechecked, including those not in `differences`.
     */
    standing: integer("standing").notNull().default(0),
    /**
     * Open differences of all the connection's comparisons when this one ended; pages read it from the last
     * one.
     */
    standing_in_all: integer("standing_in_all").notNull().default(0),
    /** Sentences about what could not be checked. */
    unchecked: jsonb("unchecked").$type<string[]>().notNull().default([]),
    /** Reason for the failure, as a sentence. */
    failure: text("failure"),
    started_at: instant("started_at").notNull(),
    finished_at: instant("finished_at"),
  },
  (table) => [
    /** Serves the list of a connection, newest first. */
    index("reconciliation_runs_connection").on(table.connection_id, table.id),
    /** These serve pages: the last finished comparison, and the time up to which a connection is compared. */
    index("reconciliation_runs_ended").on(table.connection_id, table.finished_at).where(sql`state = 'done'`),
    index("reconciliation_runs_until").on(table.connection_id, table.until).where(sql`state = 'done'`),
    /** Serves the end of a comparison, which rechecks earlier findings and counts those still open. */
    index("reconciliation_runs_standing").on(table.connection_id, table.standing).where(sql`standing > 0`),
    /** Serves the limit on requests. */
    index("reconciliation_runs_requests")
      .on(table.connection_id, table.requested_at)
      .where(sql`requested_at is not null`),
    /** Lets one process make a night's run. */
    uniqueIndex("reconciliation_runs_night").on(table.connection_id, table.night).where(sql`night is not null`),
    /**
     * One pending request per connection. The first serves finding it, the second finding a run whose process
     * died.
     */
    uniqueIndex("reconciliation_runs_requested").on(table.connection_id).where(sql`state = 'requested'`),
    index("reconciliation_runs_taken").on(table.started_at).where(sql`state = 'running' and requested_at is not null`),
    /** Serves the clean-up. */
    index("reconciliation_runs_started").on(table.started_at),
    check(
      "reconciliation_runs_finished",
      sql`(${table.state} in ('requested', 'running')) = (${table.finished_at} is null)`,
    ),
  ],
);
export type ReconciliationRunRow = typeof reconciliationRuns.$inferSelect;
