import { expect, test } from "vitest";
import { insertRequests } from "@/db/queries/request-log";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { requestLogTenant } from "@/e2e/fixtures/request-log";
import { encodeId } from "@/lib/contract/ids";
import { listRequests } from "@/lib/domain/request-log/read-requests";
import { newId } from "@/lib/ids";
import { createRequestLog } from "./request-log";

const { db } = await testDatabase();
const setup = () => requestLogTenant(db);

test("every filter lists all pages, without rows of another environment", async () => {
  const { log, refusal, payment, list, ctx, caller } = await setup();
  const dayNow = () => new Date().toISOString().slice(0, 10);
  const from = dayNow();
  const about = encodeId("payment", newId());
  const other = { ...caller, actor: { type: "api_key" as const, id: newId() } };
  for (let i = 0; i < 5; i++) log.note(refusal());
  log.note(payment({ idempotencyKey: "order-1" }));
  log.note(payment({ response: { value: { object: "payment", id: about } }, caller: other }));
  log.note(refusal({ status: 502, response: { text: '{"code":"processor_error","detail":"x","param":null}' } }));
  await log.stop();
  const found = async (query: object) => (await list(query)).map(({ status }) => status);
  expect(await found({ status: "errors" })).toEqual([502, 404, 404, 404, 404, 404]);
  expect(await found({ status: "5xx" })).toEqual([502]);
  expect(await found({ status: "201" })).toEqual([201, 201]);
  expect(await found({ code: "processor_error" })).toEqual([502]);
  expect(await found({ method: "POST" })).toEqual([201, 201]);
  expect(await found({ endpoint: "createPayment" })).toEqual([201, 201]);
  expect(await found({ q: "order-1" })).toEqual([201]);
  expect(await found({ q: about })).toEqual([201]);
  expect(await found({ q: "/v1/payments/" })).toEqual([502, 404, 404, 404, 404, 404]);
  expect(await found({ caller: encodeId("apiKey", other.actor.id) })).toEqual([201]);
  expect(await found({ from, to: dayNow() })).toHaveLength(8);
  expect(await found({ to: "2025-01-01" })).toEqual([]);
  expect(await found({ caller: "nonsense" })).toEqual([]);
  const first = await listRequests(ctx, {}, 5);
  const after = first.requests.at(-1)?.id as string;
  const second = await listRequests(ctx, { starting_after: after }, 5);
  expect([first.requests.length, first.has_more, second.requests.length, second.has_more]).toEqual([5, true, 3, false]);
  const ids = [...first.requests, ...second.requests].map(({ id }) => id);
  expect(ids).toEqual((await list()).map(({ id }) => id));
});

test("a payment's requests include those about its charge and refunds", async () => {
  const { log, payment } = await setup();
  await log.stop();
  const tenant = await moneyTenant(db);
  const { body } = await tenant.create();
  const own = createRequestLog({ db, log: { warn: () => {} } });
  const environment = tenant.merchant.test;
  const caller = {
    actor: { type: "api_key" as const, id: newId() },
    limitKey: "-",
    environment,
    permissions: new Set<never>(),
    verified: true,
  };
  own.note(payment({ caller, pathId: body.transactions[0].id }));
  own.note(payment({ caller, pathId: body.id }));
  own.note(payment({ caller }));
  await own.stop();
  const { requests } = await listRequests({ service: tenant.service, environment }, { q: body.id }, 10);
  expect(requests).toHaveLength(2);
});

test("the same id twice is one row", async () => {
  const { merchant, payment, list, log } = await setup();
  const id = newId();
  log.note(payment({ id }));
  await log.stop();
  const [row] =
    await db.sql`select *, operation as endpoint from request_log where environment_id = ${merchant.test.id}`;
  await insertRequests(db.sql, [row as never]);
  expect(await list()).toHaveLength(1);
});

test("bodies with quotes, backslashes and control characters are returned unchanged", async () => {
  const { payment, detail, log } = await setup();
  const text = 'a "quoted" \\ back\u001fslash {1,2} NULL \n';
  const kept = { id: newId(), sent: { amount: 1, currency: "USD", description: text } };
  const none = { id: newId(), sent: undefined, response: null };
  log.note(payment(none));
  await log.flush();
  for (const request of [kept, { ...none, id: newId() }, { ...kept, id: newId(), response: null }])
    log.note(payment(request));
  await log.stop();
  const { request, response } = await detail(kept.id);
  expect(JSON.parse(request.text ?? "")).toMatchObject({ description: text });
  expect(JSON.parse(response.text ?? "")).toEqual({ object: "payment", amount: 4_999 });
  expect(await detail(none.id)).toMatchObject({ request: { text: null, kept: null }, response: { text: null } });
});
