import { sql } from "drizzle-orm";
import { bigint, bigserial, date, index, integer, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { environmentId, instant, money } from "../columns";

/**
 * Precomputed overview figures by day in the merchant's time zone: one row per measure. Measures are
 * `captured`, `refunded`, `refund_failed`, `fee`, `approved`, `declined`, `failed` and `declined:<decline
 * code>`.
 */
export const dailyTotals = pgTable(
  "daily_totals",
  {
    environment_id: environmentId(),
    currency: text("currency").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    measure: text("measure").notNull(),
    /**
     * Daily sum. Nine million payments of the largest amount overflow a bigint, which would stop every
     * merchant's fold.
     */
    amount: numeric("amount", { precision: 40, scale: 0, mode: "number" }).notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.currency, table.day, table.measure] })],
);

/**
 * Changes since the daily totals were last updated, written in the commit that causes them. A job folds and
 * deletes them; figures are totals plus deltas, so they are always exact.
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
