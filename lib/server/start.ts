import { existsSync } from "node:fs";
import { join } from "node:path";
import { shareWithPages } from "@/db/client";
import { isDiskFull, noSpace, prepareDataFolder } from "@/db/data-folder";
import { outlast } from "@/db/reach";
import { configure, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { type DemoShop, provideDemoShop } from "@/lib/http/demo";
import { endReadiness } from "@/lib/http/health";
import { provideFiguresOfPages } from "@/lib/http/metrics";
import { outboxLink } from "@/lib/http/outbox-link";
import { startJobs } from "@/lib/jobs/jobs";
import { registerProcess } from "@/lib/jobs/process-registration";
import { log } from "@/lib/log";
import { mailRoute, noteProxy } from "@/lib/mail/mail";
import { checkPort, listen, ownAddress, publishAddress } from "./address";
import { ANSWER_LIMIT_MS, apiListener } from "./api-listener";
import { buildNodeClient } from "./build-node-client";
import { watchPaymentForm } from "./build-payment-form";
import type { Console } from "./console";
import { explain, summarize } from "./console";
import { operatorWebhooks } from "./create-service";
import { ensureDemo } from "./demo/demo";
import { closeGracefully, createHttpServer, type Listeners } from "./http-server";
import { openService } from "./open-service";
import { withPageLimit } from "./page-limits";
import { PagesProcess } from "./pages-process";
import { withPublicPages } from "./public-pages";
import { Shutdown } from "./shutdown";
import { withStaticFiles } from "./static-files";

const GRACE_MS = 10_000;

type StartOptions = { dev: boolean; console: Console; root: string };
type Started = Parameters<typeof summarize>[1];

/** Starts everything and runs until a signal. A configuration error prints one sentence; exit code 1. */
export async function start(options: StartOptions): Promise<void> {
  const { console } = options;
  const shutdown = new Shutdown((name, error) => log.error({ err: error }, `${name} did not end cleanly`));
  shutdown.listen(() => {
    console.line("\n  Stopping …");
    void shutdown.run().then(() => process.exit(0));
  });
  try {
    summarize(console, await startAll(options, shutdown));
  } catch (error) {
    if (shutdown.signal.aborted) return;
    await shutdown.run();
    console.problem(sentenceFor(error));
    // A full disk may have stopped the embedded server, which the error doesn't say.
    if (existsSync(env.dataDir) && isDiskFull(env.dataDir)) console.problem(noSpace(env.dataDir).message);
    process.exit(1);
  }
}

async function startAll({ dev, console, root }: StartOptions, shutdown: Shutdown): Promise<Started> {
  await checkPort(env.port, env.listenAddress);
  console.line("\n  Cardlane\n");
  prepareDataFolder(env.dataDir);
  const proceed = () => shutdown.signal.throwIfAborted();
  const opened = await console.step("Database", async (say) => {
    const connections = dev ? undefined : shareWithPages(env.databasePoolSize).api;
    const service = await openService({ onProgress: say, onRecovery: reportRecovery, connections });
    shutdown.add("database", () => service.close());
    // Next loads its own copy of the modules, here or in its own process, and finds the same database and
    // secret this way.
    const { value, previous } = service.secret;
    configure({
      DATABASE_URL: service.url,
      CARDLANE_SECRET: value,
      CARDLANE_SECRET_PREVIOUS: previous.join("\n"),
      CARDLANE_SECRET_FILE: "",
    });
    shutdown.add(
      "address in the database",
      await outlast(service.url, () => registerProcess(service.service), { say }),
    );
    say(
      service.embedded ? `PostgreSQL ${service.version}, embedded, in ${env.dataDir}` : `PostgreSQL ${service.version}`,
    );
    return service;
  });
  const { service, url, embedded } = opened;
  const { authenticator, requestLog } = provideService(service);
  shutdown.add("key use log", () => authenticator.stop());
  shutdown.add("request log", () => requestLog.stop());
  proceed();
  const demo = await console.step("Demo data", (say) =>
    outlast(url, () => ensureDemo(service, env.dataDir, say), { say }),
  );
  const shop = demo && { key: demo.test_key, apiUrl: ownAddress() };
  provideDemoShop(shop);
  proceed();
  const pages = dev ? null : pagesProcess({ root, embedded, demo: shop }, shutdown);
  const listeners = pages ? built(root, pages) : await inDevelopment(root, console, shutdown);
  const server = createHttpServer(listeners, (error) => log.error({ err: error }, "a request failed"), {
    onProxy: () => void noteProxy(service),
    // No limit in development, where pages are compiled on first use.
    pageLimitMs: dev ? null : ANSWER_LIMIT_MS + env.processorTimeoutMs,
  });
  await listen(server, env.port, env.listenAddress);
  const withdraw = publishAddress();
  shutdown.add("address", async () => withdraw());
  // In development, Next hosts the API and the jobs, so that changes take effect immediately.
  const jobs = dev ? null : startJobs(service);
  shutdown.add("jobs", async () => jobs?.stop());
  const drainMs = env.drainSeconds * 1_000;
  const stopServing = () => {
    endReadiness();
    return closeGracefully(server, GRACE_MS, drainMs);
  };
  shutdown.add("requests", stopServing, drainMs + GRACE_MS + 1_000);
  proceed();
  // The API is up from here on; failures below must not stop it.
  if (pages) await startPages(pages, console, shutdown.signal);
  proceed();
  const facts = async () => ({
    webhooks: await operatorWebhooks(service),
    outbox: (await mailRoute(service)) === "outbox" ? outboxLink(service) : null,
  });
  return { demo, ...(await outlast(url, facts, { patienceMs: Number.POSITIVE_INFINITY })) };
}

/** Pages compiled on demand in this process, so that changes take effect immediately. */
function inDevelopment(root: string, console: Console, shutdown: Shutdown): Promise<Listeners> {
  return console.step("Pages", async (say) => {
    await buildNodeClient(root);
    shutdown.add("payment form", await watchPaymentForm(root));
    const { openNext } = await import("./open-pages");
    const next = await openNext({ dev: true, root });
    shutdown.add("pages", next.close);
    say("compiled as they are opened");
    return { api: next.listener, pages: next.listener };
  });
}

/** Pages of a production build, rendered in their own process. */
function pagesProcess(
  { root, embedded, demo }: { root: string; embedded: boolean; demo: DemoShop | null },
  shutdown: Shutdown,
): PagesProcess {
  const file = join(root, ".next", "cardlane", "pages.mjs");
  const { pages: connections } = shareWithPages(env.databasePoolSize);
  const pages = new PagesProcess({ file, dataDir: env.dataDir, root, embedded, connections, demo });
  shutdown.add("pages", () => pages.stop());
  provideFiguresOfPages(() => pages.figures());
  return pages;
}

/** Resolves when pages can be rendered, or when the first attempt has failed; retries continue. */
async function startPages(pages: PagesProcess, console: Console, stopping: AbortSignal): Promise<void> {
  const started = console.step("Pages", async (say) => {
    await pages.start();
    say("built");
  });
  await started.catch((error: Error) => {
    if (!stopping.aborted) console.warning(`Pages do not start and are tried again: ${error.message}`);
  });
}

/** The API and the pages; static files and cached pages are served without rendering. */
const built = (root: string, { listener, render }: PagesProcess): Listeners => ({
  api: apiListener(ANSWER_LIMIT_MS + env.processorTimeoutMs),
  pages: withStaticFiles(root, withPageLimit(withPublicPages(render, listener))),
});

function reportRecovery(problem: unknown): void {
  if (problem) log.error({ err: problem }, "the embedded database is down and is being restarted");
  else log.warn("the embedded database was down and is back");
}

function sentenceFor(error: unknown): string {
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return explain(error) ?? `Cardlane could not start: ${fault}`;
}
