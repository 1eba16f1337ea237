import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { searchTransactionsEverywhere } from "@/db/queries/support/transactions";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, loggedRequest, testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { createTestUser, staffCaller } from "@/e2e/fixtures/users";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { SEARCH_LIMIT, type SearchKind } from "@/lib/contract/support/search-results";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { createPlan } from "@/lib/domain/plans/plans";
import { recordRequests } from "@/lib/domain/request-log/record-requests";
import { idAt, newId } from "@/lib/ids";
import { searchEverything } from "./search";
import type { StaffCall } from "./staff";

/** The audit log refuses a staff member that does not exist. */
const unwritten = { cause: { constraint_name: expect.stringContaining("support_audit_log_staff_id") } };

const { db } = await testDatabase();
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

describe("finds, in any merchant's data,", () => {
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

  test("customers and users by e-mail address, ignoring case", async () => {
    const email = `${randomUUID()}@shop.example`;
    const { body } = await tenant.create({ customer_email: email });
    const user = await createTestUser(db, { merchantId: tenant.merchant.id, role: "viewer", email });
    const found = await find(email.toUpperCase());
    expect(found.transaction).toEqual([expect.objectContaining({ id: body.transactions[0].id })]);
    expect(found.user).toEqual([
      expect.objectContaining({ id: encodeId("user", user.id), status: "viewer", merchant: expect.anything() }),
    ]);
    expect((await find(encodeId("user", user.id))).user).toHaveLength(1);
  });

  test("transactions by the last 4 digits of the card and by amount, with and without a currency", async () => {
    const { body } = await tenant.create({ amount: 7_171_717, currency: "EUR" });
    const ids = (hits: readonly { id: string }[] | undefined) => (hits ?? []).map((hit) => hit.id);
    const charge = body.transactions[0].id;
    for (const text of ["71717.17", "71,717.17", "71717.17 EUR", "eur 71,717.17", "€71717.17"]) {
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

  test("the operations of a request, and a refused request", async () => {
    const { body } = await tenant.create();
    const [operation] = await tenant.operations(body.id);
    const [row] = await db.sql`select request_id from operations where id = ${operation?.id as string}`;
    const found = await find(encodeId("request", row?.request_id));
    expect(found.operation).toEqual([
      expect.objectContaining({ id: operation?.id, href: `/support/payments/${body.id}` }),
    ]);
    expect(found.idempotency_key).toHaveLength(1);
    const id = newId();
    await recordRequests(tenant.service, [loggedRequest({ environment_id: tenant.environmentId, id })]);
    expect((await find(encodeId("request", id))).request).toEqual([
      expect.objectContaining({
        status: "404 resource_not_found",
        merchant: expect.objectContaining({ id: merchantId() }),
      }),
    ]);
  });

  test("nothing by an id with an impossible time", async () => {
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
    // Neither is treated as a pattern.
    expect((await find("100%")).merchant).toBeUndefined();
    const environment = encodeId("environment", tenant.merchant.live.id);
    expect((await find(environment)).environment).toEqual([
      expect.objectContaining({ id: environment, mode: "live", href: `/support/merchants/${merchantId()}?mode=live` }),
    ]);
  });

  test("a payout by id, with the page of its merchant", async () => {
    const id = newId();
    await db.sql`
      insert into payouts (environment_id, id, status, currency, amount, settlement_batch_ids, bank_name, bank_country,
        bank_last4, arrival_date, due_at, created_at, updated_at)
      values (${tenant.environmentId}, ${id}, 'PENDING', 'EUR', 4210, ${[newId()]}::uuid[], 'First', 'DE', '1234',
        now(), now() + interval '1 day', now(), now())`;
    const found = { id: encodeId("payout", id), href: `/support/merchants/${merchantId()}`, status: "PENDING" };
    expect((await find(encodeId("payout", id))).payout).toEqual([
      expect.objectContaining({ ...found, mode: "test", amount: 4_210, currency: "EUR" }),
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

describe("transactions of all merchants, by the merchants' own search,", () => {
  const search = async (text: string, page: Partial<Parameters<typeof searchEverything>[1]> = {}) => {
    const { groups, transactions } = await searchEverything(call(), { text, ...page });
    const hits = groups.find(({ kind }) => kind === "transaction")?.hits ?? [];
    return { ids: hits.map(({ id }) => id), hits, transactions };
  };

  test("by remembered details: refunded twice, last 4, approximate amount, today", async () => {
    const other = await moneyTenant(db);
    const order = randomUUID();
    const make = async (tenantOf: MoneyTenant, amount: number, refunds: number) => {
      const { body } = await tenantOf.create({ amount, metadata: { order } });
      for (let i = 0; i < refunds; i++) await tenantOf.act("refund", body.id, { amount: 100 });
      return body.transactions[0].id as string;
    };
    const twice = await make(other, 2_010, 2);
    const once = await make(tenant, 2_005, 1);
    const dear = await make(tenant, 3_000, 2);
    const asked = `refunded twice, 4242, about 20 dollars, today ${order}`;
    const { ids, hits } = await search(asked);
    expect(ids).toEqual([twice]);
    expect(hits[0]?.merchant?.id).toBe(encodeId("merchant", other.merchant.id));
    expect((await search(`4242 about $20 today ${order}`)).ids).toEqual([once, twice]);
    expect((await search(`refunded more than once ${order}`)).ids).toEqual([dear, twice]);
    expect((await search(`about €20 today ${order}`)).ids).toEqual([]);
    expect((await search(`refunded twice 4242 yesterday ${order}`)).ids).toEqual([]);
  });

  test("by prefixes of words, combined and with filters, in any merchant's data", async () => {
    const word = `zz${randomUUID().slice(0, 8)}`;
    const other = await moneyTenant(db);
    const made: string[] = [];
    for (const [tenantOf, name] of [
      [tenant, `Änna ${word}`],
      [other, `Anna ${word}son`],
      [other, `Bert ${word}`],
    ] as const) {
      const { body } = await tenantOf.create({ customer_name: name });
      made.push(body.transactions[0].id);
    }
    const [first, second, third] = made;
    expect((await search(word)).ids).toEqual([third, second, first]);
    expect((await search(`${word} ann`)).ids).toEqual([second, first]);
    expect((await search(`${word} captured visa`)).ids).toEqual([third, second, first]);
    expect((await search(`${word} declined`)).ids).toEqual([]);
  });

  test("in the order of time or amount, page by page", async () => {
    const word = `yy${randomUUID().slice(0, 8)}`;
    const made: { id: string; amount: number }[] = [];
    for (let i = 0; i < SEARCH_LIMIT + 3; i++) {
      const amount = 1_000 + ((i * 7) % 23);
      const { body } = await tenant.create({ amount, description: word });
      made.push({ id: body.transactions[0].id, amount });
    }
    for (const text of [word, `${word} captured`]) {
      for (const [sort, order] of [
        ["created_at", "desc"],
        ["created_at", "asc"],
        ["amount", "desc"],
        ["amount", "asc"],
      ] as const) {
        const pages = [await search(text, { sort, order }), await search(text, { sort, order, page: 2 })];
        const rows = made.map(({ id, amount }) => ({ id, key: sort === "amount" ? amount : id }));
        rows.sort((a, b) => (a.key < b.key ? -1 : 1) * (order === "asc" ? 1 : -1));
        expect(pages.flatMap(({ ids }) => ids)).toEqual(rows.map(({ id }) => id));
        expect(pages.map(({ transactions }) => transactions?.hasMore)).toEqual([true, false]);
      }
    }
  });

  test("by words of the last 90 days, and of all time on request or with a narrower filter", async () => {
    const { test: shop } = await createTestMerchant(db);
    const word = `old${randomUUID().slice(0, 8)}`;
    const at = new Date(Date.now() - 100 * 86_400_000);
    const [id, created_at] = [idAt(at), at.toISOString()];
    await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
        capture_method, created_at, updated_at)
      values (${shop.id}, ${id}, ${id}, ${id}, 'SETTLED', 'USD', 100, 100, 'automatic', ${created_at}, ${created_at})`;
    await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_email,
        description, metadata, created_at, updated_at)
      values (${shop.id}, ${id}, ${id}, 'CHARGE', 'SETTLED', 100, 'USD', ${`${word}@shop.example`}, ${word}, '{}', ${created_at},
        ${created_at})`;
    const found = [encodeId("transaction", id)];
    expect(await search(word)).toMatchObject({ ids: [], transactions: { reach: "recent" } });
    expect(await search(word, { sort: "amount" })).toMatchObject({ ids: [], transactions: { reach: "recent" } });
    expect(await search(word, { reach: "all" })).toMatchObject({ ids: found, transactions: { reach: "all" } });
    expect(await search(`${word}@shop.example`)).toMatchObject({ ids: found, transactions: { reach: null } });
    const since = at.toISOString().slice(0, 10);
    expect(await search(`${word} created:>=${since}`)).toMatchObject({ ids: found, transactions: { reach: null } });
  });

  test("reports what it did not understand, and never shows everything instead", async () => {
    const { ids, transactions } = await search("amount:lots");
    expect(ids).toEqual([]);
    expect(transactions?.problems).toEqual([expect.stringContaining("amount:lots")]);
    expect((await search("§ %%% '")).ids).toEqual([]);
  });

  test("gives up after its timeout, and reports that", async () => {
    const filter = { refundedAgain: false, q: "anything" };
    const page = { sort: "created_at", order: "desc", offset: 0, limit: 21 } as const;
    const slow = db.sql.begin(async (sql) => {
      await sql`lock table merchants in access exclusive mode`;
      await searchTransactionsEverywhere(db.sql, filter, page, 100);
    });
    await expect(slow).rejects.toMatchObject({ code: "57014" });
  });
});

test("shows the newest twenty of a kind, and reports that there are more", async () => {
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
  test("has each search, and a row for each merchant whose data was shown", async () => {
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
    // Merchants can read these rows, and the text may be about another merchant's customer.
    expect(rows.slice(1).every((row) => row.action === "support.found" && row.detail === null)).toBe(true);
  });

  test("is written first: if that fails, nothing is shown", async () => {
    const made = call();
    const nobody = { ...made, staff: { userId: newId() } };
    await expect(searchEverything(nobody, { text: "4242" })).rejects.toMatchObject(unwritten);
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
