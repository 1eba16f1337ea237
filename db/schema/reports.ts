import { sql } from "drizzle-orm";
import { check, date, foreignKey, index, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { EXPORT_FORMATS } from "@/lib/contract/reporting/export-formats";
import {
  REPORT_INTERVALS,
  REPORT_STATUSES,
  REPORT_TYPES,
  type ReportTotals,
} from "@/lib/contract/reports/report-types";
import { environmentId, instant, money, oneOf } from "../columns";
import { environments, users } from "./accounts";

/**
 * Reports requested through the API: what they cover, and their totals. Files are written from the ledger as
 * they are downloaded.
 */
export const reports = pgTable(
  "reports",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    type: oneOf("report_type", REPORT_TYPES)("type").notNull(),
    status: oneOf("report_status", REPORT_STATUSES)("status").notNull(),
    /** First and last day in `time_zone`. */
    from_day: date("from_day", { mode: "string" }).notNull(),
    to_day: date("to_day", { mode: "string" }).notNull(),
    /** The first instant of these days, and the first one after them; a zone's rules may change. */
    starts_at: instant("starts_at").notNull(),
    ends_at: instant("ends_at").notNull(),
    time_zone: text("time_zone").notNull(),
    /** Null: all of them. */
    currency: text("currency"),
    format: oneOf("report_format", EXPORT_FORMATS)("format").notNull(),
    locale: text("locale").notNull(),
    rows: money("rows"),
    totals: jsonb("totals").$type<ReportTotals[]>(),
    failure_reason: text("failure_reason"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    /** Serves the job that adds them up, oldest first. */
    index("reports_pending").on(table.created_at, table.id).where(sql`status = 'PENDING'`),
    check(
      "reports_ready",
      sql`(${table.status} = 'READY') = (${table.totals} is not null and ${table.rows} is not null)`,
    ),
  ],
);
export type ReportRecord = typeof reports.$inferSelect;

/**
 * Reports that a user gets by mail. No index beyond the key: a few rows per user, which a job reads each
 * minute.
 */
export const reportMails = pgTable(
  "report_mails",
  {
    environment_id: environmentId(),
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    type: oneOf("report_type", REPORT_TYPES)("type").notNull(),
    every: oneOf("report_interval", REPORT_INTERVALS)("every").notNull(),
    /** When the next mail is due, by the environment's clock. Moved in the commit that writes a mail. */
    due_at: instant("due_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.user_id, table.type] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
  ],
);
export type ReportMailRow = typeof reportMails.$inferSelect;
