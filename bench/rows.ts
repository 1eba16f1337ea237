import { mkdirSync, readFileSync } from "node:fs";
import { connect, type Database, ROLES } from "@/db/client";
import { startEmbedded } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { testContext, testService } from "@/e2e/fixtures/factories";
import type { Environment } from "@/lib/domain/context";
import { type Read, readsOf, STAFF_ID } from "./rows-reads";
import { SEED_CONNECTIONS, seed } from "./seed";

/** `--rows 10000000 --data-dir .data/bench-rows --turns 5 --only words` */
const argument = (name: string, otherwise: string) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] as string);
};
const SMALL = 10_000;
const LARGE = Number(argument("rows", "10000000"));
const DATA_DIR = argument("data-dir", ".data/bench-rows");
const TURNS = Number(argument("turns", "5"));
const ONLY = argument("only", "");
const MERCHANTS = 33;
/** A larger database may take at most this many times as long as the small one. */
const MAX_TIMES = 2;

const say = (line: string) => process.stderr.write(`${line}\n`);

/** A database of this many transactions, kept in the data folder: seeded by the first run. */
async function seeded(clusterUrl: string, transactions: number): Promise<string> {
  const name = `rows_${transactions}`;
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  const admin = connect(clusterUrl, { max: 1, parameters: { statement_timeout: "0" } });
  const [found] = await admin.sql`
    select shobj_description(oid, 'pg_database') as seeded from pg_database where datname = ${name}`;
  if (!found?.seeded) {
    await admin.sql.unsafe(`drop database if exists ${name}`);
    await admin.sql.unsafe(`create database ${name}`);
    await migrate(url.href);
    const started = performance.now();
    const seconds = () => ((performance.now() - started) / 1_000).toFixed(0);
    const db = connect(url.href, { max: SEED_CONNECTIONS, parameters: { statement_timeout: "0", work_mem: "64MB" } });
    await seed(db.sql, { transactions, merchants: MERCHANTS, say: (line) => say(`  ${seconds()} s: ${line}`) });
    await db.close();
    await admin.sql.unsafe(`comment on database ${name} is '${seconds()}'`);
  }
  const [row] = await admin.sql`
    select shobj_description(oid, 'pg_database') as seconds, pg_size_pretty(pg_database_size(oid)) as size
    from pg_database where datname = ${name}`;
  say(`${transactions.toLocaleString("en")} transactions: seeded in ${row?.seconds} s, ${row?.size}`);
  await admin.close();
  return url.href;
}

type Open = { db: Database; environment: Environment; url: string; reads: Read[] };

/** Reads as the service does, in its roles. */
async function open(url: string, transactions: number, now: Date): Promise<Open & { close(): Promise<unknown> }> {
  const db = connect({ app: { url, role: ROLES.app }, jobs: { url, role: ROLES.jobs } }, { max: 2, maxOrm: 1 });
  const [row] = await db.sql`select id, merchant_id from environments order by id limit 1`;
  const owner = connect(url, { max: 1 });
  await owner.sql`
    insert into users (id, merchant_id, email, role, password_hash)
    values (${STAFF_ID}, null, 'staff@bench.example', 'staff', '') on conflict do nothing`;
  await owner.close();
  const environment: Environment = { id: row?.id, mode: "test", merchantId: row?.merchant_id, clock: null };
  return { db, url, environment, reads: readsOf(transactions / SMALL, now), close: () => db.close() };
}

type Turn = { ms: number; cpuMs: number };
type Measured = { counted: Turn[]; known: Turn[]; failed: string | null };
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const forgetKnownTotals = () => Reflect.deleteProperty(globalThis, Symbol.for("cardlane.known-totals"));

async function connectionsOf(url: string): Promise<number[]> {
  const owner = connect(url, { max: 1 });
  const found = await owner.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and application_name = current_setting('application_name')`;
  await owner.close();
  return found.map(({ pid }) => pid);
}

/** Processor time of the database's connections so far, in ms. Linux only. */
function cpuOf(pids: readonly number[]): number {
  const times = pids.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6);
  return times.reduce((sum, time) => sum + time, 0);
}

/** The two databases alternate, so that other load on the machine slows both. */
async function measure(pairs: readonly (readonly [Open, Read])[]): Promise<Measured[]> {
  const results: Measured[] = pairs.map(() => ({ counted: [], known: [], failed: null }));
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const [at, [{ db, environment, url }, read]] of pairs.entries()) {
      // Connections that the first round opened.
      const pids = turn === 0 ? [] : await connectionsOf(url);
      const result = results[at] as Measured;
      const service = testService(db);
      const timed = async (): Promise<Turn> => {
        const [started, cpuStarted] = [performance.now(), cpuOf(pids)];
        await read.run(testContext(service, environment));
        return { ms: performance.now() - started, cpuMs: cpuOf(pids) - cpuStarted };
      };
      try {
        // The total is counted, and then known for two seconds.
        forgetKnownTotals();
        const both = [await timed(), await timed()] as const;
        if (turn === 0) continue;
        result.counted.push(both[0]);
        result.known.push(both[1]);
      } catch (error) {
        result.failed = String(error).slice(0, 120);
      }
    }
  }
  return results;
}

const SIZES = `
  select c.oid::regclass::text as table, c.reltuples::bigint as rows, pg_table_size(c.oid) as heap,
    pg_indexes_size(c.oid) as indexes, s.n_dead_tup::bigint as dead,
    (select string_agg(format('%s %s', i.relname, pg_size_pretty(pg_relation_size(i.oid))), ', ' order by pg_relation_size(i.oid) desc)
      from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid and pg_relation_size(i.oid) > 10000000) as largest
  from pg_class c join pg_stat_user_tables s on s.relid = c.oid
  where c.relkind = 'r' and pg_total_relation_size(c.oid) > 1000000
  order by pg_total_relation_size(c.oid) desc`;

const cells = (...values: readonly (string | number)[]) => process.stdout.write(`| ${values.join(" | ")} |\n`);
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1);

async function printSizes(db: Database): Promise<void> {
  cells("table", "rows", "bytes per row", "of it indexes", "table", "indexes", "dead rows");
  cells("---", "---:", "---:", "---:", "---:", "---:", "---:");
  for (const row of await db.sql.unsafe(SIZES)) {
    const [rows, heap, indexes] = [Number(row.rows), Number(row.heap), Number(row.indexes)];
    const per = (bytes: number) => Math.round(bytes / Math.max(1, rows));
    const gb = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;
    cells(
      row.table,
      rows.toLocaleString("en"),
      per(heap + indexes),
      per(indexes),
      gb(heap),
      gb(indexes),
      Number(row.dead),
    );
    say(`  ${row.table}: ${row.largest}`);
  }
}

mkdirSync(DATA_DIR, { recursive: true });
const cluster = await startEmbedded({ dataDir: DATA_DIR, fsync: false });
try {
  const urls = [await seeded(cluster.url, SMALL), await seeded(cluster.url, LARGE)] as const;
  const now = new Date();
  const small = await open(urls[0], SMALL, now);
  const large = await open(urls[1], LARGE, now);
  const owner = connect(urls[1], { max: 1, parameters: { statement_timeout: "0" } });
  if (!ONLY) await printSizes(owner);
  await owner.close();
  cells("read", "10,000", "large", "times", "CPU", "CPU of large", "times", "total known", "large", "times");
  cells("---", ...Array(9).fill("---:"));
  for (const [at, read] of small.reads.entries()) {
    if (!new RegExp(ONLY).test(read.name)) continue;
    const pairs = [[small, read] as const, [large, large.reads[at] as Read] as const];
    const [a, b] = (await measure(pairs)) as [Measured, Measured];
    const pair = (of: "counted" | "known", key: keyof Turn) => {
      const [x, y] = [a, b].map((one) => median(one[of].map((turn) => turn[key]))) as [number, number];
      return [ms(x), ms(y), `${(y / x).toFixed(1)}${y / x <= MAX_TIMES ? "" : " **missed**"}`];
    };
    cells(read.name, ...pair("counted", "ms"), ...pair("counted", "cpuMs"), ...pair("known", "cpuMs"));
    if (a.failed ?? b.failed) say(`${read.name}: ${a.failed} ${b.failed}`);
  }
  await Promise.all([small.close(), large.close()]);
} finally {
  await cluster.stop();
}
