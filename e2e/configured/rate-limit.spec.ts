import { createPayment, getPayment, listPayments } from "@/lib/contract/operations";
import type { Answer, Api } from "../client";
import { expect, test } from "../fixtures";
import { aPayment } from "../samples";

test.describe.configure({ mode: "serial" });

const LIMIT = /^"default";r=(\d+);t=(\d+)$/;
const remaining = (answer: Answer) => Number(LIMIT.exec(answer.headers.get("ratelimit") ?? "")?.[1] ?? "-1");
const list = (api: Api) => api.call(listPayments, { query: { limit: 1 } });

/** Sends more than the burst at once. */
const flood = (api: Api) => Promise.all(Array.from({ length: 400 }, () => list(api)));

test("every answer says what the limit is and what is left", async ({ api }) => {
  const answer = await list(api);
  expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=200;w=2');
  expect(answer.headers.get("ratelimit")).toMatch(LIMIT);
  expect(remaining(answer)).toBe(199);
});

test("a burst of 200 passes, the rest is 429 with Retry-After; other keys are not affected", async ({ tenant, api }) => {
  const answers = await flood(api);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(200);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    answer.problem("rate_limited");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(remaining(answer)).toBe(0);
    expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=200;w=2');
  }
  const other = await tenant.newKey();
  expect((await list(other.api)).status).toBe(200);
});

test("the limit comes after the permission, before the idempotency key and the body, and stores nothing", async ({
  tenant,
  api,
}) => {
  const reader = await tenant.newKey({ permissions: ["payment.read"] });
  await Promise.all([flood(api), flood(reader.api)]);
  const refusals = await Promise.all([
    ...Array.from({ length: 50 }, () => api.call(createPayment, { key: "limited", body: { ammount: 1 } })),
    ...Array.from({ length: 50 }, () => api.call(createPayment, { key: null })),
  ]);
  expect(refusals.some(({ status }) => status === 429)).toBe(true);
  for (let i = 0; i < 5; i++) {
    (await reader.api.call(createPayment, { key: null })).problem("permission_denied");
  }
  const bought = async () => (await api.call(createPayment, { key: "limited", body: aPayment() })).status;
  await expect.poll(bought, { timeout: 10_000 }).toBe(201);
  expect((await list(api)).status).toBe(200);
});

test("a bucket fills again, at 100 a second", async ({ api }) => {
  const answers = await flood(api);
  expect(answers.some(({ status }) => status === 429)).toBe(true);
  const started = Date.now();
  await expect.poll(async () => remaining(await api.call(getPayment, { id: "pay_x" })), { intervals: [100] }).toBeGreaterThan(100);
  expect(Date.now() - started).toBeGreaterThan(900);
});
