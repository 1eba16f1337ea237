import { randomUUID } from "node:crypto";
import { afterAll, expect, inject, test } from "vitest";
import { connect as connectDatabase, type Database } from "@/db/client";
import { plans } from "@/db/schema/plans";
import { TEST_WEBHOOK_SECRET } from "@/e2e/doubles/stripe/deliveries";
import { startDouble } from "@/e2e/doubles/stripe/double";
import { createDatabase, dropDatabase } from "@/e2e/fixtures/cluster";
import { connectingService, connectingTenant } from "@/e2e/fixtures/connections";
import { openTestDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createSubscriptionBody } from "@/lib/contract/subscriptions/subscription";
import type { Service } from "@/lib/domain/context";
import { idTime, newId } from "@/lib/ids";
import type { Connector } from "@/lib/processor/connector";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { sha256 } from "@/lib/secret";
import { verifyBooks } from "../reconciliation/verify-books";
import { createSubscription } from "../subscriptions/create";
import { runSubscriptions } from "../subscriptions/engine";
import { connectProcessor } from "./connections";
import { adoptMissing } from "./restore";

/** Shorter than an authorization lasts. */
const DAY_MS = 26 * 3_600_000;
const names: string[] = [];
const open: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
  for (const name of names) await dropDatabase(inject("adminUrl"), name);
});

async function create(template: string): Promise<{ name: string; url: string }> {
  const name = `${inject("template")}_${randomUUID().slice(0, 8)}`;
  names.push(name);
  return { name, url: await createDatabase(inject("adminUrl"), name, template) };
}

function connect(url: string): { db: Database; close(): Promise<unknown> } {
  const opened = openTestDatabase(url);
  open.push(opened);
  return opened;
}

/** A merchant with Stripe's double, on a database of its own that can be copied. */
async function shopWithStripe() {
  const double = await startDouble();
  open.push({ close: () => double.stop() });
  const stripe: Connector = {
    ...STRIPE,
    create: (options) => STRIPE.create({ ...options, endpoint: double.endpoint }),
  };
  const connectors = [stripe];
  const { name, url } = await create(inject("template"));
  const first = connect(url);
  const tenant = await connectingTenant(first.db, { connectors });
  await connectProcessor(tenant.owner(), {
    processor: "stripe",
    label: "Shop",
    credentials: { secret_key: double.secretKey, webhook_secret: TEST_WEBHOOK_SECRET },
  });
  const on = (db: Database) => {
    const service = connectingService(db, { connectors });
    return {
      db,
      service,
      pay: (key: string, body: object = {}) =>
        tenant.create({ payment_token: "pm_card_visa", ...body }, { service, key }),
      act: (kind: "capture" | "void" | "refund", id: string, key: string, body: object = {}) =>
        tenant.act(kind, id, body, { service, key }),
      subscribe: (key: string, body: object) => subscribe(service, key, body),
      /** A day passes in the environment, and the engine charges what is due. */
      async renew() {
        await letADayPass(db, tenant.environmentId);
        while ((await runSubscriptions(service, undefined, tenant.environmentId)) > 0);
      },
    };
  };
  async function subscribe(service: Service, key: string, body: object) {
    const ctx = testContext(service, tenant.merchant.test, {
      request: { id: newId(), endpoint: "createSubscription", path: "/v1/subscriptions" },
      idempotency: testIdempotency(key, sha256(JSON.stringify(body)), null),
    });
    const { status, body: text } = await createSubscription(ctx, createSubscriptionBody.parse(body));
    return { status, body: JSON.parse(text) };
  }
  const { intents, refunds } = double.books;
  /** Number of objects at the processor so far. */
  const moved = () => ({ intents: intents.size, refunds: refunds.size });
  return { tenant, name, url, first, on, moved, double };
}

const letADayPass = (db: Database, environmentId: string) => db.sql`
  update environments set clock_offset_ms = ${DAY_MS} where id = ${environmentId}`;

async function insertPlan(db: Database, environmentId: string): Promise<string> {
  const id = newId();
  await db.orm.insert(plans).values({
    environment_id: environmentId,
    id,
    type: "SUBSCRIPTION_NO_TRIAL",
    name: "Daily",
    currency: "USD",
    full_price: 1_999,
    status: "ACTIVE",
    billing_frequency_value: 1,
    billing_frequency_unit: "DAYS",
    created_at: idTime(id),
    updated_at: idTime(id),
  });
  return encodeId("plan", id);
}

const expectClean = async (db: Database) =>
  expect((await verifyBooks(db)).checks.filter(({ count }) => count > 0)).toEqual([]);

test("after a restore, what the processor did since is booked again, and retries and renewals charge nothing twice", async () => {
  const { tenant, name, url, first, on, moved } = await shopWithStripe();
  const before = on(first.db);
  const paid = await before.pay("paid");
  const held = await before.pay("held", { capture_method: "manual" });
  const stored = await before.pay("stored", {
    payment_token: "pm_card_mastercard",
    customer_id: "cus 1",
    save_payment_method: true,
  });
  const plan_id = await insertPlan(first.db, tenant.environmentId);
  const bought = await before.subscribe("bought", {
    plan_id,
    customer_id: "cus 1",
    payment_method_id: stored.body.payment_method_id,
  });
  expect([paid.status, held.status, stored.status, bought.status]).toEqual([201, 201, 201, 201]);
  await first.close();

  const copy = await create(name);
  const restoredTo = new Date();
  const lost = on(connect(url).db);
  const gap = {
    sale: await lost.pay("sale", { customer_id: " a customer: 1 ", description: "Order 7" }),
    declined: await lost.pay("declined", { payment_token: "pm_card_chargeDeclined" }),
    refund: await lost.act("refund", paid.body.id, "refund", { amount: 2_500, reason: "DUPLICATE" }),
    capture: await lost.act("capture", held.body.id, "capture", { amount: 7_000 }),
  };
  const manual = await lost.pay("manual", { capture_method: "manual" });
  const other = await lost.pay("other", { capture_method: "manual" });
  expect([gap.sale, gap.declined, gap.refund, gap.capture, manual, other].map(({ status }) => status)).toEqual([
    201, 402, 201, 200, 201, 201,
  ]);
  const later = {
    void: await lost.act("void", manual.body.id, "void", { reason: "changed their mind" }),
    captured: await lost.act("capture", other.body.id, "captured"),
  };
  const returned = await lost.act("refund", other.body.id, "returned");
  await lost.renew();
  const renewals = await lost.db.sql`select id, status, payment_ids from invoices order by id`;
  expect(renewals.map(({ status }) => status)).toEqual(["PAID", "PAID"]);
  const executed = moved();

  const restored = on(connect(copy.url).db);
  await letADayPass(restored.db, tenant.environmentId);
  // The hold was captured in time, and ended before the restore.
  const heldId = decodeId("payment", held.body.id);
  await restored.db.sql`update payments set capture_before = now() - interval '1 minute' where id = ${heldId}`;
  const [result] = await adoptMissing(restored.service, { restoredTo });
  expect(result).toMatchObject({
    adopted: { payments: 5, captures: 2, voids: 1, refunds: 2 },
    open: 0,
    changed: [],
    left: [],
    skipped: null,
  });
  await expectClean(restored.db);
  expect(await restored.db.sql`select id, status, payment_ids from invoices order by id`).toEqual(renewals);

  const repeated = {
    sale: await restored.pay("sale", { customer_id: " a customer: 1 ", description: "Order 7" }),
    declined: await restored.pay("declined", { payment_token: "pm_card_chargeDeclined" }),
    refund: await restored.act("refund", paid.body.id, "refund", { amount: 2_500, reason: "DUPLICATE" }),
    capture: await restored.act("capture", held.body.id, "capture", { amount: 7_000 }),
  };
  for (const kind of ["sale", "declined", "refund", "capture"] as const) {
    const [was, now] = [gap[kind], repeated[kind]];
    expect(now, kind).toMatchObject({ status: was.status, code: was.code, replayed: true });
    if (was.status < 300)
      expect(now.body, kind).toMatchObject({ id: was.body.id, status: was.body.status, amount: was.body.amount });
  }
  expect(repeated.sale.body).toMatchObject({ customer_id: " a customer: 1 ", description: "Order 7" });
  const again = [
    await restored.act("void", manual.body.id, "void", { reason: "changed their mind" }),
    await restored.act("capture", other.body.id, "captured"),
    await restored.act("refund", other.body.id, "returned"),
  ];
  expect(again.map(({ status, replayed }) => [status, replayed])).toEqual(
    [later.void, later.captured, returned].map(({ status }) => [status, true]),
  );
  const reused = await restored.pay("sale", { amount: 1 });
  expect([reused.status, reused.code]).toEqual([409, "idempotency_key_reused"]);
  await restored.renew();
  expect(moved()).toEqual(executed);
  await expectClean(restored.db);

  const [twice] = await adoptMissing(restored.service, { restoredTo });
  expect(twice?.adopted).toEqual({ payments: 0, captures: 0, voids: 0, refunds: 0 });

  const serving = connectDatabase(copy.url, { max: 1, applicationName: "cardlane" });
  open.push(serving);
  await serving.sql`select 1`;
  await expect(adoptMissing(restored.service, { restoredTo })).rejects.toThrow(/^A service is running/);
});
