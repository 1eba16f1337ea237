import { createPayment, getPayment, listPayments } from "@/lib/contract/operations/payments";
import type { Answer, Api } from "../client";
import { expect, test } from "../fixtures";
import { aPayment } from "../samples";

const POLICY = '"default";q=10;w=2';
const LIMIT = /^"default";r=(\d+);t=(\d+)$/;
const remaining = (answer: Answer) => Number(LIMIT.exec(answer.headers.get("ratelimit") ?? "")?.[1] ?? "-1");
const list = (api: Api) => api.call(listPayments, { query: { limit: 1 } });

/** Several times the burst, at once. */
const flood = (api: Api) => Promise.all(Array.from({ length: 80 }, () => list(api)));

test("every answer says what the limit is and what is left", async ({ api }) => {
  const answer = await list(api);
  expect(answer.headers.get("ratelimit-policy")).toBe(POLICY);
  expect(answer.headers.get("ratelimit")).toMatch(LIMIT);
  expect(remaining(answer)).toBe(9);
});

test("the burst passes, the rest is 429 with Retry-After; other keys are not affected", async ({ tenant, api }) => {
  const answers = await flood(api);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(10);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    answer.problem("rate_limited");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(remaining(answer)).toBe(0);
    expect(answer.headers.get("ratelimit-policy")).toBe(POLICY);
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
  const refusals = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      api.call(createPayment, { key: i % 2 ? null : "limited", body: { ammount: 1 } }),
    ),
  );
  expect(refusals.some(({ status }) => status === 429)).toBe(true);
  (await reader.api.call(createPayment, { key: null })).problem("permission_denied");
  const buy = async () => (await api.call(createPayment, { key: "limited", body: aPayment() })).status;
  await expect.poll(buy, { timeout: 15_000, intervals: [500] }).toBe(201);
});

test("a bucket fills again at the rate of the limit: never more than the burst and what has flown in since", async ({
  api,
}) => {
  const started = Date.now();
  let passed = 0;
  for (let round = 0; round < 3; round++) {
    passed += (await flood(api)).filter(({ status }) => status === 200).length;
    const left = async () => {
      const answer = await api.call(getPayment, { id: "pay_x" });
      if (answer.status !== 429) passed++;
      return remaining(answer);
    };
    await expect.poll(left, { timeout: 15_000, intervals: [700] }).toBeGreaterThan(1);
  }
  const seconds = (Date.now() - started) / 1000;
  expect(passed).toBeLessThanOrEqual(10 + 5 * seconds + 1);
});
