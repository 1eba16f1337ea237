import { expect, test } from "vitest";
import type { Sql } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { requestLogTenant, seesAll } from "@/e2e/fixtures/request-log";
import { encodeId } from "@/lib/contract/ids";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/endpoints";
import { counts } from "@/lib/counts";
import { getRequest, listRequests, readRequestFigures } from "@/lib/domain/request-log/read-requests";
import { newId } from "@/lib/ids";

const { db } = await testDatabase();
const setup = (given?: Sql) => requestLogTenant(db, given);

const failing = (fails: () => Error | null) =>
  new Proxy(db.sql, {
    get(target, name) {
      const error = name === "unsafe" ? fails() : null;
      if (error) return () => Promise.reject(error);
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

test("a request whose row cannot be built loses only that row, and an unusual card number loses nothing", async () => {
  const { log, refusal, payment, list, warnings } = await setup();
  const odd = refusal({ sent: { amount: 1, card: { number: { toString: 1 }, cvv: ["737"] } } });
  const broken = refusal({
    sent: {
      get card(): unknown {
        throw new Error("unreadable");
      },
    },
  });
  const after = payment();
  for (const one of [odd, broken, after]) log.note(one);
  await log.flush();
  expect((await list()).map(({ id }) => id)).toEqual([after, odd].map(({ id }) => encodeId("request", id)));
  expect(warnings).toHaveLength(1);
  await log.stop();
});

test("pending rows are written at shutdown, each for its own environment, newest first", async () => {
  const { log, refusal, payment, list, stranger, service, detail, caller } = await setup();
  const [first, second] = [refusal(), payment()];
  log.note(first);
  log.note(second);
  await log.stop();
  expect(await list()).toMatchObject([
    { id: encodeId("request", second.id), status: 201, endpoint: "createPayment", method: "POST", duration_ms: 3 },
    { id: encodeId("request", first.id), status: 404, code: "resource_not_found" },
  ]);
  const others = { service, environment: stranger.test };
  expect((await listRequests(others, {}, 10)).requests).toEqual([]);
  await expect(getRequest(others, { id: encodeId("request", first.id), can: seesAll })).rejects.toMatchObject({
    code: "resource_not_found",
  });
  expect(await detail(second.id)).toMatchObject({
    request: { kept: "whole", text: '{"amount":4999,"currency":"USD"}' },
    address: "192.0.2.1",
    user_agent: "shop/1",
    actor: { type: caller.actor.type },
  });
});

test("users' writes and refusals are logged, their reads are not, and unauthenticated callers are never logged", async () => {
  const { log, refusal, payment, caller, list } = await setup();
  const person = { ...caller, actor: { type: "user" as const, id: newId() } };
  log.note(refusal({ caller: null }));
  log.note(refusal({ caller: person, status: 200 }));
  log.note(refusal({ caller: person }));
  log.note(payment({ caller: person }));
  log.note(refusal({ status: 200 }));
  await log.stop();
  expect((await list()).map(({ status }) => status)).toEqual([200, 201, 404]);
});

test("a loop of reads and refusals is cut off and counted in the next row; requests that move money are not", async () => {
  const { log, refusal, payment, list, ctx, warnings } = await setup();
  const before = counts.requestsLeftOut;
  for (let i = 0; i < 500; i++) log.note(refusal());
  for (let i = 0; i < 5; i++) log.note(payment());
  const leftOut = counts.requestsLeftOut - before;
  expect(leftOut).toBeGreaterThanOrEqual(250);
  await log.stop();
  expect(warnings).toEqual([{ left_out: leftOut }]);
  const [, , , , , last] = await list();
  expect(last?.status).toBe(404);
  expect(await readRequestFigures(ctx)).toMatchObject({
    left_out: leftOut,
    errors: [{ code: "resource_not_found", count: 500 - leftOut }],
  });
});

test("memory is bounded in bytes, and requests that do not fit are counted", async () => {
  const { log, payment, list, ctx } = await setup();
  const long = { value: { object: "payment", description: "x".repeat(200_000) } };
  for (let i = 0; i < 40; i++) log.note(payment({ response: long, bytes: 200_000 }));
  await log.stop();
  const kept = await list();
  expect(kept.length).toBe(26);
  expect((await readRequestFigures(ctx)).left_out).toBe(14);
});

test("without a verified address, test mode keeps 2,000 requests a day", async () => {
  const { log, payment, caller, merchant } = await setup();
  for (let i = 0; i < 2_010; i++) {
    log.note(payment({ caller: { ...caller, verified: false } }));
    if (i % 500 === 499) await log.flush();
  }
  await log.stop();
  const [row] = await db.sql`select count(*)::int as n from request_log where environment_id = ${merchant.test.id}`;
  expect(row?.n).toBe(2_000);
});

test("during a database outage nothing is lost, and unwritten rows are written with the next ones", async () => {
  let down = true;
  const lost = () => Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
  const { log, payment, list, warnings } = await setup(failing(() => (down ? lost() : null)));
  const ids = [newId(), newId()];
  log.note(payment({ id: ids[0] as string }));
  await log.flush();
  expect(await list()).toEqual([]);
  down = false;
  log.note(payment({ id: ids[1] as string }));
  await log.stop();
  expect((await list()).map(({ id }) => id)).toEqual(ids.map((id) => encodeId("request", id)).reverse());
  expect(warnings).toHaveLength(1);
});

test("a row that the database rejects is the only one lost, and counted", async () => {
  const { log, payment, list, warnings, ctx } = await setup();
  log.note(payment());
  // Not an HTTP status, and too large for a smallint.
  log.note(payment({ status: 99_999 }));
  log.note(payment());
  await log.flush();
  log.note(payment());
  await log.stop();
  expect(await list()).toHaveLength(3);
  expect(warnings[0]).toMatchObject({ request_id: expect.any(String) });
  expect((await readRequestFigures(ctx)).left_out).toBe(1);
});

test("NUL, lone surrogates, card numbers and very long texts neither fail a row nor are stored", async () => {
  const { log, payment, list, detail } = await setup();
  const bad = `\u0000\ud800 4242 4242 4242 4242 ${"x".repeat(5_000)}`;
  const id = newId();
  const sent = {
    amount: 1,
    currency: bad,
    description: bad,
    metadata: { [bad]: bad },
  };
  const response = { text: JSON.stringify({ code: "invalid_parameter", detail: bad, param: bad }) };
  log.note(
    payment({
      id,
      path: `/v1/${bad}`,
      search: `?q=${bad}`,
      userAgent: bad,
      idempotencyKey: bad,
      sent,
      response,
      status: 400,
    }),
  );
  await log.stop();
  expect(await list()).toHaveLength(1);
  const text = JSON.stringify(await detail(id));
  expect(text).not.toContain("4242 4242");
  expect(text).toContain("[card number]");
});

test("a body over 16 kB is cut to valid JSON that says so; a response that was not stored says that too", async () => {
  const { log, payment, detail } = await setup();
  const metadata = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`name_${i}`, "é".repeat(200)]));
  const id = newId();
  log.note(payment({ id, sent: { amount: 1, currency: "USD", metadata }, response: "left out" }));
  await log.stop();
  const { request, response, resend } = await detail(id);
  expect(request.kept).toBe("cut");
  expect(Buffer.byteLength(request.text as string)).toBeLessThan(17_000);
  expect(JSON.parse(request.text as string)).toMatchObject({ amount: 1 });
  expect(response).toEqual({ kept: "left_out", text: null });
  expect(resend).toMatchObject({ reason: expect.stringContaining("isn't stored") });
});

test.each([
  ["GET", listTransactions],
  ["POST", searchTransactions],
] as const)(
  "a list that was read by %s is stored up to its first 2 kB: it can be read again",
  async (method, endpoint) => {
    const { log, refusal, detail } = await setup();
    const id = newId();
    const value = {
      object: "list",
      data: Array.from({ length: 100 }, () => ({ currency: "USD", description: "An order" })),
    };
    log.note(
      refusal({ id, method, endpoint, status: 200, pathId: null, path: "/v1/transactions", response: { value } }),
    );
    await log.stop();
    const { response } = await detail(id);
    expect(response?.kept).toBe("cut");
    expect(Buffer.byteLength(response?.text ?? "")).toBeLessThan(2_100);
    expect(JSON.parse(response?.text ?? "")).toMatchObject({ object: "list" });
  },
);
