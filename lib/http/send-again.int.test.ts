import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { seesAll } from "@/e2e/fixtures/request-log";
import { createTestUser, signIn } from "@/e2e/fixtures/users";
import { getRequest, listRequests } from "@/lib/domain/request-log/read-requests";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dispatch } from "./dispatch";
import { textOf } from "./response";

const { db } = await testDatabase();

async function shop() {
  const tenant = await moneyTenant(db);
  const { service } = tenant;
  const http = provideService(service);
  const { body } = await tenant.create();
  const user = await createTestUser(db, { merchantId: tenant.merchant.id, role: "owner" });
  const { name, value } = await signIn(service, user.id, "merchant");
  const cookie = `${name}=${value}`;
  const send = async (key: string, sent: object, more: Record<string, string> = { "x-cardlane-replay-only": "1" }) => {
    const request = new Request(`http://dashboard.test/v1/payments/${body.id}/refund`, {
      method: "POST",
      headers: {
        host: "dashboard.test",
        cookie,
        "x-cardlane-mode": "test",
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
        "x-idempotency-key": key,
        ...more,
      },
      body: JSON.stringify(sent),
    });
    const answer = await dispatch(request, { ip: "192.0.2.1" });
    answer.sent?.();
    return { status: answer.status, headers: answer.headers, text: textOf(answer.body) };
  };
  const refunds = async () =>
    (
      await db.sql`select id from transactions where payment_id in (select payment_id from transactions where environment_id = ${tenant.merchant.test.id}) and type = 'REFUND'`
    ).length;
  return { tenant, http, body, send, refunds };
}

test("the stored response is replayed and nothing runs twice; the log has both requests", async () => {
  const { tenant, http, body, send, refunds } = await shop();
  const key = newId();
  const first = await send(key, { amount: 100 }, {});
  expect(first.status).toBe(201);
  const again = await send(key, { amount: 100 });
  expect([again.status, again.headers["Idempotent-Replayed"], again.text]).toEqual([201, "true", first.text]);
  expect(await refunds()).toBe(1);
  await http.requestLog.stop();
  const ctx = { service: tenant.service, environment: tenant.merchant.test };
  const { requests } = await listRequests(ctx, { q: key }, 10);
  expect(requests.map(({ replayed, status }) => [replayed, status])).toEqual([
    [true, 201],
    [false, 201],
  ]);
  const detail = await getRequest(ctx, { id: requests[1]?.id as string, can: seesAll });
  expect(detail.resend).toEqual({ reason: null, id: body.id, idempotency_key: key, body: '{"amount":100}' });
  expect(detail.curl).toContain(`-H 'X-Idempotency-Key: ${key}'`);
  expect(detail.curl).toContain("$CARDLANE_KEY");
});

test("an unknown key, one of 24 hours, another body and an unfinished request: refused, and no money moves", async () => {
  const { send, refunds, tenant } = await shop();
  const unknown = await send(newId(), { amount: 100 });
  expect([unknown.status, JSON.parse(unknown.text).detail]).toEqual([404, expect.stringContaining("nothing was sent")]);
  const key = newId();
  expect((await send(key, { amount: 100 }, {})).status).toBe(201);
  expect((await send(key, { amount: 200 })).status).toBe(409);
  await tenant.ageKey(key, "24 hours");
  expect((await send(key, { amount: 100 })).status).toBe(404);
  await db.sql`update idempotency_keys set created_at = now(), state = 'running', response_body = null where key = ${key}`;
  expect((await send(key, { amount: 100 })).status).toBe(409);
  expect(await refunds()).toBe(1);
});
