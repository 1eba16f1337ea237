import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "@/db/client";
import { type Embedded, startEmbedded } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { startDouble } from "@/e2e/doubles/stripe/double";
import { TEST_SECRET } from "@/e2e/fixtures/factories";
import { startHost } from "@/e2e/proof/host";
import { systemClock } from "@/lib/clock";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import { measureBurst, measureRoute, type Pace, type RouteResult } from "./measure";
import { measurePage } from "./page";
import { createRecorder, type Recorder } from "./record";
import { type BenchResult, print } from "./report";
import {
  createRequest,
  createRoute,
  getRoute,
  listRoute,
  type Merchant,
  type Route,
  refundRoute,
  replayRoute,
  searchRoute,
  stripeRoute,
  tokenRoute,
} from "./routes";
import { SEED_CONNECTIONS, type SeedEnvironment, seed } from "./seed";
import { NO_LIMITS, peakMemoryMb, startFloor, startService } from "./servers";

const QUICK = process.argv.includes("--quick");
const JSON_ONLY = process.argv.includes("--json");
const TRANSACTIONS = QUICK ? 20_000 : 1_000_000;
const PACE: Pace = QUICK
  ? { connections: 16, warmUpMs: 800, turnMs: 600, rounds: 3 }
  : { connections: 16, warmUpMs: 3_000, turnMs: 2_000, rounds: 7 };
const PAGE_REQUESTS = QUICK ? 20 : 100;
const BURST = { connections: 64, turnMs: QUICK ? 1_000 : 4_000, rounds: QUICK ? 2 : 4 };
/** Merchants of a load: the first one has no more transactions than the others. */
const MANY = 16;
/**
 * The one merchant with half of all transactions, those of the sandbox, and those with a connection to
 * Stripe.
 */
const MERCHANTS = 1 + 2 * MANY;
const MAX_PAYMENTS_PER_SECOND = 800;

const say = (line: string) => process.stderr.write(`${line}\n`);

/** A database with a key for each merchant; the first one has half of the transactions. */
async function createSeeded(clusterUrl: string): Promise<{ url: string; merchants: Merchant[] }> {
  const admin = connect(clusterUrl, { max: 1, parameters: { statement_timeout: "0" } });
  await admin.sql.unsafe("create database bench");
  await admin.close();
  const url = new URL(clusterUrl);
  url.pathname = "/bench";
  await migrate(url.href);
  const db = connect(url.href, { max: SEED_CONNECTIONS, parameters: { statement_timeout: "0" } });
  try {
    const environments = await seed(db.sql, { transactions: TRANSACTIONS, merchants: MERCHANTS });
    const merchants: Merchant[] = [];
    for (const [index, environment] of environments.entries())
      merchants.push(await createMerchant(db, index, environment));
    return { url: url.href, merchants };
  } finally {
    await db.close();
  }
}

async function createMerchant(db: Database, index: number, { id, merchantId }: SeedEnvironment): Promise<Merchant> {
  // Accounts without a verified address have a small daily quota, and little of them is logged.
  await db.sql`
    insert into users (id, merchant_id, email, owns_email, role, password_hash)
    values (${newId()}, ${merchantId}, ${`bench${index}@example.com`}, true, 'owner', '')`;
  const clock = systemClock;
  const key = await createApiKey({ db, clock }, { environmentId: id, name: "bench", permissions: PERMISSIONS });
  return { index, environment: { id, mode: "test", merchantId, clock: null }, apiKey: key.secret };
}

type Bench = {
  cluster: Embedded;
  dataDir: string;
  url: string;
  db: Database;
  recorder: Recorder;
  merchants: Merchant[];
};
type Host = { port: number; pid: number };

/** Measures rows against a floor of their own. */
async function measureRoutes(
  { cluster, db, url }: Bench,
  routes: readonly Route[],
  service: Host,
  stripe: { endpoint: string; secretKey: string } | null,
): Promise<RouteResult[]> {
  const scripts = Object.assign({}, ...routes.map((route) => route.scripts));
  const floor = await startFloor({ url, poolSize: env.databasePoolSize, scripts, stripe });
  const servers = { service, floor: { port: floor.port, pid: floor.process.pid ?? 0 }, postgresPid: cluster.pid };
  const results: RouteResult[] = [];
  try {
    for (const route of routes) {
      say(`${route.name} …`);
      // Updates the planner's statistics for rows that earlier routes added, to match a long-running
      // database.
      await db.sql`analyze`;
      await db.sql`checkpoint`;
      results.push(await measureRoute(route, servers, PACE));
    }
    return results;
  } finally {
    await floor.stop();
  }
}

/** The service as `npm start` runs it, with the sandbox processor. */
async function measureService(bench: Bench): Promise<Omit<BenchResult, "transactions">> {
  const { url, dataDir, db, recorder } = bench;
  const [big, ...others] = bench.merchants as [Merchant, ...Merchant[]];
  const merchants = others.slice(0, MANY);
  const options = { sql: db.sql, recorder, merchants, now: new Date() };
  // One merchant's load, and its share of the load of many, each at the service and at the floor.
  const perLoad = (2 * (PACE.warmUpMs + PACE.rounds * PACE.turnMs) * MAX_PAYMENTS_PER_SECOND) / 1_000;
  const tokens = { first: perLoad + perLoad / MANY, other: perLoad / MANY };
  say("Recording …");
  const reads = [await getRoute(options), await listRoute(options), await searchRoute(options)];
  const writes = [await createRoute(options), await tokenRoute(options, tokens), await refundRoute(options)];
  // Recorded last: a replay is counted by a statement that comes later, and would be recorded with other
  // requests.
  const routes = [...reads, await replayRoute(options), ...writes];
  say("Starting the service …");
  const service = await startService({ url, dataDir, secret: TEST_SECRET });
  try {
    const host = { port: service.port, pid: service.process.pid ?? 0 };
    const results = await measureRoutes(bench, routes, host, null);
    say("one merchant's burst …");
    const [first, second] = merchants as [Merchant, Merchant];
    const next = { quiet: () => createRequest(second.apiKey), burst: () => createRequest(first.apiKey) };
    const burst = await measureBurst(host.port, next, BURST);
    say("transaction page …");
    const baseUrl = `http://127.0.0.1:${host.port}`;
    const page = await measurePage({ db, recorder, environment: big.environment, baseUrl, requests: PAGE_REQUESTS });
    return { routes: results, burst, page, peak_rss_mb: peakMemoryMb(host.pid) };
  } finally {
    await service.stop();
  }
}

/** The same parts as a host that tests use, to which merchants connect a double instead of Stripe. */
async function measureStripe(bench: Bench): Promise<RouteResult[]> {
  const double = await startDouble({ secretKey: "sk_test_ofthebench0000000000" });
  const { endpoint, secretKey } = double;
  try {
    const route = await stripeRoute(bench.recorder, double, bench.merchants.slice(1 + MANY));
    const host = await startHost({
      entry: "e2e/connecting-host.ts",
      databaseUrl: bench.url,
      env: { ...NO_LIMITS, STRIPE_DOUBLES: JSON.stringify({ [secretKey]: endpoint }), PROCESSOR_TIMEOUT_MS: "8000" },
    });
    try {
      return await measureRoutes(bench, [route], host, { endpoint, secretKey });
    } finally {
      await host.stop();
    }
  } finally {
    await double.stop();
  }
}

async function measure(cluster: Embedded, dataDir: string): Promise<BenchResult> {
  say(`Seeding ${TRANSACTIONS.toLocaleString("en")} transactions …`);
  const { url, merchants } = await createSeeded(cluster.url);
  const db = connect(url, { max: 1, parameters: { statement_timeout: "0" } });
  const recorder = await createRecorder(url);
  const bench = { cluster, dataDir, url, db, recorder, merchants };
  try {
    const { routes, ...others } = await measureService(bench);
    return { transactions: TRANSACTIONS, routes: [...routes, ...(await measureStripe(bench))], ...others };
  } finally {
    await recorder.close();
    await db.close();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "cardlane-bench-"));
const cluster = await startEmbedded({ dataDir });
const cleanUp = async () => {
  await cluster.stop();
  rmSync(dataDir, { recursive: true, force: true });
};
// The terminal stops the service and the floor, or they stop when their parent exits.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
try {
  const result = await measure(cluster, dataDir);
  if (JSON_ONLY) process.stdout.write(`${JSON.stringify(result)}\n`);
  else print(result);
} finally {
  await cleanUp();
}
