import { afterEach, describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, TEST_SECRET, testContext, testIdempotency, testTenant } from "@/e2e/fixtures/factories";
import { cloneLatestRow } from "@/e2e/fixtures/many-rows";
import { happenings, openReceiver, type Receiver, sendDue, status, testClock } from "@/e2e/fixtures/webhooks";
import { encodeId } from "@/lib/contract/ids";
import type {
  CreateWebhookEndpointBody,
  ReplayWebhookEndpointBody,
  WebhookReplay,
} from "@/lib/contract/webhooks/endpoints";
import { type WebhookEndpoint, webhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { createSender } from "@/lib/webhooks/sender";
import { publicGuard } from "@/lib/webhooks/ssrf-guard";
import { updatePlan } from "../plans/plans";
import { rotateSecret } from "../secret-keys";
import {
  EXAMINED_EVENTS,
  getWebhookDelivery,
  listWebhookDeliveries,
  removeOldWebhookDeliveries,
  replayWebhookEndpoint,
  resendWebhookDelivery,
  testWebhookEndpoint,
} from "./deliveries";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from "./endpoints";

const { db } = await testDatabase();

const opened: Receiver[] = [];
afterEach(async () => {
  for (const receiver of opened.splice(0)) await receiver.close();
  await db.sql`update webhook_endpoints set status = 'DISABLED'`;
});

const DAY = 86_400_000;
const BODY: CreateWebhookEndpointBody = {
  url: "http://127.0.0.1:9/hook",
  description: "Orders",
  event_types: ["*"],
  payload: "full",
  signature: "v1",
};

async function tenant() {
  const clock = testClock();
  const made = await testTenant(db, { clock });
  const { call } = made;
  let endpoints = 0;
  return {
    ...made,
    clock,
    async endpoint(body: Partial<CreateWebhookEndpointBody> = {}) {
      endpoints++;
      const reply = await createWebhookEndpoint(call(), { ...BODY, url: `${BODY.url}/${endpoints}`, ...body });
      return JSON.parse(reply.body) as WebhookEndpoint;
    },
    happen: happenings(call, clock),
    replay: async (id: string, body: Partial<ReplayWebhookEndpointBody> = {}) => {
      const since = new Date(clock.now().getTime() - DAY).toISOString();
      return JSON.parse((await replayWebhookEndpoint(call(), { since, only_failed: true, ...body, id })).body);
    },
  };
}

async function receiving() {
  const receiver = await openReceiver();
  opened.push(receiver);
  return receiver;
}

describe("an endpoint", () => {
  test("shows its secret only in the response that creates it", async () => {
    const { call, endpoint } = await tenant();
    const made = await endpoint(BODY);
    expect(webhookEndpoint.parse(made)).toEqual(made);
    expect(made).toMatchObject({ ...BODY, status: "ENABLED", disabled_reason: null, public_key: null });
    expect(made.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const shown = { ...made, secret: null };
    expect(await getWebhookEndpoint(call(), { id: made.id })).toEqual(shown);
    expect(await listWebhookEndpoints(call(), {})).toMatchObject({ data: [shown], total: 1, has_more: false });
  });

  test("stores its secret sealed, also in the stored response of its idempotency key, which replays it", async () => {
    const { call, merchant } = await tenant();
    const idempotency = testIdempotency("one endpoint", Buffer.alloc(36, 1), null);
    const first = await createWebhookEndpoint(call({ idempotency }), BODY);
    const again = await createWebhookEndpoint(call({ idempotency }), BODY);
    expect(again).toEqual({ ...first, replayed: true });
    const { secret } = JSON.parse(first.body) as { secret: string };
    const rows = await db.sql`
      select sealed as text from webhook_secrets where environment_id = ${merchant.test.id}
      union all select response_body from idempotency_keys where environment_id = ${merchant.test.id}`;
    expect(rows).toHaveLength(2);
    for (const { text } of rows) {
      expect(text).toMatch(/^s1\./);
      expect(text).not.toContain(secret.slice(6, 20));
    }
    const [count] =
      await db.sql`select count(*)::int as n from webhook_endpoints where environment_id = ${merchant.test.id}`;
    expect(count?.n).toBe(1);
  });

  test("signs under a new secret of the service as before, and nothing remains under the old one", async () => {
    const { service, call, endpoint, clock } = await tenant();
    const receiver = await receiving();
    const made = await endpoint({ url: receiver.url });
    const moved = createSecret("another secret that only this test knows, 32 characters", [TEST_SECRET]);
    await rotateSecret(db.orm, moved);
    const [left] =
      await db.sql`select count(*)::int as n from webhook_secrets where not starts_with(sealed, ${`s1.${moved.keyId}.`})`;
    expect(left?.n).toBe(0);
    await testWebhookEndpoint(call({ service: { ...service, secret: moved } }), { id: made.id });
    clock.catchUp();
    await sendDue({ ...service, secret: moved });
    expect(receiver.received).toHaveLength(1);
  });

  test("changes only the members sent", async () => {
    const { call, endpoint, clock } = await tenant();
    const made = await endpoint({ signature: "v1+v1a" });
    clock.catchUp();
    const changed = await updateWebhookEndpoint(call(), {
      id: made.id,
      description: null,
      event_types: ["refund.failed"],
    });
    expect(changed).toEqual({
      ...made,
      secret: null,
      description: null,
      event_types: ["refund.failed"],
      updated_at: clock.now().toISOString(),
    });
    expect(await updateWebhookEndpoint(call(), { id: made.id, status: "DISABLED" })).toMatchObject({
      status: "DISABLED",
      disabled_reason: "manual",
    });
    expect(await updateWebhookEndpoint(call(), { id: made.id, status: "ENABLED" })).toMatchObject({
      status: "ENABLED",
      disabled_reason: null,
    });
  });

  test("that is disabled gets no new events, and accepts no test, resend or replay", async () => {
    const { call, endpoint, happen, replay } = await tenant();
    const made = await endpoint();
    await happen();
    const [delivery] = (await listWebhookDeliveries(call(), { id: made.id })).data;
    await updateWebhookEndpoint(call(), { id: made.id, status: "DISABLED" });
    await happen();
    expect((await listWebhookDeliveries(call(), { id: made.id })).total).toBe(1);
    const refused = { code: "invalid_state", extra: { current_status: "DISABLED" } };
    await expect(testWebhookEndpoint(call(), { id: made.id })).rejects.toMatchObject(refused);
    await expect(resendWebhookDelivery(call(), { id: delivery?.id ?? "" })).rejects.toMatchObject(refused);
    await expect(replay(made.id)).rejects.toMatchObject(refused);
  });

  test("that is deleted is not found, and its secrets and deliveries are deleted", async () => {
    const { service, call, merchant, endpoint, happen } = await tenant();
    const made = await endpoint();
    await happen();
    const [delivery] = (await listWebhookDeliveries(call(), { id: made.id })).data;
    expect(await deleteWebhookEndpoint(call(), { id: made.id })).toEqual({
      id: made.id,
      object: "webhook_endpoint",
      deleted: true,
    });
    const missing = { code: "resource_not_found" };
    await expect(getWebhookEndpoint(call(), { id: made.id })).rejects.toMatchObject(missing);
    await expect(deleteWebhookEndpoint(call(), { id: made.id })).rejects.toMatchObject(missing);
    await expect(getWebhookDelivery(call(), { id: delivery?.id ?? "" })).rejects.toMatchObject(missing);
    expect(await listWebhookEndpoints(call(), {})).toMatchObject({ data: [], total: 0 });
    await happen();
    await removeOldWebhookDeliveries(service);
    const left = await db.sql`
      select id from webhook_deliveries where environment_id = ${merchant.test.id}
      union all select id from webhook_secrets where environment_id = ${merchant.test.id}`;
    expect([...left]).toEqual([]);
  });

  test("of another merchant, of the other mode and unknown ones are all not found", async () => {
    const { service, call, merchant, stranger: otherMerchant, endpoint, happen } = await tenant();
    const made = await endpoint();
    await happen();
    const [delivery] = (await listWebhookDeliveries(call(), { id: made.id })).data;
    for (const environment of [otherMerchant.test, merchant.live]) {
      const other = testContext(service, environment);
      for (const id of [made.id, encodeId("webhookEndpoint", newId()), "we_nonsense", ""]) {
        const missing = {
          code: "resource_not_found",
          message: `There is no webhook endpoint '${id}' in this environment.`,
        };
        await expect(getWebhookEndpoint(other, { id })).rejects.toMatchObject(missing);
        await expect(updateWebhookEndpoint(other, { id, status: "DISABLED" })).rejects.toMatchObject(missing);
        await expect(deleteWebhookEndpoint(other, { id })).rejects.toMatchObject(missing);
        await expect(rotateWebhookSecret(other, { id, overlap_hours: 24 })).rejects.toMatchObject(missing);
        await expect(testWebhookEndpoint(other, { id })).rejects.toMatchObject(missing);
        await expect(listWebhookDeliveries(other, { id })).rejects.toMatchObject(missing);
      }
      const gone = { code: "resource_not_found" };
      await expect(getWebhookDelivery(other, { id: delivery?.id ?? "" })).rejects.toMatchObject(gone);
      await expect(resendWebhookDelivery(other, { id: delivery?.id ?? "" })).rejects.toMatchObject(gone);
    }
  });

  test("is refused at an address that is not public, when created and when changed", async () => {
    const { call } = await tenant();
    const webhooks = createSender(publicGuard(async () => ["93.184.215.14"]));
    const service = { ...call().service, webhooks };
    const refused = { code: "invalid_parameter", param: "url" };
    for (const url of [
      "http://shop.example/",
      "https://127.0.0.1/",
      "https://[::ffff:10.0.0.1]/",
      "https://localhost/",
    ])
      await expect(createWebhookEndpoint(call({ service }), { ...BODY, url })).rejects.toMatchObject(refused);
    const reply = await createWebhookEndpoint(call({ service }), { ...BODY, url: "https://shop.example/hook" });
    const { id } = JSON.parse(reply.body) as { id: string };
    const move = updateWebhookEndpoint(call({ service }), { id, url: "https://10.0.0.1/" });
    await expect(move).rejects.toMatchObject(refused);
    expect((await getWebhookEndpoint(call(), { id })).url).toBe("https://shop.example/hook");
  });

  test("has a unique url, when created and when changed, until it is deleted", async () => {
    const { call, merchant, stranger: otherMerchant, service, endpoint } = await tenant();
    const [first, other] = [await endpoint(), await endpoint()];
    const taken = { code: "already_exists", param: "url", errors: [{ param: "url", code: "already_exists" }] };
    await expect(endpoint({ url: first.url })).rejects.toMatchObject(taken);
    await expect(updateWebhookEndpoint(call(), { id: other.id, url: first.url })).rejects.toMatchObject(taken);
    expect((await getWebhookEndpoint(call(), { id: other.id })).url).toBe(other.url);
    await updateWebhookEndpoint(call(), { id: first.id, url: first.url, status: "DISABLED" });
    await expect(endpoint({ url: first.url })).rejects.toMatchObject(taken);
    for (const environment of [merchant.live, otherMerchant.test])
      await createWebhookEndpoint(testContext(service, environment), { ...BODY, url: first.url });
    const longest = `http://127.0.0.1:9/${Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join("")}`;
    await endpoint({ url: longest });
    await expect(endpoint({ url: longest })).rejects.toMatchObject(taken);
    await deleteWebhookEndpoint(call(), { id: first.id });
    expect((await updateWebhookEndpoint(call(), { id: other.id, url: first.url })).url).toBe(first.url);
  });

  test("is created once by two concurrent requests with its url", async () => {
    const { endpoint } = await tenant();
    const results = await Promise.allSettled([1, 2, 3].map(() => endpoint({ url: "http://127.0.0.1:9/race" })));
    expect(results.map(({ status: of }) => of).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "already_exists", param: "url" });
  });

  test("records in the history which members were changed, but not their values", async () => {
    const { call, merchant, endpoint } = await tenant();
    const made = await endpoint();
    await updateWebhookEndpoint(call(), { id: made.id, url: "http://127.0.0.1:9/?token=mine", payload: "full" });
    const rows = await db.sql`select detail from audit_log
      where environment_id = ${merchant.test.id} and action = 'webhook_endpoint.updated'`;
    expect([...rows]).toEqual([{ detail: { changed: ["url"] } }]);
  });

  test("is refused if the merchant has fifty", async () => {
    const { endpoint } = await tenant();
    for (let i = 0; i < 50; i++) await endpoint();
    await expect(endpoint()).rejects.toMatchObject({ code: "invalid_state" });
  });
});

describe("deliveries", () => {
  test("are created in the commit of the event, one per endpoint and event, and none if it rolls back", async () => {
    const { call, merchant, endpoint, happen } = await tenant();
    const made = await endpoint();
    const plan = await happen();
    await updatePlan(call(), { id: plan.id, name: "Another name" });
    const events = await db.sql<{ id: string; type: string }[]>`
      select id, type from events where environment_id = ${merchant.test.id} order by id desc`;
    const { data } = await listWebhookDeliveries(call(), { id: made.id });
    expect(data.map(({ event_id, event_type }) => [event_id, event_type])).toEqual(
      events.map(({ id, type }) => [encodeId("event", id), type]),
    );
    const rejected = db.sql.begin(async (tx) => {
      await tx`insert into events (environment_id, id, type, object_id, sequence, data)
        values (${merchant.test.id}, ${newId()}, 'subscription_plan.updated', ${newId()}, 1, '{}')`;
      const [row] =
        await tx`select count(*)::int as n from webhook_deliveries where environment_id = ${merchant.test.id}`;
      expect(row?.n).toBe(3);
      throw new Error("undone");
    });
    await expect(rejected).rejects.toThrow("undone");
    expect((await listWebhookDeliveries(call(), { id: made.id })).total).toBe(2);
  });

  test("of many environments in one statement go to each environment's endpoints", async () => {
    const [one, other] = [await tenant(), await tenant()];
    const [first, second] = [await one.endpoint(), await other.endpoint({ event_types: ["refund.failed"] })];
    const without = await createTestMerchant(db);
    await db.sql`
      insert into events (environment_id, id, type, object_id, sequence, data)
      select environment_id, id, type, id, 1, '{}' from (values
        (${one.merchant.test.id}::uuid, ${newId()}::uuid, 'refund.failed'), (${one.merchant.test.id}::uuid, ${newId()}::uuid, 'refund.succeeded'),
        (${other.merchant.test.id}::uuid, ${newId()}::uuid, 'refund.failed'), (${other.merchant.test.id}::uuid, ${newId()}::uuid, 'refund.succeeded'),
        (${without.test.id}::uuid, ${newId()}::uuid, 'refund.failed')) made (environment_id, id, type)`;
    expect((await listWebhookDeliveries(one.call(), { id: first.id })).total).toBe(2);
    expect((await listWebhookDeliveries(other.call(), { id: second.id })).total).toBe(1);
  });

  test("are listed by status, type and time, and page by page", async () => {
    const { service, call, endpoint, happen, clock } = await tenant();
    const receiver = await receiving();
    const made = await endpoint({ url: receiver.url });
    for (let i = 0; i < 3; i++) await happen();
    await sendDue(service);
    await sendDue(service);
    await sendDue(service);
    const plan = await happen();
    await updatePlan(call(), { id: plan.id, name: "Renamed" });
    const list = (query: object) => listWebhookDeliveries(call(), { id: made.id, ...query });
    expect(await list({ status: "DELIVERED" })).toMatchObject({ total: 3 });
    expect(await list({ status: "PENDING" })).toMatchObject({ total: 2 });
    expect(await list({ event_type: "subscription_plan.updated" })).toMatchObject({ total: 1 });
    const all = (await list({})).data;
    expect(await list({ created_before: all[4]?.created_at })).toMatchObject({ total: 0 });
    expect(await list({ created_after: all[4]?.created_at, created_before: "2999-01-01" })).toMatchObject({ total: 4 });
    const second = await list({ limit: 2, starting_after: all[1]?.id });
    expect(second.data).toEqual(all.slice(2, 4));
    expect(second.has_more).toBe(true);
    const unknown = { code: "invalid_parameter", param: "starting_after" };
    await expect(list({ starting_after: "whd_nonsense" })).rejects.toMatchObject(unknown);
    clock.forward(1);
  });

  test("are shown for 90 days, as events are", async () => {
    const { service, call, clock, endpoint, happen } = await tenant();
    const receiver = await receiving();
    const made = await endpoint({ url: receiver.url });
    await happen();
    await sendDue(service);
    const [delivery] = (await listWebhookDeliveries(call(), { id: made.id })).data;
    clock.forward(89 * DAY);
    expect((await listWebhookDeliveries(call(), { id: made.id })).total).toBe(1);
    expect(await getWebhookDelivery(call(), { id: delivery?.id ?? "" })).toMatchObject({ attempt_count: 1 });
    clock.forward(DAY);
    expect((await listWebhookDeliveries(call(), { id: made.id })).total).toBe(0);
    await expect(getWebhookDelivery(call(), { id: delivery?.id ?? "" })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  });
});

describe("a replay", () => {
  test("sends failed and never sent events, and not delivered ones", async () => {
    const { service, call, clock, endpoint, happen, replay } = await tenant();
    await happen();
    const receiver = await receiving();
    const made = await endpoint({ url: receiver.url });
    await happen();
    await sendDue(service);
    const arrived = receiver.received[0]?.headers["webhook-id"];
    receiver.answer = status(500);
    await happen();
    await sendDue(service);
    await db.sql`update webhook_deliveries set status = 'FAILED' where event_type = 'subscription_plan.created' and status = 'PENDING'`;
    receiver.answer = status(200);
    expect(await replay(made.id)).toEqual({
      object: "webhook_replay",
      webhook_endpoint_id: made.id,
      delivery_count: 2,
      next_since: null,
    });
    for (let i = 0; i < 3; i++) await sendDue(service);
    const { data } = await listWebhookDeliveries(call(), { id: made.id });
    expect(data.map((delivery) => delivery.status)).toEqual(["DELIVERED", "DELIVERED", "DELIVERED"]);
    expect(receiver.received.filter(({ headers }) => headers["webhook-id"] === arrived)).toHaveLength(1);
    expect(await replay(made.id)).toMatchObject({ delivery_count: 0 });
    expect(await replay(made.id, { only_failed: false })).toMatchObject({ delivery_count: 3 });
    expect(await replay(made.id, { only_failed: false })).toMatchObject({ delivery_count: 0 });
    clock.forward(1);
  });

  test("is sent now in an environment whose clock is ahead", async () => {
    const { service, merchant, endpoint, happen, clock } = await tenant();
    await happen();
    const receiver = await receiving();
    const { id } = await endpoint({ url: receiver.url });
    const offsetMs = 90 * DAY;
    await db.sql`update environments set clock_offset_ms = ${offsetMs}::bigint where id = ${merchant.test.id}`;
    const ahead = testContext(service, { ...merchant.test, clock: { offsetMs, frozenAt: null } });
    const since = new Date(clock.now().getTime() - DAY).toISOString();
    await replayWebhookEndpoint(ahead, { id, since, only_failed: true });
    await sendDue(service);
    expect(receiver.received).toHaveLength(1);
  });

  test("respects its time range and types", async () => {
    const { call, endpoint, happen, replay } = await tenant();
    const plan = await happen();
    await updatePlan(call(), { id: plan.id, name: "Renamed" });
    const made = await endpoint();
    expect(await replay(made.id, { types: ["refund.failed"] })).toMatchObject({ delivery_count: 0 });
    expect(await replay(made.id, { until: new Date(Date.now() - 60_000).toISOString() })).toMatchObject({
      delivery_count: 0,
    });
    expect(await replay(made.id, { types: ["subscription_plan.updated"] })).toMatchObject({ delivery_count: 1 });
    const tooOld = { code: "invalid_parameter", param: "since" };
    await expect(replay(made.id, { since: "2020-01-01T00:00:00Z" })).rejects.toMatchObject(tooOld);
  });

  test("examines a bounded number of events per call, and continues from `next_since` without missing one", async () => {
    const { merchant, endpoint, happen, replay, clock } = await tenant();
    await happen();
    const made = await endpoint();
    const other = await endpoint({ event_types: ["refund.failed"] });
    const count = 2.5 * EXAMINED_EVENTS;
    const perMs = 30;
    const clones = { count, everyMs: 1 / perMs, fresh: { object_id: "made.id" } };
    await cloneLatestRow(db, "events", merchant.test.id, clones);
    clock.forward(1_000);
    const pages = async (id: string) => {
      const counts: number[] = [];
      for (let since: string | undefined; counts.length < 10; ) {
        const page: WebhookReplay = await replay(id, since === undefined ? {} : { since });
        counts.push(page.delivery_count);
        if (page.next_since === null) return counts;
        since = page.next_since;
      }
      throw new Error("the replay does not finish");
    };
    const counts = await pages(made.id);
    expect(counts).toHaveLength(3);
    expect(Math.max(...counts)).toBeLessThan(EXAMINED_EVENTS + perMs);
    expect(counts.reduce((sum, some) => sum + some, 0)).toBe(count + 1);
    expect(await pages(other.id)).toEqual([0, 0, 0]);
  });
});
