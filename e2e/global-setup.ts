import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FullConfig } from "playwright/test";
import { connect } from "@/db/client";
import { buildWhenStale } from "@/lib/server/build";
import { findBrowser } from "./fixtures/browser";
import { createDatabase, dropDatabase, startTestCluster, type TestCluster } from "./fixtures/cluster";
import { createTestMerchant, TEST_METRICS_TOKEN } from "./fixtures/factories";
import type { HostName, HostOptions } from "./fixtures/playwright";
import { type RunningService, startService } from "./fixtures/service";
import { OTHER_PROCESSORS } from "./proof/chosen-processor";
import { type ProofHost, startHost } from "./proof/host";
import { runProcessor } from "./proof/processors";

/** Set on all hosts: any of them may send a delivery, and test receivers run on this machine. */
const TO_RECEIVERS = { WEBHOOK_ALLOW_LOCAL: "true" };
/**
 * Limits low enough to reach on a busy machine, and a trusted proxy, so that tests can choose client
 * addresses.
 */
const LIMITED = {
  RATE_LIMIT_PER_SECOND: "5",
  RATE_LIMIT_BURST: "10",
  MERCHANT_RATE_LIMIT_PER_SECOND: "10",
  MERCHANT_RATE_LIMIT_BURST: "25",
  UNAUTHORIZED_LIMIT_PER_MINUTE: "6",
  CHECKOUT_LIMIT_PER_MINUTE: "6",
  TRUSTED_PROXIES: "1",
  ...TO_RECEIVERS,
};
/** Default limits, and a base URL per environment that other machines could reach. */
const CONFIGURED = {
  CARDLANE_ENV: "sandbox",
  SANDBOX_BASE_URL: "http://sandbox.cardlane.test",
  LIVE_BASE_URL: "http://live.cardlane.test",
  ...TO_RECEIVERS,
};
const UNLIMITED = {
  METRICS_TOKEN: TEST_METRICS_TOKEN,
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  UNAUTHORIZED_LIMIT_PER_MINUTE: "1000000",
  PAGE_LIMIT_PER_MINUTE: "1000000",
  ANSWER_MB_PER_SECOND: "1000000",
  SIGN_IN_LIMIT_PER_MINUTE: "1000000",
  CHECKOUT_LIMIT_PER_MINUTE: "1000000",
  ...TO_RECEIVERS,
};

/** Settings per host; these hosts share one database. */
const SETTINGS: Partial<Record<HostName, Record<string, string>>> = {
  service: UNLIMITED,
  next: UNLIMITED,
  configured: CONFIGURED,
  limited: LIMITED,
};

/**
 * Starts the hosts of the selected projects on one database; workers get their URLs from environment
 * variables.
 */
export default async function setup(config: FullConfig): Promise<() => Promise<void>> {
  await buildWhenStale(config.rootDir, () => process.stdout.write("Building …\n"), new AbortController().signal);
  const cluster = await startTestCluster();
  const database = `e2e_${Date.now().toString(36)}`;
  const ends: (() => Promise<void>)[] = [];
  const teardown = async () => {
    await Promise.all(ends.map((end) => end()));
    await dropDatabase(cluster.adminUrl, database);
    await cluster.stop();
  };
  try {
    const url = await createDatabase(cluster.adminUrl, database, cluster.template);
    await seedSomething(url);
    process.env.E2E_FOUND_BROWSER = JSON.stringify(await findBrowser());
    process.env.E2E_DATABASE_URL = url;
    // For workers that start their own database and host.
    Object.assign(process.env, { E2E_ADMIN_URL: cluster.adminUrl, E2E_TEMPLATE: cluster.template });
    const start = async (host: HostName) => {
      if (isOther(host)) return ends.push(await startBehind(host, cluster, `${database}_${host}`));
      if (host === "demo") return ends.push(await startDemo(cluster, `${database}_demo`));
      const service = await startService({
        host: host === "next" || host === "service" ? host : "built",
        databaseUrl: url,
        env: SETTINGS[host],
      });
      ends.push(() => end(host, service));
      process.env[`E2E_${host.toUpperCase()}_URL`] = service.baseUrl;
    };
    // Always run our own server, because its jobs finish operations that the other hosts leave open.
    const hosts = config.filteredProjects.map(({ use }) => (use as HostOptions).host);
    const started = await Promise.allSettled([...new Set<HostName>(["service", ...hosts])].map(start));
    for (const one of started) if (one.status === "rejected") throw one.reason;
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

type OtherProcessor = (typeof OTHER_PROCESSORS)[number];
const isOther = (host: HostName): host is OtherProcessor => OTHER_PROCESSORS.some((one) => one === host);

/** Keeps the output for investigating failed tests. */
async function end(host: HostName, service: Pick<RunningService, "stop" | "output">): Promise<void> {
  await service.stop();
  mkdirSync(".cache/test-reports", { recursive: true });
  writeFileSync(`.cache/test-reports/host-${host}.log`, service.output());
}

/**
 * A service on an empty database, which gets a demo merchant. Its own data folder keeps the demo key apart
 * from the developer's.
 */
async function startDemo(cluster: TestCluster, database: string): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "cardlane-demo-"));
  const databaseUrl = await createDatabase(cluster.adminUrl, database, cluster.template);
  const service = await startService({ host: "built", databaseUrl, env: { ...UNLIMITED, DATA_DIR: dataDir } });
  const { test_key } = JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as { test_key: string };
  Object.assign(process.env, { E2E_DEMO_URL: service.baseUrl, E2E_DEMO_KEY: test_key });
  return async () => {
    await end("demo", service);
    await dropDatabase(cluster.adminUrl, database);
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/**
 * A service whose test payments go to another processor. It has its own database, because the sandbox lacks
 * these payments.
 */
async function startBehind(name: OtherProcessor, cluster: TestCluster, database: string): Promise<() => Promise<void>> {
  const databaseUrl = await createDatabase(cluster.adminUrl, database, cluster.template);
  await seedSomething(databaseUrl);
  const db = connect(databaseUrl, { max: 2 });
  const running: ProofHost[] = [];
  const processor = await runProcessor(db, () => running[0]?.baseUrl ?? "", name);
  const env = { ...UNLIMITED, ...processor.env, PROCESSOR_TIMEOUT_MS: "8000" };
  const host = await startHost({ databaseUrl, env });
  running.push(host);
  const own = `E2E_${name.toUpperCase()}`;
  process.env[`${own}_URL`] = host.baseUrl;
  process.env[`${own}_DATABASE_URL`] = databaseUrl;
  process.env[`${own}_PROCESSOR`] = JSON.stringify(processor.env);
  return async () => {
    await processor.stop();
    await end(name, host);
    await db.close();
    await dropDatabase(cluster.adminUrl, database);
  };
}

/** Inserts a merchant, because only an empty database gets demo data. */
export async function seedSomething(url: string): Promise<void> {
  const db = connect(url, { max: 1 });
  await createTestMerchant(db, "Somebody else");
  await db.close();
}
