import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inRolesOf, testDatabase } from "@/e2e/fixtures/database";
import { startTcpProxy, type TcpProxy } from "@/e2e/fixtures/tcp-proxy";
import {
  type Connections,
  connect,
  connectLong,
  connectSql,
  type Database,
  openPools,
  type Sql,
  shareConnections,
  shareWithPages,
} from "./client";
import { sqlOn } from "./statements";
import { isDatabaseUnavailable } from "./unavailable";

const { db, url } = await testDatabase({ own: true });
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
});

const open = (target: string, options: Parameters<typeof connectSql>[1] = {}): Sql => {
  const sql = connectSql(target, { max: 3, ...options });
  closing.push(() => sql.end({ timeout: 1 }));
  return sql;
};
const proxied = async (): Promise<TcpProxy> => {
  const proxy = await startTcpProxy(url);
  closing.push(() => proxy.close());
  return proxy;
};
const failureOf = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => null,
    (error: Error & { code?: string }) => error,
  );
/** Repeats until it succeeds; how long that took. */
const untilItWorks = async (work: () => PromiseLike<unknown>) => {
  const started = performance.now();
  await vi.waitFor(work, { timeout: 60_000, interval: 10 });
  return performance.now() - started;
};

/**
 * Ends the server's side of these connections, of this database alone as other tests share the server, and waits until it has:
 * the server answers before.
 */
async function endConnections(where: { name: string } | { query: string } | { pid: number }): Promise<void> {
  const { name = null, query = null, pid = null } = where as { name?: string; query?: string; pid?: number };
  const found = () => db.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = ${name} or query like ${query} or pid = ${pid})`;
  await expect.poll(found, { timeout: 10_000, interval: 10 }).not.toHaveLength(0);
  const pids = (await found()).map((row) => row.pid);
  for (const one of pids) await db.sql`select pg_terminate_backend(${one})`;
  const left = () => db.sql`select pid from pg_stat_activity where pid = any(${`{${pids}}`}::text::int[])`;
  await expect.poll(left, { timeout: 10_000, interval: 10 }).toHaveLength(0);
}

beforeAll(async () => {
  await db.sql`create table notes (id int primary key, text text)`;
});

const SLEEP = "select pg_sleep(0.3)";

describe("a connection", () => {
  test("is set up before anybody uses it: times in UTC, limits of time, a durable commit", async () => {
    const sql = open(url, { parameters: { enable_seqscan: "off" } });
    const [row] =
      await sql`select current_setting('TimeZone') as zone, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('enable_seqscan') as seqscan,
      current_setting('synchronous_commit') as durable, current_setting('application_name') as name`;
    expect(row).toEqual({
      ...{ zone: "UTC", statement: "6s", idle: "10s", seqscan: "off", durable: "on", name: "cardlane" },
    });
  });

  test("commits durably when the server says that it need not", async () => {
    const name = new URL(url).pathname.slice(1);
    await db.sql.unsafe(`alter database "${name}" set synchronous_commit = off`);
    const [row] = await open(url)`select current_setting('synchronous_commit') as durable`;
    await db.sql.unsafe(`alter database "${name}" reset synchronous_commit`);
    expect(row?.durable).toBe("on");
  });

  test("belongs to one statement at a time: a slow one keeps nobody waiting while there is another connection", async () => {
    const sql = open(url, { max: 2 });
    const slow = failureOf(sql`select pg_sleep(30)`);
    await Promise.all(Array.from({ length: 20 }, () => sql`select 1`));
    await endConnections({ query: "select pg_sleep(30)%" });
    expect(isDatabaseUnavailable(await slow)).toBe(true);
  });

  test("that the server ended is replaced, for statements and for transactions", async () => {
    const sql = open(url, { applicationName: "to-be-ended" });
    await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`));
    await endConnections({ name: "to-be-ended" });
    await untilItWorks(() => sql`select 1`);
    expect(await sql.begin((tx) => tx`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test("stays with its environment while others are idle; whoever comes new gets the one that waited longest", async () => {
    const own = connect(inRolesOf(url), { max: 3, maxOrm: 2 });
    closing.push(() => own.close());
    const standing = async (id: string) => {
      const [row] = await own.within(id)
        .sql`select pg_backend_pid() as pid, current_setting('cardlane.environment') as environment`;
      expect(row?.environment).toBe(id);
      return row?.pid as number;
    };
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const second = await own.within(one).sql.begin(() => standing(two));
    const pids = [await standing(one), second];
    expect(pids[0]).not.toBe(second);
    for (let round = 0; round < 3; round++) {
      expect([await standing(two), await standing(one)]).toEqual(pids.toReversed());
    }
    expect([await standing(three), await standing(one)]).toEqual(pids.toReversed());
    const inTransaction = await own.within(three).sql.begin((tx) => tx`select pg_backend_pid() as pid`);
    expect(inTransaction[0]?.pid).toBe(pids[1]);
  });

  test("is never the last one that an environment gets, whatever its statements wait for", async () => {
    const own = connect(inRolesOf(url), { max: 5, maxOrm: 4 });
    closing.push(() => own.close());
    const [busy, other] = [own.within(randomUUID()), own.within(randomUUID())];
    const often = Array.from({ length: 6 }, () => SLEEP);
    const slow = Promise.all([
      ...often.map((text) => busy.sql.unsafe(text)),
      ...often.map((text) => busy.orm.execute(text)),
    ]);
    await Promise.all([other.sql`select 1`, other.orm.execute("select 1")]);
    expect(own.pools().filter(({ name }) => name.startsWith("environment_"))).toEqual([
      { name: "environment_sql", max: 4, inUse: 3, waiting: 3 },
      { name: "environment_orm", max: 3, inUse: 2, waiting: 4 },
    ]);
    await slow;
  });

  test("is not more than there may be, however many ask", async () => {
    const sql = open(url, { max: 3, applicationName: "counted" });
    await Promise.all(Array.from({ length: 60 }, () => sql`select pg_sleep(0.005)`));
    const [row] = await db.sql`select count(*)::int as n from pg_stat_activity where application_name = 'counted'`;
    expect(row?.n).toBe(3);
  });
});

describe("a statement", () => {
  test("does not count when its environment could not be set, and its connection is thrown away", async () => {
    const pool = openPools({ url }, { max: 1 }).sql;
    closing.push(() => pool.end(0));
    const good = sqlOn(pool, randomUUID());
    const pid = async () => (await good`select pg_backend_pid() as pid`)[0]?.pid;
    const before = await pid();
    // No text of PostgreSQL's has this character.
    const error = await failureOf(sqlOn(pool, "\0")`select 1 as one`);
    expect(error?.message).toContain("invalid byte sequence");
    expect(await pid()).not.toBe(before);
  });

  test("does not count when its environment was set after it, because the server forgot how to", async () => {
    const pool = openPools({ url }, { max: 1 }).sql;
    closing.push(() => pool.end(0));
    const [one, other] = [sqlOn(pool, randomUUID()), sqlOn(pool, randomUUID())];
    const pid = async () => (await one`select pg_backend_pid() as pid`)[0]?.pid;
    await other`select 1`;
    const before = await pid();
    await one.unsafe("deallocate all");
    const error = await failureOf(other.unsafe("select current_setting('cardlane.environment')"));
    expect(error?.message).toContain("before its environment was confirmed");
    expect(await pid()).not.toBe(before);
  });

  test("has another environment set in the same packet", async () => {
    let packets = 0;
    const proxy = await startTcpProxy(url, 0, () => void packets++);
    closing.push(() => proxy.close());
    const pool = openPools({ url: proxy.url }, { max: 1 }).sql;
    closing.push(() => pool.end(0));
    const sqls = [randomUUID(), randomUUID()].map((id) => sqlOn(pool, id));
    // Prepared by now: the environment's own statement as well.
    for (const sql of [...sqls, ...sqls]) await sql`select current_setting('cardlane.environment') as environment`;
    packets = 0;
    for (const sql of sqls) await sql`select current_setting('cardlane.environment') as environment`;
    expect(packets).toBe(2);
    await sqls[0]?.begin(async () => {
      expect(packets).toBe(3);
    });
  });

  test("and its rows are gone with the next collection, and so is a transaction", async () => {
    const script = `
      import { connectSql } from ${JSON.stringify(fileURLToPath(new URL("client.ts", import.meta.url)))};
      const sql = connectSql(${JSON.stringify(url)}, { max: 1 });
      const grown = {};
      const read = async (from) => {
        const sent = "x".repeat(300_000) + Math.random();
        await from\`select length(\${sent})\`;
        await from\`select repeat('x', 1000) from generate_series(1, 500)\`;
      };
      const rounds = {
        plain: () => read(sql),
        inTransaction: () => sql.begin(read),
        beginAndCommit: async () => {
          for (let i = 0; i < 100; i++) await sql.begin(async () => {});
        },
      };
      for (const [name, work] of Object.entries(rounds)) {
        const round = async () => {
          await work();
          // A connection holds its latest rows.
          await sql\`select 1\`;
          await new Promise(setImmediate);
          gc();
        };
        await round();
        const before = process.memoryUsage().heapUsed;
        for (let i = 0; i < 30; i++) await round();
        grown[name] = process.memoryUsage().heapUsed - before;
      }
      await sql.end();
      console.log(JSON.stringify(grown));`;
    const flags = ["--import", "tsx", "--expose-gc", "--input-type=module"];
    const run = promisify(execFile)(process.execPath, [...flags, "--eval", script]);
    const grown = JSON.parse((await run).stdout) as Record<"plain" | "inTransaction" | "beginAndCommit", number>;
    // The rounds read 17 MB of rows, send 9 MB of parameters, and run 3,000 empty transactions.
    expect(Math.max(...Object.values(grown))).toBeLessThan(3_000_000);
  });
});

describe("a transaction", () => {
  test("is whole, or nothing: also when a failure inside was swallowed", async () => {
    const sql = open(url);
    await failureOf(
      sql.begin(async (tx) => {
        await tx`insert into notes values (1, 'a')`;
        await tx`insert into notes values (1, 'b')`.catch(() => {});
      }),
    );
    expect(await sql`select * from notes where id = 1`).toHaveLength(0);
    await sql.begin(async (tx) => {
      await tx`insert into notes values (2, 'a')`;
      await failureOf(tx.savepoint((sp) => sp`insert into notes values (2, 'b')`));
      await tx`insert into notes values (3, 'c')`;
    });
    expect(await sql`select id from notes where id in (2, 3)`).toHaveLength(2);
  });

  test("that lost its connection ends there: nothing of it runs on another one", async () => {
    const sql = open(url, { max: 1 });
    let later: Promise<unknown> = Promise.resolve();
    const error = await failureOf(
      sql.begin(async (tx) => {
        const [row] = await tx`select pg_backend_pid() as pid`;
        await tx`insert into notes values (4, 'lost')`;
        await endConnections({ pid: row?.pid as number });
        await failureOf(tx`select 1`);
        later = failureOf(tx`insert into notes values (5, 'stray')`);
        await later;
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await later;
    await untilItWorks(() => sql`select 1`);
    expect(await sql`select * from notes where id in (4, 5)`).toHaveLength(0);
  });

  test("has an end: what somebody forgot to wait for does not run in the next one", async () => {
    const sql = open(url, { max: 1 });
    const forgotten: (() => PromiseLike<unknown>)[] = [];
    await sql.begin(async (tx) => {
      forgotten.push(
        () => tx`insert into notes values (6, 'stray')`,
        () => tx.savepoint(async () => {}),
      );
    });
    for (const run of forgotten) expect((await failureOf(run()))?.message).toBe("the transaction is over");
  });

  test("has an end for the reader of a cursor, too: it reads nothing in another environment's transaction", async () => {
    const own = connect(inRolesOf(url), { max: 2, maxOrm: 2 });
    closing.push(() => own.close());
    const environment = "select current_setting('cardlane.environment') as environment";
    let forgotten: AsyncIterable<unknown> | undefined;
    await own.within(randomUUID()).sql.begin(async (tx) => {
      forgotten = tx.unsafe(environment).cursor(1);
    });
    const read = own.within(randomUUID()).sql.begin(async () => {
      for await (const rows of forgotten as AsyncIterable<unknown>) return rows;
      return null;
    });
    expect((await failureOf(read))?.message).toBe("the transaction is over");
  });

  test("is not taken for committed when a statement that nobody awaited failed", async () => {
    const sql = open(url, { max: 1 });
    const error = await failureOf(
      sql.begin(async (tx) => {
        await tx`insert into notes values (12, 'a')`;
        void failureOf(tx`insert into notes values (12, 'b')`);
      }),
    );
    expect(error?.message).toContain("rolled back");
    expect(await sql`select * from notes where id = 12`).toHaveLength(0);
  });

  test("goes on after the reader of a cursor has left, and its connection after the transaction", async () => {
    const sql = open(url, { max: 1 });
    const read = await sql.begin(async (tx) => {
      const seen: number[] = [];
      for await (const rows of tx<{ n: number }[]>`select generate_series(1, 1000) as n`.cursor(10)) {
        seen.push(...rows.map(({ n }) => n));
        if (seen.length >= 20) break;
      }
      return [seen.at(-1), (await tx`select 7 as n`)[0]?.n];
    });
    expect(read).toEqual([20, 7]);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test("tells the reader of a cursor that its connection is lost between two batches", async () => {
    const sql = open(url, { max: 1 });
    const error = await failureOf(
      sql.begin(async (tx) => {
        const [own] = await tx`select pg_backend_pid() as pid`;
        let batches = 0;
        for await (const _ of tx`select generate_series(1, 1000)`.cursor(10)) {
          if (batches++ === 0) await endConnections({ pid: own?.pid as number });
        }
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await untilItWorks(() => sql`select 1`);
  });

  test("leaves nothing of it in memory, though its connection goes on", async () => {
    const sql = open(url, { max: 1 });
    const rows = await Promise.all(
      Array.from({ length: 20 }, async () => new WeakRef(await sql.begin((tx) => tx`select repeat('x', 500) as text`))),
    );
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    // What a weak reference was asked for, or made in, is kept until the turn of the event loop is over.
    await expect
      .poll(() => {
        collect();
        return rows.filter((row) => row.deref() !== undefined).length;
      })
      .toBeLessThanOrEqual(1);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test("of drizzle's works as before, nested ones among them", async () => {
    const own = connect(url, { max: 2 });
    closing.push(() => own.close());
    const written = await own.orm.transaction(async (tx) => {
      await tx.execute("insert into notes values (7, 'outer')");
      await failureOf(tx.transaction((inner) => inner.execute("insert into notes values (7, 'inner')")));
      return tx.execute("select text from notes where id = 7");
    });
    expect([...written]).toEqual([{ text: "outer" }]);
  });
});

// Concurrent: each test waits for seconds, on its own proxy.
describe.concurrent("a database that is silent", () => {
  test("refuses what is under way, what waits and what comes within ten seconds, and is back at once", async ({
    expect,
  }) => {
    const proxy = await proxied();
    const own: Database = connect(proxy.url, { max: 2 });
    closing.push(() => own.close());
    await Promise.all([own.sql`select 1`, own.orm.execute("select 1")]);
    proxy.fallSilent();
    const started = performance.now();
    // Two for the connections, four that wait; each goes on to another pool, as requests do.
    const errors = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const first = await failureOf(own.sql`select ${randomUUID()}`);
        return [first, await failureOf(own.orm.transaction((tx) => tx.execute("select 1")))];
      }),
    );
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(errors.flat()).toHaveLength(12);
    for (const error of errors.flat()) expect(isDatabaseUnavailable(error)).toBe(true);
    const known = performance.now();
    expect(isDatabaseUnavailable(await failureOf(own.sql`select 1`))).toBe(true);
    // Without a look at the server, which would take a second and a half.
    expect(performance.now() - known).toBeLessThan(1_000);
    // Each of the three pools goes on trying; those attempts all come through at once, and are not all kept.
    await expect.poll(() => proxy.count(), { timeout: 10_000 }).toBeGreaterThanOrEqual(9);
    proxy.resume();
    expect(await untilItWorks(() => own.sql`select 1`)).toBeLessThan(5_000);
    expect(await untilItWorks(() => own.orm.execute("select 1"))).toBeLessThan(5_000);
    await expect.poll(() => proxy.count(), { timeout: 10_000 }).toBeLessThanOrEqual(5);
  });

  test("is not a slow one: a statement that takes its time gets its answer", async ({ expect }) => {
    const proxy = await proxied();
    const long = connectLong(proxy.url, { max: 1 });
    closing.push(() => long.end());
    expect(await long`select 1 as one from pg_sleep(8)`).toEqual([{ one: 1 }]);
  });

  test("under a statement that may take minutes refuses it within ten seconds all the same", async ({ expect }) => {
    const proxy = await proxied();
    const long = connectLong(proxy.url, { max: 1 });
    closing.push(() => long.end());
    await long`select 1`;
    proxy.fallSilent();
    const started = performance.now();
    expect(isDatabaseUnavailable(await failureOf(long`select 1`))).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("at COMMIT is an outage, not a failure: what was written is there", async ({ expect }) => {
    const proxy = await proxied();
    const sql = open(proxy.url, { max: 1 });
    const error = await failureOf(
      sql.begin(async (tx) => {
        await tx`insert into notes values (8, 'committed')`;
        proxy.loseAnswers();
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await db.sql`select text from notes where id = 8`).toEqual([{ text: "committed" }]);
  });
});

describe("a database that fails", () => {
  test("is not taken for silent because this process was busy for long", async () => {
    const known = open(url, { max: 3 });
    await known`select 1`;
    // New connections are on their way, too, and longer than any of them may take.
    const asked = [
      known`select pg_sleep(0.2)`,
      known`select 1`,
      known.begin((tx) => tx`select 1`),
      open(url)`select 1`,
    ];
    const failures = asked.map(failureOf);
    await new Promise((next) => setImmediate(next));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_500);
    expect(await Promise.all(failures)).toEqual([null, null, null, null]);
  });

  test("read-only: refused as an outage, and writing again within five seconds of its return", async () => {
    const name = new URL(url).pathname.slice(1);
    const sql = open(url);
    const write = () => sql`insert into notes values (9, 'x') on conflict (id) do update set text = 'y'`;
    await write();
    // As `alter system` does, but for this database alone: other tests share the server.
    await db.sql.unsafe(`alter database "${name}" set default_transaction_read_only = on`);
    await endConnections({ name: "cardlane" });
    await expect.poll(async () => (await failureOf(write()))?.message).toContain("read-only");
    expect(isDatabaseUnavailable(await failureOf(write()))).toBe(true);
    expect(isDatabaseUnavailable(await failureOf(sql`select 1`))).toBe(true);
    await db.sql.begin(async (tx) => {
      await tx`set transaction read write`;
      await tx.unsafe(`alter database "${name}" reset default_transaction_read_only`);
    });
    expect(await untilItWorks(write)).toBeLessThan(5_000);
  });

  test("a connection that turned read-only is thrown away with all the others", async () => {
    const sql = open(url, { max: 2, applicationName: "turned" });
    await Promise.all([1, 2].map(() => sql`select pg_sleep(0.05)`));
    await sql`select set_config('default_transaction_read_only', 'on', false)`;
    const pids = await db.sql`select pid from pg_stat_activity where application_name = 'turned'`;
    while ((await failureOf(sql`insert into notes values (10, 'x') on conflict do nothing`)) === null);
    await untilItWorks(() => sql`insert into notes values (11, 'x') on conflict do nothing`);
    // The server takes a moment to see that they are closed.
    const old = () =>
      db.sql`select pid from pg_stat_activity where pid = any(${`{${pids.map((row) => row.pid)}}`}::text::int[])
      and application_name = 'turned'`;
    await expect.poll(old, { timeout: 10_000 }).toHaveLength(0);
  });

  test("gone: refused at once, and found again when it is back", async () => {
    const proxy = await proxied();
    const sql = open(proxy.url);
    await sql`select 1`;
    const port = Number(new URL(proxy.url).port);
    await proxy.close();
    await failureOf(sql`select 1`);
    const error = await failureOf(sql`select 1`);
    expect(error?.message).toContain(String(port));
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test("that refuses everybody for another reason says which, and is an outage too", async () => {
    const wrong = new URL(url);
    wrong.password = "wrong";
    const error = await failureOf(open(wrong.href)`select 1`);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(error?.message).toContain("password authentication failed");
  });
});

test.each([13, 14, 16, 20, 25, 33, 100])(
  "a service with pages of their own shares out %i connections, none of them twice",
  (total) => {
    const { api, pages } = shareWithPages(total);
    const sum = (connections: Connections) => Object.values(connections).reduce((all, one) => all + one);
    expect(sum(api) + sum(pages)).toBe(total);
    for (const { sql, orm, store } of [api, pages]) {
      // Both kinds have one connection for each side of the wall.
      expect([sql >= 2, orm >= 2, store >= 1]).toEqual([true, true, true]);
    }
    expect(sum(api) >= total / 2 - 1).toBe(true);
  },
);

test.each([8, 25, 33])("a process has %i connections in all when that is what it may have", async (total) => {
  const { sql: max, orm: maxOrm, store, long, exports } = shareConnections(total);
  expect(max + maxOrm + store + long + exports).toBe(total);
  const name = `counted-${total}`;
  const own = connect({ app: { url }, jobs: { url } }, { max, maxOrm, applicationName: name });
  closing.push(() => own.close());
  // Two environments, as one never gets the last connection.
  const [one, two] = [own.within(randomUUID()), own.within(randomUUID())];
  const slow = "select pg_sleep(0.1)";
  const asked = [own.sql, one.sql, two.sql, own.long].flatMap((sql) =>
    Array.from({ length: 12 }, () => sql.unsafe(slow)),
  );
  const mapped = [own.orm, one.orm, two.orm].flatMap((orm) => Array.from({ length: 12 }, () => orm.execute(slow)));
  const all = Promise.allSettled([...asked, ...mapped]);
  const count = async () =>
    (await db.sql`select count(*)::int as n from pg_stat_activity where application_name = ${name}`)[0]?.n;
  await expect.poll(count, { timeout: 10_000 }).toBe(total - store - exports);
  await all;
  expect(await count()).toBe(total - store - exports);
});
