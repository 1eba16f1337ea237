import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { NextConfig } from "next";
import { prepareDataFolder } from "@/db/data-folder";
import { configure, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { provideDemoShop } from "@/lib/http/demo-shop";
import { endReadiness } from "@/lib/http/health";
import { outboxLink } from "@/lib/http/outbox-link";
import { holdAddress } from "@/lib/jobs/hold-address";
import { startJobs } from "@/lib/jobs/start-jobs";
import { log } from "@/lib/log";
import { logConsole } from "@/lib/log-output";
import { mailRoute, noteProxy } from "@/lib/mail/mail-route";
import { checkPort, listen, ownAddress, publishAddress } from "./address";
import { ANSWER_LIMIT_MS, apiListener } from "./api-listener";
import { watchHosted } from "./build-hosted";
import type { Console } from "./console";
import { type Demo, ensureDemo } from "./demo";
import { explain } from "./explain";
import { closeGracefully, createHttpServer, type Listener, type Listeners } from "./http-server";
import { withKeptPages } from "./kept-pages";
import { openService } from "./open-service";
import { withPageLimit } from "./page-limits";
import { Shutdown } from "./shutdown";
import { withStaticFiles } from "./static-files";
import { summarize } from "./summary";
import { withTurns } from "./turns";
import { claimHost } from "./under-next";

const GRACE_MS = 10_000;

type StartOptions = { dev: boolean; console: Console; root: string };
type Started = { demo: Demo | null; outbox: string | null };

/** Starts everything and stays until a signal. Whatever can be set wrong ends in one sentence and exit code 1. */
export async function start(options: StartOptions): Promise<void> {
  const { console } = options;
  const shutdown = new Shutdown((name, error) => log.error({ err: error }, `${name} did not end cleanly`));
  shutdown.listen(() => {
    console.line("\n  Stopping …");
    void shutdown.run().then(() => process.exit(0));
  });
  try {
    console.line("\n  Cardlane\n");
    const { demo, outbox } = await startAll(options, shutdown);
    summarize(console, { demo, outbox });
  } catch (error) {
    if (shutdown.signal.aborted) return;
    await shutdown.run();
    console.problem(sentenceFor(error));
    process.exit(1);
  }
}

async function startAll({ dev, console, root }: StartOptions, shutdown: Shutdown): Promise<Started> {
  await checkPort(env.port, env.listenAddress);
  prepareDataFolder(env.dataDir);
  const proceed = () => shutdown.signal.throwIfAborted();
  const opened = await console.step("Database", async (say) => {
    const service = await openService({ onProgress: say, onRecovery: reportRecovery });
    shutdown.add("database", () => service.close());
    // Next's side of this process has modules of its own, and finds the same database and secret this way.
    const { value, previous } = service.secret;
    configure({
      ...{ DATABASE_URL: service.url, CARDLANE_SECRET: value },
      ...{ CARDLANE_SECRET_PREVIOUS: previous.join("\n"), CARDLANE_SECRET_FILE: "" },
    });
    say(
      service.embedded ? `PostgreSQL ${service.version}, embedded, in ${env.dataDir}` : `PostgreSQL ${service.version}`,
    );
    return service;
  });
  shutdown.add("address in the database", await holdAddress(opened.service));
  const { authenticator, requestErrors } = provideService(opened.service);
  shutdown.add("key use log", () => authenticator.stop());
  shutdown.add("request error log", () => requestErrors.stop());
  proceed();
  const demo = await console.step("Demo data", (say) => ensureDemo(opened.service, env.dataDir, say));
  provideDemoShop(demo && { key: demo.test_key, apiUrl: ownAddress() });
  proceed();
  const pages = await console.step("Pages", (say) => preparePages({ dev, root, say }, shutdown));
  proceed();
  const listeners = dev ? { api: pages, pages } : limited(root, pages);
  const server = createHttpServer(listeners, (error) => log.error({ err: error }, "a request failed"), {
    onProxy: () => void noteProxy(opened.service),
    // A page that is compiled first takes its time.
    pageLimitMs: dev ? null : ANSWER_LIMIT_MS + env.processorTimeoutMs,
  });
  await listen(server, env.port, env.listenAddress);
  const withdraw = publishAddress();
  shutdown.add("address", async () => withdraw());
  // While developing Next is the host of the API, so that a change to it takes effect at once, and of the jobs.
  const jobs = dev ? null : startJobs(opened.service);
  shutdown.add("jobs", async () => jobs?.stop());
  const drainMs = env.drainSeconds * 1_000;
  const stopServing = () => {
    endReadiness();
    return closeGracefully(server, GRACE_MS, drainMs);
  };
  shutdown.add("requests", stopServing, drainMs + GRACE_MS + 1_000);
  return { demo, outbox: (await mailRoute(opened.service)) === "outbox" ? outboxLink(opened.service) : null };
}

async function preparePages(
  { dev, root, say }: { dev: boolean; root: string; say: (detail: string) => void },
  shutdown: Shutdown,
): Promise<Listener> {
  if (dev) shutdown.add("payment form", await watchHosted(root));
  else claimHost();
  const { default: next } = await import("next");
  // Next adds to its server a listener for upgrades, which leaves callers without an answer where nothing is developed. So it
  // gets one that nobody reaches, and ours answers them as any other request.
  const ofBuild = dev ? {} : { conf: builtConfig(root), httpServer: createServer() };
  const app = next({ dev, dir: root, port: env.port, ...ofBuild });
  await withoutChatter(() => app.prepare());
  if (!dev) logConsole(log, ["log", "info", "warn", "error"]);
  shutdown.add("pages", () => app.close());
  say(dev ? "compiled as they are opened" : "built");
  return app.getRequestHandler();
}

/** The API beside Next's pages, which may take a part of the process's time only; what is ready-made takes none of it. */
function limited(root: string, next: Listener): Listeners {
  const answerApi = apiListener(ANSWER_LIMIT_MS + env.processorTimeoutMs);
  const { api, pages } = withTurns({ api: answerApi, pages: withKeptPages(next) });
  return { api, pages: withStaticFiles(root, withPageLimit(pages)) };
}

/** Next's configuration as the build left it: reading next.config.ts takes a compiler, which is not installed at run time. */
function builtConfig(root: string): NextConfig {
  const file = join(root, ".next", "required-server-files.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { config: NextConfig }).config;
}

/** Next tells how long it took to read its configuration, in the middle of our own lines. */
async function withoutChatter(work: () => Promise<void>): Promise<void> {
  const { log: write } = globalThis.console;
  globalThis.console.log = () => {};
  try {
    await work();
  } finally {
    globalThis.console.log = write;
  }
}

function reportRecovery(problem: unknown): void {
  if (problem) log.error({ err: problem }, "the embedded database is down, trying to start it again");
  else log.warn("the embedded database went away and is back");
}

function sentenceFor(error: unknown): string {
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return explain(error) ?? `Cardlane could not start: ${fault}`;
}
