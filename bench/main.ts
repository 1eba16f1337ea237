import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "@/db/client";
import { type Embedded, startEmbedded } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { systemClock } from "@/lib/clock";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import { combinations, wordSearches } from "./combinations";
import { type FreshResult, measureFresh } from "./fresh";
import { type LogPace, type LogResult, measureLog } from "./log-cost";
import { measureLatency, measureRoute, type Pace, type RouteResult } from "./measure";
import { measurePage } from "./page";
import { createRecorder } from "./record";
import { type BenchResult, print } from "./report";
import { createRoutes, request } from "./routes";
import { seed } from "./seed";
import { peakMemoryMb, startFloor, startService } from "./servers";
import { measureWall, type WallPace } from "./wall";

const QUICK = process.argv.includes("--quick");
const JSON_ONLY = process.argv.includes("--json");
const MERCHANTS = 50;
const SIZE = QUICK ? { small: 1_000, big: 20_000 } : { small: 10_000, big: 1_000_000 };
const PACE: Pace = QUICK
  ? { connections: 16, warmUpMs: 500, turnMs: 400, rounds: 3 }
  : { connections: 16, warmUpMs: 3_000, turnMs: 2_000, rounds: 7 };
const WALL_PACE: WallPace = QUICK ? { rounds: 10, requests: 20 } : { rounds: 40, requests: 30 };
const LOG_PACE: LogPace = QUICK
  ? { connections: 16, turnMs: 1_500, rounds: 3 }
  : { connections: 16, turnMs: 4_000, rounds: 9 };
const FRESH_SECONDS = QUICK ? 4 : 30;
const LATENCY_REQUESTS = QUICK ? 12 : 40;
const PAGE_REQUESTS = QUICK ? 20 : 100;
const SECRET = "only for measuring: nothing of it is kept";

const say = (line: string) => process.stderr.write(`${line}\n`);

type Seeded = {
  url: string;
  environment: { id: string; mode: "test"; merchantId: string };
  apiKey: string;
  keyId: string;
};

const newKey = (db: Database, environmentId: string, name: string) =>
  createApiKey({ db, clock: systemClock }, { environmentId, name, permissions: PERMISSIONS });

/** Creates a separate, seeded database, with a key of the merchant that has half of its rows. */
async function createSeeded(clusterUrl: string, name: string, transactions: number): Promise<Seeded> {
  const admin = connect(clusterUrl, { max: 1, parameters: { statement_timeout: "0" } });
  await admin.sql.unsafe(`create database ${name}`);
  await admin.close();
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const db = connect(url.href, { max: 2, parameters: { statement_timeout: "0" } });
  try {
    const [biggest] = await seed(db.sql, { transactions, merchants: MERCHANTS, words: transactions > 0 });
    if (!biggest) throw new Error("nothing was seeded");
    // The log keeps little for accounts without a verified address, so it would soon cost nothing.
    await db.sql`
      insert into users (id, merchant_id, email, owns_email, role, password_hash)
      values (${newId()}, ${biggest.merchantId}, 'bench@example.com', true, 'owner', '')`;
    const key = await newKey(db, biggest.id, "bench");
    return { url: url.href, environment: { ...biggest, mode: "test" }, apiKey: key.secret, keyId: key.row.id };
  } finally {
    await db.close();
  }
}

/** Latency of each combination of filters and sort, one request after another. */
async function timeCombinations(port: number, apiKey: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { name, body } of combinations(new Date())) {
    times.set(
      name,
      await measureLatency(port, request(apiKey, "POST", "/v1/transactions/search", body), LATENCY_REQUESTS),
    );
  }
  return times;
}

/** The same for search terms. Each request uses a different time range, so its total is never cached. */
async function timeWords(port: number, apiKey: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { name, body } of wordSearches()) {
    const turn = (n: number) => {
      const created_at = { gte: new Date(n).toISOString() };
      const asked = { ...body, filters: { ...body.filters, created_at } };
      return request(apiKey, "POST", "/v1/transactions/search", asked);
    };
    times.set(name, await measureLatency(port, turn, LATENCY_REQUESTS));
  }
  return times;
}

async function measureSmall(clusterUrl: string, dataDir: string): Promise<Map<string, number>> {
  const { url, apiKey } = await createSeeded(clusterUrl, "bench_small", SIZE.small);
  const service = await startService({ url, dataDir, secret: SECRET });
  try {
    return await timeCombinations(service.port, apiKey);
  } finally {
    await service.stop();
  }
}

/** Runs on a new database and a new service. */
async function measureNew(clusterUrl: string, dataDir: string): Promise<FreshResult> {
  say("A new database …");
  const { url, apiKey } = await createSeeded(clusterUrl, "bench_new", 0);
  const service = await startService({ url, dataDir, secret: SECRET });
  try {
    return await measureFresh(service.port, { apiKey, connections: PACE.connections, seconds: FRESH_SECONDS });
  } finally {
    await service.stop();
  }
}

/** Runs on a separate database, in this process. */
async function measureRequestLog(cluster: Embedded): Promise<LogResult[]> {
  say("The request log …");
  const { url, apiKey } = await createSeeded(cluster.url, "bench_log", SIZE.small);
  return measureLog({ url, apiKey, secret: SECRET, postgresPid: cluster.pid }, LOG_PACE);
}

type Before = { small: Map<string, number>; fresh: FreshResult; log: LogResult[] };

async function measureBig(cluster: Embedded, dataDir: string, { small, fresh, log }: Before): Promise<BenchResult> {
  say(`Seeding ${SIZE.big.toLocaleString("en")} transactions …`);
  const { url, environment, apiKey, keyId } = await createSeeded(cluster.url, "bench_big", SIZE.big);
  const db = connect(url, { max: 1, parameters: { statement_timeout: "0" } });
  const recorder = await createRecorder(db, url, environment, keyId);
  // One key per connection: requests of different keys never share a read.
  const names = Array.from({ length: PACE.connections }, (_, i) => `bench ${i}`);
  const others = await Promise.all(names.map((name) => newKey(db, environment.id, name)));
  const otherKeys = others.map(({ secret }) => secret);
  const routes = await createRoutes({
    ...{ sql: db.sql, recorder, apiKey, otherKeys, environmentId: environment.id, now: new Date() },
  });
  const scripts = Object.assign({}, ...routes.map((route) => route.scripts));
  say("Starting the service and the floor …");
  const service = await startService({ url, dataDir, secret: SECRET });
  const floor = await startFloor({ url, poolSize: env.databasePoolSize, scripts, environmentId: environment.id });
  try {
    const servers = {
      service: { port: service.port, pid: service.process.pid ?? 0 },
      floor: { port: floor.port, pid: floor.process.pid ?? 0 },
      postgresPid: cluster.pid,
    };
    say("Filters and sorts …");
    const big = await timeCombinations(service.port, apiKey);
    say("Words …");
    const words = await timeWords(service.port, apiKey);
    const results: RouteResult[] = [];
    for (const route of routes) {
      say(`${route.name} …`);
      // Updates the planner's statistics for rows that earlier routes added, to match a long-running
      // database.
      await db.sql`analyze`;
      await db.sql`checkpoint`;
      results.push(await measureRoute(route, servers, PACE));
    }
    say("transaction page …");
    const page = await measurePage({
      ...{ db, recorder, environment, secret: SECRET, requests: PAGE_REQUESTS },
      baseUrl: `http://127.0.0.1:${service.port}`,
    });
    say("wall …");
    // Routes that differ only in their keys send the same statements.
    const different = routes.filter(({ scripts }, i) => routes.findIndex((route) => route.scripts === scripts) === i);
    const wall = await measureWall(db, { url, environmentId: environment.id, routes: different }, WALL_PACE);
    return {
      routes: results,
      wall,
      page,
      ...{ fresh, log },
      combinations: [...big].map(([name, ms]) => ({ name, small_ms: small.get(name) ?? 0, big_ms: ms })),
      words: [...words].map(([name, ms]) => ({ name, ms })),
      transactions: SIZE,
      peak_rss_mb: peakMemoryMb(service.process.pid ?? 0),
    };
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
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
  const small = await measureSmall(cluster.url, dataDir);
  const fresh = await measureNew(cluster.url, dataDir);
  const log = await measureRequestLog(cluster);
  const result = await measureBig(cluster, dataDir, { small, fresh, log });
  if (JSON_ONLY) process.stdout.write(`${JSON.stringify(result)}\n`);
  else print(result);
} finally {
  await cleanUp();
}
