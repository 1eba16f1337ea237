import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { inRolesOf } from "@/e2e/fixtures/database";
import { failureOf, ownPools, untilItWorks } from "@/e2e/fixtures/pools";
import { type Connections, connect, shareConnections, shareWithPages } from "./client";
import { isDatabaseUnavailable } from "./unavailable";

const { db, url, closing, open, endConnections } = await ownPools();

/** Runs `work` with a statement that waits, on each connection that runs it, until `work` is done. */
const whileHeld = <T>(work: (waits: string) => Promise<T>) =>
  db.sql.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(20)`;
    return work("select pg_advisory_xact_lock_shared(20)");
  });

const connectionsOf = async (name: string) =>
  (await db.sql`select count(*)::int as n from pg_stat_activity where application_name = ${name}`)[0]?.n;

describe("a connection", () => {
  test("is set up before its first use: UTC, timeouts, durable commits", async () => {
    const sql = open(url, { parameters: { enable_seqscan: "off" } });
    const [row] =
      await sql`select current_setting('TimeZone') as zone, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('enable_seqscan') as seqscan,
      current_setting('synchronous_commit') as durable, current_setting('application_name') as name`;
    expect(row).toEqual({ zone: "UTC", statement: "6s", idle: "10s", seqscan: "off", durable: "on", name: "cardlane" });
  });

  test("commits durably even if the server's default is not to", async () => {
    const name = new URL(url).pathname.slice(1);
    await db.sql.unsafe(`alter database "${name}" set synchronous_commit = off`);
    const [row] = await open(url)`select current_setting('synchronous_commit') as durable`;
    await db.sql.unsafe(`alter database "${name}" reset synchronous_commit`);
    expect(row?.durable).toBe("on");
  });

  test("runs one statement at a time: a slow one delays no other while another connection is free", async () => {
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

  test("stays with its environment while others are idle; a new environment gets the least recently used one", async () => {
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

  test("is never the last one given to one environment, whatever its statements wait for", async () => {
    const own = connect(inRolesOf(url), { max: 5, maxOrm: 4 });
    closing.push(() => own.close());
    const [busy, other] = [own.within(randomUUID()), own.within(randomUUID())];
    const environmentPools = () => own.pools().filter(({ name }) => name.startsWith("environment_"));
    const slow = await whileHeld(async (waits) => {
      const often = Array.from({ length: 6 }, () => waits);
      const asked = [...often.map((text) => busy.sql.unsafe(text)), ...often.map((text) => busy.orm.execute(text))];
      const settled = Promise.allSettled(asked.map((statement) => Promise.resolve(statement)));
      const busyPools = [
        { name: "environment_sql", max: 4, inUse: 3, waiting: 3 },
        { name: "environment_orm", max: 3, inUse: 2, waiting: 4 },
      ];
      await expect.poll(environmentPools, { interval: 10 }).toEqual(busyPools);
      await Promise.all([other.sql`select 1`, other.orm.execute("select 1")]);
      expect(environmentPools()).toEqual(busyPools);
      return { settled };
    });
    expect((await slow.settled).map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => "fulfilled"));
  });

  test("never exceeds the maximum, however many callers wait", async () => {
    const sql = open(url, { max: 3, applicationName: "counted" });
    const { all } = await whileHeld(async (waits) => {
      const statements = Promise.all(Array.from({ length: 60 }, () => sql.unsafe(waits)));
      await expect.poll(() => connectionsOf("counted"), { interval: 10 }).toBe(3);
      return { all: statements };
    });
    await all;
    expect(await connectionsOf("counted")).toBe(3);
  });
});

test.each([13, 14, 16, 20, 25, 33, 100])(
  "a service with a separate process for pages shares %i connections, none of them counted twice",
  (total) => {
    const { api, pages } = shareWithPages(total);
    const sum = (connections: Connections) => Object.values(connections).reduce((all, one) => all + one);
    expect(sum(api) + sum(pages)).toBe(total);
    for (const { sql, orm, store } of [api, pages]) {
      // Both kinds have a connection within an environment and one across environments.
      expect([sql >= 2, orm >= 2, store >= 1]).toEqual([true, true, true]);
    }
    expect(sum(api) >= total / 2 - 1).toBe(true);
  },
);

test.each([8, 25, 33])("a process opens at most %i connections in all if that is its limit", async (total) => {
  const { sql: max, orm: maxOrm, store, long, exports } = shareConnections(total);
  expect(max + maxOrm + store + long + exports).toBe(total);
  const name = `counted-${total}`;
  const own = connect({ app: { url }, jobs: { url } }, { max, maxOrm, applicationName: name });
  closing.push(() => own.close());
  // Two environments, as one never gets the last connection.
  const [one, two] = [own.within(randomUUID()), own.within(randomUUID())];
  const { all } = await whileHeld(async (waits) => {
    const asked = [own.sql, one.sql, two.sql, own.long].flatMap((sql) =>
      Array.from({ length: 12 }, () => sql.unsafe(waits)),
    );
    const mapped = [own.orm, one.orm, two.orm].flatMap((orm) => Array.from({ length: 12 }, () => orm.execute(waits)));
    const statements = Promise.allSettled([...asked, ...mapped]);
    await expect.poll(() => connectionsOf(name), { interval: 10 }).toBe(total - store - exports);
    return { all: statements };
  });
  await all;
  expect(await connectionsOf(name)).toBe(total - store - exports);
});
