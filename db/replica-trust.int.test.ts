import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { OwnServer } from "@/e2e/fixtures/own-server";
import { startTcpProxy, type TcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { parseAddress } from "./address";
import { connect, type Database } from "./client";
import { isDatabaseUnavailable } from "./unavailable";

const DATABASE = "cardlane";
/** Catches only hangs: a busy machine takes many times the usual second. */
const LIMIT_MS = 60_000;
/** Time for several checks of each replica. */
const CHECKS_MS = 1_500;

type Trio = {
  readonly primary: OwnServer;
  /** Has the table, and stopped then. */
  readonly standby: OwnServer;
  readonly replica: OwnServer;
  /** The replica's address. */
  readonly proxy: TcpProxy;
  readonly db: Database;
};

async function prepare(url: string): Promise<void> {
  const setUp = connect(url, { max: 1 });
  await setUp.sql`create table counter (id int primary key, n int not null)`;
  await setUp.sql`insert into counter values (1, 0)`;
  await setUp.close();
}

/** A primary that a standby, stopped at first, can replace, and a replica that serves the reads of `db`. */
async function startTrio(): Promise<Trio> {
  const fast = { wal_retrieve_retry_interval: "100ms" };
  const [primary, standby] = await OwnServer.pair(DATABASE, { prepare, standby: fast });
  removeAfterwards(primary, standby);
  await standby.stop();
  const replica = await standby.sibling();
  removeAfterwards(replica);
  const proxy = await startTcpProxy(replica.url(DATABASE));
  const both = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",");
  const { hosts, tls } = parseAddress(proxy.url);
  const db = connect(`postgres://${primary.credentials}@${both}/${DATABASE}`, {
    max: 3,
    replicas: { address: { hosts, tls }, log: { warn() {} } },
  });
  onTestFinished(async () => {
    await db.close();
    await proxy.close();
  });
  await untilUsed(db, true);
  return { primary, standby, replica, proxy, db };
}

function removeAfterwards(...servers: OwnServer[]): void {
  onTestFinished(async () => {
    for (const server of servers) {
      await server.stop("SIGKILL");
      server.remove();
    }
  });
}

const untilUsed = (db: Database, isUsed: boolean) =>
  vi.waitFor(() => expect(db.replicas().map((replica) => replica.isUsed)).toEqual([isUsed]), {
    timeout: LIMIT_MS,
    interval: 20,
  });

const write = (db: Database) => db.sql<{ n: number }[]>`update counter set n = n + 1 where id = 1 returning n`;

/** Waits until `position` of the replica includes everything that the primary has written. */
async function untilReplicaHas(position: string, primary: OwnServer, replica: OwnServer): Promise<void> {
  const [here, there] = [primary.sql(DATABASE), replica.sql(DATABASE)];
  const [written] = await here`select pg_current_wal_flush_lsn()::text as lsn`;
  const has = async () => (await there.unsafe(`select ${position} >= '${written?.lsn}' as has`))[0]?.has;
  await vi.waitFor(async () => expect(await has()).toBe(true), { timeout: LIMIT_MS, interval: 20 });
  await Promise.all([here.end(), there.end()]);
}

async function untilReplayed(replica: OwnServer): Promise<void> {
  const admin = replica.sql(DATABASE);
  const isReplayed = async () => (await admin`select n from counter where id = 1`)[0]?.n === 99;
  await vi.waitFor(async () => expect(await isReplayed()).toBe(true), { timeout: LIMIT_MS, interval: 20 });
  await admin.end();
}

/** The counter as a read sees it, and the port of the server that ran the read. */
async function read(db: Database): Promise<{ n: number; port: number }> {
  const [row] = await db.reading.sql<{ n: number; port: number }[]>`
    select n, inet_server_port() as port from counter where id = 1`;
  return row as { n: number; port: number };
}

async function ask(server: OwnServer, text: string): Promise<void> {
  const admin = server.sql(DATABASE);
  await admin.unsafe(text);
  await admin.end();
}

/**
 * Reads for the time of several checks from the first success on. Reads may fail while there is no primary; those that
 * succeed must see `n` at the server with `port`.
 */
async function expectReads(db: Database, expected: { n: number; port: number }): Promise<void> {
  let endMs = Number.POSITIVE_INFINITY;
  const limitMs = performance.now() + LIMIT_MS;
  const reader = async () => {
    while (performance.now() < endMs) {
      const found = await read(db).catch((error: unknown) => {
        if (!isDatabaseUnavailable(error) || performance.now() > limitMs) throw error;
        return null;
      });
      if (found) {
        expect(found).toEqual(expected);
        endMs = Math.min(endMs, performance.now() + CHECKS_MS);
      }
      await wait(2);
    }
  };
  await Promise.all([reader(), reader()]);
}

/**
 * Promotes the standby beside the primary, which goes on writing: the replica has that up to `position`, and the new
 * primary never will.
 */
async function diverge({ primary, standby, replica }: Trio, position: string): Promise<void> {
  await standby.start();
  await ask(standby, "select pg_promote()");
  // More than a promotion writes, so that the replica is ahead of the new primary.
  await ask(primary, "update counter set n = 99; select pg_logical_emit_message(true, 'test', repeat('x', 1000000))");
  await untilReplicaHas(position, primary, replica);
}

test("a replica that has more than the new primary is left out until it has replayed more than that", async () => {
  const trio = await startTrio();
  const { primary, standby, replica, db } = trio;
  await diverge(trio, "pg_last_wal_replay_lsn()");
  await untilUsed(db, true);
  await primary.stop("SIGKILL");
  await expectReads(db, { n: 0, port: standby.port });
  await untilUsed(db, false);

  await replica.followAnew(standby, { host: "127.0.0.1", port: standby.port });
  await ask(standby, "select pg_switch_wal()");
  await write(db);
  await untilUsed(db, true);
  await vi.waitFor(async () => expect(await read(db)).toEqual({ n: 1, port: replica.port }), { timeout: LIMIT_MS });
});

test("what a replica received before a failover counts as ahead, although it replays that afterwards", async () => {
  const trio = await startTrio();
  const { primary, standby, replica, db } = trio;
  await ask(replica, "select pg_wal_replay_pause()");
  await diverge(trio, "pg_last_wal_receive_lsn()");
  await primary.stop("SIGKILL");
  await expectReads(db, { n: 0, port: standby.port });
  await ask(replica, "select pg_wal_replay_resume()");
  await untilReplayed(replica);
  await expectReads(db, { n: 0, port: standby.port });
  await untilUsed(db, false);
});

test("a read never follows a load balancer to another server than the check reached", async () => {
  const { primary, replica, proxy, db } = await startTrio();
  await replica.stop();
  const stale = await replica.sibling();
  removeAfterwards(stale);
  await ask(stale, "select pg_wal_replay_pause()");
  await replica.start();
  await write(db);
  await untilUsed(db, true);
  // The check keeps its connection; those of the reads are opened from here on.
  proxy.redirect(stale.url(DATABASE));
  await expectReads(db, { n: 1, port: primary.port });
});

test("a server of another cluster is no replica, however much it has written", async () => {
  const { primary, proxy, db } = await startTrio();
  const other = await OwnServer.create();
  removeAfterwards(other);
  other.rules("local all all trust", "host all all 127.0.0.1/32 trust");
  await other.start();
  const admin = other.sql("postgres");
  await admin.unsafe(`create database ${DATABASE}`);
  await admin.end();
  await prepare(other.url(DATABASE));
  await ask(other, "update counter set n = 99");
  for (let segment = 0; segment < 3; segment++) await ask(other, "create temporary table t (); select pg_switch_wal()");
  await proxy.refuse();
  await untilUsed(db, false);
  proxy.redirect(other.url(DATABASE));
  await proxy.accept();
  await expectReads(db, { n: 0, port: primary.port });
  await untilUsed(db, false);
});
