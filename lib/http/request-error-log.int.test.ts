import { expect, test } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import { createPayment, getPayment } from "@/lib/contract/payments/operations";
import { findRequestError, listRecentErrors, removeOldRequestErrors } from "@/lib/domain/request-log/request-errors";
import { newId } from "@/lib/ids";
import { testDatabase } from "@/lib/testing/database";
import { testTenant } from "@/lib/testing/factories";
import { createRequestErrorLog } from "./request-error-log";

const { db } = await testDatabase();

async function setup() {
  const tenant = await testTenant(db);
  const warnings: object[] = [];
  const log = createRequestErrorLog({ db, log: { warn: (details) => warnings.push(details) } });
  const caller = {
    actor: { type: "api_key" as const, id: newId() },
    limitKey: "-",
    environment: tenant.merchant.test,
    permissions: new Set<never>(),
    verified: true,
  };
  const error = (over: object = {}) => ({
    id: newId(),
    path: "/v1/payments/pay_1",
    operation: getPayment,
    caller,
    status: 404,
    body: JSON.stringify({ code: "resource_not_found", detail: "There is no payment 'pay_1'.", param: null }),
    ...over,
  });
  return { ...tenant, log, error, warnings, caller };
}

test("refused requests are written down for their environment, newest first, and found by request id", async () => {
  const { log, error, service, merchant, stranger, caller } = await setup();
  const [first, second] = [error(), error({ operation: createPayment, path: "/v1/payments", status: 402 })];
  log.note(first);
  log.note(second);
  await log.stop();
  expect(await listRecentErrors(service, merchant.test.id, 10)).toMatchObject([
    { requestId: encodeId("request", second.id), status: 402, operation: "createPayment", method: "POST" },
    { requestId: encodeId("request", first.id), status: 404, code: "resource_not_found", actor: caller.actor },
  ]);
  expect(await listRecentErrors(service, stranger.test.id, 10)).toEqual([]);
  expect(await findRequestError(service, encodeId("request", first.id))).toMatchObject({
    environmentId: merchant.test.id,
    path: "/v1/payments/pay_1",
  });
  expect(await findRequestError(service, encodeId("request", newId()))).toBeNull();
  expect(await findRequestError(service, "req_nonsense")).toBeNull();
});

test("a card number that a caller put anywhere is masked", async () => {
  const { log, error, service, merchant } = await setup();
  const body = JSON.stringify({
    code: "unknown_parameter",
    detail: "4242 4242-4242 4242: There is no such parameter.",
    param: "card_4242424242424242",
  });
  log.note(error({ path: "/v1/payments/4000000000000002/refund", body }));
  await log.stop();
  const [row] = await listRecentErrors(service, merchant.test.id, 1);
  expect(row).toMatchObject({
    path: "/v1/payments/[card number]/refund",
    detail: "[card number]: There is no such parameter.",
    param: "card_[card number]",
  });
});

test("requests of nobody are not kept, and a caller in a loop does not fill the table", async () => {
  const { log, error, service, merchant, warnings } = await setup();
  log.note(error({ caller: null }));
  for (let i = 0; i < 50; i++) log.note(error());
  await log.stop();
  expect(await listRecentErrors(service, merchant.test.id, 100)).toHaveLength(20);
  expect(warnings).toEqual([{ dropped: 30 }]);
});

test("of a test mode without a proved address 2,000 are kept in a day", async () => {
  const { log, error, merchant, caller } = await setup();
  const fill = async (more: object) => {
    for (let i = 0; i < 102; i++) {
      for (let j = 0; j < 20; j++) log.note(error({ caller: { ...caller, ...more } }));
      await log.flush();
    }
  };
  await fill({ verified: false });
  const count = () => db.sql`select count(*)::int as n from request_errors where environment_id = ${merchant.test.id}`;
  expect(await count()).toEqual([{ n: 2_000 }]);
  log.note(error());
  await log.stop();
  expect(await count()).toEqual([{ n: 2_001 }]);
});

test("what could not be written is written with the next ones", async () => {
  const { error, service, merchant } = await setup();
  let down = true;
  const sql = new Proxy(db.sql, {
    apply: (target, self, args) => {
      if (down) throw new Error("down");
      return Reflect.apply(target as never, self, args);
    },
  });
  const log = createRequestErrorLog({ db: { sql }, log: { warn: () => {} } });
  log.note(error());
  await log.flush();
  down = false;
  log.note(error());
  await log.stop();
  expect(await listRecentErrors(service, merchant.test.id, 10)).toHaveLength(2);
});

test("what is older than 30 days is removed", async () => {
  const { log, error, service, merchant } = await setup();
  for (let i = 0; i < 3; i++) log.note(error());
  await log.stop();
  const [newest] = await listRecentErrors(service, merchant.test.id, 1);
  await db.sql`update request_errors set created_at = now() - interval '31 days'
    where environment_id = ${merchant.test.id} and id <> (select max(id::text)::uuid from request_errors where environment_id = ${merchant.test.id})`;
  expect(await removeOldRequestErrors(service)).toBe(2);
  expect(await listRecentErrors(service, merchant.test.id, 10)).toEqual([newest]);
});
