import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createTestMerchant, type TestMerchant } from "@/e2e/fixtures/factories";
import { OwnServer } from "@/e2e/fixtures/own-server";
import { startTcpProxy, type TcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { idTime, newId } from "@/lib/ids";
import { parseAddress } from "./address";
import { connect, type Database, ROLES } from "./client";
import { migrate } from "./migrate";

const DATABASE = "cardlane";
/** Catches only hangs: a busy machine takes many times the usual second. */
const LIMIT_MS = 60_000;
/** Time for several checks of the replica. */
const CHECKS_MS = 1_500;

let primary: OwnServer;
let standby: OwnServer;
let proxy: TcpProxy;
let merchant: TestMerchant;
let other: TestMerchant;
/** Two processes of the service, and one without replicas. */
let one: Database;
let two: Database;
let plain: Database;
const notes: string[] = [];

beforeAll(async () => {
  [primary, standby] = await OwnServer.pair(DATABASE, {
    prepare: async (url) => {
      await migrate(url);
      const setUp = connect(url, { max: 2 });
      await setUp.sql`create table counter (id int primary key, n int not null)`;
      await setUp.sql`insert into counter values (1, 0)`;
      await setUp.sql`grant select, update on counter to ${setUp.sql(ROLES.app)}, ${setUp.sql(ROLES.jobs)}`;
      [merchant, other] = [await createTestMerchant(setUp), await createTestMerchant(setUp)];
      await setUp.close();
    },
    standby: {
      // Every commit arrives late, as under load or over a distance.
      recovery_min_apply_delay: "20ms",
      // By default, a standby that failed to follow tries again after 5 s.
      wal_retrieve_retry_interval: "100ms",
    },
  });
  const url = primary.url(DATABASE);
  plain = connect(url, { max: 3 });
  proxy = await startTcpProxy(standby.url(DATABASE));
  const logins = { app: { url, role: ROLES.app }, jobs: { url, role: ROLES.jobs } };
  const { hosts, tls } = parseAddress(proxy.url);
  const log = { warn: (_: object, message: string) => void notes.push(message) };
  const open = () => connect(logins, { max: 6, replicas: { address: { hosts, tls }, log } });
  [one, two] = [open(), open()];
  await untilUsed();
}, 120_000);

afterAll(async () => {
  await Promise.all([one, two, plain].map((db) => db?.close()));
  await proxy?.close();
  for (const server of [standby, primary]) {
    await server?.stop();
    server?.remove();
  }
});

const isUsed = (db: Database) => db.replicas().some((replica) => replica.isUsed);
const untilUsed = () =>
  vi.waitFor(() => expect(isUsed(one) && isUsed(two)).toBe(true), { timeout: LIMIT_MS, interval: 20 });

/** Waits until the checks have noticed: a server that is back sooner was never missed. */
const untilLeftOut = () =>
  vi.waitFor(() => expect(isUsed(one) || isUsed(two)).toBe(false), { timeout: LIMIT_MS, interval: 20 });

/** The counter, and whether a standby served it. */
async function read(db: Database): Promise<{ n: number; standby: boolean }> {
  const [row] = await db.reading.sql<{ n: number; standby: boolean }[]>`
    select n, pg_is_in_recovery() as standby from counter where id = 1`;
  return row as { n: number; standby: boolean };
}
/** Repeats a read until the replica serves it: a busy one may be too late for the first. */
async function onStandby<Row extends { standby?: boolean }>(read: () => PromiseLike<Iterable<Row>>): Promise<Row[]> {
  for (;;) {
    const rows = [...(await read())];
    if (rows.every(({ standby: is }) => is)) return rows;
  }
}
const count = async (): Promise<number> => {
  const [row] = await plain.sql<{ n: number }[]>`update counter set n = n + 1 where id = 1 returning n`;
  return row?.n as number;
};

test("reads in every process have what was committed before, and come from the replica", async () => {
  let fromStandby = 0;
  while (fromStandby < 120) {
    const written = await count();
    const found = await Promise.all([read(one), read(two), read(one)]);
    for (const { n } of found) expect(n).toBe(written);
    fromStandby += found.filter(({ standby: is }) => is).length;
  }
});

test("reads amid a writer never go back", async () => {
  let isOver = false;
  let confirmed = await count();
  const writer = (async () => {
    while (!isOver) confirmed = await count();
  })();
  const reader = async (db: Database) => {
    for (let round = 0; round < 150; round++) {
      const before = confirmed;
      expect((await read(db)).n).toBeGreaterThanOrEqual(before);
    }
  };
  await Promise.all([reader(one), reader(two), reader(one)]);
  isOver = true;
  await writer;
});

test("an environment sees its own rows alone on a replica", async () => {
  for (const { test: environment } of [merchant, other]) {
    const id = newId();
    await plain.sql`insert into plans (environment_id, id, type, name, currency, full_price, status, created_at, updated_at)
      values (${environment.id}, ${id}, 'ONE_TIME', 'Plan', 'USD', 100, 'ACTIVE', ${idTime(id)}, ${idTime(id)})`;
  }
  const { sql, orm } = one.reading.within(merchant.test.id);
  const rows = await onStandby(() => sql`select environment_id, pg_is_in_recovery() as standby from plans`);
  expect(rows).toEqual([{ environment_id: merchant.test.id, standby: true }]);
  const across = await onStandby(() => orm.execute("select environment_id, pg_is_in_recovery() as standby from plans"));
  expect(across).toEqual([{ environment_id: merchant.test.id, standby: true }]);
  const exported = one.reading.openExport(other.test.id);
  expect(
    await onStandby(() =>
      exported.begin("read only", (tx) => tx`select environment_id, pg_is_in_recovery() as standby from plans`),
    ),
  ).toEqual([{ environment_id: other.test.id, standby: true }]);
  await exported.end();
});

test("a write runs on the primary, alone or in a transaction", async () => {
  const { n } = await read(one);
  await one.reading.sql`update counter set n = n + 1 where id = 1`;
  await one.reading.sql.begin(async (tx) => {
    await tx`select n from counter where id = 1 for update`;
    await tx`update counter set n = n + 1 where id = 1`;
  });
  expect(await onStandby(async () => [await read(one)])).toEqual([{ n: n + 2, standby: true }]);
});

describe("a replica that", () => {
  test("lags is left out, while the primary serves every read, and is used again", async () => {
    const admin = standby.sql(DATABASE);
    await admin`select pg_wal_replay_pause()`;
    const pausedMs = performance.now();
    while (isUsed(one)) {
      const written = await count();
      expect(await read(one)).toEqual({ n: written, standby: false });
    }
    expect(performance.now() - pausedMs).toBeLessThan(LIMIT_MS);
    await admin`select pg_wal_replay_resume()`;
    await admin.end();
    await untilUsed();
    expect(notes).toContain("a read replica is left out");
  });

  test("falls silent is left out, and the reads that wait for it go to the primary", async () => {
    const written = await count();
    await Promise.all([read(one), read(two)]);
    proxy.fallSilent();
    const begunMs = performance.now();
    const found = await Promise.all(Array.from({ length: 8 }, (_, i) => read(i % 2 ? one : two)));
    expect(found.map(({ n }) => n)).toEqual(found.map(() => written));
    expect(performance.now() - begunMs).toBeLessThan(LIMIT_MS);
    await untilLeftOut();
    expect(await read(one)).toEqual({ n: written, standby: false });
    proxy.resume();
    await untilUsed();
  });

  test("is gone is left out once while the primary is idle", async () => {
    const lines = () => notes.filter((note) => note === "a read replica is left out").length;
    const before = lines();
    await proxy.refuse();
    await untilLeftOut();
    // One line for each of the two processes, and no other at later checks.
    await expect.poll(() => lines() - before).toBe(2);
    await wait(CHECKS_MS);
    expect([isUsed(one) || isUsed(two), lines() - before]).toEqual([false, 2]);
    await proxy.accept();
    await untilUsed();
  });

  test("dies in a read-only transaction is replaced by the primary, for the whole of it", async () => {
    /** Tells for each attempt of the transaction if a standby served it. */
    const attempts: boolean[] = [];
    const dying = () =>
      one.reading.sql.begin("read only", async (tx) => {
        const [row] = await tx<{ standby: boolean }[]>`select pg_is_in_recovery() as standby from counter where id = 1`;
        attempts.push(row?.standby === true);
        if (row?.standby) await standby.stop("SIGKILL");
        return tx`select pg_is_in_recovery() as standby`;
      });
    let rows = await dying();
    // A busy replica may be too late for the first, which the primary then serves.
    for (let tries = 1; !attempts.includes(true) && tries < 20; tries++) {
      await untilUsed();
      attempts.length = 0;
      rows = await dying();
    }
    expect([attempts, rows]).toEqual([[true, false], [{ standby: false }]]);
    await untilLeftOut();
    await standby.start();
    await untilUsed();
  });

  test("dies fails no read, and is used again after its return", async () => {
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const reads = [0, 0, 0, 0];
    let fromStandby = 0;
    const readers = Promise.all(
      [one, two, one, two].map(async (db, reader) => {
        while (!isOver) {
          if ((await read(db)).standby) fromStandby++;
          reads[reader] = (reads[reader] ?? 0) + 1;
        }
      }),
    );
    /** Until each reader has ended the read that is under way, and one more. */
    const untilReadAgain = async () => {
      const before = [...reads];
      await expect.poll(() => reads.every((count, reader) => count > (before[reader] ?? 0) + 1)).toBe(true);
    };
    await expect.poll(() => fromStandby).toBeGreaterThan(0);
    await standby.stop("SIGKILL");
    await untilLeftOut();
    await untilReadAgain();
    const before = fromStandby;
    await untilReadAgain();
    expect(fromStandby).toBe(before);
    await standby.start();
    await expect.poll(() => fromStandby).toBeGreaterThan(before);
    isOver = true;
    await readers;
  });
});

test("a server that refuses to report its position costs no read and no process, and is logged once", async () => {
  const admin = primary.sql(DATABASE);
  const lines = () => notes.filter((note) => note.startsWith("the primary's position")).length;
  await admin`revoke execute on function pg_control_system() from public`;
  await untilLeftOut();
  await expect.poll(lines).toBe(2);
  await wait(CHECKS_MS);
  expect(await read(one)).toMatchObject({ standby: false });
  expect(lines()).toBe(2);
  await admin`grant execute on function pg_control_system() to public`;
  await admin.end();
  await untilUsed();
});
