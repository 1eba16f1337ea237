import { sql } from "drizzle-orm";
import { bigint, bigserial, date, index, integer, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { environmentId, instant, money } from "../columns";

/**
 * The figures of the overview, by day of the merchant's time zone, kept ready: one row per measure. Measures are
 * `captured`, `refunded`, `refund_failed`, `fee`, `approved`, `declined`, `failed` and `declined:<decline code>`.
 */
export const dailyTotals = pgTable(
  "daily_totals",
  {
    environment_id: environmentId(),
    currency: text("currency").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    measure: text("measure").notNull(),
    /** Of a whole day: nine million of the largest payments are more than a bigint holds, and every merchant's fold would stand still. */
    amount: numeric("amount", { precision: 40, scale: 0, mode: "number" }).notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.currency, table.day, table.measure] })],
);

/**
 * What happened since the daily totals were last brought up to date, written in the commit that made it happen. A job
 * folds it in and deletes it; figures are totals plus these, so they are exact at any moment.
 */
export const totalDeltas = pgTable(
  "total_deltas",
  {
    id: bigserial("id", { mode: "number" }).notNull(),
    environment_id: environmentId(),
    currency: text("currency").notNull(),
    measure: text("measure").notNull(),
    amount: money("amount").notNull(),
    count: integer("count").notNull(),
    occurred_at: instant("occurred_at").notNull().default(sql`now()`),
  },
  (table) => [index("total_deltas_environment").on(table.environment_id)],
);
