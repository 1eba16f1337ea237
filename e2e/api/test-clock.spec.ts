import { randomUUID } from "node:crypto";
import { listEvents } from "@/lib/contract/events/endpoints";
import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { advanceTestClock, getTestClock } from "@/lib/contract/test-clock/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, CARDS } from "../samples";

const DAY_MS = 86_400_000;

test("an advance does due work at its own time, and refuses writes until it is done", async ({ api }) => {
  const held = (await api.call(createPayment, { body: aPayment({ capture_method: "manual" }), key: "held" })).ok();
  const before = (await api.call(getTestClock)).ok();
  expect(before).toMatchObject({ object: "test_clock", offset_seconds: 0, status: "READY", advancing_to: null });

  // The clock waits for a payment in progress, so that a busy machine finds it advancing.
  const slow = api.call(createPayment, { body: aPayment({ card: aCard(CARDS.slow) }), key: "slow" });
  await expect.poll(async () => (await api.call(listPayments)).ok().total, { intervals: [20] }).toBe(2);
  const to = new Date(Date.parse(before.now) + 10 * DAY_MS).toISOString();
  const started = await api.call(advanceTestClock, { body: { to } });
  expect(started.status).toBe(202);
  expect(started.ok()).toMatchObject({ status: "ADVANCING", advancing_to: to });
  // Requests whose caller was cached before the advance are let through for half a second.
  const write = () => api.call(createPayment, { body: aPayment(), key: randomUUID() });
  await expect.poll(async () => (await write()).text, { intervals: [100] }).toContain("clock_advancing");

  await expect.poll(async () => (await api.call(getTestClock)).ok().status).toBe("READY");
  expect(Date.parse((await slow).ok().updated_at)).toBeLessThan(Date.parse(to));
  const clock = (await api.call(getTestClock)).ok();
  expect(Date.parse(clock.now)).toBeGreaterThanOrEqual(Date.parse(to));
  expect(clock.offset_seconds).toBeGreaterThan(9 * 86_400);
  expect((await api.call(getPayment, { id: held.id })).ok().status).not.toBe("AUTHORIZED");
  const after = (await write()).ok();
  expect(Date.parse(after.created_at)).toBeGreaterThanOrEqual(Date.parse(to));
  const { data } = (await api.call(listEvents, { query: { object_id: held.id } })).ok();
  expect(data.every((event) => event.created_at <= clock.now)).toBe(true);
});

test("the clock only moves forward, and live mode has none", async ({ api, tenant }) => {
  const past = await api.call(advanceTestClock, { body: { to: "2020-01-01" } });
  expect(past.problem("invalid_parameter").param).toBe("to");
  const far = await api.call(advanceTestClock, { body: { to: "2099-01-01" } });
  expect(far.problem("invalid_parameter").param).toBe("to");
  const live = await tenant.newKey({ mode: "live" });
  expect((await live.api.call(getTestClock)).status).toBe(403);
  expect(
    (await live.api.call(advanceTestClock, { body: { to: "2027-01-01" } })).problem("permission_denied"),
  ).toBeTruthy();
});
