import { type ParseArgsConfig, parseArgs } from "node:util";
import { shareConnections } from "@/db/client";
import { explain } from "./console";
import { type OpenService, openService } from "./open-service";

/** What the caller typed wrong, in one sentence. Answered with the usage and exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Options = NonNullable<ParseArgsConfig["options"]>;
export type CommandValues = Record<string, string | string[] | boolean | undefined>;

/** The command's options; throws UsageError for unknown, missing and empty ones, and repeated ones unless they are `multiple`. */
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

export type Command = {
  usage: string;
  options: Options;
  required?: string[];
  /** Returns the exit code; nothing stands for 0. */
  run(opened: OpenService, values: CommandValues): Promise<number | undefined> | Promise<void>;
};

/** Runs a command on the service's database, whether the service runs or not. Only `run` writes to standard output. */
export async function runCommand(command: Command): Promise<void> {
  process.exitCode = await outcomeOf(command);
}

/** Printed once; a command that starts its own database prints nothing. */
let said = false;
function waiting(what: string): void {
  if (said || !what.startsWith("waiting")) return;
  said = true;
  process.stderr.write(`${what}\n`);
}

async function outcomeOf(command: Command): Promise<number> {
  let opened: OpenService | null = null;
  try {
    const values = readArguments(process.argv.slice(2), command.options, command.required ?? []);
    opened = await openService({
      applicationName: "cardlane-command",
      connections: shareConnections(8),
      onProgress: waiting,
    });
    return (await command.run(opened, values)) ?? 0;
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\nUsage: ${command.usage}\n`);
      return 2;
    }
    process.stderr.write(`${explain(error) ?? (error as Error).stack ?? String(error)}\n`);
    return 1;
  } finally {
    await opened?.close();
  }
}
