import { expect, test } from "vitest";
import { holdToResend, takeOperation } from "@/db/queries/payments/operations";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { type MoneyAnswer, type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createPaymentMethodBody, type PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import { newId } from "@/lib/ids";
import { listPaymentMethods, removePaymentMethod } from "../payment-methods/payment-methods";
import { createPaymentMethod } from "../payment-methods/store-card";
import { verifyBooks } from "../reconciliation/verify-books";
import { continuePayment } from "./follow-up";

const { db } = await testDatabase({ max: 40 });

const cardOf = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
const ctxOf = ({ service, merchant }: MoneyTenant) => testContext(service, merchant.test);

async function store(tenant: MoneyTenant, number = "4242424242424242"): Promise<PaymentMethod> {
  const body = createPaymentMethodBody.parse({ customer_id: "cus_1", ...cardOf(number) });
  return JSON.parse((await createPaymentMethod(ctxOf(tenant), body)).body);
}

/** Charges a stored card. */
const charge = (tenant: MoneyTenant, id: string, body: object = {}, key?: string): Promise<MoneyAnswer> =>
  tenant.create({ card: undefined, payment_method_id: id, ...body }, key === undefined ? {} : { key });

const methods = async (tenant: MoneyTenant) => (await listPaymentMethods(ctxOf(tenant), {})).data;
const expectClean = async () => {
  const { checks } = await verifyBooks(db);
  expect(checks.filter(({ count, check }) => count > 0 && check !== "processor_knows_our_operations")).toEqual([]);
};

test("a stored card is charged like any other, for its customer, with the merchant as default initiator", async () => {
  const tenant = await moneyTenant(db);
  const { id, card } = await store(tenant);
  const made = await charge(tenant, id, { capture_method: "manual", metadata: { order: "7" } });
  expect(made).toMatchObject({
    status: 201,
    body: {
      status: "AUTHORIZED",
      payment_method_id: id,
      initiator: "merchant",
      customer_id: "cus_1",
      card,
      metadata: { order: "7" },
      transactions: [{ customer_id: "cus_1", cvv_result: "P" }],
    },
  });
  expect(await tenant.get(made.body.id)).toEqual(made.body);
  expect(await tenant.act("capture", made.body.id)).toMatchObject({
    body: { status: "CAPTURED", initiator: "merchant" },
  });
  expect(await charge(tenant, id, { customer_id: "cus_1", initiator: "customer" })).toMatchObject({
    body: { status: "CAPTURED", initiator: "customer" },
  });
  expect((await tenant.create()).body).toMatchObject({ payment_method_id: null, initiator: null });
  await expectClean();
});

test("the same key charges a stored card once, even if only one request spells out the default", async () => {
  const tenant = await moneyTenant(db);
  const { id } = await store(tenant);
  const answers = await Promise.all(Array.from({ length: 10 }, () => charge(tenant, id, {}, "k")));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(tenant.script.count("authorize")).toBe(1);
});

test("another customer's or merchant's payment method does not exist", async () => {
  const tenant = await moneyTenant(db);
  const stranger = await moneyTenant(db);
  const { id } = await store(tenant);
  const missing = { status: 404, code: "resource_not_found", body: { param: "payment_method_id" } };
  expect(await charge(tenant, id, { customer_id: "cus_2" })).toMatchObject(missing);
  expect(await charge(stranger, id)).toMatchObject(missing);
  expect(await charge(tenant, encodeId("paymentMethod", newId()))).toMatchObject(missing);
  expect(tenant.script.count("authorize")).toBe(0);
});

test.each([
  ["4000000000007106", "insufficient_funds"],
  ["4000000000007304", "stolen_card"],
  ["4000000000007403", "authentication_failed"],
])("%s stored: the merchant's charges are declined, the customer's approved", async (number, decline_code) => {
  const tenant = await moneyTenant(db);
  const { id } = await store(tenant, number);
  const declined = await charge(tenant, id);
  expect(declined).toMatchObject({ status: 402, body: { code: "card_declined", decline_code } });
  // Nothing can continue the declined payment.
  expect(declined.body.next_action).toBe(decline_code === "authentication_failed" ? null : undefined);
  expect(await charge(tenant, id, { initiator: "customer" })).toMatchObject({ status: 201 });
});

test("an expired card is sent, and the issuer decides", async () => {
  const tenant = await moneyTenant(db);
  const { id } = await store(tenant);
  await db.sql`update payment_methods set card_exp_year = 2020 where id = ${decodeId("paymentMethod", id)}`;
  await db.sql`update sandbox_processor.stored_cards set exp_year = 2020 where account = ${tenant.environmentId}`;
  expect(await charge(tenant, id)).toMatchObject({ status: 402, body: { decline_code: "expired_card" } });
});

test("a removed card is refused for good, and its earlier payments are replayed", async () => {
  const tenant = await moneyTenant(db);
  const { id } = await store(tenant);
  const first = await charge(tenant, id, {}, "k");
  await removePaymentMethod(ctxOf(tenant), { id });
  const refused = { status: 409, code: "invalid_state", body: { current_status: "REMOVED" } };
  expect(await charge(tenant, id, {}, "later")).toMatchObject(refused);
  expect(await charge(tenant, id, {}, "later")).toMatchObject({ ...refused, replayed: true });
  expect(await charge(tenant, id, {}, "k")).toMatchObject({ text: first.text, replayed: true });
  expect(tenant.script.count("authorize")).toBe(1);
});

test("a removal among 20 payments: each began before it and is finished, or is refused and never sent", async () => {
  for (let round = 0; round < 5; round++) {
    const tenant = await moneyTenant(db);
    const { id } = await store(tenant);
    const payments = Array.from({ length: 20 }, () => charge(tenant, id));
    const [removed, answers] = await Promise.all([removePaymentMethod(ctxOf(tenant), { id }), Promise.all(payments)]);
    expect(JSON.parse(removed.body)).toMatchObject({ status: "REMOVED" });
    const refused = answers.filter(({ code }) => code === "invalid_state");
    // Some of those that were sent found the card deleted at the processor.
    expect(tenant.script.count("authorize")).toBe(20 - refused.length);
    const [row] = await db.sql`
      select count(*)::int as late from operations o
      join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
      join payment_methods m on m.environment_id = p.environment_id and m.id = p.payment_method_id
      where o.environment_id = ${tenant.environmentId} and o.created_at > m.removed_at`;
    expect(row).toEqual({ late: 0 });
    expect(await charge(tenant, id)).toMatchObject({ code: "invalid_state" });
  }
  await expectClean();
});

test("a removal waits for a payment that begins", async () => {
  const tenant = await moneyTenant(db);
  const { id } = await store(tenant);
  // Holds T1 after it has read the card, and before it is committed.
  const lock = Number.parseInt(tenant.environmentId.slice(-7), 16);
  await db.sql.unsafe(`
    create or replace function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${lock}); return new; end $$;
    create trigger wait_for_test before insert on operations for each row
      when (new.environment_id = '${tenant.environmentId}') execute function wait_for_test()`);
  try {
    const { hold, reached, release } = latch();
    const holder = db.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${lock})`;
      await hold();
    });
    await reached;
    const payment = charge(tenant, id);
    const waits = async (kinds: string[]) => {
      // The server has the databases of other test files, too, whose waits pg_locks also lists.
      const rows = await db.sql`
        select from pg_locks join pg_stat_activity using (pid)
        where datname = current_database() and locktype = any(${kinds}) and not granted`;
      return rows.length > 0;
    };
    await expect.poll(() => waits(["advisory"])).toBe(true);
    let isRemoved = false;
    const removal = removePaymentMethod(ctxOf(tenant), { id }).then(() => {
      isRemoved = true;
    });
    await expect.poll(async () => isRemoved || (await waits(["transactionid", "tuple"]))).toBe(true);
    expect(isRemoved).toBe(false);
    release();
    await Promise.all([holder, payment, removal]);
  } finally {
    await db.sql.unsafe("drop trigger wait_for_test on operations; drop function wait_for_test()");
  }
});

test("a removal waits for no processor: a payment in flight is finished, and the next is refused", async () => {
  const tenant = await moneyTenant(db);
  const { id } = await store(tenant);
  const call = holds();
  tenant.script.next(call.step);
  const inFlight = charge(tenant, id);
  await call.reached;
  expect(JSON.parse((await removePaymentMethod(ctxOf(tenant), { id })).body)).toMatchObject({ status: "REMOVED" });
  expect(await charge(tenant, id)).toMatchObject({ code: "invalid_state" });
  call.release();
  // The sandbox deleted the card before this call.
  expect(await inFlight).toMatchObject({ status: 422, code: "processor_refused" });
});

test.each([true, false])(
  "a dead request's payment is sent for it unless its card was removed (%s)",
  async (isRemoved) => {
    const tenant = await moneyTenant(db);
    const { id } = await store(tenant);
    const call = holds();
    tenant.script.next(call.step);
    const dead = charge(tenant, id, {}, "k");
    await call.reached;
    if (isRemoved) await removePaymentMethod(ctxOf(tenant), { id });
    await tenant.endLeases();
    const [row] = await db.sql<
      { id: string }[]
    >`select id from operations where environment_id = ${tenant.environmentId}`;
    const { sql } = db.within(tenant.environmentId);
    const lease = { sendWithinMs: 1_000, heldForMs: 2_000 };
    const taken = await takeOperation(sql, tenant.environmentId, row?.id ?? "", lease);
    if (!taken) throw new Error("its lease has run out");
    const held = { environmentId: tenant.environmentId, id: taken.id, epoch: taken.epoch };
    expect((await holdToResend(sql, held, lease)) === null).toBe(isRemoved);
    call.release();
    await dead;
  },
);

test("an approved payment stores its card, and one that is declined doesn't", async () => {
  const tenant = await moneyTenant(db);
  const saving = { customer_id: "cus_1", save_payment_method: true };
  const made = (await tenant.create({ ...saving })).body;
  const [method, ...others] = await methods(tenant);
  expect(others).toEqual([]);
  expect(method).toMatchObject({ customer_id: "cus_1", status: "ACTIVE", card: made.card, consent: null });
  expect(made).toMatchObject({ status: "CAPTURED", payment_method_id: method?.id, initiator: null });
  expect(await tenant.get(made.id)).toEqual(made);
  const events = await db.sql`select type, sequence, data -> 'object' as object from events
    where environment_id = ${tenant.environmentId} and type like 'payment_method.%'`;
  expect([...events]).toEqual([{ type: "payment_method.created", sequence: 1, object: method }]);
  expect(await charge(tenant, method?.id ?? "")).toMatchObject({ status: 201 });
  expect(await tenant.create({ ...saving, ...cardOf("4000000000000002") })).toMatchObject({ status: 402 });
  expect(await methods(tenant)).toHaveLength(1);
  await expectClean();
});

test("after a lost response, the card is stored once the outcome is known", async () => {
  const tenant = await moneyTenant(db);
  const body = { customer_id: "cus_1", save_payment_method: true };
  tenant.script.next(losesAnswer);
  expect(await tenant.create(body, { key: "k" })).toMatchObject({ status: 202, body: { payment_method_id: null } });
  expect(await methods(tenant)).toEqual([]);
  await tenant.endLeases();
  await Promise.all([tenant.complete(), tenant.complete(), tenant.create(body, { key: "k" })]);
  await tenant.complete();
  const [method, ...others] = await methods(tenant);
  expect(others).toEqual([]);
  expect(await tenant.create(body, { key: "k" })).toMatchObject({
    status: 201,
    body: { payment_method_id: method?.id },
  });
  expect(await charge(tenant, method?.id ?? "")).toMatchObject({ status: 201 });
  await expectClean();
});

test("3-D Secure: the card is stored if the challenge is passed, and not if it fails", async () => {
  const tenant = await moneyTenant(db);
  const saving = { customer_id: "cus_1", save_payment_method: true, ...cardOf("4000000000003220") };
  const { service, merchant } = tenant;
  for (const [challenge, count] of [
    ["failed", 0],
    ["passed", 1],
  ] as const) {
    const made = (await tenant.create(saving)).body;
    expect(made).toMatchObject({ status: "REQUIRES_ACTION", payment_method_id: null });
    await continuePayment(service, merchant.test, decodeId("payment", made.id) as string, challenge);
    const stored = await methods(tenant);
    expect(stored).toHaveLength(count);
    expect((await tenant.get(made.id)).payment_method_id).toBe(stored[0]?.id ?? null);
  }
  await expectClean();
});

test("a processor that cannot store cards is refused before anything is charged", async () => {
  const tenant = await moneyTenant(db);
  Object.assign(tenant.script.processor, {
    capabilities: { ...tenant.script.processor.capabilities, storedCards: false },
  });
  const processors = { ...tenant.service.processors };
  const at = await processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
  if (!at) throw new Error("tests always have the sandbox");
  const unable = { ...at.processor, capabilities: { ...at.processor.capabilities, storedCards: false } };
  const service = {
    ...tenant.service,
    processors: { ...processors, choose: async () => ({ ...at, processor: unable }) },
  };
  const body = { customer_id: "cus_1", save_payment_method: true };
  expect(await tenant.create(body, { service })).toMatchObject({ status: 422, code: "processor_refused" });
  expect(tenant.script.count("authorize")).toBe(0);
});
