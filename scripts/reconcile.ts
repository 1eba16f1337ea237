import "@/lib/server/load-environment";
import { AppError } from "@/lib/contract/errors";
import { DIFFERENCE_WORDS, type Difference, type Findings } from "@/lib/contract/processors/reconciliation";
import { reconcile } from "@/lib/domain/processors/reconciliation";
import { command, type Main, runProgram, UsageError } from "@/lib/server/cli";
import { readStatementFiles } from "@/lib/server/statement-files";

export const main: Main = command({
  usage: "npm run reconcile -- --connection ID --since DATE [--until DATE] [--report FILE.csv]... [--json]",
  options: {
    connection: { type: "string" },
    since: { type: "string" },
    until: { type: "string" },
    report: { type: "string", multiple: true },
    json: { type: "boolean" },
  },
  required: ["connection", "since"],
  async run({ service }, values, { stdout }) {
    const since = dateOf("since", values.since as string);
    const until = values.until === undefined ? undefined : dateOf("until", values.until as string);
    const files = readStatementFiles((values.report as string[] | undefined) ?? []);
    try {
      const made = await reconcile(service, {
        connectionId: values.connection as string,
        since,
        files,
        ...(until ? { until } : {}),
      });
      stdout.write(values.json ? `${JSON.stringify(made)}\n` : describe(made));
      return made.difference_count > 0 ? 1 : 0;
    } catch (error) {
      if (error instanceof AppError) throw new UsageError(error.message);
      throw error;
    }
  },
});

await runProgram(import.meta.url, main);

/** Days begin at midnight UTC. */
function dateOf(name: string, text: string): Date {
  const date = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? new Date(text) : null;
  if (date === null || Number.isNaN(date.getTime()))
    throw new UsageError(`--${name} must be a date such as 2026-11-20, or a time with its zone.`);
  return date;
}

type Shown = Findings & { label: string; since: Date; until: Date };

function describe({ label, since, until, ...found }: Shown): string {
  const { payments, refunds, under_way, difference_count: count, differences, unchecked } = found;
  const more = count > differences.length ? [`  … and ${count - differences.length} more`, ""] : [];
  const verdict =
    count > 0
      ? `${count} difference${count === 1 ? "" : "s"} between Cardlane and ${label}.`
      : unchecked.length > 0
        ? "No difference was found in what could be checked."
        : `Cardlane and ${label} agree.`;
  return [
    "",
    `  ${label}, from ${since.toISOString()} to ${until.toISOString()}`,
    `  Compared: ${payments} payment${payments === 1 ? "" : "s"}, ${refunds} refund${refunds === 1 ? "" : "s"}. In progress and not compared: ${under_way}.`,
    "",
    ...differences.flatMap(describeDifference),
    ...more,
    ...unchecked.map((sentence) => `  Not checked: ${sentence}`),
    ...(unchecked.length > 0 ? [""] : []),
    `  ${verdict}`,
    "",
    "",
  ].join("\n");
}

function describeDifference(difference: Difference): string[] {
  const { kind, object, at, payment_id, transaction_id, processor_object, here, there, url, advice } = difference;
  const ids = [object === "refund" ? transaction_id : payment_id, processor_object?.id].filter((id) => id != null);
  return [
    `  ✗ ${DIFFERENCE_WORDS[kind]}: ${object} ${ids.join(" = ")}, ${at}`,
    `      Cardlane:  ${here ?? "nothing"}`,
    `      Processor: ${there ?? "nothing"}`,
    `      ${advice}`,
    ...(url === null ? [] : [`      ${url}`]),
    "",
  ];
}
