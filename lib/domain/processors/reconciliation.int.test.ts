import { expect, test } from "vitest";
import { comparedConnections, HOUR_MS, heldUp } from "@/e2e/fixtures/compared-connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext } from "@/e2e/fixtures/factories";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { getSupportReconciliation, listSupportReconciliations } from "../support/reconciliation";
import { createStaff } from "../support/staff";
import { getReconciliation } from "./read-reconciliation";
import {
  compareRequested,
  lastNight,
  listUnchecked,
  reconcile,
  reconcileNightly,
  requestComparison,
} from "./reconciliation";

const { db } = await testDatabase();
const { connected, runsOf } = comparedConnections(db);

const yesterday = () => new Date(Date.now() - 24 * HOUR_MS);

test("a manual comparison is stored, visible to its merchant and support only", async () => {
  const { service, connection, list, foreign, ctx, id } = await connected();
  list.entries.push(foreign());
  const made = await reconcile(service, { connectionId: connection, since: yesterday() });
  expect(made).toMatchObject({ label: "Example (Main)", difference_count: 1, payments: 0 });
  expect(await runsOf(id)).toEqual([{ state: "done", night: null, difference_count: 1, failure: null }]);
  const view = await getReconciliation(ctx, { connection });
  expect(view).toMatchObject({
    label: "Example (Main)",
    connection_id: connection,
    runs: [{ id: made.id, reason: "command" }],
    shown: { id: made.id, differences: [{ kind: "only_there", there: "Captured, $5.00 USD" }] },
  });
  expect(view.runs[0]).not.toHaveProperty("differences");
  expect(await getReconciliation(ctx, { connection, run: made.id })).toEqual(view);
  const { staff_id } = await createStaff(service, { email: `${newId()}@cardlane.example` });
  const staffId = decodeId("user", staff_id) as string;
  const call = { service, staff: { userId: staffId }, request: { id: newId(), path: "/support" } };
  const { comparable, ...seen } = view;
  expect(comparable).toBe(true);
  expect(await getSupportReconciliation(call, { connection })).toEqual(seen);
  const listed = (await listSupportReconciliations(call)).find((one) => one.id === connection);
  expect(listed).toMatchObject({ mode: "test", last: { state: "done", difference_count: 1, unchecked: 0 } });
  const acts = await db.sql`select object_id from support_audit_log where staff_id = ${staffId} order by id`;
  expect(acts.map(({ object_id }) => object_id)).toEqual([connection, null]);
  const otherMerchant = testContext(service, (await createTestMerchant(db)).test);
  for (const asked of [{ connection }, { connection: encodeId("connection", newId()) }, { connection: "con_x" }])
    await expect(getReconciliation(otherMerchant, asked)).rejects.toMatchObject({ code: "resource_not_found" });
  await expect(getReconciliation(ctx, { connection, run: encodeId("reconciliation", newId()) })).rejects.toMatchObject({
    code: "resource_not_found",
  });
});

test("a night is compared once, however many processes start", async () => {
  const { service, id, list } = await connected();
  await Promise.all(Array.from({ length: 4 }, () => reconcileNightly(service)));
  await reconcileNightly(service);
  const night = lastNight(new Date()).toISOString().slice(0, 10);
  expect(await runsOf(id)).toEqual([{ state: "done", night, difference_count: 0, failure: null }]);
  expect(list.asked).toBe(3);
});

test("a run that failed, or whose process crashed, is repeated later, and its failure has a message", async () => {
  const { service, id, list } = await connected();
  list.fails = true;
  await reconcileNightly(service);
  const failure = "Example (Main) did not give its list of payments. Check the connection, then compare again.";
  expect(await runsOf(id)).toMatchObject([{ state: "failed", failure }]);
  list.fails = false;
  await reconcileNightly(service);
  expect(await runsOf(id)).toMatchObject([{ state: "failed" }]);
  const age = (interval: string, change: string) =>
    db.sql.unsafe(
      `update reconciliation_runs set started_at = now() - interval '${interval}' ${change} where connection_id = '${id}'`,
    );
  await age("61 minutes", "");
  await reconcileNightly(service);
  expect(await runsOf(id)).toMatchObject([{ state: "done", failure: null }]);
  await age("119 minutes", ", state = 'running', finished_at = null");
  await reconcileNightly(service);
  expect(await runsOf(id)).toMatchObject([{ state: "running" }]);
  await age("121 minutes", "");
  await reconcileNightly(service);
  expect(await runsOf(id)).toMatchObject([{ state: "done" }]);
  await age("401 days", "");
  await reconcileNightly(service);
  expect((await runsOf(id)).length).toBe(0);
});

test("a requested run waits for the job; a repeated request updates its days", async () => {
  const { ctx, service, connection, id, list, foreign } = await connected();
  list.entries.push(foreign(5 * 24 * HOUR_MS));
  const one = await requestComparison(ctx, { id: connection, days: 3 });
  const again = await Promise.all(Array.from({ length: 4 }, () => requestComparison(ctx, { id: connection, days: 7 })));
  expect(again).toEqual(Array(4).fill(one));
  expect(await runsOf(id)).toMatchObject([{ state: "requested", night: null }]);
  expect(await getReconciliation(ctx, { connection })).toMatchObject({
    shown: null,
    comparable: true,
    runs: [{ id: one.id, state: "requested", reason: "request" }],
  });
  const made = await Promise.all(Array.from({ length: 3 }, () => compareRequested(service)));
  expect(made.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  expect(await runsOf(id)).toMatchObject([{ state: "done", difference_count: 1 }]);
  expect((await getReconciliation(ctx, { connection })).shown?.id).toBe(one.id);
  const next = await requestComparison(ctx, { id: connection, days: 3 });
  expect(next.id).not.toBe(one.id);
  list.fails = true;
  expect(await compareRequested(service)).toBe(1);
  expect(await runsOf(id)).toMatchObject([{ state: "done" }, { state: "failed", difference_count: 0 }]);
});

test("a run that was stopped, or whose process crashed, is taken over by another process", async () => {
  const { ctx, service, connection, id, list } = await connected();
  await requestComparison(ctx, { id: connection, days: 3 });
  const resolve = heldUp(list);
  const stopping = new AbortController();
  const stopped = compareRequested(service, stopping.signal);
  await expect.poll(() => list.asked).toBe(1);
  expect(await runsOf(id)).toMatchObject([{ state: "running" }]);
  stopping.abort();
  resolve();
  await stopped;
  expect(await runsOf(id)).toMatchObject([{ state: "requested", failure: null }]);

  await db.sql`update reconciliation_runs set state = 'running', started_at = now() - interval '119 minutes'
    where connection_id = ${id}`;
  expect(await compareRequested(service)).toBe(0);
  await db.sql`update reconciliation_runs set started_at = now() - interval '121 minutes' where connection_id = ${id}`;
  expect(await compareRequested(service)).toBe(1);
  expect(await runsOf(id)).toMatchObject([{ state: "done" }]);
});

test("a restarted run is ended by the process that started it last", async () => {
  const { ctx, service, connection, id, list, foreign } = await connected();
  list.entries.push(foreign());
  const paused = async (begin: () => Promise<unknown>) => {
    const asked = list.asked;
    const resolve = heldUp(list);
    const made = begin().catch((error: Error) => error);
    await expect.poll(() => list.asked).toBe(asked + 1);
    return { made, resolve };
  };
  const resume = async ({ made, resolve }: Awaited<ReturnType<typeof paused>>) => {
    list.until = undefined;
    resolve();
    await made;
  };
  const aged = () =>
    db.sql`update reconciliation_runs set started_at = now() - interval '121 minutes'
      where connection_id = ${id} and state = 'running'`;
  await requestComparison(ctx, { id: connection, days: 3 });
  const stopping = new AbortController();
  const stopped = await paused(() => compareRequested(service, stopping.signal));
  await aged();
  const first = await paused(() => compareRequested(service));
  stopping.abort();
  await resume(stopped);
  expect(await runsOf(id)).toMatchObject([{ state: "running" }]);
  await aged();
  const second = await paused(() => compareRequested(service));
  await resume(first);
  expect(await runsOf(id)).toMatchObject([{ state: "running", difference_count: 0 }]);
  await resume(second);
  expect(await runsOf(id)).toMatchObject([{ state: "done", difference_count: 1 }]);
});

test("a run that is stopped while requested again ends: the new request runs instead", async () => {
  const { ctx, service, environment, connection, id, list } = await connected();
  await requestComparison(ctx, { id: connection, days: 3 });
  const resolve = heldUp(list);
  const stopping = new AbortController();
  const stopped = compareRequested(service, stopping.signal);
  await expect.poll(() => list.asked).toBe(1);
  await db.sql.begin(async (tx) => {
    await tx`insert into reconciliation_runs (environment_id, id, connection_id, state, since, until, requested_at, started_at)
      values (${environment.id}, ${newId()}, ${id}, 'requested', now() - interval '3 days', now(), now(), now())`;
    stopping.abort();
    resolve();
    // It can't see the other request yet, and waits for the uniqueness check on it.
    await expect
      .poll(
        () => db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%reconciliation_runs r set state%'
        and datname = current_database()`,
      )
      .toHaveLength(1);
  });
  expect(await stopped).toBe(1);
  expect(await runsOf(id)).toMatchObject([
    { state: "failed", failure: "The service was stopped in the meantime." },
    { state: "requested" },
  ]);
  expect(await compareRequested(service)).toBe(1);
  expect(await runsOf(id)).toMatchObject([{ state: "failed" }, { state: "done" }]);
});

test("a merchant with many connections delays no other, however many processes compare", async () => {
  const many = await connected();
  const connections = [many, await connected({ beside: many }), await connected({ beside: many })];
  const other = await connected();
  for (const { ctx, connection } of [...connections, other]) await requestComparison(ctx, { id: connection, days: 3 });
  const resolves = [...connections, other].map(({ list }) => heldUp(list));
  const asked = () => connections.reduce((sum, { list }) => sum + list.asked, 0);
  const made = [compareRequested(many.service), compareRequested(many.service)];
  await expect.poll(() => asked() + other.list.asked).toBe(2);
  expect([asked(), other.list.asked]).toEqual([1, 1]);
  // Merchants with a comparison in progress come last, even if theirs has waited longer.
  const late = await connected();
  await requestComparison(late.ctx, { id: late.connection, days: 3 });
  expect(await compareRequested(many.service)).toBe(1);
  expect(await runsOf(late.id)).toMatchObject([{ state: "done" }]);
  for (const resolve of resolves) resolve();
  await Promise.all(made);
  // No one else waits, so the merchant's others run.
  expect(await compareRequested(many.service)).toBe(1);
  expect(await compareRequested(many.service)).toBe(1);
  for (const { id } of [...connections, other]) expect(await runsOf(id)).toMatchObject([{ state: "done" }]);
});

test("a merchant requests no comparison of another's connection, nor of one that is disconnected", async () => {
  const { ctx, service, connection, id } = await connected();
  const otherMerchant = testContext(service, (await createTestMerchant(db)).test);
  for (const asked of [connection, encodeId("connection", newId()), "con_x"])
    await expect(requestComparison(otherMerchant, { id: asked, days: 3 })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  await db.sql`update processor_connections set status = 'DISCONNECTED', credentials = null, is_default = false where id = ${id}`;
  await expect(requestComparison(ctx, { id: connection, days: 3 })).rejects.toMatchObject({ code: "invalid_state" });
  expect((await getReconciliation(ctx, { connection })).comparable).toBe(false);
  expect(await runsOf(id)).toEqual([]);
});

test("an unresponsive processor delays no other connection's night", async () => {
  const slow = await connected();
  const other = await connected();
  const resolve = heldUp(slow.list);
  const night = reconcileNightly(slow.service);
  await expect.poll(() => runsOf(other.id)).toMatchObject([{ state: "done" }]);
  expect(await runsOf(slow.id)).toMatchObject([{ state: "running" }]);
  resolve();
  await night;
  expect(await runsOf(slow.id)).toMatchObject([{ state: "done" }]);
});

test("unchecked connections are reported in sentences: never compared, too long ago, without a list, differences", async () => {
  const { service, id, connection, list, foreign } = await connected();
  const said = async () => (await listUnchecked(service)).filter((sentence) => sentence.includes(connection));
  expect(await said()).toEqual([expect.stringContaining("never compared with the processor's own books")]);
  await reconcile(service, { connectionId: connection, since: yesterday() });
  expect(await said()).toEqual([]);
  await db.sql`update reconciliation_runs set until = now() - interval '37 hours' where connection_id = ${id}`;
  expect(await said()).toEqual([expect.stringContaining("more than a day ago")]);
  list.entries.push(foreign());
  await reconcile(service, { connectionId: connection, since: yesterday() });
  expect(await said()).toEqual([expect.stringContaining("1 difference found")]);
  const without = await connected({ hasList: false });
  await reconcile(without.service, { connectionId: without.connection, since: yesterday() });
  const sentences = (await listUnchecked(service)).filter((sentence) => sentence.includes(without.connection));
  expect(sentences).toEqual([expect.stringContaining("has no list of payments that programs can ask for")]);
});

test("a comparison that is stopped, or takes too long, ends between two of the processor's entries", async () => {
  const { service, id, list, foreign } = await connected();
  list.entries.push(foreign(30 * HOUR_MS), foreign(30 * HOUR_MS));
  const resolve = heldUp(list);
  const stopping = new AbortController();
  const night = reconcileNightly(service, stopping.signal);
  await expect.poll(() => list.asked).toBe(1);
  stopping.abort();
  resolve();
  await night;
  expect(await runsOf(id)).toMatchObject([{ state: "failed", failure: "The service was stopped in the meantime." }]);
});

test("requested comparisons of a connection are limited per hour and per day", async () => {
  const { ctx, service, connection, id } = await connected();
  for (let made = 0; made < 20; made++) {
    await requestComparison(ctx, { id: connection, days: 3 });
    expect(await compareRequested(service)).toBe(1);
  }
  await expect(requestComparison(ctx, { id: connection, days: 3 })).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("20 times within the last hour. Try again in an hour."),
  });
  await db.sql`update reconciliation_runs set requested_at = now() - interval '23 hours' where connection_id = ${id}`;
  await db.sql`insert into reconciliation_runs (environment_id, id, connection_id, state, since, until, requested_at, started_at, finished_at)
    select environment_id, gen_random_uuid(), connection_id, 'failed', since, until, requested_at, started_at, finished_at
    from reconciliation_runs, generate_series(1, 4) where connection_id = ${id}`;
  await expect(requestComparison(ctx, { id: connection, days: 3 })).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("100 times within the last day. Try again in a day."),
  });
  await db.sql`update reconciliation_runs set requested_at = now() - interval '25 hours' where connection_id = ${id}`;
  await requestComparison(ctx, { id: connection, days: 3 });
  expect(await compareRequested(service)).toBe(1);
});

test("an unknown connection and a too recent period are refused with a remedy", async () => {
  const { service, connection } = await connected();
  for (const connectionId of ["con_x", encodeId("connection", newId())])
    await expect(reconcile(service, { connectionId, since: yesterday() })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  await expect(reconcile(service, { connectionId: connection, since: new Date() })).rejects.toMatchObject({
    code: "invalid_parameter",
    message: expect.stringContaining("Begin earlier"),
  });
});

test("a report is not read if the processor has its own list", async () => {
  const { service, connection, id } = await connected();
  const files = [{ name: "report.csv", bytes: new Uint8Array() }];
  await expect(reconcile(service, { connectionId: connection, since: yesterday(), files })).rejects.toMatchObject({
    code: "invalid_parameter",
    message: expect.stringContaining("leave the report out"),
  });
  expect(await runsOf(id)).toEqual([]);
});

test("a night ends at midnight, and begins to be compared three hours later", () => {
  expect(lastNight(new Date("2026-11-24T02:59:59.999Z")).toISOString()).toBe("2026-11-23T00:00:00.000Z");
  expect(lastNight(new Date("2026-11-24T03:00:00.000Z")).toISOString()).toBe("2026-11-24T00:00:00.000Z");
});
