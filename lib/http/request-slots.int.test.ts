import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dispatch } from "./dispatch";
import { bytesOf, type HttpResponse, textOf } from "./response";

const { db } = await testDatabase();
const users = await testUsers(db);

const PAYMENT = {
  amount: 1_000,
  currency: "USD",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" },
};
const BULKY = {
  ...PAYMENT,
  metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "v".repeat(300)])),
};

beforeAll(() => {
  vi.stubEnv("ANSWER_MB_PER_SECOND", "1");
  vi.stubEnv("SANDBOX_QUOTA_MB_PER_DAY", "10");
  provideService(users.service);
});

async function account() {
  const { newUser, merchant, service } = await testUsers(db);
  const cookie = await cookieOf(service, await newUser("owner", { owns_email: false, email_verified_at: null }));
  const { secret } = await createApiKey(service, {
    environmentId: merchant.test.id,
    name: "K",
    permissions: PERMISSIONS,
  });
  const ask = (path: string, headers: Record<string, string>, body?: object) =>
    dispatch(
      new Request(`http://dashboard.test${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { ...headers, ...(body && { "content-type": "application/json", "x-idempotency-key": newId() }) },
      }),
      { ip: "192.0.2.1" },
    );
  const read = async (path: string, headers: Record<string, string> = { "x-api-key": secret }) => {
    const answer = await ask(path, headers);
    answer.sent?.();
    return answer;
  };
  const post = async (path: string, body: object) => {
    const answer = await ask(path, { "x-api-key": secret }, body);
    answer.sent?.();
    return { status: answer.status, body: JSON.parse(textOf(answer.body)) };
  };
  return { ask, read, post, key: { "x-api-key": secret }, person: { cookie, "x-cardlane-mode": "test" } };
}

test("a key that has read too many bytes waits but still takes payments; its users and other merchants are unaffected", async () => {
  const shop = await account();
  for (let i = 0; i < 20; i++) expect((await shop.post("/v1/payments", BULKY)).status).toBe(201);
  const list = await shop.read("/v1/payments?limit=100");
  const bytes = bytesOf(list.body);
  expect(bytes).toBeGreaterThan(600_000);
  expect(JSON.parse(textOf(list.body)).data.map((payment: typeof BULKY) => payment.metadata)).toEqual(
    Array.from({ length: 20 }, () => BULKY.metadata),
  );
  let read = bytes;
  let last = list;
  while (last.status === 200 && read < 30_000_000) {
    last = await shop.read("/v1/payments?limit=100");
    if (last.status === 200) read += bytes;
  }
  expect(last.status).toBe(429);
  expect(JSON.parse(textOf(last.body)).detail).toMatch(/1,000,000 bytes per second/);
  expect(Number(last.headers["Retry-After"])).toBeGreaterThan(0);
  expect(last.headers["RateLimit-Policy"]).toBe('"answers";q=10000000;qu="content-bytes";w=10');
  expect(read).toBeGreaterThanOrEqual(10_000_000);
  expect((await shop.post("/v1/payments", PAYMENT)).status).toBe(201);
  expect((await shop.read("/v1/transactions?limit=1", shop.person)).status).toBe(200);
  expect((await (await account()).read("/v1/transactions?limit=1")).status).toBe(200);
});

test("responses that are not received delay only their own caller", async () => {
  const [slow, other] = [await account(), await account()];
  const kept: HttpResponse[] = [];
  const asked = Array.from({ length: 10 }, async (_, i) =>
    kept.push(await slow.ask(`/v1/payments?limit=${i + 1}`, slow.key)),
  );
  for (let i = 0; i < 5; i++) expect((await other.read("/v1/payments")).status).toBe(200);
  expect(kept.length).toBeLessThan(10);
  for (let i = 0; i < 10; i++) {
    await expect.poll(() => kept.length).toBeGreaterThan(i);
    kept[i]?.sent?.();
  }
  await Promise.all(asked);
  expect(kept.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
});

test("a burst on one payment is counted like single requests", async () => {
  // The more time passes, the more of the limit is free again.
  const frozen = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => frozen.mockRestore());
  const shop = await account();
  const payment = await shop.post("/v1/payments", BULKY);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => shop.post(`/v1/payments/${payment.body.id}/refund`, { amount: 1 })),
  );
  // Each response contains all previous refunds: 50 KB, 75 KB, 100 KB … of the 10 MB limit.
  const refunds = answers.filter(({ status }) => status === 201).length;
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(100 - refunds);
  expect(refunds).toBeGreaterThan(15);
  expect(refunds).toBeLessThan(40);
  const longest = Math.max(...answers.map(({ body }) => body.transactions?.length ?? 0));
  expect(longest).toBe(refunds + 1);
});
