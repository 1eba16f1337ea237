import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, test } from "vitest";
import { inRolesOf } from "@/e2e/fixtures/database";
import { failureOf, ownPools, untilItWorks } from "@/e2e/fixtures/pools";
import { startTcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { connect, openPools } from "./client";
import { sqlOn } from "./statements";
import { isDatabaseUnavailable } from "./unavailable";

const { db, url, closing, open, endConnections } = await ownPools();

beforeAll(async () => {
  await db.sql`create table scratch (id int primary key, text text)`;
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
    // The environment's own statement is prepared, too.
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
  test("is all or nothing, even if an error inside it was swallowed", async () => {
    const sql = open(url);
    await failureOf(
      sql.begin(async (tx) => {
        await tx`insert into scratch values (1, 'a')`;
        await tx`insert into scratch values (1, 'b')`.catch(() => {});
      }),
    );
    expect(await sql`select * from scratch where id = 1`).toHaveLength(0);
    await sql.begin(async (tx) => {
      await tx`insert into scratch values (2, 'a')`;
      await failureOf(tx.savepoint((sp) => sp`insert into scratch values (2, 'b')`));
      await tx`insert into scratch values (3, 'c')`;
    });
    expect(await sql`select id from scratch where id in (2, 3)`).toHaveLength(2);
  });

  test("that lost its connection ends: nothing of it runs on another connection", async () => {
    const sql = open(url, { max: 1 });
    let later: Promise<unknown> = Promise.resolve();
    const error = await failureOf(
      sql.begin(async (tx) => {
        const [row] = await tx`select pg_backend_pid() as pid`;
        await tx`insert into scratch values (4, 'lost')`;
        await endConnections({ pid: row?.pid as number });
        await failureOf(tx`select 1`);
        later = failureOf(tx`insert into scratch values (5, 'stray')`);
        await later;
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await later;
    await untilItWorks(() => sql`select 1`);
    expect(await sql`select * from scratch where id in (4, 5)`).toHaveLength(0);
  });

  test("has an end: a statement that was never awaited does not run in the next one", async () => {
    const sql = open(url, { max: 1 });
    const forgotten: (() => PromiseLike<unknown>)[] = [];
    await sql.begin(async (tx) => {
      forgotten.push(
        () => tx`insert into scratch values (6, 'stray')`,
        () => tx.savepoint(async () => {}),
      );
    });
    for (const run of forgotten) expect((await failureOf(run()))?.message).toBe("the transaction is over");
  });

  test("has an end for a cursor, too: it reads nothing in another environment's transaction", async () => {
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

  test("does not count as committed if a statement that was never awaited failed", async () => {
    const sql = open(url, { max: 1 });
    const error = await failureOf(
      sql.begin(async (tx) => {
        await tx`insert into scratch values (12, 'a')`;
        void failureOf(tx`insert into scratch values (12, 'b')`);
      }),
    );
    expect(error?.message).toContain("rolled back");
    expect(await sql`select * from scratch where id = 12`).toHaveLength(0);
  });

  test("continues after a cursor was abandoned, and so does its connection after the transaction", async () => {
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

  test("reports to a cursor that its connection was lost between two batches", async () => {
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

  test("leaves nothing of it in memory while its connection stays open", async () => {
    const sql = open(url, { max: 1 });
    const rows = await Promise.all(
      Array.from({ length: 20 }, async () => new WeakRef(await sql.begin((tx) => tx`select repeat('x', 500) as text`))),
    );
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    // A weak reference's target is kept alive until the current turn of the event loop ends.
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
      await tx.execute("insert into scratch values (7, 'outer')");
      await failureOf(tx.transaction((inner) => inner.execute("insert into scratch values (7, 'inner')")));
      return tx.execute("select text from scratch where id = 7");
    });
    expect([...written]).toEqual([{ text: "outer" }]);
  });
});
