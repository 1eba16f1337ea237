import { connectSql } from "@/db/client";
import { configure, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { endReadiness } from "@/lib/http/health";
import { startJobs } from "@/lib/jobs/jobs";
import { log } from "@/lib/log";
import { listen } from "@/lib/server/address";
import { apiListener } from "@/lib/server/api-listener";
import { closeGracefully, createHttpServer } from "@/lib/server/http-server";
import { openService } from "@/lib/server/open-service";
import { createSender } from "@/lib/webhooks/sender";
import { openGuard } from "@/lib/webhooks/ssrf-guard";
import { chosenProcessor } from "./chosen-processor";
import { pageListener } from "./page-listener";
import { DeliveryClock } from "./webhook-clock";

/**
 * The service as `npm start` runs it, from the same parts but without Next; it serves only the page routes in
 * `pageListener`. It is up within a second and needs no build, so a proof can kill it often. PROOF_PROCESSOR
 * sends its test payments to the processor that `runProcessor` started.
 */
configure({ NODE_ENV: "production" });
const ownPool = () => {
  if (!env.databaseUrl) throw new Error("what the processor keeps is where DATABASE_URL leads");
  return connectSql(env.databaseUrl, { max: 6, applicationName: "cardlane-processor" });
};
const opened = await openService({
  processors: (sandbox) => ({ sandbox: chosenProcessor(process.env, ownPool, env.processorTimeoutMs) ?? sandbox }),
  onRecovery: (problem) => problem && log.warn({ err: problem }, "the embedded database is down"),
});
// With PROOF_CLOCK, webhooks follow that clock and time out after half a second.
const clock = process.env.PROOF_CLOCK ? new DeliveryClock(process.env.PROOF_CLOCK) : null;
const service = clock
  ? { ...opened.service, clock, webhooks: createSender(openGuard(), undefined, 500) }
  : opened.service;
provideService(service);

const api = apiListener(30_000);
const server = createHttpServer({ api, pages: pageListener }, (error) => log.error({ err: error }, "a request failed"));
await listen(server, env.port, env.listenAddress);
process.send?.("listening");
const jobs = startJobs(service);

process.once("SIGTERM", () => {
  endReadiness();
  void closeGracefully(server, 10_000)
    .then(() => jobs.stop())
    .then(() => opened.close())
    .finally(() => process.exit(0));
});
