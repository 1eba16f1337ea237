import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { env } from "@/lib/env";
import { UsageError } from "@/lib/server/cli";
import type { Faults } from "./client";

export const USAGE =
  "npm run replay -- FILE.csv [--key sk_test_…] [--url http://localhost:3000] [--duplicates 0.2] [--drops 0.1] [--concurrency 8] [--seed 1]";

export type ReplayOptions = {
  path: string;
  apiKey: string;
  baseUrl: string;
  faults: Faults;
  concurrency: number;
  seed: number;
};

const OPTIONS = {
  key: { type: "string" },
  url: { type: "string" },
  duplicates: { type: "string", default: "0.2" },
  drops: { type: "string", default: "0.1" },
  concurrency: { type: "string", default: "8" },
  seed: { type: "string", default: "1" },
} as const;

/** Parses the command line. Throws UsageError with one sentence. */
export function readOptions(args: string[]): ReplayOptions {
  const { values, positionals } = parse(args);
  const [path, ...others] = positionals;
  if (path === undefined) throw new UsageError("Name the CSV file with the orders.");
  if (others.length > 0) throw new UsageError(`Name one file only, without ${others.join(" ")}.`);
  return {
    path,
    apiKey: sandboxKey(values.key),
    baseUrl: webAddress(values.url),
    faults: { duplicates: share("duplicates", values.duplicates), drops: share("drops", values.drops) },
    concurrency: integer("concurrency", values.concurrency, 1, 200),
    seed: integer("seed", values.seed, 0, 2 ** 31),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}.`);
  }
}

/** The given key, or the demo merchant's. */
export function sandboxKey(given: string | undefined): string {
  const key = given ?? demoKey();
  if (key.startsWith("sk_live_"))
    throw new UsageError(
      "This is a live key, and this command works in test mode only: pass a key that starts with sk_test_.",
    );
  if (!key.startsWith("sk_test_")) throw new UsageError("--key must be a test key, which starts with sk_test_.");
  return key;
}

/** The demo merchant's key, as stored by `npm start`. */
function demoKey(): string {
  const file = join(env.dataDir, "demo.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`There is no demo key in ${file}. Run npm start once, or pass a test key with --key.`);
  }
  const { test_key } = JSON.parse(text) as { test_key?: unknown };
  if (typeof test_key !== "string") throw new UsageError(`${file} has no test_key. Pass a test key with --key.`);
  return test_key;
}

/** An address without its query; by default this machine's service. `option`: the option that gave it. */
export function webAddress(given: string | undefined, option = "url"): string {
  if (given === undefined) return `http://localhost:${env.port}`;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new UsageError(`--${option} must be an address such as http://localhost:3000, not '${given}'.`);
  return url.origin + url.pathname.replace(/\/{1,9}$/, "");
}

function share(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1))
    throw new UsageError(`--${name} must be a share from 0 to 1, not '${text}'.`);
  return value;
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not '${text}'.`);
  return value;
}
