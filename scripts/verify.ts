import "@/lib/server/load-environment";
import { listUnchecked } from "@/lib/domain/processors/reconciliation";
import { chainAuditLogs, sealAuditLogs } from "@/lib/domain/reconciliation/audit-chain";
import { type BooksReport, type CheckResult, verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { command, type Main, runProgram } from "@/lib/server/cli";

export const main: Main = command({
  usage: "npm run verify [-- --json]",
  options: { json: { type: "boolean" } },
  async run({ service }, values, { stdout }) {
    const started = performance.now();
    // Work left over from a stopped service; a row that is in no queue stays a fault.
    while ((await chainAuditLogs(service)) > 0);
    while ((await sealAuditLogs(service)) > 0);
    const report = await verifyBooks(service.db, service.secret);
    const elapsedMs = performance.now() - started;
    const unchecked = await listUnchecked(service);
    stdout.write(
      values.json ? `${JSON.stringify({ ...report, unchecked })}\n` : describe(report, unchecked, elapsedMs),
    );
    return report.balanced ? 0 : 1;
  },
});

await runProgram(import.meta.url, main);

function describe(report: BooksReport, unchecked: readonly string[], elapsedMs: number): string {
  const broken = report.checks.filter((check) => check.count > 0);
  const verdict =
    broken.length === 0
      ? `The books balance: ${report.checks.length} checks over ${report.payments.toLocaleString("en-US")} payments in ${(elapsedMs / 1_000).toFixed(1)} s.`
      : `The books do not balance: ${broken.length} of ${report.checks.length} checks failed.`;
  const checks = report.checks.flatMap(describeCheck);
  return ["", ...checks, ...describeOpen(report), ...describeUnchecked(unchecked), "", `  ${verdict}`, "", ""].join(
    "\n",
  );
}

/** Findings that our own books cannot verify, which aren't faults of theirs. */
function describeUnchecked(sentences: readonly string[]): string[] {
  if (sentences.length === 0) return [];
  return ["", "  Not checked here:", ...sentences.map((sentence) => `    ${sentence}`)];
}

function describeCheck({ check, proves, count, rows }: CheckResult): string[] {
  if (count === 0) return [`  ✓ ${check}`, `    ${proves}`];
  const more = count > rows.length ? [`      … and ${count - rows.length} more`] : [];
  return [
    `  ✗ ${check}: ${count} offending row${count === 1 ? "" : "s"}`,
    `    ${proves}`,
    ...rows.map((row) => `      ${JSON.stringify(row)}`),
    ...more,
  ];
}

function describeOpen({ open_operations }: BooksReport): string[] {
  if (open_operations.length === 0) return ["", "  No operation is waiting for its outcome."];
  const kinds = open_operations.map(({ kind, count, oldest }) => `${count} ${kind} (oldest from ${oldest})`);
  return ["", `  Waiting for their outcome, which is no fault: ${kinds.join(", ")}.`];
}
