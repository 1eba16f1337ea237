import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { shareConnections } from "@/db/client";
import { requireDatabase } from "@/db/open-database";
import { env } from "@/lib/env";
import { explain } from "./console";
import { type OpenService, openService } from "./open-service";

/** A usage mistake, in one sentence. Printed with the usage; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Options = NonNullable<ParseArgsConfig["options"]>;
export type CommandValues = Record<string, string | string[] | boolean | undefined>;

/**
 * Parses options. Throws UsageError for unknown, missing or empty ones, and for repeats unless `multiple`.
 */
export function readArguments(args: string[], options: Options, required: string[]): CommandValues {
  let parsed: { values: Record<string, unknown>; tokens: { kind: string; name?: string }[] };
  try {
    parsed = parseArgs({ args, options, strict: true, allowPositionals: false, tokens: true });
  } catch (error) {
    const [sentence] = (error as Error).message.split(". ");
    throw new UsageError(`${sentence}.`);
  }
  const names = parsed.tokens.flatMap((token) => (token.kind === "option" && token.name ? [token.name] : []));
  const repeated = names.find((name, index) => names.indexOf(name) !== index && !options[name]?.multiple);
  if (repeated) throw new UsageError(`--${repeated} is given twice.`);
  const values = parsed.values as CommandValues;
  for (const name of required) if (values[name] === undefined) throw new UsageError(`--${name} is missing.`);
  for (const [name, value] of Object.entries(values)) {
    const isEmpty = (text: unknown) => typeof text === "string" && text.trim() === "";
    if ([value].flat().some(isEmpty)) throw new UsageError(`--${name} is empty.`);
  }
  return values;
}

/** True if the arguments only ask for the usage. */
export const isHelpWanted = (args: string[]): boolean => args.includes("--help") || args.includes("-h");

type Output = { write(text: string): unknown; isTTY?: boolean | undefined };
export type Io = { stdout: Output; stderr: Output };

/** A program: takes its arguments, resolves to its exit code. */
export type Main = (args: string[], io: Io) => Promise<number>;

/** Runs `main` if `module` is the file that Node was started with; importing it runs nothing. */
export async function runProgram(module: string, main: Main): Promise<void> {
  const [, file, ...args] = process.argv;
  if (file === undefined || realpathSync(file) !== fileURLToPath(module)) return;
  process.exitCode = await main(args, process);
}

type Command = {
  usage: string;
  options: Options;
  required?: string[];
  /** True for a command that may run first, and then creates the embedded database. */
  createsDatabase?: boolean;
  /** Resolves to the exit code, 0 by default. The only writer to standard output. */
  run(opened: OpenService, values: CommandValues, io: Io): Promise<number | undefined> | Promise<void>;
};

/** A program that works on the service's database, with or without the service running. */
export function command({ usage, options, required = [], createsDatabase = false, run }: Command): Main {
  return async (args, io) => {
    if (isHelpWanted(args)) {
      io.stdout.write(`Usage: ${usage}\n`);
      return 0;
    }
    let opened: OpenService | null = null;
    try {
      const values = readArguments(args, options, required);
      env.checkValues();
      if (!createsDatabase) requireDatabase();
      opened = await openService({
        applicationName: "cardlane-command",
        connections: shareConnections(8),
        onProgress: reportWaiting(io),
      });
      return (await run(opened, values, io)) ?? 0;
    } catch (error) {
      if (error instanceof UsageError) {
        io.stderr.write(`${error.message}\nUsage: ${usage}\n`);
        return 2;
      }
      io.stderr.write(`${explain(error) ?? (error as Error).stack ?? String(error)}\n`);
      return 1;
    } finally {
      await opened?.close();
    }
  };
}

const WAITING_AGAIN_MS = 15_000;

/** Prints a "waiting" message and repeats it during the wait. Embedded database start-up prints nothing. */
function reportWaiting({ stderr }: Io): (what: string) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (what) => {
    if (!what.startsWith("waiting") || performance.now() - reportedMs < WAITING_AGAIN_MS) return;
    reportedMs = performance.now();
    stderr.write(`${what}\n`);
  };
}
