import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { SEARCH_LIMIT, type SearchKind } from "@/lib/contract/support/search-results";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { createPlan } from "@/lib/domain/plans/plans";
import { recordRequestErrors } from "@/lib/domain/request-log/request-errors";
import { newId } from "@/lib/ids";
import { testDatabase } from "@/lib/testing/database";
import { testContext } from "@/lib/testing/factories";
import { type MoneyTenant, moneyTenant } from "@/lib/testing/money";
import { createTestUser } from "@/lib/testing/people";
import { staffCaller } from "@/lib/testing/staff";
import { searchEverything } from "./search";
import type { StaffCall } from "./staff";

const { db } = await testDatabase({ max: 6 });
let tenant: MoneyTenant;
let call: () => StaffCall;

beforeAll(async () => {
  tenant = await moneyTenant(db);
  call = await staffCaller(tenant.service);
});

async function find(text: string) {
  const { groups } = await searchEverything(call(), { text });
  return Object.fromEntries(groups.map((group) => [group.kind, group.hits])) as Partial<
    Record<SearchKind, (typeof groups)[number]["hits"]>
  >;
}

const merchantId = () => encodeId("merchant", tenant.merchant.id);

describe("finds, in whatever merchant's data it is,", () => {
  test("a payment and a transaction by id, with merchant, mode and status", async () => {
    const { body } = await tenant.create({ customer_email: "Anna@Shop.example" });
    const found = await find(body.id);
    expect(found.payment).toEqual([
      expect.objectContaining({
        id: body.id,
        href: `/support/payments/${body.id}`,
        merchant: { id: merchantId(), name: "Test merchant" },
        mode: "test",
        status: "CAPTURED",
        amount: 10_000,
        currency: "USD",
        card: { brand: "visa", last4: "4242" },
        email: "Anna@Shop.example",
      }),
    ]);
    const [charge] = body.transactions;
    expect((await find(charge.id)).transaction).toEqual([
      expect.objectContaining({ id: charge.id, href: `/support/payments/${body.id}` }),
    ]);
  });

  test("customers and people by e-mail address, whatever its case", async () => {
    const email = `${randomUUID()}@shop.example`;
    const { body } = await tenant.create({ customer_email: email });
    const user = await createTestUser(db, { merchantId: tenant.merchant.id, role: "viewer", email });
    const found = await find(email.toUpperCase());
    expect(found.transaction).toEqual([expect.objectContaining({ id: body.transactions[0].id })]);
    expect(found.person).toEqual([
      expect.objectContaining({ id: encodeId("user", user.id), status: "viewer", merchant: expect.anything() }),
    ]);
    expect((await find(encodeId("user", user.id))).person).toHaveLength(1);
  });

  test("transactions by the last 4 digits of the card and by amount, with and without a currency", async () => {
    const { body } = await tenant.create({ amount: 7_171_717, currency: "EUR" });
    const ids = (hits: readonly { id: string }[] | undefined) => (hits ?? []).map((hit) => hit.id);
    const charge = body.transactions[0].id;
    for (const text of ["71717.17", "71,717.17", "71717.17 EUR", "€71717.17"]) {
      expect(ids((await find(text)).transaction)).toContain(charge);
    }
    for (const text of ["71717.17 USD", "71717.18"]) expect(ids((await find(text)).transaction)).not.toContain(charge);
    expect(ids((await find("4242")).transaction)).toContain(charge);
    expect(ids((await find("•••• 4242")).transaction)).toContain(charge);
  });

  test("idempotency keys, and by them their payment", async () => {
    const key = `order ${randomUUID()}`;
    const { body } = await tenant.create({}, { key });
    expect((await find(key)).idempotency_key).toEqual([
      expect.objectContaining({ id: key, href: `/support/payments/${body.id}`, status: "201", title: "createPayment" }),
    ]);
  });

  test("what a request began, and the refusal of one", async () => {
    const { body } = await tenant.create();
    const [operation] = await tenant.operations(body.id);
    const [row] = await db.sql`select request_id from operations where id = ${operation?.id as string}`;
    const found = await find(encodeId("request", row?.request_id));
    expect(found.operation).toEqual([
      expect.objectContaining({ id: operation?.id, href: `/support/payments/${body.id}` }),
    ]);
    expect(found.idempotency_key).toHaveLength(1);
    const id = newId();
    await recordRequestErrors(tenant.service, [
      {
        environment_id: tenant.environmentId,
        id,
        actor: { type: "api_key", id: newId() },
        operation: "getPayment",
        method: "GET",
        path: "/v1/payments/x",
        status: 404,
        code: "resource_not_found",
        detail: "There is no such payment.",
        param: null,
        created_at: new Date().toISOString(),
      },
    ]);
    expect((await find(encodeId("request", id))).request).toEqual([
      expect.objectContaining({
        status: "404 resource_not_found",
        merchant: expect.objectContaining({ id: merchantId() }),
      }),
    ]);
  });

  test("nothing by an id of a time that no clock has shown", async () => {
    for (const uuid of ["ffffffff-ffff-7fff-bfff-ffffffffffff", "e677d21f-db00-7000-8000-000000000000"]) {
      expect(await find(encodeId("request", uuid))).toEqual({});
    }
  });

  test("operations by the processor's reference", async () => {
    const { body } = await tenant.create();
    const [operation] = await tenant.operations(body.id);
    expect((await find(operation?.id as string)).operation).toHaveLength(1);
  });

  test("merchants by id and by part of the name, and environments", async () => {
    expect((await find(merchantId())).merchant).toHaveLength(1);
    expect((await find("EST MERCH")).merchant).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: merchantId(), status: "active" })]),
    );
    // Neither is a pattern.
    expect((await find("100%")).merchant).toBeUndefined();
    const environment = encodeId("environment", tenant.merchant.live.id);
    expect((await find(environment)).environment).toEqual([
      expect.objectContaining({ id: environment, mode: "live", href: `/support/merchants/${merchantId()}?mode=live` }),
    ]);
  });

  test("keys without their secret, plans and events", async () => {
    const made = await createApiKey(tenant.service, {
      environmentId: tenant.environmentId,
      name: "Till",
      permissions: ["payment.read"],
    });
    const found = await find(encodeId("apiKey", made.row.id));
    expect(found.api_key).toEqual([expect.objectContaining({ title: "Till", status: "ACTIVE" })]);
    expect(JSON.stringify(found)).not.toContain(made.secret);
    await expect(find(made.secret)).rejects.toMatchObject({ code: "invalid_parameter" });

    const planBody = createPlanBody.parse({
      type: "ONE_TIME",
      name: randomUUID(),
      currency: "USD",
      full_price_amount: 5,
    });
    const plan = await createPlan(testContext(tenant.service, tenant.merchant.test), planBody);
    expect((await find(JSON.parse(plan.body).id)).plan).toEqual([
      expect.objectContaining({ amount: 500, currency: "USD" }),
    ]);

    const { body } = await tenant.create();
    const [event] = await db.sql`select id from events where object_id = ${decodeId("payment", body.id) as string}`;
    expect((await find(encodeId("event", event?.id))).event).toEqual([
      expect.objectContaining({ href: `/support/payments/${body.id}` }),
    ]);
  });
});

test("shows at most twenty of a kind, the newest, and says that there are more", async () => {
  const other = await moneyTenant(db);
  const email = `${randomUUID()}@many.example`;
  const ids: string[] = [];
  for (let i = 0; i <= SEARCH_LIMIT; i++) {
    const { body } = await (i % 2 ? tenant : other).create({ customer_email: email });
    ids.push(body.transactions[0].id);
  }
  const { groups } = await searchEverything(call(), { text: email });
  expect(groups).toHaveLength(1);
  expect(groups[0]?.capped).toBe(true);
  expect(groups[0]?.hits.map((hit) => hit.id)).toEqual(ids.toReversed().slice(0, SEARCH_LIMIT));
});

describe("the audit log", () => {
  test("holds each search, and for each merchant whose data was shown that it was", async () => {
    const other = await moneyTenant(db);
    const email = `${randomUUID()}@both.example`;
    await tenant.create({ customer_email: email });
    await other.create({ customer_email: email });
    const made = call();
    await searchEverything(made, { text: email });
    const rows = await db.sql`
      select action, merchant_id, detail from support_audit_log where request_id = ${made.request.id} order by id`;
    expect(rows[0]).toEqual({ action: "support.searched", merchant_id: null, detail: { query: email } });
    expect(new Set(rows.slice(1).map((row) => row.merchant_id))).toEqual(
      new Set([tenant.merchant.id, other.merchant.id]),
    );
    expect(rows.slice(1).every((row) => row.action === "support.found")).toBe(true);
  });

  test("comes first: when it cannot be written, nothing is shown", async () => {
    const made = call();
    const nobody = { ...made, staff: { userId: newId() } };
    await expect(searchEverything(nobody, { text: "4242" })).rejects.toThrow(/support_audit_log_staff_id/);
  });

  test("never holds a card number", async () => {
    await expect(searchEverything(call(), { text: "4242 4242 4242 4242" })).rejects.toMatchObject({ param: "q" });
    const rows = await db.sql`select 1 from support_audit_log where detail::text like '%4242 4242%'`;
    expect(rows.length).toBe(0);
  });

  test("is append-only", async () => {
    await searchEverything(call(), { text: "something" });
    await expect(db.sql`delete from support_audit_log`).rejects.toThrow(/append-only/);
    await expect(db.sql`update support_audit_log set detail = null`).rejects.toThrow(/append-only/);
  });
});
