import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { pickPort } from "@/db/embedded-cluster";
import { TEST_SECRET } from "../fixtures/factories";
import { startService } from "../fixtures/service";

/** A service in its own process, which can be killed. */
export type ProofHost = {
  readonly baseUrl: string;
  readonly port: number;
  readonly pid: number;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<unknown>;
  kill(signal: NodeJS.Signals): Promise<unknown>;
  /** Stops it gracefully, and by force after 30 seconds. */
  stop(): Promise<void>;
  output(): string;
};

export type HostOptions = {
  databaseUrl?: string;
  port?: number;
  env?: Record<string, string>;
  /** Entry point to run instead of the API host. */
  entry?: string;
  /** Runs the whole built service, for proofs that include pages and their server. */
  whole?: boolean;
  /** Start condition: ready, unless `live` is enough. */
  until?: "live" | "ready";
};

/** No rate limits, and a short lease, so that proofs don't wait long for operations that a kill left open. */
export const NO_LIMITS = {
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  UNAUTHORIZED_LIMIT_PER_MINUTE: "1000000",
  PAGE_LIMIT_PER_MINUTE: "1000000",
  PROCESSOR_TIMEOUT_MS: "1500",
  CHECKOUT_LIMIT_PER_MINUTE: "1000000",
  LOG_LEVEL: "error",
};

const READY_TIMEOUT_MS = 60_000;
/** Longer than a normal stop takes; a process that hangs is killed and its output reported. */
const STOP_TIMEOUT_MS = 30_000;
/** Keeps a whole service's files apart from those of a developer's own service. */
const DATA_DIR = mkdtempSync(join(tmpdir(), "cardlane-host-"));
const API_HOST = "e2e/proof/api-host.ts";
const bundles = new Map<string, Promise<string>>();

/** Bundling cuts the start to a quarter. Bundled modules find the project's files as from `db/migrate.ts`. */
function bundle(entry: string): Promise<string> {
  const bundled = bundles.get(entry) ?? bundleAnew(entry);
  bundles.set(entry, bundled);
  return bundled;
}

async function bundleAnew(entry: string): Promise<string> {
  const outfile = resolve(".cache", "proof", `${basename(entry, ".ts")}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    define: { "import.meta.url": JSON.stringify(pathToFileURL(resolve("db", "migrate.ts")).href) },
    logLevel: "error",
  });
  return outfile;
}

const living = new Set<ChildProcess>();
process.on("exit", () => {
  rmSync(DATA_DIR, { recursive: true, force: true });
  for (const child of living) child.kill("SIGKILL");
});

/** Starts the API host, or with PROOF_HOST=service the whole built service, and waits until it responds. */
export async function startHost({
  whole,
  until = "ready",
  entry = API_HOST,
  ...options
}: HostOptions = {}): Promise<ProofHost> {
  const port = options.port ?? (await pickPort());
  const env = { ...NO_LIMITS, DATA_DIR, ...options.env };
  if (whole || process.env.PROOF_HOST === "service") return startService({ ...options, port, env, until });
  const baseUrl = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [await bundle(entry)], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      BASE_URL: baseUrl,
      CARDLANE_SECRET: TEST_SECRET,
      ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
      ...env,
    } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  living.add(child);
  // The port was free a moment ago, but another service may have taken it and be ready, too.
  const listening = once(child, "message", { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString("utf8");
  const ended = once(child, "exit").then(([code, signal]) => {
    living.delete(child);
    chunks.push(Buffer.from(`\nended with ${String(code ?? signal)}`));
    return (code ?? signal) as unknown;
  });
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  const ready = Promise.race([listening, ended]).then(() => becomeReady(`${baseUrl}/health/${until}`, child));
  await ready.catch(async (error: Error) => {
    await kill("SIGKILL");
    throw new Error(`${error.message}\n${output()}`);
  });
  return {
    baseUrl,
    port,
    pid: child.pid as number,
    ended,
    kill,
    output,
    stop: async () => {
      const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await kill("SIGTERM").finally(() => clearTimeout(force));
    },
  };
}

async function becomeReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const how = child.exitCode ?? child.signalCode;
    if (how !== null) throw new Error(`The API host ended with ${how}.`);
    const ready = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      (response) => response.text().then(() => response.status === 200),
      () => false,
    );
    if (ready) return;
    await wait(25);
  }
  throw new Error("The API host did not become ready.");
}
