import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inRolesOf, testDatabase } from "@/e2e/fixtures/database";
import { loggedRequest, testContext, testIdempotency, testPaymentToken } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { AT, insertInvoice, insertSubscription } from "@/e2e/fixtures/subscription-rows";
import { startUnscopedProxy, withoutEnvironment } from "@/e2e/fixtures/unscoped-proxy";
import { createTestUser } from "@/e2e/fixtures/users";
import { sendDue } from "@/e2e/fixtures/webhooks";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { createPaymentMethodBody } from "@/lib/contract/payment-methods/payment-method";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { resolvePeriod } from "@/lib/contract/reporting/period";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { setKeyState } from "@/lib/domain/api-keys/change-keys";
import { issueApiKey } from "@/lib/domain/api-keys/issue-keys";
import { listKeyPage } from "@/lib/domain/api-keys/read-keys";
import {
  cancelClientSession,
  createClientSession,
  getSessionDetail,
  listClientSessions,
} from "@/lib/domain/checkout/client-sessions";
import { createPaymentLink, listPaymentLinks } from "@/lib/domain/checkout/payment-links";
import type { Context, Service } from "@/lib/domain/context";
import { noteCustomers } from "@/lib/domain/customers/customers";
import { listIdempotencyKeys } from "@/lib/domain/idempotency/inspect-keys";
import { forgetTotals } from "@/lib/domain/lists";
import {
  getPaymentMethod,
  listPaymentMethods,
  removePaymentMethod,
} from "@/lib/domain/payment-methods/payment-methods";
import { createPaymentMethod } from "@/lib/domain/payment-methods/store-card";
import { capturePayment, refundPayment } from "@/lib/domain/payments/follow-up";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import { getPayment, listPayments } from "@/lib/domain/payments/read-payments";
import { activatePlan, createPlan, getPlan, listPlans } from "@/lib/domain/plans/plans";
import { getReceiptPath } from "@/lib/domain/receipts/receipts";
import { getOverview, listAttention } from "@/lib/domain/reporting/overview";
import { listRecentErrors } from "@/lib/domain/request-log/read-requests";
import { recordRequests } from "@/lib/domain/request-log/record-requests";
import { runPayouts, updateBankAccount } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { exportTransactions } from "@/lib/domain/transactions/export-transactions";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/domain/transactions/read-transactions";
import { createSavedView, deleteSavedView, listSavedViews } from "@/lib/domain/transactions/saved-views";
import { createWebhookEndpoint, listWebhookEndpoints } from "@/lib/domain/webhooks/endpoints";
import { newId } from "@/lib/ids";
import { connect, ROLES } from "./client";
import { foldDeltas } from "./queries/reporting/daily-totals";
import { rightsOf } from "./rights";

/*
 * Row-level security. Two merchants have rows in every table; one merchant's statements lose `environment_id
 * = …` on the way to the server, and must neither see nor change the other's rows.
 */

const { db, url } = await testDatabase({ own: true });
const proxy = await startUnscopedProxy(url);
const unscopedDatabase = connect(inRolesOf(proxy.url), { max: 6, applicationName: "cardlane-unscoped" });
afterAll(async () => {
  await unscopedDatabase.close();
  await proxy.close();
});

type Shop = {
  tenant: MoneyTenant;
  userId: string;
  ids: Record<
    "payment" | "authorized" | "transaction" | "plan" | "session" | "method" | "view" | "key" | "idempotencyKey",
    string
  >;
};
let shop: Shop;
let other: Shop;
let tables: { name: string; owned: boolean; columns: string[] }[];

const call = ({ tenant, userId }: Shop, service: Service = tenant.service): Context =>
  testContext(service, tenant.merchant.test, { actor: { type: "user", id: userId } });
/** The same context on connections that drop the environment. */
const forgetful = (of: Shop): Context => call(of, { ...of.tenant.service, db: unscopedDatabase });

async function openShop(): Promise<Shop> {
  const tenant = await moneyTenant(db);
  const user = await createTestUser(db, { merchantId: tenant.merchant.id, role: "owner" });
  const made = { tenant, userId: user.id } as Shop;
  const ctx = call(made);
  const key = randomUUID();
  const paid = await tenant.create({ customer_id: "cus_1", customer_email: "Same@Example.com" }, { key });
  await tenant.act("refund", paid.body.id, { amount: 500 });
  const authorized = await tenant.create({ capture_method: "manual" });
  const plan = JSON.parse(
    (
      await createPlan(
        ctx,
        createPlanBody.parse({ type: "ONE_TIME", name: "Poster", currency: "USD", full_price_amount: 19.99 }),
      )
    ).body,
  );
  // Later events are sent to this address, where nothing listens.
  await createWebhookEndpoint(ctx, {
    url: "http://127.0.0.1:9/hook",
    description: null,
    event_types: ["*"],
    payload: "full",
    signature: "v1",
  });
  const input = createClientSessionBody.parse({ amount: 1_999, currency: "USD" });
  const session = JSON.parse((await createClientSession(ctx, input)).body);
  const sold = { amount: 1_999, currency: "USD", description: "A poster" };
  await createPaymentLink(ctx, createPaymentLinkBody.parse(sold));
  await sendDue(tenant.service);
  const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
  await testPaymentToken(ctx, { card } as Parameters<typeof testPaymentToken>[1]);
  const stored = createPaymentMethodBody.parse({ customer_id: "cus_1", card });
  const method = JSON.parse((await createPaymentMethod(ctx, stored)).body);
  await insertSubscriptionRows(tenant.environmentId);
  const view = await createSavedView(ctx, {
    list: "transactions",
    userId: user.id,
    name: "Mine",
    query: "status=DECLINED",
    columns: null,
    shared: true,
    canShare: true,
  });
  const issued = await issueApiKey(ctx, {
    name: "Server",
    permissions: ["payment.read"],
    expires_at: null,
    ip_allow_list: [],
  } as unknown as Parameters<typeof issueApiKey>[1]);
  await recordRequests(tenant.service, [loggedRequest({ environment_id: tenant.environmentId, id: newId() })]);
  await getReceiptPath(ctx, { id: paid.body.id });
  const [operation] = await tenant.operations(paid.body.id);
  await db.sql`insert into processor_objects (environment_id, processor, object_id, kind, operation_id, payment_id)
    values (${tenant.environmentId}, 'other', ${newId()}, 'charge', ${operation?.id ?? ""}, ${decodeId("payment", paid.body.id)})`;
  await insertProcessorRows(tenant.environmentId, decodeId("payment", paid.body.id) ?? "");
  const ids = {
    payment: paid.body.id,
    authorized: authorized.body.id,
    transaction: paid.body.transactions[0].id,
    plan: plan.id,
    session: session.id,
    method: method.id,
    view: view.id,
    key: issued.api_key.id,
    idempotencyKey: key,
  };
  return { ...made, ids };
}

/** Rows of a connection: itself, a rule, a dispute with its movement, a file, a comparison. */
async function insertProcessorRows(environmentId: string, paymentId: string): Promise<void> {
  const id = newId();
  await db.sql`insert into processor_connections (environment_id, id, processor, account, account_id, label, status, hint, takes_webhooks, raw_cards,
      is_default, checked_at, created_at, updated_at)
    values (${environmentId}, ${id}, 'other', 'one', ${id}, 'Shop', 'DISCONNECTED', '', false, false, false, now(), now(), now())`;
  await db.sql`insert into processor_routes (environment_id, position, connection_id) values (${environmentId}, 0, ${id})`;
  await db.sql`insert into disputes (environment_id, id, payment_id, transaction_id, processor, processor_dispute_id, amount, currency, reason, status,
      read_at, created_at, updated_at)
    values (${environmentId}, ${id}, ${paymentId}, ${newId()}, ${id}, ${newId()}, 1, 'USD', 'FRAUDULENT', 'LOST', now(), now(), now())`;
  await db.sql`insert into dispute_movements (environment_id, id, dispute_id, payment_id, currency, amount, fee, created_at)
    values (${environmentId}, ${id}, ${id}, ${paymentId}, 'USD', -1, 0, now())`;
  await db.sql`insert into files (environment_id, id, name, type, size, bytes, created_by, created_at)
    values (${environmentId}, ${id}, 'note.pdf', 'application/pdf', 1, 'x', '{"type":"system","id":null}', now())`;
  await db.sql`insert into reconciliation_runs (environment_id, id, connection_id, state, since, until, started_at, finished_at)
    values (${environmentId}, ${id}, ${id}, 'done', now(), now(), now(), now())`;
}

/** A subscription with its trial, its invoice and the counter. */
async function insertSubscriptionRows(environmentId: string): Promise<void> {
  const subscription_id = await insertSubscription(db.sql, environmentId, { period_number: 1 });
  await insertInvoice(db.sql, environmentId, { kind: "PERIOD", subscription_id, status: "VOID", voided_at: AT });
  await db.sql`insert into subscription_trials (environment_id, plan_id, key, subscription_id)
    values (${environmentId}, ${newId()}, ${Buffer.from(environmentId)}, ${subscription_id})`;
  await db.sql`insert into invoice_counters (environment_id, last) values (${environmentId}, 1)`;
  await db.sql`insert into subscription_settings
    values (${environmentId}, '{3}', 'CANCEL', true, true, true, true, true, true, true, true)`;
  await db.sql`insert into subscription_mails (environment_id, event_id) values (${environmentId}, ${newId()})`;
  await db.sql`insert into report_mails (environment_id, user_id, type, every, due_at)
    select e.id, u.id, 'fees', 'WEEK', now() from environments e join users u on u.merchant_id = e.merchant_id
    where e.id = ${environmentId} limit 1`;
  await db.sql`insert into reports (environment_id, id, type, status, from_day, to_day, starts_at, ends_at, time_zone, format, locale, created_at, updated_at)
    values (${environmentId}, ${newId()}, 'fees', 'PENDING', current_date, current_date, now(), now(), 'UTC', 'csv', 'en-US', now(), now())`;
  await db.sql`insert into notes (environment_id, id, subject, subject_id, user_id, author, text, mentioned, created_at)
    values (${environmentId}, ${newId()}, 'payment', ${newId()}, ${newId()}, 'Ada', 'Called', '{}', now())`;
  await db.sql`insert into approval_rules values (${environmentId}, 'REFUND', '{operator}', 100, null, false)`;
  await db.sql`insert into approval_allowances values (${environmentId}, ${newId()}, 100, now())`;
  await db.sql`insert into approval_requests (environment_id, id, action, subject_id, amount, currency, parameters, reason, status,
      requested_by, requested_by_name, created_at, expires_at)
    values (${environmentId}, ${newId()}, 'REFUND', ${newId()}, 1, 'USD', '{}', 'Broken', 'PENDING', ${newId()}, 'Ada', now(), now())`;
  await db.sql`insert into portal_sessions
    values (${environmentId}, ${newId()}, sha256(uuidv7()::text::bytea), 'cus_1', null, now(), now())`;
}

beforeAll(async () => {
  shop = await openShop();
  other = await openShop();
  await foldDeltas(shop.tenant.service.db.sql);
  for (const { tenant } of [shop, other]) await tenant.create();
  await runSettlement(shop.tenant.service);
  await runPayouts(shop.tenant.service);
  await noteCustomers(shop.tenant.service);
  for (const each of [shop, other]) {
    await updateBankAccount(call(each), {
      holder: "Shop",
      bank_name: "Test Bank",
      country: "DE",
      account_number: "DE89370400440532013000",
    });
  }
  tables = await db.sql`
    select c.relname as name, bool_or(a.attname = 'environment_id') as owned,
      array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace group by c.relname order by 1`;
}, 120_000);

/** All rows of a shop in every table that has an environment, as text. */
async function rowsOf({ tenant }: Shop): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { name } of tables.filter(({ owned }) => owned)) {
    const rows = await db.sql.unsafe<{ row: string }[]>(
      `select to_jsonb(t)::text as row from ${name} t where environment_id = $1 order by 1`,
      [tenant.environmentId],
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

const appTables = () => tables.filter((table) => table.owned && rightsOf(table).app);

describe("a statement without any condition", () => {
  test("finds both shops in every table of an environment", async () => {
    for (const each of [shop, other]) {
      const empty = Object.entries(await rowsOf(each)).filter(
        ([name, rows]) => rows.length === 0 && appTables().some((table) => table.name === name),
      );
      expect(empty.map(([name]) => name)).toEqual([]);
    }
  });

  test("reads only one merchant's rows", async () => {
    const { sql } = shop.tenant.service.db.within(shop.tenant.environmentId);
    const own = await rowsOf(shop);
    for (const { name } of appTables()) {
      const rows = await sql.unsafe<{ row: string }[]>(`select to_jsonb(t)::text as row from ${name} t order by 1`);
      expect(rows.map(({ row }) => row).sort(), name).toEqual(own[name]?.sort());
    }
    const [counts] = await sql`select (select count(*) from merchants) as merchants,
      (select count(*) from environments) as environments, (select count(id) from users) as users`;
    expect(counts).toEqual({ merchants: 1, environments: 1, users: 1 });
  });

  test("changes and removes only one merchant's rows", async () => {
    const { sql } = shop.tenant.service.db.within(shop.tenant.environmentId);
    const own = await rowsOf(shop);
    class Undo extends Error {}
    for (const table of appTables()) {
      for (const verb of ["update", "delete"] as const) {
        if (!rightsOf(table).app?.includes(verb)) continue;
        const text =
          verb === "update" ? `update ${table.name} set environment_id = environment_id` : `delete from ${table.name}`;
        const undone = sql.begin(async (tx) => {
          const { count } = await tx.unsafe(text, [], { prepare: true });
          expect(count, `${verb} ${table.name}`).toBe(own[table.name]?.length);
          throw new Undo();
        });
        await expect(undone).rejects.toThrow(Undo);
      }
    }
  });

  test("a forbidden statement is refused for any row", async () => {
    const { sql } = shop.tenant.service.db.within(shop.tenant.environmentId);
    for (const table of tables) {
      for (const verb of ["update", "delete"] as const) {
        if (rightsOf(table).app?.includes(verb)) continue;
        const column = table.columns[0];
        const text = verb === "update" ? `update ${table.name} set ${column} = ${column}` : `delete from ${table.name}`;
        await expect(sql.unsafe(text), text).rejects.toMatchObject({ code: "42501" });
      }
    }
  });
});

describe("a write for another environment is refused", () => {
  test("as a new row, in every table", async () => {
    const { sql } = shop.tenant.service.db.within(shop.tenant.environmentId);
    const foreign = await rowsOf(other);
    for (const table of appTables()) {
      const columns = table.columns.map((column) => `"${column}"`).join(", ");
      const insert = sql.unsafe(
        `insert into ${table.name} (${columns}) select ${columns} from jsonb_populate_record(null::${table.name}, $1::text::jsonb)`,
        [foreign[table.name]?.[0] as string],
      );
      await expect(insert, table.name).rejects.toMatchObject({ code: "42501" });
    }
  });

  test("as a row that moves there, in every table", async () => {
    const { sql } = shop.tenant.service.db.within(shop.tenant.environmentId);
    for (const table of appTables().filter((each) => rightsOf(each).app?.includes("update"))) {
      const move = sql.unsafe(`update ${table.name} set environment_id = $1`, [other.tenant.environmentId]);
      await expect(move, table.name).rejects.toMatchObject({ code: "42501" });
    }
  });
});

describe("the service's own queries, without their environment_id", () => {
  const all = searchTransactionsBody.parse({});
  const reads: Record<string, (ctx: Context, of: Shop) => Promise<unknown>> = {
    "list transactions": (ctx) => listTransactions(ctx, {}),
    "list by customer": (ctx) => listTransactions(ctx, { customer_id: "cus_1" }),
    "search by e-mail": (ctx) =>
      searchTransactions(ctx, searchTransactionsBody.parse({ filters: { customer_email: "same@example.com" } })),
    "search by status and brand": (ctx) =>
      searchTransactions(
        ctx,
        searchTransactionsBody.parse({ filters: { status: ["CAPTURED", "SETTLED"], card_brand: ["visa", "amex"] } }),
      ),
    "get transaction": (ctx, { ids }) => getTransaction(ctx, { id: ids.transaction }),
    "page after": (ctx, { ids }) => listTransactions(ctx, { starting_after: ids.transaction }),
    export: async (ctx) => {
      const made = await exportTransactions(ctx, all);
      const rows = [];
      for await (const batch of made.batches) rows.push(...batch);
      await made.close();
      return { total: made.total, rows };
    },
    "list payments": (ctx) => listPayments(ctx, {} as Parameters<typeof listPayments>[1]),
    "get payment": (ctx, { ids }) => getPayment(ctx, { id: ids.payment }),
    "payment detail": (ctx, { ids }) => getPaymentDetail(ctx, { id: ids.payment }),
    overview: (ctx) => getOverview(ctx, { period: (today) => resolvePeriod("all", today), currency: null }),
    attention: (ctx) => listAttention(ctx),
    "idempotency keys": (ctx) => listIdempotencyKeys(ctx, { limit: 50, after: null } as never),
    "api keys": (ctx) => listKeyPage(ctx, { limit: 50, offset: 0 }),
    plans: (ctx) => listPlans(ctx, {} as Parameters<typeof listPlans>[1]),
    plan: (ctx, { ids }) => getPlan(ctx, { id: ids.plan }),
    "payment methods": (ctx) => listPaymentMethods(ctx, {}),
    "payment method": (ctx, { ids }) => getPaymentMethod(ctx, { id: ids.method }),
    "webhook endpoints": (ctx) => listWebhookEndpoints(ctx, {}),
    sessions: (ctx) => listClientSessions(ctx, { limit: 20, offset: 0 } as Parameters<typeof listClientSessions>[1]),
    "payment links": (ctx) => listPaymentLinks(ctx, {}),
    session: (ctx, { ids }) => getSessionDetail(ctx, { id: ids.session }),
    "saved views": (ctx, { userId }) => listSavedViews(ctx, { userId, list: "transactions" }),
    errors: (ctx) => listRecentErrors(ctx.service, ctx.environment, 50),
  };
  for (const [name, read] of Object.entries(reads)) {
    test(`${name}: the same result`, async () => {
      forgetTotals(shop.tenant.environmentId);
      const before = proxy.rewritten.size;
      const answer = await read(forgetful(shop), shop);
      expect(proxy.rewritten.size).toBeGreaterThan(before);
      // Counted again; otherwise a wrong total of the unscoped query would be reused.
      forgetTotals(shop.tenant.environmentId);
      expect(answer).toEqual(await read(call(shop), shop));
    });
  }

  const notFound = async (work: Promise<unknown>) =>
    expect(
      await work.then(
        () => "found",
        (error: unknown) => (error instanceof AppError ? error.code : error),
      ),
    ).toBe("resource_not_found");
  const withKey = (): Partial<Context> => ({ idempotency: testIdempotency(randomUUID(), Buffer.alloc(32, 1), "{}") });

  test("the other shop's objects cannot be read or changed by id", async () => {
    const before = await rowsOf(other);
    const ctx = () => ({ ...forgetful(shop), ...withKey() });
    const { ids, userId } = other;
    await notFound(getPayment(ctx(), { id: ids.payment }));
    await notFound(getPaymentDetail(ctx(), { id: ids.payment }));
    await notFound(getTransaction(ctx(), { id: ids.transaction }));
    await notFound(refundPayment(ctx(), { id: ids.payment, amount: 100 } as never));
    await notFound(capturePayment(ctx(), { id: ids.authorized } as never));
    await notFound(getPlan(ctx(), { id: ids.plan }));
    await notFound(activatePlan(ctx(), { id: ids.plan }));
    await notFound(getSessionDetail(ctx(), { id: ids.session }));
    await notFound(cancelClientSession(ctx(), { id: ids.session }));
    await notFound(getPaymentMethod(ctx(), { id: ids.method }));
    await notFound(removePaymentMethod(ctx(), { id: ids.method }));
    await notFound(setKeyState(ctx(), { id: ids.key, action: "revoke" }));
    await notFound(deleteSavedView(ctx(), { userId, id: ids.view }));
    expect(await rowsOf(other)).toEqual(before);
  });

  test("a shop's writes succeed and touch its own rows only", async () => {
    const before = await rowsOf(other);
    const { tenant } = shop;
    const service = { ...tenant.service, db: unscopedDatabase };
    const paid = await tenant.create({}, { service });
    expect(paid.status).toBe(201);
    expect((await tenant.act("refund", paid.body.id, { amount: 100 }, { service })).status).toBe(201);
    const held = await tenant.create({ capture_method: "manual" }, { service });
    expect((await tenant.act("capture", held.body.id, {}, { service })).status).toBe(200);
    expect(await rowsOf(other)).toEqual(before);
  });
});

test("without row-level security the same unscoped queries would find both shops", async () => {
  const crossing = { url: proxy.url, role: ROLES.jobs };
  const db = connect({ app: crossing, jobs: crossing }, { max: 2 });
  try {
    const ctx = call(shop, { ...shop.tenant.service, db });
    const { total } = await listTransactions(call(shop), {});
    forgetTotals(shop.tenant.environmentId);
    expect((await listTransactions(ctx, {})).total).toBeGreaterThan(total);
    expect((await getPayment(ctx, { id: other.ids.payment })).id).toBe(other.ids.payment);
  } finally {
    await db.close();
  }
});

test("the proxy removes the conditions it should", () => {
  expect(withoutEnvironment(`select 1 from t where t.environment_id = $1::uuid and id = $2`)).toBe(
    "select 1 from t where ($1::uuid is not null) and id = $2",
  );
  expect(withoutEnvironment(`where ("plans"."environment_id" = $3 and x)`)).toBe(
    "where (($3::uuid is not null) and x)",
  );
  expect(withoutEnvironment("on a.environment_id = b.environment_id and")).toBe("on true and");
});
