import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { openReceiver, type Receiver, sendDue, status, webhookTenants, workUntil } from "@/e2e/fixtures/webhooks";
import { decodeId } from "@/lib/contract/ids";
import { createSecret } from "@/lib/secret";
import { messageBody, pauseAfter, retryAfterMs, WebhookWorker } from "./deliver";
import { resendWebhookDelivery, testWebhookEndpoint } from "./deliveries";
import { getWebhookEndpoint, rotateWebhookSecret, updateWebhookEndpoint } from "./endpoints";

const { db } = await testDatabase();
const tenant = webhookTenants(db);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a message", () => {
  test("is the event, signed as the standardwebhooks package verifies it, with the event's id", async () => {
    const { service, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const { receiver, secret, ...made } = await endpoint();
    const plan = await happen();
    await sendDue(service);
    expect(receiver.received).toHaveLength(1);
    const [{ headers, body }] = receiver.received as [Receiver["received"][number]];
    expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Cardlane-Webhooks/1" });
    const webhook = new Webhook(secret);
    // The package uses the real clock and refuses messages minutes old; the test's clock is within that
    // tolerance.
    const event = webhook.verify(body, headers) as { id: string; type: string; data: { object: { id: string } } };
    expect(event).toMatchObject({ object: "event", type: "subscription_plan.created", data: { object: plan } });
    expect(headers["webhook-id"]).toBe(event.id);
    const [delivery] = await deliveries(made);
    expect(delivery).toMatchObject({
      status: "DELIVERED",
      attempt_count: 1,
      event_id: event.id,
      event_type: "subscription_plan.created",
      next_attempt_at: null,
    });
    const [attempt] = await attemptsOf(delivery);
    expect(attempt).toMatchObject({
      request: { url: receiver.url, payload: "full" },
      response: { status: 200, body: "thanks" },
      error: null,
    });
    expect(attempt?.request.headers["webhook-signature"]).toBe(headers["webhook-signature"]);
  });

  test("is thin on request: ids only, and has both signatures on request", async () => {
    const { service, endpoint, happen } = await tenant();
    const { receiver, public_key } = await endpoint({ payload: "thin", signature: "v1+v1a" });
    const plan = await happen();
    await sendDue(service);
    const [{ headers, body }] = receiver.received as [Receiver["received"][number]];
    expect(JSON.parse(body)).toEqual({
      type: "subscription_plan.created",
      timestamp: expect.stringMatching(/Z$/),
      data: { id: plan.id, object: "subscription_plan", environment: "sandbox", sequence: 1 },
    });
    expect(headers["webhook-signature"]).toMatch(/^v1,[\w+/]{43}= v1a,[\w+/]{86}==$/);
    expect(public_key).toMatch(/^whpk_[\w+/]{43}=$/);
  });

  test("is signed by each secret during a rotation's overlap, and by the newest only afterwards", async () => {
    const { service, call, clock, endpoint, happen } = await tenant();
    const { receiver, secret: earlier, id } = await endpoint();
    const reply = await rotateWebhookSecret(call(), { id, overlap_hours: 1 });
    const { secret: newest } = JSON.parse(reply.body) as { secret: string };
    expect(newest).not.toBe(earlier);
    await happen();
    await sendDue(service);
    const [during] = receiver.received as [Receiver["received"][number]];
    for (const secret of [newest, earlier]) new Webhook(secret).verify(during.body, during.headers);
    clock.forward(HOUR);
    await happen();
    await sendDue(service);
    const after = receiver.received[1] as Receiver["received"][number];
    expect(after.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    await rotateWebhookSecret(call(), { id, overlap_hours: 0 });
    await happen();
    await sendDue(service);
    expect(receiver.received[2]?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });

  test("is signed by at most five secrets, the newest, however often they are rotated", async () => {
    const { service, call, endpoint, happen } = await tenant();
    const { receiver, id, secret } = await endpoint();
    const secrets = [secret];
    for (let i = 0; i < 7; i++) {
      const reply = await rotateWebhookSecret(call(), { id, overlap_hours: 24 });
      secrets.unshift((JSON.parse(reply.body) as { secret: string }).secret);
    }
    await happen();
    await sendDue(service);
    const [{ headers, body }] = receiver.received as [Receiver["received"][number]];
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(5);
    for (const own of secrets.slice(0, 5)) new Webhook(own).verify(body, headers);
    for (const own of secrets.slice(5)) expect(() => new Webhook(own).verify(body, headers)).toThrow("signature");
  });

  test("goes to the endpoints that subscribe to its type, and to no other merchant's", async () => {
    const { service, endpoint, happen, stranger: otherMerchant } = await tenant();
    const all = await endpoint();
    const some = await endpoint({ event_types: ["subscription_plan.created", "refund.failed"] });
    const none = await endpoint({ event_types: ["refund.failed"] });
    await happen();
    await sendDue(service);
    expect([all, some, none].map(({ receiver }) => receiver.received.length)).toEqual([1, 1, 0]);
    const [row] =
      await db.sql`select count(*)::int as n from webhook_deliveries where environment_id = ${otherMerchant.test.id}`;
    expect(row?.n).toBe(0);
  });

  test("has the event's time and numbers of its object", () => {
    const data = { object: { id: "plan_1", object: "subscription_plan" }, previous: null };
    const event = {
      id: "evt_1",
      type: "subscription_plan.created",
      created_at: "now",
      environment: "live",
      sequence: 7,
      data,
    };
    expect(JSON.parse(messageBody(event as never, "thin"))).toEqual({
      type: "subscription_plan.created",
      timestamp: "now",
      data: { id: "plan_1", object: "subscription_plan", environment: "live", sequence: 7 },
    });
  });
});

describe("a delivery without a 2xx response", () => {
  test("is tried ten times, at 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h after each other, under one id", async () => {
    const { service, clock, endpoint, happen, deliveries } = await tenant();
    const { receiver, ...made } = await endpoint();
    receiver.answer = status(500);
    await happen();
    const pauses = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
    for (const [index, pause] of pauses.entries()) {
      await sendDue(service);
      expect(receiver.received).toHaveLength(index + 1);
      const [delivery] = await deliveries(made);
      const waits = Date.parse(delivery.next_attempt_at as string) - clock.now().getTime();
      expect(waits).toBeGreaterThanOrEqual(0.9 * pause);
      expect(waits).toBeLessThanOrEqual(1.1 * pause);
      clock.forward(waits - 1);
      await sendDue(service);
      expect(receiver.received, "not a moment before").toHaveLength(index + 1);
      clock.forward(1);
    }
    await sendDue(service);
    const [delivery] = await deliveries(made);
    expect(delivery).toMatchObject({ status: "FAILED", attempt_count: 10, next_attempt_at: null });
    clock.forward(30 * DAY);
    await sendDue(service);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([delivery.event_id]),
    );
  });

  test("jitter is ±10 %, and there is no eleventh attempt", () => {
    expect([pauseAfter(1, 0), pauseAfter(1, 0.5), pauseAfter(1, 1)]).toEqual([4_500, 5_000, 5_500]);
    expect([pauseAfter(9, 0.5), pauseAfter(10, 0.5)]).toEqual([24 * HOUR, null]);
  });

  test("Retry-After delays it, as seconds or as a date, by at most a day", async () => {
    const at = Date.parse("2026-11-20T09:30:00Z");
    expect(retryAfterMs("120", at)).toBe(120_000);
    expect(retryAfterMs("Fri, 20 Nov 2026 09:31:00 GMT", at)).toBe(60_000);
    expect(["999999999", "soon", "-5", "Fri, 20 Nov 2020 09:31:00 GMT"].map((text) => retryAfterMs(text, at))).toEqual([
      ...[DAY, 0, 0, 0],
    ]);
    const { service, clock, endpoint, happen, deliveries } = await tenant();
    const { receiver, ...made } = await endpoint();
    receiver.answer = status(429, { "retry-after": "3600" });
    await happen();
    await sendDue(service);
    const [delivery] = await deliveries(made);
    expect(Date.parse(delivery.next_attempt_at as string) - clock.now().getTime()).toBe(HOUR);
  });

  test("a redirect is not followed", async () => {
    const { service, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const elsewhere = await endpoint({ event_types: ["refund.failed"] });
    const { receiver, ...made } = await endpoint();
    receiver.answer = status(307, { location: elsewhere.receiver.url });
    await happen();
    await sendDue(service);
    expect(elsewhere.receiver.received).toEqual([]);
    const [delivery] = await deliveries(made);
    expect((await attemptsOf(delivery))[0]).toMatchObject({
      response: { status: 307 },
      error: "It answered 307. Redirects are not followed.",
    });
  });

  test("4 kB of the response are stored, without card numbers and text that the database can't store", async () => {
    const { service, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const { receiver, ...made } = await endpoint();
    receiver.answer = status(400, {}, `card 4242424242424242\u0000${"x".repeat(100_000)}`);
    await happen();
    await sendDue(service);
    const [attempt] = await attemptsOf((await deliveries(made))[0]);
    expect(attempt?.response?.body.length).toBeLessThanOrEqual(4 * 1024);
    expect(attempt?.response?.body.length).toBeGreaterThan(4_000);
    expect(attempt?.response?.body).not.toMatch(/4242424242424242|\0/);
  });

  test("512 bytes of a 2xx response are stored, without half a character", async () => {
    const { service, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const { receiver, ...made } = await endpoint();
    receiver.answer = status(200, {}, "é".repeat(1_000));
    await happen();
    await sendDue(service);
    const [attempt] = await attemptsOf((await deliveries(made))[0]);
    expect(attempt?.response?.body).toBe(`${"é".repeat(254)}…`);
  });

  test("an attempt is recorded even if its endpoint could not be disabled", async () => {
    const { service, call, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const { receiver, ...made } = await endpoint();
    receiver.answer = status(410);
    await happen();
    await db.sql`alter table webhook_endpoints add constraint broken check (disabled_reason <> 'gone') not valid`;
    await sendDue(service);
    await db.sql`alter table webhook_endpoints drop constraint broken`;
    const attempts = await attemptsOf((await deliveries(made))[0]);
    expect(attempts.map(({ error }) => error)).toEqual(["It answered 410."]);
    expect((await getWebhookEndpoint(call(), { id: made.id })).status).toBe("ENABLED");
  });

  test("410 disables the endpoint immediately, and emits an event to the others", async () => {
    const { service, call, endpoint, happen } = await tenant();
    const { receiver, id } = await endpoint();
    const other = await endpoint({ event_types: ["webhook_endpoint.disabled"] });
    receiver.answer = status(410);
    await happen();
    await sendDue(service);
    expect(await getWebhookEndpoint(call(), { id })).toMatchObject({ status: "DISABLED", disabled_reason: "gone" });
    await happen();
    await sendDue(service);
    expect(receiver.received).toHaveLength(1);
    expect(other.receiver.received).toHaveLength(1);
    expect(JSON.parse(other.receiver.received[0]?.body ?? "")).toMatchObject({
      type: "webhook_endpoint.disabled",
      data: { object: { id, status: "DISABLED", disabled_reason: "gone", secret: null } },
    });
  });

  test("a response of the old URL after a change disables nothing", async () => {
    const { service, call, endpoint, happen } = await tenant();
    const { receiver, id } = await endpoint();
    const moved = await openReceiver();
    let answer = () => {};
    receiver.answer = (_received, response) => {
      answer = () => response.writeHead(410).end();
    };
    await happen();
    const worker = new WebhookWorker(service);
    await worker.begin();
    await expect.poll(() => receiver.received.length).toBe(1);
    await updateWebhookEndpoint(call(), { id, url: moved.url });
    answer();
    await worker.settled();
    expect((await getWebhookEndpoint(call(), { id })).status).toBe("ENABLED");
    await moved.close();
  });

  test("a delivery that can't be signed follows the schedule, and its log shows it", async () => {
    const { service, clock, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const { receiver, ...made } = await endpoint();
    await happen();
    const broken = { ...service, secret: createSecret("the secret of another service, 32 and more characters") };
    await sendDue(broken);
    const [delivery] = await deliveries(made);
    expect(delivery).toMatchObject({ status: "PENDING", attempt_count: 1 });
    expect((await attemptsOf(delivery))[0]).toMatchObject({
      response: null,
      error: "Something went wrong on our side.",
    });
    clock.forward(6 * SECOND);
    await sendDue(broken);
    // The third attempt is due five minutes after the second.
    clock.forward(MINUTE);
    await sendDue(service);
    expect(receiver.received).toEqual([]);
    clock.forward(5 * MINUTE);
    await sendDue(service);
    expect(receiver.received).toHaveLength(1);
  });

  test("an endpoint that fails for five days is disabled, and one that succeeded once is not", async () => {
    const { service, call, clock, endpoint, happen } = await tenant();
    const dead = await endpoint();
    const ailing = await endpoint();
    for (const { receiver } of [dead, ailing]) receiver.answer = status(503);
    for (let day = 0; day < 5; day++) {
      await happen();
      await sendDue(service);
      clock.forward(DAY);
      expect((await getWebhookEndpoint(call(), { id: dead.id })).status).toBe("ENABLED");
      if (day === 2) {
        ailing.receiver.answer = status(204);
        await sendDue(service);
        ailing.receiver.answer = status(503);
      }
    }
    await happen();
    await sendDue(service);
    expect(await getWebhookEndpoint(call(), { id: dead.id })).toMatchObject({
      status: "DISABLED",
      disabled_reason: "failing",
    });
    expect((await getWebhookEndpoint(call(), { id: ailing.id })).status).toBe("ENABLED");
    // After re-enabling it has its five days again, and pending deliveries are sent.
    dead.receiver.answer = status(200);
    await updateWebhookEndpoint(call(), { id: dead.id, status: "ENABLED" });
    const before = dead.receiver.received.length;
    const worker = new WebhookWorker(service);
    await workUntil(worker, () => dead.receiver.received.length > before);
    await worker.settled();
    expect(await getWebhookEndpoint(call(), { id: dead.id })).toMatchObject({
      status: "ENABLED",
      disabled_reason: null,
    });
  });
});

test("a test goes only to its endpoint, whatever types that subscribes to", async () => {
  const { service, call, clock, endpoint } = await tenant();
  const { receiver, id } = await endpoint({ event_types: ["refund.failed"] });
  const other = await endpoint();
  for (const sequence of [1, 2]) {
    await testWebhookEndpoint(call(), { id });
    clock.catchUp();
    await sendDue(service);
    expect(receiver.received).toHaveLength(sequence);
    expect(JSON.parse(receiver.received[sequence - 1]?.body ?? "")).toMatchObject({
      type: "webhook_endpoint.test",
      sequence,
      data: { object: { id }, previous: sequence === 1 ? null : {} },
    });
  }
  expect(other.receiver.received).toEqual([]);
});

test("a delivered event is resent on request, with the same id", async () => {
  const { service, call, endpoint, happen, deliveries } = await tenant();
  const { receiver, ...made } = await endpoint();
  await happen();
  await sendDue(service);
  const [delivery] = await deliveries(made);
  await resendWebhookDelivery(call(), { id: delivery.id });
  await sendDue(service);
  await sendDue(service);
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([delivery.event_id, delivery.event_id]);
  expect((await deliveries(made))[0]).toMatchObject({ id: delivery.id, status: "DELIVERED", attempt_count: 2 });
});

test("the latest twenty attempts of a delivery are kept, however often it is sent", async () => {
  const { service, call, endpoint, happen, deliveries, attemptsOf } = await tenant();
  const { receiver, ...made } = await endpoint();
  await happen();
  const [delivery] = await deliveries(made);
  for (let i = 0; i < 23; i++) {
    receiver.answer = status(200, {}, `answer ${i}`);
    await resendWebhookDelivery(call(), { id: delivery.id });
    await sendDue(service);
  }
  const [row] = await db.sql`select count(*)::int as n from webhook_attempts
    where delivery_id = ${decodeId("webhookDelivery", delivery.id)}`;
  expect(row?.n).toBe(20);
  const bodies = (await attemptsOf(delivery)).map(({ response }) => response?.body);
  expect(bodies).toEqual(Array.from({ length: 20 }, (_, i) => `answer ${22 - i}`));
});

test("due deliveries are read from their index, on empty tables too", async () => {
  const { service, endpoint } = await tenant();
  const made = await endpoint();
  const endpointId = decodeId("webhookEndpoint", made.id) as string;
  const plan = await service.db.sql.unsafe(`explain select id from webhook_deliveries
    where environment_id = '${endpointId}' and endpoint_id = '${endpointId}' and status = 'PENDING' and next_attempt_at <= now()
    order by next_attempt_at limit 4 for update skip locked`);
  const text = JSON.stringify(plan);
  expect(text).not.toContain("Seq Scan");
  expect(text).not.toContain("Sort  (");
  // One of each partition: the due ones of the endpoint, in order.
  expect(text.match(/Index Scan using deliveries_\w+_next_attempt\w*_idx/g)?.length).toBeGreaterThan(3);
});
