import { beforeAll, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dispatch } from "./dispatch";
import { textOf } from "./response";

const { db } = await testDatabase();
const service = testService(db);

beforeAll(() => provideService(service));

/** A merchant's payment, and a staff member who requests it. */
async function setup() {
  const tenant = await moneyTenant(db);
  const payment = (await tenant.create()).body as { id: string; transactions: { id: string }[] };
  const { newUser } = await testUsers(db);
  const staff = await newUser("staff");
  const cookie = await cookieOf(service, staff);
  const environment = encodeId("environment", tenant.merchant.test.id);
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const request = new Request(`http://dashboard.test${path}`, {
      method,
      headers: {
        host: "dashboard.test",
        cookie,
        "x-cardlane-environment": environment,
        "sec-fetch-site": "same-origin",
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await dispatch(request, { ip: "192.0.2.1" });
    answer.sent?.();
    return { status: answer.status, body: JSON.parse(textOf(answer.body)) };
  };
  const acts = async () => [
    ...(await db.sql`
      select action, merchant_id, object_id, detail from support_audit_log where staff_id = ${staff.user.id} order by id`),
  ];
  const refund = (reason: string | null, key = newId()) =>
    send(
      "POST",
      `/v1/payments/${payment.id}/refund`,
      { "x-idempotency-key": key, ...(reason !== null && { "x-cardlane-reason": reason }) },
      { amount: 100 },
    );
  return { tenant, payment, send, refund, acts };
}

test("reads by staff are recorded without a reason", async () => {
  const { payment, send, acts, tenant } = await setup();
  const reads: [string, string, string | null, object?][] = [
    ["GET", "/v1/transactions", "listTransactions", undefined],
    ["GET", `/v1/payments/${payment.id}`, "getPayment", undefined],
    ["GET", "/v1/subscription-plans", "listPlans", undefined],
    ["POST", "/v1/transactions/search", "searchTransactions", { filters: {} }],
  ];
  for (const [method, path, , body] of reads) expect((await send(method, path, {}, body)).status).toBe(200);
  expect(await acts()).toEqual(
    reads.map(([, path, name]) => ({
      action: `support.${name}`,
      merchant_id: tenant.merchant.id,
      object_id: path.includes(payment.id) ? payment.id : null,
      detail: null,
    })),
  );
});

test("a refund sent twice is recorded twice, and a refused write never", async () => {
  const { payment, send, refund, acts } = await setup();
  const key = newId();
  for (let i = 0; i < 2; i++) expect((await refund("They called", key)).status).toBe(201);
  const forbidden = await send("POST", `/v1/payments/${payment.id}/void`, {
    "x-idempotency-key": newId(),
    "x-cardlane-reason": "x",
  });
  expect([forbidden.status, forbidden.body.code]).toEqual([403, "permission_denied"]);
  const act = expect.objectContaining({ action: "support.refundPayment", detail: { reason: "They called" } });
  expect(await acts()).toEqual([act, act]);
});

test.each([
  ["nothing", null, "missing_parameter"],
  ["blanks", "%20%20", "missing_parameter"],
  ["nothing visible", encodeURIComponent("\u200b\u00ad\u3164"), "missing_parameter"],
  ["a NUL", "%00x", "invalid_parameter"],
  ["half an emoji", "%ED%A0%BD", null],
  ["an emoji at the end", encodeURIComponent(`${"x".repeat(499)}😀`), null],
  ["too much", encodeURIComponent(`${"x".repeat(500)}😀`), "invalid_parameter"],
])("a reason that is %s causes no 500", async (_, reason, code) => {
  const { refund } = await setup();
  const { status, body } = await refund(reason);
  if (code === null) expect(status).toBe(201);
  else expect([status, body.code, body.param]).toEqual([400, code, "X-Cardlane-Reason"]);
});

test("a malformed id in the path counts as unknown and is not recorded", async () => {
  const { send, acts } = await setup();
  const headers = { "x-idempotency-key": newId(), "x-cardlane-reason": "They called" };
  for (const id of ["%00", "pay_nothing"]) {
    const { status } = await send("POST", `/v1/payments/${id}/refund`, headers, { amount: 1 });
    expect(status).toBe(404);
  }
  expect((await acts()).map(({ object_id }) => object_id)).toEqual([null, null]);
});
