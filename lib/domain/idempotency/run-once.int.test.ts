import { expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testIdempotency, testTenant } from "@/e2e/fixtures/factories";
import { AppError } from "@/lib/contract/errors";
import type { Reply } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { runOnce } from "./run-once";

const { db } = await testDatabase();
/** An endpoint with status 200; other calls are to one with 201. */
const CHANGE = { request: { id: newId(), endpoint: "updatePlan", path: "/v1/subscription-plans/x" } };

async function setup() {
  const tenant = await testTenant(db);
  const { merchant } = tenant;
  let runs = 0;
  return {
    ...tenant,
    /** A call with a key. `digest`: of the request's parameters. */
    keyed: (key: string, digest = "same", context = {}) =>
      tenant.call({
        idempotency: testIdempotency(key, sha256(digest), JSON.stringify({ digest })),
        ...context,
      }),
    work: async () => ({ run: ++runs }),
    runs: () => runs,
    age: (interval: string) =>
      db.sql`update idempotency_keys set created_at = created_at - ${interval}::interval where environment_id = ${merchant.test.id}`,
  };
}

test("without a key every call runs", async () => {
  const { call, work } = await setup();
  expect(await runOnce(call(), work)).toEqual({ status: 201, body: '{"run":1}', replayed: false });
  expect(await runOnce(call(), work)).toEqual({ status: 201, body: '{"run":2}', replayed: false });
});

test("the second call with a key returns the first one's bytes and runs nothing", async () => {
  const { keyed, work, runs } = await setup();
  expect(await runOnce(keyed("k"), work)).toEqual({ status: 201, body: '{"run":1}', replayed: false });
  expect(await runOnce(keyed("k"), work)).toEqual({ status: 201, body: '{"run":1}', replayed: true });
  expect(runs()).toBe(1);
});

test("ten concurrent calls run once, and all return the same bytes", async () => {
  const { keyed, work, runs } = await setup();
  const replies = await Promise.all(Array.from({ length: 10 }, () => runOnce(keyed("k"), work)));
  expect(runs()).toBe(1);
  expect(new Set(replies.map((reply) => reply.body))).toEqual(new Set(['{"run":1}']));
  expect(replies.filter((reply) => !reply.replayed)).toHaveLength(1);
});

test("a key belongs to its environment, and is compared exactly", async () => {
  const { keyed, work, stranger, runs } = await setup();
  await runOnce(keyed("k"), work);
  await runOnce(keyed("k", "same", { environment: stranger.test }), work);
  await runOnce(keyed("K"), work);
  await runOnce(keyed("k "), work);
  expect(runs()).toBe(4);
});

test("the same key with other parameters is rejected, and the first response stays", async () => {
  const { keyed, work } = await setup();
  await runOnce(keyed("k"), work);
  await expect(runOnce(keyed("k", "other"), work)).rejects.toMatchObject({ code: "idempotency_key_reused" });
  expect(await runOnce(keyed("k"), work)).toMatchObject({ body: '{"run":1}', replayed: true });
});

test("a key replays until it is 24 hours old, and from then on is new for everything", async () => {
  const { keyed, work, age } = await setup();
  await runOnce(keyed("k"), work, { secretResponse: true });
  await age("23 hours 59 minutes 55 seconds");
  expect(await runOnce(keyed("k"), work)).toMatchObject({ body: '{"run":1}', replayed: true });
  await age("5 seconds");
  expect(await runOnce(keyed("k", "other", CHANGE), work)).toEqual({
    status: 200,
    body: '{"run":2}',
    replayed: false,
  });
  expect(await runOnce(keyed("k", "other"), work)).toEqual({ status: 200, body: '{"run":2}', replayed: true });
});

test("concurrent calls with an expired key still run once", async () => {
  const { keyed, work, age, runs } = await setup();
  await runOnce(keyed("k"), work);
  await age("24 hours");
  const replies = await Promise.all(Array.from({ length: 8 }, () => runOnce(keyed("k"), work)));
  expect(runs()).toBe(2);
  expect(new Set(replies.map((reply) => reply.body))).toEqual(new Set(['{"run":2}']));
});

test("a stored refusal undoes the work, and is replayed byte for byte", async () => {
  const { keyed, merchant } = await setup();
  const refuse = vi.fn(async (tx) => {
    await tx.execute(`insert into total_deltas (environment_id, currency, measure, amount, count)
      values ('${merchant.test.id}', 'USD', 'captured', 1, 1)`);
    throw new AppError("plan_not_active", "Not active.", { param: "plan_id" });
  });
  const first = await runOnce(keyed("k"), refuse);
  expect(first).toMatchObject({ status: 422, replayed: false });
  expect(JSON.parse(first.body)).toMatchObject({ code: "plan_not_active", param: "plan_id" });
  expect(await runOnce(keyed("k"), refuse)).toEqual({ ...first, replayed: true });
  expect(refuse).toHaveBeenCalledTimes(1);
  expect(await db.sql`select from total_deltas where environment_id = ${merchant.test.id}`).toHaveLength(0);
});

test.each([new AppError("invalid_parameter", "No."), new AppError("resource_not_found", "No."), new Error("crash")])(
  "after %s the key is free for another try",
  async (error) => {
    const { keyed, work, merchant } = await setup();
    const fail = async () => Promise.reject(error);
    await expect(runOnce(keyed("k"), fail)).rejects.toBe(error);
    const [left] = await db.sql`select count(*)::int from idempotency_keys where environment_id = ${merchant.test.id}`;
    expect(left?.count).toBe(0);
    expect(await runOnce(keyed("k", "corrected"), work)).toMatchObject({ status: 201, replayed: false });
  },
);

test("a duplicate is refused after waiting two seconds, and replayed once the first is done", async () => {
  const { keyed, work } = await setup();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let first: Promise<Reply> | undefined;
  await new Promise<void>((started) => {
    first = runOnce(keyed("k"), async () => {
      started();
      await finished;
      return work();
    });
  });
  await expect(runOnce(keyed("k"), work)).rejects.toMatchObject({
    code: "idempotency_request_in_progress",
    headers: { "Retry-After": "1" },
  });
  finish();
  const body = (await first)?.body;
  expect(await runOnce(keyed("k"), work)).toEqual({ status: 201, body, replayed: true });
});

test("the permission is checked again before a stored response is returned, and only then", async () => {
  const { keyed, work } = await setup();
  const denied = new AppError("permission_denied", "No longer.");
  const reauthorize = vi.fn(async () => Promise.reject(denied));
  await runOnce(keyed("k", "same", { reauthorize }), work);
  expect(reauthorize).not.toHaveBeenCalled();
  await expect(runOnce(keyed("k", "same", { reauthorize }), work)).rejects.toBe(denied);
});

test("a response with a secret is stored encrypted and replayed in clear", async () => {
  const { keyed, merchant } = await setup();
  const once = () => runOnce(keyed("k"), async () => ({ token: "cst_visible" }), { secretResponse: true });
  await once();
  const [row] = await db.sql`select response_body from idempotency_keys where environment_id = ${merchant.test.id}`;
  expect(row?.response_body).not.toContain("cst_visible");
  expect(await once()).toEqual({ status: 201, body: '{"token":"cst_visible"}', replayed: true });
});
