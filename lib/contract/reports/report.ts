import { z } from "zod";
import { timeZone } from "@/lib/contract/accounts/fields";
import { currency, isPagedOnce, listOf, PAGED_TWICE, pageParams, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { DEFAULT_LOCALE, EXPORT_FORMATS, isLocale } from "@/lib/contract/reporting/export-formats";
import { parseMoment } from "@/lib/contract/transactions/time-range";
import { REPORT_STATUSES, REPORT_TYPES } from "./report-types";

/** Hours for which a file's address is valid. */
export const FILE_URL_HOURS = 1;

const totals = z
  .object({
    currency: z.string().describe("ISO 4217 code, upper case."),
    rows: z.int().describe("Rows in this currency."),
    amounts: z
      .record(z.string(), z.int())
      .describe(
        "Sums of the file's columns by their names: amounts in minor units, and counts. Those of a `balance` are its closing balance.",
      ),
  })
  .meta({ id: "ReportTotals" });

export const report = z
  .object({
    id: idOf("report").describe("Unique id of the report."),
    object: z.literal("report").describe("Always `report`."),
    type: z.enum(REPORT_TYPES).describe("What it lists."),
    status: z
      .enum(REPORT_STATUSES)
      .describe("`PENDING` while it is added up, within seconds; then `READY`, or `FAILED`."),
    from: z.iso.date().describe("The first day."),
    to: z.iso
      .date()
      .describe(
        "The last day, inclusive. A day that isn't over counts until `updated_at`; changes still being booked then may be only in the file. Reports of days that are over are complete.",
      ),
    time_zone: z.string().describe("IANA time zone in which days begin."),
    currency: z.string().nullable().describe("The only currency in it; null for all."),
    format: z.enum(EXPORT_FORMATS).describe("The file's format."),
    locale: z.string().describe("Whose separators a `csv_excel` file has."),
    rows: z.int().nullable().describe("Rows of the file; null until it is ready."),
    totals: z
      .array(totals)
      .nullable()
      .describe("Totals by currency; amounts that moved equal the ledger. Null until it is ready."),
    failure_reason: z.string().nullable().describe("Why it failed; null unless it did."),
    file_url: z
      .string()
      .nullable()
      .describe(
        `The file, for anyone who has this address, within ${FILE_URL_HOURS} hour of this response; get the report again for a new one. Null until it is ready.`,
      ),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    created_at: timestamp.describe("When it was requested."),
    updated_at: timestamp.describe("When its status last changed."),
  })
  .meta({ id: "Report" });
export type Report = z.infer<typeof report>;

export const reportList = listOf(report).meta({ id: "ReportList" });

/** A day, or a time in it: which day that is depends on the report's time zone. */
const day = z
  .string()
  .max(40)
  .refine((text) => parseMoment(text) !== null, "Use a day such as 2026-11-30.")
  .meta({ examples: ["2026-11-30"] });

export const createReportBody = z
  .strictObject({
    type: z
      .enum(REPORT_TYPES)
      .describe(
        "`activity`: gross, refunds, fees and net of each day and currency. `balance`: a statement from the opening to the closing balance. `payouts`: each payout with its transactions. `fees`: the fee of each capture. `disputes`: those opened, with their current status. `subscriptions`: MRR at the end of the last day, and churn. `transactions`: each capture, refund and failed refund with fee and net.",
      ),
    from: day.describe("The first day; an ISO 8601 time stands for its day in `time_zone`."),
    to: day.describe("The last day, inclusive; an ISO 8601 time stands for its day in `time_zone`."),
    currency: currency.nullable().default(null).describe("Only this currency; all by default."),
    time_zone: timeZone
      .nullable()
      .default(null)
      .describe("IANA time zone in which days begin; your business's by default."),
    format: z
      .enum(EXPORT_FORMATS)
      .default("csv")
      .describe(
        "`csv`: for programs, with amounts in minor units. `csv_excel`: for people, with amounts in major units and the separators of `locale`. `xlsx`: an Excel workbook.",
      ),
    locale: z
      .string()
      .max(35)
      .refine(isLocale, "Use a locale such as en-US or de-DE.")
      .default(DEFAULT_LOCALE)
      .describe("Whose separators a `csv_excel` file has."),
  })
  .meta({ id: "CreateReportRequest" });
export type CreateReportBody = z.infer<typeof createReportBody>;

export const listReportsQuery = z.strictObject(pageParams).refine(isPagedOnce, PAGED_TWICE);
export type ListReportsQuery = z.infer<typeof listReportsQuery>;
