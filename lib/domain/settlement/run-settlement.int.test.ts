import { describe, expect, it } from "vitest";
import { connect } from "@/db/client";
import { findServiceSetting, storeServiceSetting } from "@/db/queries/service/settings";
import type { EventRow } from "@/db/schema/events";
import { booksService, insertBookedPayment, insertEnvironment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { nextChunk, runSettlement, settleNightly } from "./settle";

const { db, url } = await testDatabase();
const service = booksService(db);

const offences = async () => (await verifyBooks(db)).checks.filter((check) => check.count > 0);

describe("runSettlement", () => {
  it("settles captured charges and accepted refunds per currency, and nothing else", async () => {
    const environmentId = await insertEnvironment(db);
    const plain = await insertBookedPayment(db, { environmentId, amount: 1_000, captured: 700 });
    const partly = await insertBookedPayment(db, { environmentId, amount: 500, refunded: 200 });
    const whole = await insertBookedPayment(db, { environmentId, amount: 300, refunded: 300 });
    const yen = await insertBookedPayment(db, { environmentId, amount: 90, currency: "JPY" });
    const held = await insertBookedPayment(db, { environmentId, amount: 50, captured: 0 });

    const batches = await runSettlement(service, { environmentId });

    expect(batches).toMatchObject([
      { currency: "EUR", charge_count: 3, charge_amount: 1_500, refund_count: 2, refund_amount: 500 },
      { currency: "JPY", charge_count: 1, charge_amount: 90, refund_count: 0, refund_amount: 0 },
    ]);
    const rows = await db.sql<{ id: string; status: string; version: number; settled: boolean }[]>`
      select p.id, p.status, p.version, t.settled_at is not null and t.settlement_batch_id is not null as settled
      from payments p join transactions t on t.id = p.charge_id where p.environment_id = ${environmentId} order by p.id`;
    expect([...rows]).toEqual([
      { id: plain.payment, status: "SETTLED", version: 2, settled: true },
      { id: partly.payment, status: "PARTIALLY_REFUNDED", version: 2, settled: true },
      { id: whole.payment, status: "REFUNDED", version: 2, settled: true },
      { id: yen.payment, status: "SETTLED", version: 2, settled: true },
      { id: held.payment, status: "AUTHORIZED", version: 1, settled: false },
    ]);
    const refunds = await db.sql`
      select distinct status from transactions where environment_id = ${environmentId} and type = 'REFUND'`;
    expect([...refunds]).toEqual([{ status: "SETTLED" }]);
    expect(await offences()).toEqual([]);
    expect(await runSettlement(service, { environmentId })).toEqual([]);
  });

  it("settles a refund that came after its charge was settled, in a separate batch", async () => {
    const environmentId = await insertEnvironment(db);
    const ids = await insertBookedPayment(db, { environmentId, amount: 400, refunded: 100 });
    await db.sql`update transactions set captured_at = null where environment_id = ${environmentId} and id = ${ids.refund}`;
    await runSettlement(service, { environmentId });
    await db.sql`update transactions set captured_at = now() where environment_id = ${environmentId} and id = ${ids.refund}`;

    expect(await runSettlement(service, { environmentId })).toMatchObject([
      { charge_count: 0, charge_amount: 0, refund_count: 1, refund_amount: 100 },
    ]);
    expect(await offences()).toEqual([]);
  });

  it("writes one batch event, two events per settled charge and one audit row, with public ids only", async () => {
    const environmentId = await insertEnvironment(db);
    await insertBookedPayment(db, { environmentId });
    await insertBookedPayment(db, { environmentId });
    const [batch] = await runSettlement(service, { environmentId });
    const events = await db.sql<EventRow[]>`
      select * from events where environment_id = ${environmentId} and operation_id = ${batch?.id as string} order by id`;
    expect(events.map((event) => [event.type, event.sequence])).toEqual([
      ["settlement_batch.created", 1],
      ["payment.settled", 3],
      ["transaction.settled", 1],
      ["payment.settled", 3],
      ["transaction.settled", 1],
    ]);
    const settlement_batch_id = encodeId("settlementBatch", batch?.id as string);
    expect(events[1]?.data).toMatchObject({
      object: { status: "SETTLED", transactions: [{ status: "SETTLED", settlement_batch_id }] },
      previous: {
        status: "CAPTURED",
        transactions: [{ status: "CAPTURED", settlement_batch_id: null, settled_at: null }],
      },
    });
    const audit = await db.sql`
      select actor, action from audit_log where environment_id = ${environmentId} and object_id = ${batch?.id as string}`;
    expect([...audit]).toEqual([{ actor: { type: "system", id: null }, action: "settlement_batch.create" }]);
  });

  it("writes the events of very large payments one by one, and skips none", async () => {
    const environmentId = await insertEnvironment(db);
    const payments: string[] = [];
    for (let made = 0; made < 5; made++) {
      const { payment, charge } = await insertBookedPayment(db, { environmentId, refunded: made === 2 ? 100 : 0 });
      const metadata = { note: "x".repeat(made === 4 ? 10 : 400_000) };
      await db.sql`update transactions set metadata = ${db.sql.json(metadata)} where id = ${charge}`;
      payments.push(payment);
    }
    const statements: string[] = [];
    const watched = { ...service, db: { ...db, long: watch(db.long, statements) } };
    expect(await runSettlement(watched, { environmentId })).toMatchObject([{ charge_count: 5, refund_count: 1 }]);
    const events = await db.sql`
      select object_id from events where environment_id = ${environmentId} and type = 'payment.settled' order by object_id`;
    expect(events.map((event) => event.object_id)).toEqual(payments.toSorted());
    // The batch, two of 0.4 MB, the one with a refund of 0.8, another of 0.4 with the short one.
    expect(statements.filter((text) => text.includes("insert into events"))).toHaveLength(5);
    expect(await offences()).toEqual([]);
    // No request can send metadata this long, so no event can contain it.
    await db.sql`update events set data = replace(data::text, repeat('x', 400000), 'x')::json
      where environment_id = ${environmentId}`;
  });

  it("settles nothing twice and skips nothing with four concurrent runs on four pools", async () => {
    const environmentId = await insertEnvironment(db);
    const amounts = Array.from({ length: 120 }, (_, index) => 100 + index);
    for (const amount of amounts)
      await insertBookedPayment(db, { environmentId, amount, refunded: amount % 3 === 0 ? 10 : 0 });
    const pools = [1, 2, 3, 4].map(() => connect(url, { max: 3 }));
    try {
      const runs = await Promise.all(
        pools.map((pool) => runSettlement(booksService(pool), { environmentId, chunkSize: 7 })),
      );
      const batches = runs.flat();
      const total = (pick: (batch: (typeof batches)[number]) => number) =>
        batches.reduce((sum, batch) => sum + pick(batch), 0);
      expect(total((batch) => batch.charge_count)).toBe(120);
      expect(total((batch) => batch.charge_amount)).toBe(amounts.reduce((sum, amount) => sum + amount, 0));
      expect(total((batch) => batch.refund_amount)).toBe(400);
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
    expect(await offences()).toEqual([]);
  });

  it.each([
    [50, 10, 100],
    [50, 250, 50],
    [1_000, 1_000, 250],
    [50, 60_000, 1],
    [800, 100, 1_000],
    [1, 0, 2],
  ])("a chunk of %i that took %i ms is followed by one of %i: payments stay locked for 250 ms", (size, ms, next) => {
    expect(nextChunk(size, ms)).toBe(next);
  });

  it("loses nothing when it ends between two chunks: the next run continues", async () => {
    const environmentId = await insertEnvironment(db);
    for (let i = 0; i < 5; i++) await insertBookedPayment(db, { environmentId, amount: 100 });
    const stop = new AbortController();
    const settled = { ...service, db: stopAfterFirstCommit(stop) };
    const first = await runSettlement(settled, { environmentId, chunkSize: 2, signal: stop.signal });
    expect(first).toMatchObject([{ charge_count: 2 }]);
    expect(await offences()).toEqual([]);
    expect(await runSettlement(service, { environmentId, chunkSize: 2 })).toMatchObject([
      { charge_count: 2 },
      { charge_count: 1 },
    ]);
    expect(await offences()).toEqual([]);
  });

  it("settles one chunk per environment and round, even if one environment fails", async () => {
    const [large, small, broken] = [
      await insertEnvironment(db),
      await insertEnvironment(db),
      await insertEnvironment(db),
    ];
    for (let i = 0; i < 6; i++) await insertBookedPayment(db, { environmentId: large });
    await insertBookedPayment(db, { environmentId: small });
    const { payment } = await insertBookedPayment(db, { environmentId: broken });
    await db.sql`alter table settlement_batches add constraint broken check (environment_id <> ${db.sql.unsafe(`'${broken}'`)}::uuid)`;
    await expect(runSettlement(service, { chunkSize: 2 })).rejects.toThrow("broken");
    const order = await db.sql<{ environment_id: string }[]>`
      select environment_id from settlement_batches where environment_id in (${large}, ${small}) order by id`;
    expect(order.map((batch) => batch.environment_id).toSorted()).toEqual([large, large, large, small].toSorted());
    expect(order.slice(0, 2).map((batch) => batch.environment_id)).toContain(small);
    await db.sql`alter table settlement_batches drop constraint broken`;
    expect(await runSettlement(service, { chunkSize: 2 })).toMatchObject([{ environment_id: broken, charge_count: 1 }]);
    const [row] = await db.sql`select status from payments where id = ${payment}`;
    expect(row?.status).toBe("SETTLED");
    expect(await offences()).toEqual([]);
  });

  it("may take longer than a request: it uses no connection with the six-second statement timeout", async () => {
    const environmentId = await insertEnvironment(db);
    await insertBookedPayment(db, { environmentId });
    const refuse = () => {
      throw new Error("a statement for requests");
    };
    const requests = Object.assign(refuse, { begin: refuse, unsafe: refuse }) as never;
    expect(await runSettlement({ ...service, db: { ...db, sql: requests } }, { environmentId })).toHaveLength(1);
    const own = connect(url, { max: 2 });
    const [row] = await own.long`select current_setting('statement_timeout') as limit`;
    await own.close();
    expect(row?.limit).toBe("10min");
  });

  it("waits for a payment that is being refunded, and then sees the refund", async () => {
    const environmentId = await insertEnvironment(db);
    const { payment, charge } = await insertBookedPayment(db, { environmentId, amount: 100 });
    const refunding = signal();
    const locked = signal();
    const other = db.sql.begin(async (tx) => {
      await tx`select 1 from payments where environment_id = ${environmentId} and id = ${payment} for update`;
      locked.give();
      await refunding.given;
      await tx`update payments set status = 'REFUNDED', amount_refunded = 100, version = version + 1 where id = ${payment}`;
      await tx`update transactions set status = 'REFUNDED' where id = ${charge}`;
    });
    await locked.given;
    const run = runSettlement(service, { environmentId });
    // Only locks of this database: other tests share the server.
    const waiting = () =>
      db.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(waiting).not.toHaveLength(0);
    refunding.give();
    await other;
    expect(await run).toMatchObject([{ charge_count: 1, charge_amount: 100 }]);
    const rows = await db.sql`select status, version from payments where id = ${payment}`;
    expect([...rows]).toEqual([{ status: "REFUNDED", version: 3 }]);
  });
});

/** Wraps the database to record the statements of its transactions. */
function watch(long: typeof db.long, statements: string[]): typeof db.long {
  return new Proxy(long, {
    get(target, name) {
      if (name !== "begin") return Reflect.get(target, name);
      return (work: (tx: typeof db.long) => unknown) =>
        target.begin((tx) =>
          work(
            new Proxy(tx as unknown as typeof db.long, {
              apply(sql, self, args: [TemplateStringsArray, ...unknown[]]) {
                if (Array.isArray(args[0])) statements.push(args[0].join("?"));
                return Reflect.apply(sql, self, args);
              },
            }),
          ),
        );
    },
  });
}

function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Wraps the database to abort at the first settled chunk: the worst moment to stop a run. */
function stopAfterFirstCommit(stop: AbortController): typeof db {
  const long = new Proxy(db.long, {
    get(target, name) {
      if (name !== "begin") return Reflect.get(target, name);
      return async (...args: unknown[]) => {
        const result = await (target.begin as (...values: unknown[]) => Promise<unknown>)(...args);
        stop.abort();
        return result;
      };
    },
  });
  return { ...db, long };
}

describe("settleNightly", () => {
  const NIGHT = "settled_through";
  const through = () => findServiceSetting(db.orm, NIGHT);

  it("settles once a night by the database's clock, whatever another process's clock has written", async () => {
    const wrong = { ...service, clock: { now: () => new Date("2028-11-21T12:00:00Z") } };
    await settleNightly(wrong);
    const night = await through();
    expect(Date.now() - Date.parse(night ?? "")).toBeLessThan(2 * 86_400_000);
    const environmentId = await insertEnvironment(db);
    await insertBookedPayment(db, { environmentId, amount: 1_000 });
    expect(await settleNightly(service)).toBe(0);
    for (const other of ["2026-01-01", "2028-11-21"]) {
      await storeServiceSetting(db.orm, NIGHT, other);
      await insertBookedPayment(db, { environmentId, amount: 1_000 });
      expect(await settleNightly(service), other).toBeGreaterThan(0);
      expect(await through()).toBe(night);
    }
  });
});
