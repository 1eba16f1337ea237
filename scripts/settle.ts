import "@/lib/server/load-environment";
import { formatMinor } from "@/lib/contract/currencies";
import { encodeId } from "@/lib/contract/ids";
import { type BatchSummary, runSettlement } from "@/lib/domain/settlement/settle";
import { command, type Main, runProgram } from "@/lib/server/cli";

export const main: Main = command({
  usage: "npm run settle [-- --json]",
  options: { json: { type: "boolean" } },
  async run({ service }, values, { stdout }) {
    const batches = await runSettlement(service);
    stdout.write(values.json ? `${JSON.stringify({ batches: batches.map(publicBatch) })}\n` : table(batches));
  },
});

await runProgram(import.meta.url, main);

function publicBatch({ environment_id, id, ...rest }: BatchSummary) {
  return { id: encodeId("settlementBatch", id), environment_id: encodeId("environment", environment_id), ...rest };
}

function table(batches: BatchSummary[]): string {
  if (batches.length === 0) return "Nothing to settle: every captured payment and accepted refund is in a batch.\n";
  const header = [
    "batch",
    "environment",
    "charges",
    "charged",
    "refunds",
    "refunded",
    "failed refunds",
    "paid back",
    "net",
  ];
  const rows = batches.map((batch) => [
    encodeId("settlementBatch", batch.id),
    encodeId("environment", batch.environment_id),
    String(batch.charge_count),
    formatMinor(batch.charge_amount, batch.currency),
    String(batch.refund_count),
    formatMinor(batch.refund_amount, batch.currency),
    String(batch.reversal_count),
    formatMinor(batch.reversal_amount, batch.currency),
    net(batch),
  ]);
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] as string).length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] as number) : cell.padStart(widths[at] as number)))
      .join("  ");
  const count = `${batches.length} settlement batch${batches.length === 1 ? "" : "es"}.`;
  return `${[line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), "", count].join("\n")}\n`;
}

/** The amount paid to the bank; negative if refunds exceeded charges. */
function net({ charge_amount, refund_amount, reversal_amount, currency }: BatchSummary): string {
  const amount = charge_amount - refund_amount + reversal_amount;
  return amount < 0 ? `-${formatMinor(-amount, currency)}` : formatMinor(amount, currency);
}
