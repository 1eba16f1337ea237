import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { pickPort } from "@/db/embedded-cluster";
import { TEST_SECRET } from "./factories";

/** `service`: our own server, as `npm start` runs it. `next`: the same build behind Next's server. */
type Host = "service" | "next";

export type StartServiceOptions = {
  host?: Host;
  databaseUrl?: string;
  /** The port of an earlier one, to start it again in its place. */
  port?: number;
  env?: Record<string, string>;
  /** When it counts as started: ready, unless `live` is enough. */
  until?: "live" | "ready";
};

export type RunningService = {
  readonly baseUrl: string;
  readonly port: number;
  readonly pid: number;
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends a signal and waits for the end; the exit code, or the signal that ended it. */
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  /** Ends it gently, and with force after ten seconds. */
  stop(): Promise<void>;
};

const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;

const COMMANDS: Record<Host, (port: number) => string[]> = {
  service: () => ["scripts/start.mjs"],
  next: (port) => ["node_modules/next/dist/bin/next", "start", "-p", String(port)],
};

/** Everything that was started here and not stopped; a test run that dies takes it along. */
const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

/** Starts a built service as a process of its own and waits until it is ready. Throws with its output when it is not. */
export async function startService(options: StartServiceOptions = {}): Promise<RunningService> {
  const { host = "service", databaseUrl, until = "ready" } = options;
  const port = options.port ?? (await pickPort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, COMMANDS[host](port), {
    env: {
      ...withoutTestSettings(process.env),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: String(port),
      BASE_URL: baseUrl,
      CARDLANE_SECRET: TEST_SECRET,
      LOG_LEVEL: "warn",
      // Several services share a database, and tests send them what proxies add.
      MAIL_OUTBOX: "1",
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  living.add(child);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = once(child, "exit").then(([code, signal]) => {
    living.delete(child);
    return (code ?? signal) as number | NodeJS.Signals | null;
  });
  const output = () => Buffer.concat(chunks).toString("utf8");
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };

  await becomeReady(`${baseUrl}/health/${until}`, ended).catch(async (error: Error) => {
    await kill("SIGKILL");
    throw new Error(`The ${host} host did not start: ${error.message}\n${output()}`);
  });
  return {
    baseUrl,
    port,
    pid: child.pid as number,
    ended,
    output,
    kill,
    async stop() {
      const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await kill("SIGTERM");
      clearTimeout(force);
    },
  };
}

/** The runner's own variables are not the service's: a server that thinks it is under test is another server. */
function withoutTestSettings(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, TEST, DEV, PROD, MODE, NODE_OPTIONS, ...rest } = env;
  return rest;
}

async function becomeReady(url: string, ended: Promise<unknown>): Promise<void> {
  let exit: string | null = null;
  void ended.then((how) => {
    exit = `it ended with ${String(how)}`;
  });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let last = "it never answered";
  while (Date.now() < deadline) {
    if (exit !== null) throw new Error(exit);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      last = `${url} answered ${response.status}: ${(await response.text()).slice(0, 300)}`;
      if (response.status === 200) return;
    } catch {
      // Not listening yet.
    }
    await wait(50);
  }
  throw new Error(last);
}
