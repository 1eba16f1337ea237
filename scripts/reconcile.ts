import "@/lib/server/load-environment";
import { AppError } from "@/lib/contract/errors";
import { DIFFERENCE_WORDS, type Difference, type Findings } from "@/lib/contract/processors/reconciliation";
import type { Service } from "@/lib/domain/context";
import { reconcile } from "@/lib/domain/processors/reconciliation";
import { adoptMissing, type RestoredConnection, type RestoredEntry } from "@/lib/domain/processors/restore";
import { command, type Io, type Main, runProgram, UsageError } from "@/lib/server/cli";
import { readStatementFiles } from "@/lib/server/statement-files";

export const main: Main = command({
  usage:
    "npm run reconcile -- --connection ID --since DATE [--until DATE] [--report FILE.csv]... [--json], or --restored-to TIME [--json]",
  options: {
    connection: { type: "string" },
    since: { type: "string" },
    until: { type: "string" },
    report: { type: "string", multiple: true },
    "restored-to": { type: "string" },
    json: { type: "boolean" },
  },
  async run({ service }, values, io) {
    const { stdout } = io;
    const restoredTo = values["restored-to"];
    if (restoredTo !== undefined) {
      const other = ["connection", "since", "until", "report"].find((name) => values[name] !== undefined);
      if (other) throw new UsageError(`--restored-to is for all connections, without --${other}.`);
      return adoptAll(service, dateOf("restored-to", restoredTo as string), values.json === true, io);
    }
    for (const name of ["connection", "since"])
      if (values[name] === undefined) throw new UsageError(`--${name} is missing.`);
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

/** After a restore: 0 if the books have everything again, 1 if something needs a person. */
async function adoptAll(service: Service, restoredTo: Date, asJson: boolean, { stdout, stderr }: Io): Promise<number> {
  if (restoredTo > service.clock.now()) throw new UsageError("--restored-to is in the future.");
  try {
    const onProgress = (sentence: string) => stderr.write(`${sentence}\n`);
    const connections = await adoptMissing(service, { restoredTo, onProgress });
    stdout.write(
      asJson
        ? `${JSON.stringify({ restored_to: restoredTo, connections })}\n`
        : connections.map(describeRestored).join(""),
    );
    const isComplete = connections.every(({ skipped, left }) => skipped === null && left.length === 0);
    if (!asJson) stdout.write(isComplete ? DONE : INCOMPLETE);
    return isComplete ? 0 : 1;
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(error.message);
    throw error;
  }
}

const DONE = "  The books have everything that the processors did. Run npm run verify, then start the service.\n\n";
const INCOMPLETE =
  "  Settle what is left above, run npm run verify, then start the service. This command can be repeated.\n\n";

function describeRestored({ label, connection, adopted, open, changed, left, skipped }: RestoredConnection): string {
  const { payments, captures, voids, refunds } = adopted;
  const counts = `${payments} payments, ${captures} captures, ${voids} voids, ${refunds} refunds`;
  return [
    "",
    `  ${label}, ${connection}`,
    ...(skipped === null
      ? [`  Written again: ${counts}.${open > 0 ? ` Without an outcome yet: ${open}; the service will find it.` : ""}`]
      : [`  Not read: ${skipped}`]),
    ...changed.flatMap((entry) => describeEntry("•", entry)),
    ...left.flatMap((entry) => describeEntry("✗", entry)),
    "",
    "",
  ].join("\n");
}

const describeEntry = (mark: string, { what, object, there, at, sentences }: RestoredEntry): string[] => [
  "",
  `  ${mark} ${what} ${object}, ${at}: ${there}`,
  ...sentences.map((sentence) => `      ${sentence}`),
];

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
