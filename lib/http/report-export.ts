import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { parseReport, reportDays } from "@/lib/contract/reports/report-query";
import {
  REPORT_COLUMNS,
  REPORT_WORDS,
  type ReportColumn,
  type ReportRow,
  type ReportType,
} from "@/lib/contract/reports/report-types";
import { dayInstants } from "@/lib/contract/transactions/time-range";
import { environmentNow } from "@/lib/domain/context";
import { openReport } from "@/lib/domain/reports/read-report";
import { type FileStyle, refuseProblems, STYLE_PARAMS, streamExport } from "./export";
import { type SheetColumn, sheetParts } from "./spreadsheet";
import { majorText } from "./transaction-sheet";

const ENDPOINT = dashboardEndpoint({
  name: "exportReport",
  method: "GET",
  path: "/{mode}/reports/export",
  permission: "report.read",
  status: 200,
  response: z.unknown(),
});

/** Hundredths of a percent as percent, exact: 290 → 2.9. */
const percent = (basisPoints: number): number => basisPoints / 100;

export const reportColumns = (type: ReportType, style: Pick<FileStyle, "format">): SheetColumn<ReportRow>[] =>
  sheetColumns(REPORT_COLUMNS[type], style);

/** The plain CSV has amounts in minor units, other files in major units. Each time is also in the zone. */
export function sheetColumns(
  columns: readonly ReportColumn[],
  { format }: Pick<FileStyle, "format">,
): SheetColumn<ReportRow>[] {
  return columns.flatMap((column): SheetColumn<ReportRow>[] => {
    const { name, heading } = column;
    const base = { name, heading, read: readerOf(column, format === "csv") };
    switch (column.kind) {
      case "time":
        return [
          { ...base, kind: "time" },
          { ...base, name: `${name}_local`, kind: "local_time" },
        ];
      case "count":
      case "percent":
        return [{ ...base, kind: "number" }];
      case "id":
      case "text":
        return [{ ...base, kind: "text", ...wordsOf(column) }];
      case "amount":
      case "day":
        return [{ ...base, kind: column.kind }];
      default:
        return column.kind satisfies never;
    }
  });
}

const wordsOf = ({ name, words }: ReportColumn): Pick<SheetColumn<ReportRow>, "word"> =>
  words ? { word: (row) => words[String(row[name])] ?? null } : {};

function readerOf({ name, kind }: ReportColumn, isForPrograms: boolean): SheetColumn<ReportRow>["read"] {
  return (row) => {
    const value = row[name] ?? null;
    if (typeof value !== "number") return value;
    if (kind === "percent") return percent(value);
    return kind === "amount" && !isForPrograms ? majorText(value, row.currency) : value;
  };
}

/** Streams the report of the page's address as a file. */
export function reportExportRoute(request: Request, mode: string): Promise<Response> {
  return streamExport(ENDPOINT, request, { mode }, ({ ctx, merchant }, style) => {
    const params = new URL(request.url).searchParams;
    for (const name of STYLE_PARAMS) params.delete(name);
    const { query, problems } = parseReport(params);
    refuseProblems(problems);
    const { type, currency } = query;
    const days = reportDays(query, merchant.timeZone, environmentNow(ctx).getTime());
    const { timeZone } = merchant;
    const subject = { type, ...dayInstants(days, timeZone), timeZone, currency: currency ?? undefined };
    return {
      name: ["report", type, mode, days.from, days.to, ...(currency ? [currency] : [])].join("-"),
      act: ["settings.report_exported", { mode, type, ...days, currency }],
      async open() {
        const opened = await openReport(ctx, subject);
        return {
          parts: sheetParts(opened.batches, reportColumns(type, style), { ...style, title: REPORT_WORDS[type].label }),
          headers: { "X-Total-Count": String(opened.total), "X-Accel-Buffering": "no" },
          close: opened.close,
        };
      },
    };
  });
}
