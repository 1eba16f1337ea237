import { connectSql } from "@/db/client";
import { configure, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { endReadiness } from "@/lib/http/health";
import { startJobs } from "@/lib/jobs/jobs";
import { log } from "@/lib/log";
import { journalOf } from "@/lib/processor/connections";
import { listen } from "@/lib/server/address";
import { apiListener } from "@/lib/server/api-listener";
import { closeGracefully, createHttpServer } from "@/lib/server/http-server";
import { openService } from "@/lib/server/open-service";
import { connectorOf } from "@/lib/testing/adyen-double/under-test";
import { createOtherProcessor } from "@/lib/testing/other-processor/processor";
import { connectorTo } from "@/lib/testing/stripe-double/under-test";
import { createSender } from "@/lib/webhooks/sender";
import { openWall } from "@/lib/webhooks/wall";
import { pageListener } from "./page-listener";
import { DeliveryClock } from "./webhook-clock";

/**
 * The service as `npm start` runs it, from the same parts, but without Next: of the pages it has only what the payment form
 * and one of the dashboard call. It is up within a second and needs no build, so that a proof can kill it often, and a broken copy be run at once.
 * With PROOF_PROCESSOR=other its test payments go to the other processor, whose store is in the same database; with =stripe,
 * through the connector to the double at PROOF_STRIPE_ENDPOINT.
 */
configure({ NODE_ENV: "production" });
const opened = await openService({
  processors: (sandbox) => ({ sandbox: chosenProcessor() ?? sandbox }),
  onRecovery: (problem) => problem && log.warn({ err: problem }, "the embedded database is down"),
});
// With PROOF_CLOCK its webhooks go by that clock, and wait half a second for an answer.
const clock = process.env.PROOF_CLOCK ? new DeliveryClock(process.env.PROOF_CLOCK) : null;
const service = clock
  ? { ...opened.service, clock, webhooks: createSender(openWall(), undefined, 500) }
  : opened.service;
provideService(service);

function chosenProcessor() {
  const { PROOF_PROCESSOR: name, PROOF_STRIPE_ENDPOINT: endpoint = "", PROOF_STRIPE_KEY: secretKey = "" } = process.env;
  if (name === "stripe")
    return connectorTo({ endpoint, secretKey }, { name: "stripe", timeoutMs: env.processorTimeoutMs });
  if (name === "adyen") return adyenProcessor();
  return name === "other" ? otherProcessor() : null;
}

function adyenProcessor() {
  if (!env.databaseUrl) throw new Error("the journal is where DATABASE_URL leads");
  const sql = connectSql(env.databaseUrl, { max: 6, applicationName: "adyen-journal" });
  const { url, apiKey, hmacKey } = JSON.parse(process.env.PROOF_ADYEN ?? "{}");
  const timeoutMs = env.processorTimeoutMs;
  return connectorOf(
    { url, apiKey, hmacKey, merchantAccount: "ExampleShopECOM" },
    journalOf({ db: { sql } }, "adyen"),
    {
      timeoutMs,
    },
  );
}

function otherProcessor() {
  if (!env.databaseUrl) throw new Error("the other processor's store is where DATABASE_URL leads");
  const sql = connectSql(env.databaseUrl, { max: 6, applicationName: "other-processor" });
  return createOtherProcessor({ sql, decidesAfterMs: 20 });
}
const api = apiListener(30_000);
const server = createHttpServer({ api, pages: pageListener }, (error) => log.error({ err: error }, "a request failed"));
await listen(server, env.port, env.listenAddress);
const jobs = startJobs(service);

process.once("SIGTERM", () => {
  endReadiness();
  void closeGracefully(server, 10_000)
    .then(() => jobs.stop())
    .then(() => opened.close())
    .finally(() => process.exit(0));
});
