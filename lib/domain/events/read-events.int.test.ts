import { expect, test } from "vitest";
import { insertRequests } from "@/db/queries/request-log";
import { testDatabase } from "@/e2e/fixtures/database";
import { loggedRequest, testContext, testTenant } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { listEventsQuery } from "@/lib/contract/events/endpoints";
import { event as eventSchema } from "@/lib/contract/events/event";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { idAt, newId } from "@/lib/ids";
import type { Context } from "../context";
import { activatePlan, createPlan, deactivatePlan } from "../plans/plans";
import { findRequestOfEvent, followEvents, getEvent, listEvents } from "./read-events";

const { db } = await testDatabase();

const DAY_MS = 86_400_000;

async function newPlan(ctx: Context): Promise<string> {
  const body = createPlanBody.parse({ type: "ONE_TIME", name: newId(), currency: "USD", full_price_amount: 5 });
  return JSON.parse((await createPlan(ctx, body)).body).id;
}

const list = async (ctx: Context, query: Record<string, string> = {}) =>
  (await listEvents(ctx, listEventsQuery.parse(query))).data;

/** Reads the next `count` events of a stream, then leaves it. */
async function take(ctx: Context, lastEventId: string | null, count: number, meanwhile = async () => {}) {
  const stop = new AbortController();
  const { events } = await followEvents(ctx, lastEventId);
  await meanwhile();
  const ids: string[] = [];
  for await (const event of events(stop.signal)) {
    if (event) ids.push(event.id);
    if (ids.length >= count) stop.abort();
  }
  return ids;
}

test("events are listed newest first, match the contract, and can be read one by one", async () => {
  const { call, stranger } = await testTenant(db);
  const plan = await newPlan(call());
  await activatePlan(call(), { id: plan });
  const events = await list(call());
  expect(events.map(({ type }) => type)).toEqual(["subscription_plan.activated", "subscription_plan.created"]);
  for (const event of events) {
    expect(eventSchema.strict().parse(event)).toEqual(event);
    expect(await getEvent(call(), { id: event.id })).toEqual(event);
    await expect(getEvent(call({ environment: stranger.test }), { id: event.id })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  }
  expect(await list(call({ environment: stranger.test }))).toEqual([]);
  await expect(getEvent(call(), { id: encodeId("event", newId()) })).rejects.toMatchObject({
    code: "resource_not_found",
  });
});

test("a page of more than 2 MB is refused, and a smaller one shows the same events", async () => {
  const tenant = await moneyTenant(db);
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "v".repeat(300)]));
  const { id } = (await tenant.create({ metadata })).body;
  for (let i = 0; i < 12; i++) await tenant.act("refund", id, { amount: 1 });
  const ctx = testContext(tenant.service, tenant.merchant.test);
  await expect(list(ctx, { limit: "100" })).rejects.toMatchObject({ code: "invalid_parameter", param: "limit" });
  expect(await list(ctx, { limit: "5" })).toHaveLength(5);
});

test("an event links to the request that caused it, while that is kept", async () => {
  const { call, stranger, merchant, service } = await testTenant(db);
  const ctx = call();
  await newPlan(ctx);
  const [event] = await list(ctx);
  if (!event) throw new Error("there is no event");
  expect(await findRequestOfEvent(ctx, event)).toBeNull();
  await insertRequests(service.db.sql, [loggedRequest({ environment_id: merchant.test.id, id: ctx.request.id })]);
  expect(await findRequestOfEvent(ctx, event)).toBe(encodeId("request", ctx.request.id));
  expect(await findRequestOfEvent(call({ environment: stranger.test }), event)).toBeNull();
});

test("payment events link to the requests that caused them", async () => {
  const tenant = await moneyTenant(db);
  const ctx = testContext(tenant.service, tenant.merchant.test);
  const { body: payment } = await tenant.create({ capture_method: "manual" });
  await tenant.act("void", payment.id);
  const requests = await db.sql<{ id: string }[]>`
    select request_id as id from operations where environment_id = ${tenant.environmentId} order by id`;
  const rows = requests.map(({ id }) => loggedRequest({ environment_id: tenant.environmentId, id }));
  await insertRequests(tenant.service.db.sql, rows);
  const events = await list(ctx);
  const expected = ["transaction.voided", "payment.voided", "transaction.authorized", "payment.authorized"];
  expect(events.map(({ type }) => type)).toEqual(expected);
  const [created, voided] = requests.map(({ id }) => encodeId("request", id));
  expect(await Promise.all(events.map((event) => findRequestOfEvent(ctx, event)))).toEqual([
    ...[voided, voided, created, created],
  ]);
});

test("type, object and time filter the list, and a cursor visits every event once", async () => {
  const { call } = await testTenant(db);
  const [first, second] = [await newPlan(call()), await newPlan(call())];
  for (let i = 0; i < 3; i++) {
    await activatePlan(call(), { id: first });
    await deactivatePlan(call(), { id: first });
  }
  const all = await list(call());
  expect(all).toHaveLength(8);
  expect(await list(call(), { type: "subscription_plan.activated" })).toEqual(
    all.filter(({ type }) => type === "subscription_plan.activated"),
  );
  const ofFirst = all.filter((event) => event.data.object.id === first);
  expect(await list(call(), { object_id: first })).toEqual(ofFirst);
  expect(ofFirst.map(({ sequence }) => sequence)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(await list(call(), { object_id: second })).toHaveLength(1);
  for (const object_id of [encodeId("plan", newId()), "nonsense"])
    expect(await list(call(), { object_id })).toEqual([]);
  const [middle] = all.slice(4);
  const { created_at, id } = middle as (typeof all)[number];
  const ids = (events: typeof all) => events.map((event) => event.id);
  expect(ids(await list(call(), { created_after: created_at }))).toEqual(
    ids(all.filter((event) => event.created_at > created_at)),
  );
  expect(ids(await list(call(), { created_before: created_at }))).toEqual(
    ids(all.filter((event) => event.created_at < created_at)),
  );
  expect(ids(await list(call(), { starting_after: id }))).toEqual(ids(all.slice(5)));
  for (const query of [{}, { object_id: first }] as Record<string, string>[]) {
    const seen: string[] = [];
    let page = await listEvents(call(), listEventsQuery.parse({ ...query, limit: "3" }));
    for (;;) {
      seen.push(...ids(page.data));
      if (!page.has_more) break;
      page = await listEvents(
        call(),
        listEventsQuery.parse({ ...query, limit: "3", starting_after: seen.at(-1) as string }),
      );
    }
    expect(seen).toEqual(ids(await list(call(), query)));
  }
});

test("a cursor that is not an event of the environment is 400", async () => {
  const { call, stranger } = await testTenant(db);
  await newPlan(call());
  const [event] = await list(call());
  for (const [ctx, starting_after] of [
    [call(), "nonsense"],
    [call(), encodeId("event", newId())],
    [call({ environment: stranger.test }), event?.id ?? ""],
  ] as const) {
    await expect(list(ctx, { starting_after })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "starting_after",
    });
    await expect(followEvents(ctx, starting_after)).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "Last-Event-ID",
    });
  }
});

test("a cursor of another object is 400, because sequence numbers are per object", async () => {
  const { call } = await testTenant(db);
  const first = await newPlan(call());
  await activatePlan(call(), { id: first });
  await newPlan(call());
  const [other, latest] = (await list(call())).map(({ id }) => id) as [string, string];
  const refused = { code: "invalid_parameter", param: "starting_after" };
  await expect(list(call(), { object_id: first, starting_after: other })).rejects.toMatchObject(refused);
  expect(await list(call(), { object_id: first, starting_after: latest })).toHaveLength(1);
});

test("events are shown for 90 days", async () => {
  const now = Date.now();
  const { call, merchant } = await testTenant(db);
  const [old, kept] = [idAt(new Date(now - 90 * DAY_MS - 60_000)), idAt(new Date(now - 90 * DAY_MS + 60_000))];
  await db.sql`
    insert into events (environment_id, id, type, object_id, sequence, data)
    select ${merchant.test.id}::uuid, id, 'subscription_plan.updated', id, 1, '{}'
    from unnest(${[old, kept]}::uuid[]) as row (id)`;
  expect((await list(call())).map(({ id }) => id)).toEqual([encodeId("event", kept)]);
  await expect(getEvent(call(), { id: encodeId("event", old) })).rejects.toMatchObject({ code: "resource_not_found" });
  expect((await getEvent(call(), { id: encodeId("event", kept) })).id).toBe(encodeId("event", kept));
  await expect(followEvents(call(), encodeId("event", old))).rejects.toMatchObject({ code: "invalid_parameter" });
});

test("a stream begins now, or after the client's last event", async () => {
  const { call } = await testTenant(db);
  const plan = await newPlan(call());
  const before = await list(call());
  const ids = await take(call(), null, 2, async () => {
    await activatePlan(call(), { id: plan });
    await deactivatePlan(call(), { id: plan });
  });
  const all = (await list(call())).map(({ id }) => id).reverse();
  expect(ids).toEqual(all.slice(1));
  expect(await take(call(), before[0]?.id ?? "", 2)).toEqual(ids);
  expect(await take(call(), ids[0] ?? "", 1)).toEqual([ids[1]]);
});

test("a client that loses its stream before the first event resumes at its start, and misses none", async () => {
  const { call, merchant } = await testTenant(db);
  const write = (tx: Pick<typeof db, "sql">["sql"], id: string) => tx`
    insert into events (environment_id, id, type, object_id, sequence, data)
    values (${merchant.test.id}::uuid, ${id}::uuid, 'subscription_plan.updated', ${newId()}::uuid, 1, '{}')`;
  const [before, running, later] = [newId(), newId(), newId()];
  let startId = "";
  await db.sql.begin(async (tx) => {
    await write(tx as never, running);
    // `before` is committed when the stream starts; `running`, which has the smaller id, is not.
    await write(db.sql, before);
    ({ startId } = await followEvents(call(), null));
  });
  await write(db.sql, later);
  const expected = [running, later].map((id) => encodeId("event", id));
  expect(await take(call(), startId, 2)).toEqual(expected);
  expect((await followEvents(call(), startId)).startId).toBe(startId);
  expect(await take(call(), startId, 2)).toEqual(expected);
});

test("a forged start id is refused, because every poll would skip all events", async () => {
  const { call, stranger } = await testTenant(db);
  const refused = { code: "invalid_parameter", param: "Last-Event-ID" };
  const { startId } = await followEvents(call(), null);
  const [snapshot = "", mac = ""] = startId.slice("start_".length).split(".");
  for (const madeUp of [
    ...["start_", "start_.", "start_1:1:", "start_1:9000000000000000000:", "start_x:y:z", "start_1:2:' or true --"],
    ...[`start_${snapshot}`, `start_${snapshot}.`, `start_1:9000000000000000000:.${mac}`, `${startId}.`, `${startId}a`],
  ])
    await expect(followEvents(call(), madeUp), madeUp).rejects.toMatchObject(refused);
  await expect(followEvents(call({ environment: stranger.test }), startId)).rejects.toMatchObject(refused);
  expect((await followEvents(call(), startId)).startId).toBe(startId);
});

test("an old start id shows no event older than 90 days", async () => {
  const { call, merchant } = await testTenant(db);
  const { startId } = await followEvents(call(), null);
  const [old, kept] = [idAt(new Date(Date.now() - 91 * DAY_MS)), newId()];
  await db.sql`
    insert into events (environment_id, id, type, object_id, sequence, data)
    select ${merchant.test.id}::uuid, id, 'subscription_plan.updated', id, 1, '{}'
    from unnest(${[old, kept]}::uuid[]) as row (id)`;
  expect(await take(call(), startId, 1)).toEqual([encodeId("event", kept)]);
});

test("an event committed after one with a larger id is streamed, too, and none is repeated", async () => {
  const { call, merchant } = await testTenant(db);
  const write = (tx: Pick<typeof db, "sql">["sql"], id: string) => tx`
    insert into events (environment_id, id, type, object_id, sequence, data)
    values (${merchant.test.id}::uuid, ${id}::uuid, 'subscription_plan.updated', ${newId()}::uuid, 1, '{}')`;
  const [anchor, late, early, last] = [newId(), newId(), newId(), newId()];
  await write(db.sql, anchor);
  const stop = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of (await followEvents(call(), encodeId("event", anchor))).events(stop.signal)) {
      if (event) seen.push(decodeId("event", event.id) ?? "");
      if (seen.length === 3) stop.abort();
    }
  })();
  await db.sql.begin(async (tx) => {
    await write(tx as never, late);
    // Committed while the transaction with the smaller id is still open.
    await write(db.sql, early);
  });
  await write(db.sql, last);
  await reading;
  expect(seen).toEqual([late, early, last]);
  expect(await take(call(), encodeId("event", late), 2)).toEqual([early, last].map((id) => encodeId("event", id)));
});

test("an idle stream sends heartbeats", async () => {
  const { service, merchant } = await testTenant(db);
  let elapsedMs = 0;
  const timer = {
    elapsedMs: () => elapsedMs,
    after: service.timer.after,
    async wait(ms: number) {
      elapsedMs += ms;
    },
  };
  const { call } = await testTenant(db, { timer });
  const stream = (await followEvents(call({ environment: merchant.test }), null)).events(new AbortController().signal);
  expect(await stream.next()).toEqual({ done: false, value: null });
});
