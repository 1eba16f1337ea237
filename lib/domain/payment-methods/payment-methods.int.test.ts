import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { countKeptThere, resumeRemovals } from "@/db/queries/payment-methods";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency, testPaymentToken } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { says } from "@/e2e/fixtures/scripted-processor";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import {
  createPaymentMethodBody,
  listPaymentMethodsQuery,
  type PaymentMethod,
} from "@/lib/contract/payment-methods/payment-method";
import { cardInput } from "@/lib/contract/payments/payment";
import type { Context } from "@/lib/domain/context";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { sha256 } from "@/lib/secret";
import { finishRemovals, getPaymentMethod, listPaymentMethods, removePaymentMethod } from "./payment-methods";
import { createPaymentMethod } from "./store-card";

const { db } = await testDatabase({ max: 20 });

const cardOf = (number: string, more: object = {}) => ({ number, exp_month: 12, exp_year: 2040, cvv: "123", ...more });
const APPROVED = cardOf("4242424242424242");

function contextOf(tenant: MoneyTenant, key: string | null, body: object, changes: Partial<Processor> = {}): Context {
  const sandbox = tenant.service.processors.builtIn("test");
  if (!sandbox) throw new Error("tests always have the sandbox");
  const processors = createRegistry({ sandbox: { ...sandbox, ...changes } });
  const service = { ...tenant.service, processors };
  const request = { id: newId(), endpoint: "createPaymentMethod", path: "/v1/payment-methods" };
  const idempotency = key === null ? null : testIdempotency(key, sha256(JSON.stringify(body)), null);
  return testContext(service, tenant.merchant.test, { idempotency, request });
}

type Asked = { key?: string | null; changes?: Partial<Processor> };

async function store(tenant: MoneyTenant, body: object = {}, { key = randomUUID(), changes = {} }: Asked = {}) {
  const given = { customer_id: "cus_1", ...("payment_token" in body ? {} : { card: APPROVED }), ...body };
  const ctx = contextOf(tenant, key, given, changes);
  try {
    const reply = await createPaymentMethod(ctx, createPaymentMethodBody.parse(given));
    return { status: reply.status, body: JSON.parse(reply.body), text: reply.body, replayed: reply.replayed };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, param, extra } = error;
    return { status: error.status, body: { code, param, ...extra }, text: error.message, replayed: false };
  }
}

const ctxOf = (tenant: MoneyTenant) => testContext(tenant.service, tenant.merchant.test);
const list = async (tenant: MoneyTenant, query: object = {}) =>
  (await listPaymentMethods(ctxOf(tenant), listPaymentMethodsQuery.parse(query))).data;
const newToken = async (tenant: MoneyTenant, number = "4242424242424242") =>
  (await testPaymentToken(ctxOf(tenant), { card: cardInput.parse(cardOf(number)) })).id;

async function remove(tenant: MoneyTenant, id: string, changes: Partial<Processor> = {}): Promise<PaymentMethod> {
  return JSON.parse((await removePaymentMethod(contextOf(tenant, null, {}, changes), { id })).body);
}

/** Stored cards that the sandbox would still charge. */
async function chargeable({ environmentId }: MoneyTenant): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count(*)::int from sandbox_processor.stored_cards
    where account = ${environmentId} and outcome = 'approved' and removed_at is null`;
  return row?.count ?? 0;
}

test("a card is checked and stored without its number, and nothing is charged", async () => {
  const tenant = await moneyTenant(db);
  const consent = { text: "Keep it for later.", ip: "203.0.113.7", at: "2026-11-20T10:00:00+01:00" };
  const made = await store(tenant, { consent, metadata: { seat: 4 } });
  expect(made).toMatchObject({
    status: 201,
    body: {
      object: "payment_method",
      customer_id: "cus_1",
      status: "ACTIVE",
      environment: "sandbox",
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2040, bin: "424242" },
      consent: { text: "Keep it for later.", ip: "203.0.113.7", at: "2026-11-20T09:00:00.000Z" },
      metadata: { seat: 4 },
    },
  });
  expect(await getPaymentMethod(ctxOf(tenant), { id: made.body.id })).toEqual(made.body);
  expect(tenant.script.count("authorize")).toBe(0);
  const [row] =
    await db.sql`select to_jsonb(m)::text as text from payment_methods m where environment_id = ${tenant.environmentId}`;
  expect(row?.text).not.toContain("4242424242424242");
});

test.each([
  ["4000000000000002", "generic_decline"],
  ["4000000000009995", "insufficient_funds"],
  ["4000000000003220", "authentication_failed"],
])("a check of %s is declined, stores nothing, and is replayed under its key", async (number, decline_code) => {
  const tenant = await moneyTenant(db);
  const first = await store(tenant, { card: cardOf(number) }, { key: "k" });
  expect(first).toMatchObject({ status: 402, body: { code: "card_declined", decline_code } });
  expect(await store(tenant, { card: cardOf(number) }, { key: "k" })).toMatchObject({
    text: first.text,
    replayed: true,
  });
  expect(await store(tenant, { card: cardOf(number) }, { key: null })).toMatchObject({
    status: 402,
    body: { decline_code },
  });
  expect(await list(tenant)).toEqual([]);
  expect(await chargeable(tenant)).toBe(0);
});

test.each(["card", "payment_token"])(
  "a lost response of a %s stores nothing, and the same key stores it once",
  async (kind) => {
    const tenant = await moneyTenant(db);
    const body =
      kind === "card"
        ? { card: cardOf("4000000000001976") }
        : { payment_token: await newToken(tenant, "4000000000001976") };
    expect(await store(tenant, body, { key: "k" })).toMatchObject({ status: 502, body: { code: "processor_error" } });
    expect(await list(tenant)).toEqual([]);
    const second = await store(tenant, body, { key: "k" });
    expect(second).toMatchObject({ status: 201, replayed: false });
    expect(await store(tenant, body, { key: "k" })).toMatchObject({ text: second.text, replayed: true });
    expect(await list(tenant)).toHaveLength(1);
    expect(await chargeable(tenant)).toBe(1);
  },
);

test("a check that the processor refuses once, before executing it, is repeated in the same request", async () => {
  const tenant = await moneyTenant(db);
  const card = cardOf("4000000000001984");
  expect(await store(tenant, { card })).toMatchObject({ status: 201 });
  expect(await store(tenant, { card }, { key: null })).toMatchObject({ status: 201 });
  expect(await chargeable(tenant)).toBe(2);
});

test("twenty requests under one key store one card", async () => {
  const tenant = await moneyTenant(db);
  const answers = await Promise.all(Array.from({ length: 20 }, () => store(tenant, {}, { key: "k" })));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await chargeable(tenant)).toBe(1);
  const { checks } = await verifyBooks(db);
  expect(checks.find(({ check }) => check === "answered_keys_are_completed")?.count).toBe(0);
});

test("a token stores one card despite concurrent requests, and pays nothing afterwards", async () => {
  const tenant = await moneyTenant(db);
  const payment_token = await newToken(tenant);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => store(tenant, { payment_token }, { key: i % 2 ? null : randomUUID() })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, body } of answers.filter((one) => one.status !== 201)) {
    expect([status, body.param]).toEqual([400, "payment_token"]);
  }
  expect(await chargeable(tenant)).toBe(1);
  expect(await tenant.create({ payment_token })).toMatchObject({ status: 400, body: { param: "payment_token" } });
});

test("a declined check uses up its token, as a payment does", async () => {
  const tenant = await moneyTenant(db);
  const payment_token = await newToken(tenant, "4000000000000002");
  expect(await store(tenant, { payment_token })).toMatchObject({ status: 402 });
  expect(await store(tenant, { payment_token })).toMatchObject({ status: 400, body: { param: "payment_token" } });
});

test("a token whose check has no outcome yet stores its card for that customer only", async () => {
  const tenant = await moneyTenant(db);
  const body = { payment_token: await newToken(tenant, "4000000000001976") };
  expect(await store(tenant, body)).toMatchObject({ status: 502, body: { code: "processor_error" } });
  expect(await store(tenant, { ...body, customer_id: "cus_2" })).toMatchObject({
    status: 400,
    body: { code: "invalid_parameter", param: "payment_token" },
  });
  expect(await store(tenant, body)).toMatchObject({ status: 201, body: { customer_id: "cus_1" } });
  expect(await list(tenant)).toHaveLength(1);
});

test("a card that the processor knows already is the customer's same payment method, and no other's", async () => {
  const tenant = await moneyTenant(db);
  const changes: Partial<Processor> = { storeCard: async () => ({ kind: "stored", token: "pm_known" }) };
  const answers = await Promise.all(Array.from({ length: 5 }, () => store(tenant, {}, { changes })));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  const other = await store(tenant, { customer_id: "cus_2" }, { changes });
  expect(other).toMatchObject({ status: 400, body: { param: "payment_token" } });
  expect(await list(tenant)).toHaveLength(1);
  const events = await db.sql`select type from events where environment_id = ${tenant.environmentId}`;
  expect(events.map(({ type }) => type)).toEqual(["payment_method.created"]);
  // A payment that stores it again shows it as well.
  tenant.script.next(says({ kind: "approved", storedToken: "pm_known" }));
  const paid = await tenant.create({ save_payment_method: true, customer_id: "cus_1" });
  expect(paid).toMatchObject({ status: 201, body: { status: "CAPTURED", payment_method_id: answers[0]?.body.id } });
  tenant.script.next(says({ kind: "approved", storedToken: "pm_known" }));
  const another = await tenant.create({ save_payment_method: true, customer_id: "cus_2" });
  expect(another).toMatchObject({ status: 201, body: { status: "CAPTURED", payment_method_id: null } });
  expect(await list(tenant)).toHaveLength(1);
});

test("an unreachable processor leaves key and token unused", async () => {
  const tenant = await moneyTenant(db);
  const body = { payment_token: await newToken(tenant) };
  const changes: Partial<Processor> = { storeCard: async () => ({ kind: "not_sent", reason: "away" }) };
  expect(await store(tenant, body, { key: "k", changes })).toMatchObject({
    status: 502,
    body: { code: "processor_error" },
  });
  expect(await store(tenant, body, { key: "k" })).toMatchObject({ status: 201 });
});

test("a processor without stored cards is refused with an explanation, and live mode refuses card numbers", async () => {
  const tenant = await moneyTenant(db);
  const changes: Partial<Processor> = { storeCard: undefined };
  expect(await store(tenant, {}, { changes })).toMatchObject({ status: 422, body: { code: "processor_refused" } });
  const ctx = testContext(tenant.service, tenant.merchant.live);
  const body = createPaymentMethodBody.parse({ customer_id: "cus_1", card: APPROVED });
  await expect(createPaymentMethod(ctx, body)).rejects.toMatchObject({ code: "invalid_parameter", param: "card" });
});

test("the list is newest first, and filters by customer and status", async () => {
  const tenant = await moneyTenant(db);
  const first = (await store(tenant)).body;
  const expired = (await store(tenant, { customer_id: "cus_2" })).body;
  const removed = (await store(tenant)).body;
  await db.sql`update payment_methods set card_exp_year = 2020 where id = ${decodeId("paymentMethod", expired.id)}`;
  await remove(tenant, removed.id);
  const idsOf = async (query: object) => (await list(tenant, query)).map(({ id, status }) => [id, status]);
  const all = [
    [removed.id, "REMOVED"],
    [expired.id, "EXPIRED"],
    [first.id, "ACTIVE"],
  ];
  expect(await idsOf({})).toEqual(all);
  for (const row of all) expect(await idsOf({ status: row[1] })).toEqual([row]);
  expect(await idsOf({ customer_id: "cus_2" })).toEqual([all[1]]);
  expect(await idsOf({ starting_after: expired.id })).toEqual([all[2]]);
});

test("another merchant's payment method does not exist", async () => {
  const tenant = await moneyTenant(db);
  const stranger = await moneyTenant(db);
  const { id } = (await store(tenant)).body;
  await expect(getPaymentMethod(ctxOf(stranger), { id })).rejects.toMatchObject({ code: "resource_not_found" });
  await expect(removePaymentMethod(ctxOf(stranger), { id })).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await list(stranger)).toEqual([]);
  expect(await chargeable(tenant)).toBe(1);
});

test("a removed card is gone at the processor, and removing it again changes nothing", async () => {
  const tenant = await moneyTenant(db);
  const { id } = (await store(tenant)).body;
  const removed = await remove(tenant, id);
  expect(removed).toMatchObject({ id, status: "REMOVED" });
  expect(await remove(tenant, id)).toEqual(removed);
  expect(await getPaymentMethod(ctxOf(tenant), { id })).toEqual(removed);
  expect(await chargeable(tenant)).toBe(0);
  const events =
    await db.sql`select type, sequence from events where environment_id = ${tenant.environmentId} order by sequence`;
  expect([...events]).toEqual([
    { type: "payment_method.created", sequence: 1 },
    { type: "payment_method.removed", sequence: 2 },
  ]);
});

test("while the processor is unreachable, the card is removed here immediately, and there by the job", async () => {
  const tenant = await moneyTenant(db);
  const { id } = (await store(tenant)).body;
  const away = { removeCard: () => Promise.reject(new Error("the processor is away")) };
  expect(await remove(tenant, id, away)).toMatchObject({ status: "REMOVED" });
  expect(await chargeable(tenant)).toBe(1);
  const pending = async () => {
    const [row] = await db.sql`select removal_due_at > now() as later from payment_methods
      where environment_id = ${tenant.environmentId} and removal_due_at is not null`;
    return row ?? null;
  };
  const broken = contextOf(tenant, null, {}, away).service;
  await expect.poll(() => finishRemovals(broken).then(pending)).toEqual({ later: true });
  await db.sql`update payment_methods set removal_due_at = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
  await expect.poll(() => finishRemovals(tenant.service).then(pending)).toBeNull();
  expect(await chargeable(tenant)).toBe(0);
});

test("a removed card of a disconnected account is not tried again until the account is connected", async () => {
  const tenant = await moneyTenant(db);
  const { id } = (await store(tenant)).body;
  const connectionId = newId();
  await db.sql`update payment_methods set connection_id = ${connectionId} where environment_id = ${tenant.environmentId}`;
  expect(await remove(tenant, id)).toMatchObject({ status: "REMOVED" });
  const due = async () => {
    const [row] = await db.sql`select removal_due_at is not null as due, processor_token <> '' as stored
      from payment_methods where environment_id = ${tenant.environmentId}`;
    return row;
  };
  expect(await due()).toEqual({ due: false, stored: true });
  await resumeRemovals(db.within(tenant.environmentId).orm, tenant.environmentId, connectionId);
  expect(await due()).toEqual({ due: true, stored: true });
  await db.sql`update payment_methods set connection_id = null where environment_id = ${tenant.environmentId}`;
  await expect.poll(() => finishRemovals(tenant.service).then(due)).toEqual({ due: false, stored: false });
  expect(await chargeable(tenant)).toBe(0);
});

test("a connection's stored cards and the subscriptions they pay for are counted, no further than requested", async () => {
  const tenant = await moneyTenant(db);
  const connectionId = newId();
  const cards = [await store(tenant), await store(tenant), await store(tenant)];
  await remove(tenant, cards[2]?.body.id);
  await db.sql`update payment_methods set connection_id = ${connectionId} where environment_id = ${tenant.environmentId}`;
  const count = (cap: number) =>
    countKeptThere(db.within(tenant.environmentId).orm, tenant.environmentId, connectionId, cap);
  expect(await count(10)).toEqual({ cards: 2, subscriptions: 0 });
  expect(await count(1)).toEqual({ cards: 1, subscriptions: 0 });
});
