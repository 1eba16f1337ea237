import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { sendDue, status, webhookTenants, workUntil } from "@/e2e/fixtures/webhooks";
import type { Mode } from "@/lib/contract/transactions/words";
import { allocateSlots, WebhookWorker } from "./deliver";

const { db } = await testDatabase();
const tenant = webhookTenants(db);

const SECOND = 1_000;
const DAY = 86_400_000;

describe("many deliveries", () => {
  test("a slow endpoint delays a fast one by less than a second", async () => {
    const { service, endpoint, happen, deliveries } = await tenant();
    const slow = await endpoint();
    const fast = await endpoint();
    const held: (() => void)[] = [];
    slow.receiver.answer = (_received, response) => held.push(() => response.writeHead(200).end());
    for (let i = 0; i < 20; i++) await happen();
    const worker = new WebhookWorker(service);
    const startedMs = performance.now();
    await workUntil(worker, () => fast.receiver.received.length === 20 && slow.receiver.received.length > 0);
    // A new endpoint has one slot until its first success, then four; the slow one never responded.
    expect(slow.receiver.received).toHaveLength(1);
    const lastMs = fast.receiver.received.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
    const busy = await deliveries(fast);
    expect(busy).toHaveLength(20);
    // All twenty, sent one and then four at a time while the other holds its slot: each took far less than a
    // second.
    expect((lastMs - startedMs) / 20).toBeLessThan(SECOND);
    const msForOne = async () => {
      const before = fast.receiver.received.length;
      await happen();
      const happenedMs = performance.now();
      await workUntil(worker, () => fast.receiver.received.length > before);
      return performance.now() - happenedMs;
    };
    // Single deliveries can take longer on a busy machine.
    await expect.poll(msForOne, { interval: 0 }).toBeLessThan(SECOND);
    slow.receiver.answer = status(200);
    for (const release of held) release();
    await worker.settled();
  });

  test("hanging endpoints share few slots: a working one is still served", async () => {
    const { service, receivers, endpoint, happen } = await tenant();
    const works = await endpoint();
    await happen();
    await sendDue(service);
    const held: (() => void)[] = [];
    for (let i = 0; i < 15; i++) {
      const { receiver } = await endpoint();
      receiver.answer = (_received, response) => held.push(() => response.writeHead(200).end());
    }
    for (let i = 0; i < 5; i++) await happen();
    const worker = new WebhookWorker(service);
    await workUntil(worker, () => works.receiver.received.length === 6);
    expect(held.length).toBeLessThanOrEqual(12);
    for (const receiver of receivers) receiver.answer = status(200);
    for (const release of held) release();
    await worker.settled();
  });

  test("one merchant's hanging endpoints leave slow-lane slots to others", async () => {
    const hog = await tenant();
    const held: (() => void)[] = [];
    for (let i = 0; i < 15; i++) {
      const { receiver } = await hog.endpoint();
      receiver.answer = (_received, response) => held.push(() => response.writeHead(200).end());
    }
    await hog.happen();
    const other = await tenant();
    const { receiver } = await other.endpoint();
    await other.happen();
    const worker = new WebhookWorker(other.service);
    await workUntil(worker, () => receiver.received.length === 1 && held.length > 0);
    expect(held.length).toBeLessThanOrEqual(3);
    for (const each of hog.receivers) each.answer = status(200);
    for (const release of held) release();
    await worker.settled();
  });

  test("test accounts whose receivers hang leave slots to live mode: a new live endpoint is called immediately", async () => {
    const held: (() => void)[] = [];
    const hogs = [await tenant(), await tenant(), await tenant(), await tenant(), await tenant()];
    for (const hog of hogs) {
      for (let i = 0; i < 3; i++) {
        const { receiver } = await hog.endpoint();
        receiver.answer = (_received, response) => held.push(() => response.writeHead(200).end());
      }
      await hog.happen();
    }
    const live = await tenant("live");
    const worker = new WebhookWorker(live.service);
    await workUntil(worker, () => held.length === 8);
    const { receiver } = await live.endpoint();
    await live.happen();
    await workUntil(worker, () => receiver.received.length === 1);
    expect(held).toHaveLength(8);
    for (const { receivers } of hogs) for (const each of receivers) each.answer = status(200);
    for (const release of held) release();
    await worker.settled();
  });

  test("slots are shared by endpoint and by merchant, including those in progress", () => {
    const at = (environment: number, endpoint: number, mode: Mode = "live") => ({
      environment_id: `env_${environment}`,
      endpoint_id: `end_${endpoint}`,
      mode,
    });
    const share = { ofEndpoint: 4, ofEnvironment: 6, ofTests: 7 };
    const found = [at(1, 1), at(1, 2), at(1, 3), at(2, 4), at(3, 5)].map((place) => ({ ...place, due: 4 }));
    const places = (free: number, running: ReturnType<typeof at>[] = []) => {
      const { allocated, examined } = allocateSlots(found, running, share, free);
      return { given: allocated.map((turn) => [turn.endpoint_id, turn.slots]), looked: examined };
    };
    expect(places(20)).toEqual({
      given: [
        ["end_1", 4],
        ["end_2", 2],
        ["end_4", 4],
        ["end_5", 4],
      ],
      looked: 5,
    });
    expect(places(5)).toEqual({
      given: [
        ["end_1", 4],
        ["end_2", 1],
      ],
      looked: 2,
    });
    const running = [at(1, 1), at(1, 1), at(1, 9), at(1, 9), at(1, 9), at(2, 4)];
    expect(places(20, running).given).toEqual([
      ["end_1", 1],
      ["end_4", 3],
      ["end_5", 4],
    ]);
    expect(allocateSlots([], [], share, 5)).toEqual({ allocated: [], examined: 0 });
    const tests = [at(1, 1, "test"), at(2, 2, "test"), at(3, 3)].map((place) => ({ ...place, due: 4 }));
    const given = (busy: ReturnType<typeof at>[]) =>
      allocateSlots(tests, busy, share, 20).allocated.map(({ slots: n }) => n);
    expect([given([]), given([at(4, 4, "test"), at(5, 5)]), given(Array(7).fill(at(4, 4, "test")))]).toEqual([
      ...[[4, 3, 4], [4, 2, 4], [4]],
    ]);
  });

  test("a slot that becomes free triggers another poll, and a hanging one does not", async () => {
    const { service, endpoint, happen } = await tenant();
    const { receiver } = await endpoint();
    await happen();
    await sendDue(service);
    const held: (() => void)[] = [];
    receiver.answer = (_received, response) => held.push(() => response.writeHead(200).end());
    for (let i = 0; i < 6; i++) await happen();
    const worker = new WebhookWorker(service);
    let woken = 0;
    const wake = () => woken++;
    expect(await worker.begin(undefined, wake)).toBe(4);
    await expect.poll(() => held.length).toBe(4);
    expect(await worker.begin(undefined, wake)).toBe(0);
    expect(woken).toBe(0);
    held.shift()?.();
    await expect.poll(() => woken).toBe(1);
    expect(await worker.begin(undefined, wake)).toBe(1);
    await expect.poll(() => held.length).toBe(4);
    for (const release of held) release();
    await worker.settled();
    expect(woken).toBe(5);
  });

  test("two concurrent workers send each event once", async () => {
    const { service, endpoint, happen } = await tenant();
    const { receiver } = await endpoint();
    for (let i = 0; i < 20; i++) await happen();
    const workers = [new WebhookWorker(service), new WebhookWorker(service)];
    await Promise.all(workers.map((worker) => workUntil(worker, () => receiver.received.length >= 20)));
    await Promise.all(workers.map((worker) => worker.settled()));
    await sendDue(service);
    expect(receiver.received).toHaveLength(20);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(20);
  });

  test("a killed process's delivery is sent by another after its lease expires, and not before", async () => {
    const { service, clock, endpoint, happen, deliveries } = await tenant();
    const { receiver, ...made } = await endpoint();
    await happen();
    // A process that dies between taking a delivery and sending it: nothing is recorded.
    const killed = new WebhookWorker({
      ...service,
      webhooks: { ...service.webhooks, send: () => new Promise(() => {}) },
    });
    expect(await killed.begin()).toBe(1);
    await sendDue(service);
    expect(receiver.received).toEqual([]);
    clock.forward(45 * SECOND);
    await sendDue(service);
    expect(receiver.received).toHaveLength(1);
    expect((await deliveries(made))[0]).toMatchObject({ status: "DELIVERED", attempt_count: 2 });
  });

  test("a delivery that kills its process each time has failed after ten attempts", async () => {
    const { service, clock, endpoint, happen, deliveries } = await tenant();
    const { receiver, ...made } = await endpoint();
    await happen();
    for (let i = 0; i < 10; i++) {
      const killed = new WebhookWorker({
        ...service,
        webhooks: { ...service.webhooks, send: () => new Promise(() => {}) },
      });
      expect(await killed.begin()).toBe(1);
      clock.forward(45 * SECOND);
    }
    expect((await deliveries(made))[0]).toMatchObject({ status: "PENDING", attempt_count: 10 });
    await sendDue(service);
    expect((await deliveries(made))[0]).toMatchObject({ status: "FAILED", attempt_count: 10, next_attempt_at: null });
    expect(receiver.received).toEqual([]);
  });

  test("an attempt that ends after its delivery was deleted leaves nothing", async () => {
    const { service, endpoint, happen, merchant } = await tenant();
    const { receiver } = await endpoint();
    let answer = () => {};
    receiver.answer = (_received, response) => {
      answer = () => response.writeHead(200).end();
    };
    await happen();
    const worker = new WebhookWorker(service);
    await worker.begin();
    await expect.poll(() => receiver.received.length).toBe(1);
    await db.sql`delete from webhook_deliveries where environment_id = ${merchant.test.id}`;
    answer();
    await worker.settled();
    expect([...(await db.sql`select from webhook_attempts where environment_id = ${merchant.test.id}`)]).toEqual([]);
  });

  test("a worker that lost its lease changes nothing", async () => {
    const { service, clock, endpoint, happen, deliveries, attemptsOf } = await tenant();
    const { receiver, ...made } = await endpoint();
    await happen();
    let answer = () => {};
    const late = new WebhookWorker({
      ...service,
      webhooks: {
        ...service.webhooks,
        send: () =>
          new Promise((resolve) => {
            answer = () => resolve({ kind: "responded", status: 500, retryAfter: null, body: "" });
          }),
      },
    });
    await late.begin();
    clock.forward(45 * SECOND);
    await sendDue(service);
    answer();
    await late.settled();
    const [delivery] = await deliveries(made);
    expect(delivery).toMatchObject({ status: "DELIVERED", attempt_count: 2 });
    expect(await attemptsOf(delivery)).toHaveLength(2);
    clock.forward(DAY);
    await sendDue(service);
    expect(receiver.received).toHaveLength(1);
  });

  test("a stopping process releases unsent deliveries, without counting an attempt", async () => {
    const { service, endpoint, happen, deliveries } = await tenant();
    const { receiver, ...made } = await endpoint();
    receiver.answer = () => {};
    await happen();
    const worker = new WebhookWorker(service);
    await worker.begin();
    await expect.poll(() => receiver.received.length).toBe(1);
    await worker.stop(10);
    expect((await deliveries(made))[0]).toMatchObject({ status: "PENDING", attempt_count: 0 });
    receiver.answer = status(200);
    await sendDue(service);
    expect((await deliveries(made))[0]).toMatchObject({ status: "DELIVERED", attempt_count: 1 });
  });
});
