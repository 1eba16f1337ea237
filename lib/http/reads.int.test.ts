import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { newId } from "@/lib/ids";
import { type HttpAnswer, textOf } from "./answer";
import { currentService, provideService } from "./current-service";
import { dispatch } from "./dispatch";

const { db } = await testDatabase();
const service = testService(db);

beforeAll(() => {
  provideService(service);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const HELD = 20;

type Headers = Record<string, string>;

/** Requests of a reader whose turns are all taken until `end` is called. */
async function behindHeld(headers: Headers) {
  const ask = (path: string, own: Headers = {}, method = "GET") =>
    dispatch(new Request(`http://dashboard.test${path}`, { method, headers: { ...headers, ...own } }), {
      ip: "192.0.2.1",
    });
  const { answerLimits, reads } = currentService();
  const [came, began] = [vi.spyOn(reads, "inTurn"), vi.spyOn(answerLimits, "turn")];
  // More than there are turns: nobody takes these answers.
  const held = Array.from({ length: HELD }, (_, i) => ask(`/v1/transactions?offset=${1_000 + i}`));
  const requests = (count: number) =>
    vi.waitFor(() => expect(came.mock.calls).toHaveLength(HELD + count), { timeout: 30_000, interval: 5 });
  await requests(0);
  const read = async (count: number, asked: number) => {
    await requests(asked);
    expect(began.mock.calls).toHaveLength(HELD + count);
  };
  const end = () => {
    for (const one of held) void one.then(({ sent }) => sent?.());
  };
  return { ask, read, end };
}

async function readAll(asked: Promise<HttpAnswer>[]) {
  const answers = await Promise.all(asked);
  for (const answer of answers) answer.sent?.();
  return answers.map(({ status, headers, body }) => ({
    status,
    id: headers["X-Request-Id"],
    shown: JSON.parse(textOf(body)),
  }));
}

test("one list, asked for often while its turn has not come, is read once, with all that was written before", async () => {
  const tenant = await moneyTenant(db);
  const key = await createApiKey(service, {
    ...{ environmentId: tenant.merchant.test.id, name: "K", permissions: PERMISSIONS },
  });
  const { ask, read, end } = await behindHeld({ "x-api-key": key.secret });
  const asked = [1, 2, 3].map(() => ask("/v1/transactions?limit=5"));
  const other = ask("/v1/transactions?limit=6");
  await read(2, 4);
  const payment = (await tenant.create()).body as { transactions: { id: string }[] };
  end();
  const answers = await readAll([...asked, other]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(4);
  for (const { shown } of answers) expect(shown.data[0].id).toBe(payment.transactions[0]?.id);
  expect(answers.map(({ shown }) => shown.limit)).toEqual([5, 5, 5, 6]);
});

test("staff who ask the same of two merchants at once get what belongs to each", async () => {
  const tenants = [await moneyTenant(db), await moneyTenant(db)];
  const payments = await Promise.all(tenants.map(async ({ create }) => (await create()).body as { id: string }));
  const { newUser } = await testUsers(db);
  const cookie = await cookieOf(service, await newUser("staff"));
  const environments = tenants.map(({ merchant }) => ({
    "x-cardlane-environment": encodeId("environment", merchant.test.id),
  }));
  const headers = { host: "dashboard.test", cookie, "sec-fetch-site": "same-origin", ...environments[0] };
  const { ask, read, end } = await behindHeld(headers);
  const lists = environments.map((environment) => ask("/v1/transactions?limit=5", environment));
  const gets = environments.map((environment) => ask(`/v1/payments/${payments[0]?.id}`, environment));
  await read(4, 4);
  end();
  const [first, second, own, foreign] = await readAll([...lists, ...gets]);
  expect([first, second].map((list) => list?.shown.data.map((row: { payment_id: string }) => row.payment_id))).toEqual(
    payments.map(({ id }) => [id]),
  );
  expect([own?.status, own?.shown.id]).toEqual([200, payments[0]?.id]);
  expect([foreign?.status, foreign?.shown.code]).toEqual([404, "resource_not_found"]);
});

test("two keys of a merchant do not share, as one may do what the other may not", async () => {
  const tenant = await moneyTenant(db);
  const headers = await Promise.all(
    [1, 2].map(async () => {
      const { secret } = await createApiKey(service, {
        ...{ environmentId: tenant.merchant.test.id, name: newId(), permissions: PERMISSIONS },
      });
      return { "x-api-key": secret };
    }),
  );
  const { ask, read, end } = await behindHeld(headers[0] as Headers);
  const asked = headers.flatMap((own) => [ask("/v1/transactions?limit=5", own), ask("/v1/transactions?limit=5", own)]);
  await read(2, 4);
  end();
  expect((await readAll(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
