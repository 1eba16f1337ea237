import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestUser } from "@/e2e/fixtures/users";
import { sendDue, status, webhookTenants } from "@/e2e/fixtures/webhooks";
import { listWebhookDeliveries } from "./deliveries";
import { updateWebhookEndpoint } from "./endpoints";
import { listFailing, listNoticed, notifyOfFailing, readFailingNow, readLastResponses } from "./failing-endpoints";

const { db } = await testDatabase();
const newTenant = webhookTenants(db);
const DAY = 86_400_000;

async function setup() {
  const tenant = await newTenant();
  const { service, merchant, clock, happen } = tenant;
  const { email } = await createTestUser(db, { merchantId: merchant.id, role: "owner" });
  const viewer = await createTestUser(db, { merchantId: merchant.id, role: "viewer" });
  const { receiver, ...endpoint } = await tenant.endpoint();
  const mails = async () =>
    (await db.sql<{ subject: string; body: string }[]>`
      select subject, body from mail_outbox where recipient = any(${[email, viewer.email]}) order by id`) as {
      subject: string;
      body: string;
    }[];
  return {
    ...tenant,
    receiver,
    made: endpoint,
    mails,
    /** A day with one event, after which due deliveries are sent. */
    day: async () => {
      await happen();
      await sendDue(service);
      clock.forward(DAY);
    },
  };
}

test("an owner is notified once after three days of failures, and once when it is disabled", async () => {
  const { service, call, receiver, made, mails, day } = await setup();
  receiver.answer = status(500);
  for (let days = 0; days < 3; days++) {
    await day();
    if (days < 2) expect(await notifyOfFailing(service)).toBe(0);
  }
  const [failing] = await listFailing(call());
  expect(failing).toMatchObject({ id: made.id, url: made.url });
  expect(Date.parse(failing?.disabledAt ?? "") - Date.parse(failing?.since ?? "")).toBe(5 * DAY);
  // One of several concurrent processes notifies, and viewers are not notified.
  await Promise.all([notifyOfFailing(service), notifyOfFailing(service), notifyOfFailing(service)]);
  expect(await notifyOfFailing(service)).toBe(0);
  expect(await mails()).toEqual([
    { subject: "A webhook endpoint has failed for three days", body: expect.stringContaining(made.id) },
  ]);
  expect(await listNoticed(call())).toEqual([{ id: made.id, notice: "failing" }]);
  for (let days = 3; days < 6; days++) await day();
  await notifyOfFailing(service);
  expect(await notifyOfFailing(service)).toBe(0);
  expect((await mails()).map(({ subject }) => subject).slice(1)).toEqual(["A webhook endpoint was disabled"]);
  expect(await listNoticed(call())).toEqual([{ id: made.id, notice: "disabled" }]);
  expect((await mails()).every(({ body }) => !body.includes(made.url))).toBe(true);
  expect(await listFailing(call())).toEqual([]);
});

test("an endpoint that recovers, or is re-enabled, is notified again after failing as long again", async () => {
  const { service, call, receiver, made, mails, day } = await setup();
  const failFor = async (days: number) => {
    receiver.answer = status(500);
    for (let i = 0; i < days; i++) await day();
    await notifyOfFailing(service);
  };
  await failFor(3);
  receiver.answer = status(200);
  await day();
  expect(await listFailing(call())).toEqual([]);
  expect(await listNoticed(call())).toEqual([]);
  await failFor(4);
  expect(await mails()).toHaveLength(2);
  await updateWebhookEndpoint(call(), { id: made.id, url: `${made.url}?again` });
  await failFor(4);
  expect(await mails()).toHaveLength(3);
});

test("a manually disabled or deleted endpoint is not notified", async () => {
  const { service, call, receiver, made, mails, day } = await setup();
  receiver.answer = status(500);
  for (let days = 0; days < 3; days++) await day();
  await updateWebhookEndpoint(call(), { id: made.id, status: "DISABLED" });
  expect(await notifyOfFailing(service)).toBe(0);
  expect(await mails()).toEqual([]);
});

test("an owner is notified once that an endpoint was disabled, whatever is changed there or in progress", async () => {
  const { service, call, receiver, made, mails, day, happen, clock } = await setup();
  receiver.answer = status(500);
  for (let days = 0; days < 6; days++) await day();
  await notifyOfFailing(service);
  const told = await mails();
  expect(told.map(({ subject }) => subject)).toEqual(["A webhook endpoint was disabled"]);
  await updateWebhookEndpoint(call(), { id: made.id, url: `${made.url}?moved`, description: "Orders" });
  expect(await notifyOfFailing(service)).toBe(0);
  expect(await listNoticed(call())).toEqual([{ id: made.id, notice: "disabled" }]);
  // An attempt succeeds after another process has disabled the endpoint and notified its owners.
  await updateWebhookEndpoint(call(), { id: made.id, status: "ENABLED" });
  const accept = status(200);
  receiver.answer = (received, response, request) => {
    const disabled = db.sql`
      update webhook_endpoints
      set status = 'DISABLED', disabled_reason = 'failing', last_notice = 'disabled', failing_since = now()
      where environment_id = ${call().environment.id}`;
    void disabled.then(() => accept(received, response, request));
  };
  await happen();
  clock.catchUp();
  await sendDue(service);
  expect(receiver.received.at(-1)).toBeDefined();
  expect(await notifyOfFailing(service)).toBe(0);
  expect(await listNoticed(call())).toEqual([{ id: made.id, notice: "disabled" }]);
  expect(await mails()).toEqual(told);
});

test("an endpoint that we disabled is no longer shown once a user keeps it disabled", async () => {
  const { service, call, receiver, made, mails, day } = await setup();
  receiver.answer = status(410);
  await day();
  await notifyOfFailing(service);
  expect(await listNoticed(call())).toEqual([{ id: made.id, notice: "disabled" }]);
  const kept = await updateWebhookEndpoint(call(), { id: made.id, status: "DISABLED" });
  expect(kept).toMatchObject({ status: "DISABLED", disabled_reason: "manual" });
  expect(await listNoticed(call())).toEqual([]);
  expect(await notifyOfFailing(service)).toBe(0);
  expect(await mails()).toHaveLength(1);
  const events = await db.sql`
    select type from events where environment_id = ${call().environment.id} and type = 'webhook_endpoint.disabled'`;
  expect(events).toHaveLength(1);
});

test("an endpoint and its deliveries show the newest failure immediately, and no longer once one arrives", async () => {
  const { service, call, clock, receiver, made, happen } = await setup();
  const otherMerchant = await newTenant();
  const delivery = async () => (await listWebhookDeliveries(call(), { id: made.id })).data;
  receiver.answer = status(503);
  await happen();
  expect(await readLastResponses(call(), await delivery())).toEqual(new Map());
  await sendDue(service);
  const [failed] = await delivery();
  expect([...(await readLastResponses(call(), [failed as { id: string }]))]).toEqual([
    [failed?.id, { status: 503, failed: true }],
  ]);
  expect([...(await readFailingNow(call(), [made]))]).toEqual([[made.id, { status: 503, failed: true }]]);
  expect([...(await readFailingNow(otherMerchant.call(), [made]))]).toEqual([]);
  expect([...(await readLastResponses(otherMerchant.call(), [failed as { id: string }]))]).toEqual([]);
  receiver.answer = (_received, response) => response.destroy();
  clock.forward(DAY);
  await sendDue(service);
  expect([...(await readFailingNow(call(), [made]))]).toEqual([[made.id, { status: null, failed: true }]]);
  receiver.answer = status(200);
  clock.forward(DAY);
  await sendDue(service);
  expect([...(await readFailingNow(call(), [made]))]).toEqual([]);
  expect((await readLastResponses(call(), await delivery())).get(failed?.id ?? "")).toEqual({
    status: 200,
    failed: false,
  });
});
