import { formatMinor } from "@/lib/contract/currencies";
import type { CallCounts } from "./client";
import type { OrderFile } from "./orders";
import { type LedgerBook, type Mismatch, type Reconciled, sumByCurrency, sumByStatus } from "./reconcile";

const DIFFERENCES_SHOWN = 20;

export type Report = {
  file: OrderFile;
  rows: readonly Reconciled[];
  counts: CallCounts;
  ledger: LedgerBook | null;
  differences: readonly Mismatch[];
  elapsedMs: number;
};

export function describeReport(report: Report): string {
  return [
    "",
    ...describeRun(report),
    "",
    ...describeStatuses(report.rows),
    "",
    ...describeMoney(report.rows, report.ledger),
    "",
    ...describeDifferences(report.differences),
    "",
  ].join("\n");
}

function describeRun({ file, counts, elapsedMs }: Report): string[] {
  const leftOut = [...file.leftOut].map(([type, count]) => `${count} ${type}`).join(", ");
  return table([
    ["rows in the file", String(file.rows)],
    ["sent as card payments", String(file.orders.length)],
    ["left out", leftOut || "none"],
    ["requests", `${counts.requests} in ${(elapsedMs / 1_000).toFixed(1)} s`],
    ["sent twice concurrently", String(counts.duplicates)],
    ["answers dropped", String(counts.drops)],
    ["sent again", `${counts.retries} (busy, limited, unknown or unreachable)`],
    ["answers replayed", String(counts.replays)],
  ]);
}

function describeStatuses(rows: readonly Reconciled[]): string[] {
  const lines = sumByStatus(rows).map(({ status, currency, file, api }) => [
    status,
    currency,
    String(file.count),
    formatMinor(file.amount, currency),
    String(api.count),
    formatMinor(api.amount, currency),
    mark(file.count === api.count && file.amount === api.amount),
  ]);
  return table([["status", "currency", "file", "amount", "API", "amount", ""], ...lines], { header: true, left: 2 });
}

function describeMoney(rows: readonly Reconciled[], ledger: LedgerBook | null): string[] {
  const lines = sumByCurrency(rows, ledger).map((row) => [
    row.currency,
    row.what,
    formatMinor(row.file, row.currency),
    formatMinor(row.api, row.currency),
    row.ledger === null ? "not read" : formatMinor(row.ledger, row.currency),
    mark(row.file === row.api && row.api === row.ledger),
  ]);
  return table([["currency", "money", "file", "API", "ledger", ""], ...lines], { header: true, left: 2 });
}

function describeDifferences(differences: readonly Mismatch[]): string[] {
  const shown = differences
    .slice(0, DIFFERENCES_SHOWN)
    .map(({ line, key, problem }) => `  ✗ line ${line}, ${key}: ${problem}`);
  const more = differences.length - shown.length;
  return more > 0 ? [...shown, `  … and ${more} more`] : shown;
}

const mark = (agrees: boolean) => (agrees ? "✓" : "✗");

/** Aligned columns: the first `left` are left-aligned, the others, which hold numbers, right-aligned. */
function table(rows: string[][], options: { header?: boolean; left?: number } = {}): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const left = options.left ?? widths.length;
  const line = (cells: string[]) =>
    `  ${cells.map((cell, at) => (at < left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ")}`.trimEnd();
  const lines = rows.map(line);
  if (options.header) lines.splice(1, 0, line(widths.map((width) => "-".repeat(width))));
  return lines;
}
