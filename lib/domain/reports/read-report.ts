import type { Sql } from "@/db/client";
import {
  type ListedReport,
  openReportRows,
  type ReportRange,
  readReportPreview,
  sumReport,
} from "@/db/queries/reports/report-rows";
import { readStatement } from "@/db/queries/settlement/balance";
import { encodeId } from "@/lib/contract/ids";
import {
  REPORT_COLUMNS,
  type ReportRow,
  type ReportTotals,
  type ReportType,
} from "@/lib/contract/reports/report-types";
import { statementLines } from "@/lib/contract/settlement/statement";
import type { Environment, Service } from "../context";
import { readInTime } from "../lists";

/** Type and range of a report. */
export type ReportSubject = ReportRange & { readonly type: ReportType };

/** Reports need an environment, and no caller. */
type InReports = { readonly service: Pick<Service, "db">; readonly environment: Pick<Environment, "id"> };

export type ReportPreview = { readonly rows: readonly ReportRow[]; readonly totals: readonly ReportTotals[] };

const isListed = (type: ReportType): type is ListedReport => type !== "balance";

/** The first rows, and the totals of all. Throws `invalid_parameter` if the range is too long to add up in time. */
export async function previewReport(ctx: InReports, subject: ReportSubject, limit: number): Promise<ReportPreview> {
  const { type } = subject;
  if (!isListed(type)) {
    const rows = await balanceRows(ctx.service.db.reading.within(ctx.environment.id).sql, ctx.environment.id, subject);
    return { rows: rows.slice(0, limit), totals: balanceTotals(rows) };
  }
  const { id } = ctx.environment;
  const { sql } = ctx.service.db.reading.within(id);
  return readInTime(subject, async () => {
    const { rows, totals } = await readReportPreview(sql, id, { ...subject, type, limit });
    return { rows: present(type, rows), totals };
  });
}

/** The totals alone, however long they take. */
export async function sumReportOf(sql: Sql, environmentId: string, subject: ReportSubject): Promise<ReportTotals[]> {
  const { type } = subject;
  if (isListed(type)) return sumReport(sql, environmentId, { ...subject, type });
  return balanceTotals(await balanceRows(sql, environmentId, subject));
}

export type OpenReport = {
  readonly total: number;
  readonly batches: AsyncGenerator<ReportRow[], void>;
  close(): Promise<void>;
};

/** All rows in one snapshot. `close` must be called. */
export async function openReport(ctx: InReports, subject: ReportSubject): Promise<OpenReport> {
  const { type } = subject;
  if (!isListed(type)) {
    const rows = await balanceRows(ctx.service.db.reading.within(ctx.environment.id).sql, ctx.environment.id, subject);
    return { total: rows.length, batches: batchOf(rows), close: async () => {} };
  }
  const { id } = ctx.environment;
  const opened = await openReportRows(ctx.service.db.reading.openExport(id), id, { ...subject, type });
  return { total: opened.total, batches: presented(type, opened.batches), close: opened.close };
}

async function* batchOf(rows: ReportRow[]): OpenReport["batches"] {
  yield rows;
}

async function* presented(type: ReportType, batches: AsyncIterable<ReportRow[]>): OpenReport["batches"] {
  for await (const rows of batches) yield present(type, rows);
}

/** With public ids. */
function present(type: ReportType, rows: readonly ReportRow[]): ReportRow[] {
  const ids = REPORT_COLUMNS[type].flatMap(({ name, id }) => (id ? [{ name, kind: id }] : []));
  return rows.map((row) => {
    const shown: Record<string, string | number | null> = {};
    for (const { name, kind } of ids) {
      const uuid = row[name];
      if (typeof uuid === "string") shown[name] = encodeId(kind, uuid);
    }
    return { ...row, ...shown };
  });
}

async function balanceRows(sql: Sql, environmentId: string, subject: ReportSubject): Promise<ReportRow[]> {
  const statements = await readStatement(sql, environmentId, subject);
  return statements
    .filter(({ currency }) => subject.currency === undefined || currency === subject.currency)
    .flatMap((statement) =>
      statementLines(statement).map(({ line, amounts: [pending, available, in_payout, in_dispute] }) => ({
        currency: statement.currency,
        line,
        pending,
        available,
        in_payout,
        balance: pending + available + in_payout + in_dispute,
        in_dispute,
      })),
    );
}

const balanceTotals = (rows: readonly ReportRow[]): ReportTotals[] =>
  rows
    .filter(({ line }) => line === "closing")
    .map(({ currency, pending, available, in_payout, balance, in_dispute }) => ({
      currency,
      rows: rows.filter((row) => row.currency === currency).length,
      amounts: {
        pending: Number(pending),
        available: Number(available),
        in_payout: Number(in_payout),
        balance: Number(balance),
        in_dispute: Number(in_dispute),
      },
    }));
