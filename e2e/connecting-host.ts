import { configure, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { endReadiness } from "@/lib/http/health";
import { startJobs } from "@/lib/jobs/jobs";
import { log } from "@/lib/log";
import { maskProcessOutput } from "@/lib/log-output";
import { ADYEN } from "@/lib/processor/adyen/connector";
import type { Connector } from "@/lib/processor/connector";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { listen } from "@/lib/server/address";
import { ANSWER_LIMIT_MS, apiListener } from "@/lib/server/api-listener";
import { closeGracefully, createHttpServer } from "@/lib/server/http-server";
import { openNext } from "@/lib/server/open-pages";
import { openService } from "@/lib/server/open-service";
import { withStaticFiles } from "@/lib/server/static-files";
import { claimHost } from "@/lib/server/under-next";

/**
 * The service with its built pages in one process, to which merchants can connect doubles of Stripe.
 * STRIPE_DOUBLES maps secret keys to the URLs of doubles; unknown keys go to the first. ADYEN_DOUBLE, if set,
 * is the URL of a double of Adyen.
 */
maskProcessOutput();
configure({ NODE_ENV: "production" });
const doubles = new Map(Object.entries(JSON.parse(process.env.STRIPE_DOUBLES ?? "{}") as Record<string, string>));

const toDoubles: Connector = {
  ...STRIPE,
  create(options) {
    const endpoint = doubles.get(options.credentials.secret_key ?? "") ?? [...doubles.values()][0];
    // A double has no dashboard, so links point to Stripe's own.
    const { dashboardUrl } = STRIPE.create(options);
    return { ...STRIPE.create({ ...options, endpoint }), ...(dashboardUrl && { dashboardUrl }) };
  },
};

const adyen = process.env.ADYEN_DOUBLE;
const toAdyen = (endpoint: string): Connector => ({
  ...ADYEN,
  create: (options) => ADYEN.create({ ...options, endpoint }),
});

claimHost();
const opened = await openService({
  connectors: adyen ? [toDoubles, toAdyen(adyen)] : [toDoubles],
  onRecovery: (problem) => problem && log.warn({ err: problem }, "the database is down"),
});
provideService(opened.service);
const next = await openNext({ dev: false, root: process.cwd() });
const api = apiListener(ANSWER_LIMIT_MS + env.processorTimeoutMs);
const pages = withStaticFiles(process.cwd(), next.listener);
const server = createHttpServer({ api, pages }, (error) => log.error({ err: error }, "a request failed"));
await listen(server, env.port, env.listenAddress);
process.send?.("listening");
const jobs = startJobs(opened.service);

process.once("SIGTERM", () => {
  endReadiness();
  void closeGracefully(server, 10_000)
    .then(() => jobs.stop())
    .then(() => next.close())
    .then(() => opened.close())
    .finally(() => process.exit(0));
});
