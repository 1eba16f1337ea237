import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { failureOf, ownPools, untilItWorks } from "@/e2e/fixtures/pools";
import { connect, connectLong, type Database } from "./client";
import { isDatabaseUnavailable } from "./unavailable";

const { db, url, closing, open, proxied, endConnections } = await ownPools();

beforeAll(async () => {
  await db.sql`create table scratch (id int primary key, text text)`;
});

// Concurrent: each test waits for seconds, on its own proxy.
describe.concurrent("a database that is silent", () => {
  test("refuses running, waiting and new statements within ten seconds, and recovers immediately", async ({
    expect,
  }) => {
    const proxy = await proxied();
    const own: Database = connect(proxy.url, { max: 2 });
    closing.push(() => own.close());
    await Promise.all([own.sql`select 1`, own.orm.execute("select 1")]);
    proxy.fallSilent();
    const started = performance.now();
    // Two for the connections, four that wait; each then tries another pool, like requests.
    const errors = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const first = await failureOf(own.sql`select ${randomUUID()}`);
        return [first, await failureOf(own.orm.transaction((tx) => tx.execute("select 1")))];
      }),
    );
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(errors.flat()).toHaveLength(12);
    for (const error of errors.flat()) expect(isDatabaseUnavailable(error)).toBe(true);
    const msUntilRefused = async () => {
      const known = performance.now();
      expect(isDatabaseUnavailable(await failureOf(own.sql`select 1`))).toBe(true);
      return performance.now() - known;
    };
    // Without a look at the server, which would take a second and a half; a busy machine can delay single refusals.
    await expect.poll(msUntilRefused, { interval: 0 }).toBeLessThan(1_000);
    // Each of the three pools goes on trying; those attempts all come through at once, and are not all kept.
    await expect.poll(() => proxy.count()).toBeGreaterThanOrEqual(9);
    proxy.resume();
    expect(await untilItWorks(() => own.sql`select 1`)).toBeLessThan(5_000);
    expect(await untilItWorks(() => own.orm.execute("select 1"))).toBeLessThan(5_000);
    await expect.poll(() => proxy.count()).toBeLessThanOrEqual(5);
  });

  test("is not mistaken for a slow statement, which gets its result", async ({ expect }) => {
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

  test("during COMMIT is an outage, not a failure: the data was written", async ({ expect }) => {
    const proxy = await proxied();
    const sql = open(proxy.url, { max: 1 });
    const error = await failureOf(
      sql.begin(async (tx) => {
        await tx`insert into scratch values (8, 'committed')`;
        proxy.loseAnswers();
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await db.sql`select text from scratch where id = 8`).toEqual([{ text: "committed" }]);
  });
});

describe("a database that fails", () => {
  test("is not detected because this process itself was busy", async () => {
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

  test("read-only: refused as an outage, and writable again within five seconds of its return", async () => {
    const name = new URL(url).pathname.slice(1);
    const sql = open(url);
    const write = () => sql`insert into scratch values (9, 'x') on conflict (id) do update set text = 'y'`;
    await write();
    // Like `alter system`, but for this database only: other tests share the server.
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
    while ((await failureOf(sql`insert into scratch values (10, 'x') on conflict do nothing`)) === null);
    await untilItWorks(() => sql`insert into scratch values (11, 'x') on conflict do nothing`);
    // The server takes a moment to see that they are closed.
    const old = () =>
      db.sql`select pid from pg_stat_activity where pid = any(${`{${pids.map((row) => row.pid)}}`}::text::int[])
      and application_name = 'turned'`;
    await expect.poll(old).toHaveLength(0);
  });

  test("gone: refused immediately, and found again when it returns", async () => {
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

  test("that refuses every login for another reason reports it, and is an outage too", async () => {
    const wrong = new URL(url);
    wrong.password = "wrong";
    const error = await failureOf(open(wrong.href)`select 1`);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(error?.message).toContain("password authentication failed");
  });
});
