import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { shareConnections } from "@/db/client";
import { outlast } from "@/db/reach";
import { ConfigurationError, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { outboxLink } from "@/lib/http/outbox-link";
import { startJobs } from "@/lib/jobs/jobs";
import { registerProcess } from "@/lib/jobs/process-registration";
import { log } from "@/lib/log";
import { logConsole, maskProcessOutput } from "@/lib/log-output";
import { mailRoute, noteProxy } from "@/lib/mail/mail";
import { ANSWER_LIMIT_MS, apiListener } from "./api-listener";
import { createService, operatorWebhooks } from "./create-service";
import { createGate, FILES, hasTooManyParameters, PAGE_METHODS, refuseRequest } from "./gate";
import { ARRIVAL, KEEP_ALIVE_MS, watchCallers } from "./http-server";
import { answerFirst, normalizeRequests } from "./next-requests";
import { watchStatements, withOutages } from "./outages";
import { createPageLimit } from "./page-limits";

const HOST = Symbol.for("cardlane.host");
const holder = globalThis as { [key: symbol]: boolean | undefined };

/** Marks this process as hosting the service, so that Next in the same process does not host it again. */
export function claimHost(): void {
  holder[HOST] = true;
}

/**
 * Under `next start`, `next dev` and serverless hosts: the service and its jobs, once, on the migrated
 * DATABASE_URL.
 */
export async function startUnderNext({ dev = false } = {}): Promise<void> {
  if (holder[HOST]) return;
  maskProcessOutput();
  env.check();
  const url = env.databaseUrl;
  if (!url)
    throw new ConfigurationError("Next's own server needs DATABASE_URL: npm start brings a database of its own.");
  claimHost();
  try {
    const { service } = await createService({
      url,
      embedded: false,
      applicationName: "cardlane-next",
      connections: shareConnections(env.databasePoolSize),
    });
    await outlast(url, () => registerProcess(service));
    // Keeps Next's own start-up lines; under `next dev` also its errors, which the developer reads.
    if (!dev) logConsole(log, ["warn", "error"]);
    provideService(service);
    normalizeRequests({ onServer: (server) => guard(server, dev), onProxy: () => void noteProxy(service) });
    const route = await outlast(url, () => mailRoute(service));
    if (route === "outbox") log.info({ link: outboxLink(service) }, "e-mail waits in the outbox");
    const webhooks = await outlast(url, () => operatorWebhooks(service));
    if (webhooks !== null) log.info(webhooks);
    startJobs(service);
  } catch (error) {
    // Next may call again; a failed start must not count as a host.
    holder[HOST] = false;
    throw error;
  }
}

/** Adds our own host's checks to Next's server, so that requests that Next can't parse never reach it. */
function guard(server: Server, dev: boolean): void {
  const gate = createGate();
  const tooManyPages = createPageLimit();
  const limitMs = ANSWER_LIMIT_MS + env.processorTimeoutMs;
  const api = apiListener(limitMs);
  const first = (request: IncomingMessage, response: ServerResponse) => {
    const admission = gate(request);
    if ("refusal" in admission) refuseRequest(request, response, admission.refusal);
    else if (PAGE_METHODS.has(request.method ?? "") && !hasTooManyParameters(request.url ?? "")) {
      const isPage = admission.destination === "pages" && !FILES.test(request.url ?? "");
      const refusal = isPage ? tooManyPages(request, response) : null;
      if (refusal === null) return false;
      refuseRequest(request, response, refusal);
    } else api(request, response).catch((error: unknown) => log.error({ err: error }, "a request failed"));
    return true;
  };
  answerFirst(server, first, (request, response, work) =>
    withOutages(request, response, dev ? null : limitMs, () => watchStatements(response, work)),
  );
  watchCallers(server);
  // In production Next never responds to an upgrade; without a listener it is an ordinary request.
  if (!dev) server.removeAllListeners("upgrade");
  // Next created the server, so slow requests are checked only every 30 s.
  server.headersTimeout = ARRIVAL.headersMs;
  server.requestTimeout = ARRIVAL.requestMs;
  // Next uses Node's default of 5 s, which can close a connection just as its caller sends a request.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
}
