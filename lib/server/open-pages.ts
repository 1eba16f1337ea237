import { readFileSync } from "node:fs";
import { createServer, maxHeaderSize, type RequestListener, type ServerOptions } from "node:http";
import { join } from "node:path";
import type { NextConfig } from "next";
import type { Connections } from "@/db/client";
import { env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { type DemoShop, provideDemoShop } from "@/lib/http/demo";
import { type MetricFigures, ownFigures } from "@/lib/http/metrics";
import { followDatabase } from "@/lib/jobs/jobs";
import { log } from "@/lib/log";
import { logConsole } from "@/lib/log-output";
import { noteProxy } from "@/lib/mail/mail";
import { createService } from "./create-service";
import { type Listener, UNREAD_BYTES } from "./http-server";
import { watchStatements, withOutages } from "./outages";
import { withPageSlots } from "./page-slots";
import { PROXIED_HEADER } from "./pages-process";
import { claimHost } from "./under-next";

export type OpenPages = {
  /** For the server behind `listener`. Its only caller, the service, checks requests and applies limits. */
  readonly serverOptions: ServerOptions;
  readonly listener: RequestListener;
  figures(): Promise<MetricFigures>;
  close(): Promise<void>;
};

/** Next's pages with their own service: the same database and secret, but no jobs and no address. */
export async function openPages(options: {
  root: string;
  url: string;
  embedded: boolean;
  connections: Connections;
  demo: DemoShop | null;
}): Promise<OpenPages> {
  claimHost();
  const { root, demo, ...ofService } = options;
  const { service, close } = await createService({ ...ofService, applicationName: "cardlane-pages" });
  const { authenticator, requestLog } = provideService(service);
  provideDemoShop(demo);
  const following = followDatabase(service);
  const next = await openNext({ dev: false, root });
  const pages = withPageSlots(next.listener);
  return {
    serverOptions: {
      // The service accepts up to Node's header limit, and then adds its own headers.
      requireHostHeader: false,
      highWaterMark: UNREAD_BYTES,
      maxHeaderSize: 2 * maxHeaderSize,
      keepAliveTimeout: 0,
      headersTimeout: 0,
      requestTimeout: 0,
    },
    listener(request, response) {
      if (request.headers[PROXIED_HEADER] === "1") void noteProxy(service);
      delete request.headers[PROXIED_HEADER];
      // Next doesn't drain unread bodies; without this, the end of the connection goes unnoticed.
      response.once("close", () => request.removeAllListeners("data").removeAllListeners("readable").resume());
      const serve = async () => {
        try {
          await pages(request, response);
        } catch (error) {
          log.error({ err: error }, "a page failed");
          if (response.headersSent) response.destroy();
          else response.writeHead(500, { "content-type": "text/plain" }).end("Something went wrong on our side.");
        }
      };
      void withOutages(request, response, null, serve);
    },
    figures: ownFigures,
    async close() {
      await Promise.all([...following.map((job) => job.stop()), authenticator.stop(), requestLog.stop()]);
      await next.close();
      await close();
    },
  };
}

export async function openNext({ dev, root }: { dev: boolean; root: string }) {
  const { default: next } = await import("next");
  // Outside development, Next's upgrade listener never responds. Give it a server that is unreachable, so
  // that our listener handles upgrades like any other request.
  const ofBuild = dev ? {} : { conf: builtConfig(root), httpServer: createServer() };
  const app = next({ dev, dir: root, port: env.port, ...ofBuild });
  await withoutChatter(() => app.prepare());
  if (!dev) logConsole(log, ["log", "info", "warn", "error"]);
  const draw = app.getRequestHandler();
  const listener: Listener = (request, response) => watchStatements(response, () => draw(request, response));
  return { listener, close: () => app.close() };
}

/** Suppresses Next's log line about its configuration time, which would appear among our own lines. */
async function withoutChatter(work: () => Promise<void>): Promise<void> {
  const { log: write } = globalThis.console;
  globalThis.console.log = () => {};
  try {
    await work();
  } finally {
    globalThis.console.log = write;
  }
}

/** Next's configuration from the build: next.config.ts needs a compiler, not installed at run time. */
function builtConfig(root: string): NextConfig {
  const file = join(root, ".next", "required-server-files.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { config: NextConfig }).config;
}
