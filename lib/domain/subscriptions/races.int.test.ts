import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { latch } from "@/e2e/fixtures/latch";
import { holds, says } from "@/e2e/fixtures/scripted-processor";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { removePaymentMethod } from "@/lib/domain/payment-methods/payment-methods";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { runSubscriptions } from "./engine";

const { db } = await testDatabase({ max: 30 });

const RENEWAL = "2026-02-28T10:00:00.000Z";

/** The sandbox doesn't know of scripted declines. */
const NOT_HERE = new Set(["processor_knows_our_operations"]);

async function expectClean(): Promise<void> {
  const broken = (await verifyBooks(db)).checks.filter(({ check, count }) => count > 0 && !NOT_HERE.has(check));
  expect(broken.map(({ check, rows }) => [check, rows[0]])).toEqual([]);
}

/** A tenant with active subscriptions whose renewal is due. */
async function dueTenant(count: number, card: string = CARDS.good) {
  const tenant = await subscriptionTenant(db);
  const plan_id = await tenant.plan();
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const made = await tenant.create({ plan_id, payment_method_id: await tenant.card(card) });
    expect(made.status).toBe(201);
    ids.push(made.body.id);
  }
  await tenant.setClock(RENEWAL);
  return { tenant, ids };
}

const captured = async (tenant: SubscriptionTenant) =>
  (await tenant.payments()).filter(({ status }) => status === "CAPTURED").length;

test("several concurrent engines create one invoice and one charge per period", async () => {
  const { tenant, ids } = await dueTenant(8);
  const engine = () => runSubscriptions(tenant.service, undefined, tenant.environmentId);
  for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 5 }, engine));
  await tenant.run();
  for (const id of ids) expect((await tenant.invoices(id)).map(({ status }) => status)).toEqual(["PAID", "PAID"]);
  expect(await captured(tenant)).toBe(16);
  const numbers = (await Promise.all(ids.map((id) => tenant.invoices(id)))).flat().map(({ number }) => number);
  expect(new Set(numbers).size).toBe(16);
  await expectClean();
});

test("several concurrent engines charge a card that declines once, and plan one more attempt", async () => {
  const { tenant, ids } = await dueTenant(8);
  for (const id of ids) await tenant.update(id, { payment_method_id: await tenant.card(CARDS.alwaysPoor) });
  const engine = () => runSubscriptions(tenant.service, undefined, tenant.environmentId);
  for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 5 }, engine));
  for (const id of ids) expect((await tenant.invoices(id))[1]).toMatchObject({ status: "OPEN", attempts: 1 });
  await expectClean();
});

test("a card that is removed while subscriptions begin leaves none with a payment that was never made", async () => {
  const tenant = await subscriptionTenant(db);
  const plan_id = await tenant.plan();
  for (let round = 0; round < 12; round++) {
    const card = await tenant.card();
    const [made, removed] = await Promise.all([
      tenant.create({ plan_id, payment_method_id: card }),
      removePaymentMethod(tenant.context("removePaymentMethod"), { id: card }),
    ]);
    if (made.status === 201) expect(removed.status).toBe(409);
  }
  const lost = await db.sql`
    select id from invoices i where environment_id = ${tenant.environmentId} and open_payment_id is not null
      and not exists (select from payments p where p.environment_id = i.environment_id and p.id = i.open_payment_id)`;
  expect(lost).toEqual([]);
  await expectClean();
});

test.each(["cancel", "pause"] as const)(
  "a %s in the same second as an attempt wins, or lets the one that began end",
  async (how) => {
    const { tenant, ids } = await dueTenant(10);
    const engine = () => runSubscriptions(tenant.service, undefined, tenant.environmentId);
    const ended = ids.map((id) => tenant[how](id));
    await Promise.all([engine(), ...ended, engine(), engine()]);
    await tenant.run();
    for (const [i, id] of ids.entries()) {
      expect((await ended[i])?.status).toBe(200);
      const [, renewal] = await tenant.invoices(id);
      const subscription = await tenant.get(id);
      expect(subscription.status).toBe(how === "cancel" ? "CANCELLED" : "PAUSED");
      if (renewal && how === "cancel") expect(["PAID", "VOID"]).toContain(renewal.status);
      if (renewal) expect(renewal.next_attempt_at).toBeNull();
    }
    const before = await captured(tenant);
    await tenant.travel("2026-03-30T10:00:00.000Z");
    expect(await captured(tenant)).toBe(before);
    await expectClean();
  },
);

test("a void concurrent with an attempt wins, or is refused while the payment is in progress", async () => {
  const { tenant, ids } = await dueTenant(6, CARDS.poorLater);
  await tenant.run();
  await tenant.travel("2026-03-31T10:00:00.000Z");
  await tenant.setClock("2026-04-03T10:00:00.000Z");
  const open = (await Promise.all(ids.map((id) => tenant.invoices(id)))).flatMap((all) =>
    all.filter(({ status }) => status === "OPEN"),
  );
  const voided = open.map(({ id }) => tenant.void(id));
  await Promise.all([runSubscriptions(tenant.service, undefined, tenant.environmentId), ...voided]);
  await tenant.run();
  for (const [i, { id, attempts }] of open.entries()) {
    const invoice = await tenant.invoice(id);
    if ((await voided[i])?.status === 200) expect(invoice).toMatchObject({ status: "VOID", next_attempt_at: null });
    else expect(invoice).toMatchObject({ status: "OPEN", attempts: attempts + 1 });
  }
  await expectClean();
});

test("a cancel during a payment ends the subscription, and a payment that succeeds still pays its invoice", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  const { step, reached, release } = holds();
  tenant.script.next(step);
  const running = tenant.run();
  await reached;
  expect(await tenant.cancel(id)).toMatchObject({ status: 200, body: { status: "CANCELLED" } });
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "OPEN", next_attempt_at: null });
  release();
  await running;
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "PAID" });
  expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
  await expectClean();
});

test("a cancel during a payment voids the invoice if the payment is declined", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  const { step, reached, release } = holds();
  tenant.script.next(async () => {
    await step(async () => ({ kind: "not_found" }));
    return { kind: "declined", decline_code: "insufficient_funds" };
  });
  const running = tenant.run();
  await reached;
  await tenant.cancel(id);
  release();
  await running;
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "VOID" });
  expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
  await expectClean();
});

test("an engine that dies during the processor call leaves one charge, and the invoice is paid", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  tenant.script.next(async (real) => {
    await real();
    throw new Error("the process is gone");
  });
  await tenant.run();
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "OPEN", attempts: 1 });
  await db.sql`update operations set next_attempt_at = now() - interval '1 ms', lease_until = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
  await tenant.complete();
  await tenant.run();
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "PAID", attempts: 1 });
  expect(await captured(tenant)).toBe(2);
  await expectClean();
});

test("an outcome that another process has written in the meantime is discarded", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  const { hold, reached, release } = latch();
  tenant.script.next(async (real) => {
    const outcome = await real();
    await hold();
    return outcome;
  });
  const running = tenant.run();
  await reached;
  const paidByAnother = async () => {
    await db.sql`update operations set next_attempt_at = now() - interval '1 ms', lease_until = now() - interval '1 ms'
      where environment_id = ${tenant.environmentId} and state = 'open'`;
    await tenant.complete();
    return (await tenant.invoices(id)).at(-1)?.status;
  };
  try {
    // The recovery of another test's process may hold the operation for a moment.
    await expect.poll(paidByAnother).toBe("PAID");
  } finally {
    release();
    await running;
  }
  expect(await captured(tenant)).toBe(2);
  await expectClean();
});

test("of many concurrent retries and manual payments, one charges", async () => {
  const { tenant, ids } = await dueTenant(1, CARDS.poorLater);
  const [id = ""] = ids;
  await tenant.run();
  await tenant.travel("2026-03-31T10:00:00.000Z");
  const invoice = (await tenant.invoices(id)).at(-1)?.id ?? "";
  const card = await tenant.card();
  const attempts = await Promise.all([
    ...Array.from({ length: 4 }, () => tenant.pay(invoice, { payment_method_id: card })),
    ...Array.from({ length: 4 }, () => tenant.retry(id)),
  ]);
  const paid = attempts.filter(({ status }) => status === 200);
  expect(paid.length).toBeLessThanOrEqual(1);
  await tenant.pay(invoice, { payment_method_id: card });
  expect(await tenant.invoice(invoice)).toMatchObject({ status: "PAID" });
  expect(await captured(tenant)).toBe(3);
  await expectClean();
});

test("a card that pays an invoice while it is put on the subscription causes no deadlock", async () => {
  const { tenant, ids } = await dueTenant(6, CARDS.poorLater);
  await tenant.run();
  await tenant.travel("2026-03-31T10:00:00.000Z");
  const results = await Promise.all(
    ids.map(async (id) => {
      const invoice = (await tenant.invoices(id)).at(-1)?.id ?? "";
      const payment_method_id = await tenant.card();
      return Promise.all([
        ...Array.from({ length: 4 }, () => tenant.pay(invoice, { payment_method_id })),
        ...Array.from({ length: 4 }, () => tenant.update(id, { payment_method_id })),
      ]);
    }),
  );
  for (const { status, code } of results.flat()) {
    if (status !== 200) expect([status, code]).toEqual([409, code === "invalid_state" ? code : "outcome_pending"]);
  }
  await expectClean();
});

test("of two concurrent changes, one is charged, and the other starts over or is refused for now", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  await tenant.run();
  const plan_id = await tenant.plan({ full_price: 5_000 });
  const changes = await Promise.all([2, 3, 4].map((quantity) => tenant.change(id, { plan_id, quantity, when: "now" })));
  expect(changes.some(({ status }) => status === 200)).toBe(true);
  for (const { status, code } of changes) if (status !== 200) expect([status, code]).toEqual([409, "outcome_pending"]);
  await expectClean();
});

test("of a customer's two concurrent first subscriptions, one gets the trial", async () => {
  const tenant = await subscriptionTenant(db);
  const trial = {
    type: "SUBSCRIPTION_PAID_TRIAL",
    trial_period_value: 7,
    trial_period_unit: "DAYS",
    trial_price: 100,
  } as const;
  const body = { plan_id: await tenant.plan(trial), payment_method_id: await tenant.card() };
  const made = await Promise.all(Array.from({ length: 4 }, () => tenant.create(body)));
  const trials = made.filter(({ body: one }) => one.status === "TRIALING");
  expect(trials).toHaveLength(1);
  for (const { status, code } of made) if (status !== 201) expect([status, code]).toEqual([409, "outcome_pending"]);
  await expectClean();
});

test("concurrent copies of a request create one subscription", async () => {
  const tenant = await subscriptionTenant(db);
  const body = { plan_id: await tenant.plan(), payment_method_id: await tenant.card() };
  const made = await Promise.all(Array.from({ length: 6 }, () => tenant.create(body, { key: "same" })));
  expect(new Set(made.map(({ body: one }) => one.id)).size).toBe(1);
  expect(await tenant.payments()).toHaveLength(1);
  await expectClean();
});

test("a removed card is not charged, and the invoice waits for another card", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  await db.sql`update payment_methods set removed_at = now(), processor_token = '' where environment_id = ${tenant.environmentId}`;
  await tenant.run();
  expect(await tenant.get(id)).toMatchObject({ status: "PAST_DUE" });
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "OPEN", attempts: 0, next_attempt_at: null });
  await tenant.update(id, { payment_method_id: await tenant.card("5555555555554444") });
  await tenant.run();
  expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
  await expectClean();
});

test("a change with an unknown outcome blocks others, and takes effect or is dropped once it is known", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  await tenant.run();
  const plan_id = await tenant.plan({ full_price: 5_000 });
  tenant.script.next(says({ kind: "unknown", reason: "lost" }));
  expect(await tenant.change(id, { plan_id, when: "now" }, { key: "c" })).toMatchObject({ status: 202 });
  expect(await tenant.cancel(id)).toMatchObject({ status: 409, code: "outcome_pending" });
  expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({ status: 409, code: "outcome_pending" });
  tenant.script.next(says({ kind: "declined", decline_code: "generic_decline" }));
  await db.sql`update operations set next_attempt_at = now() - interval '1 ms', lease_until = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
  await tenant.complete();
  expect((await tenant.get(id)).plan.amount).toBe(1_999);
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ kind: "CHANGE", status: "VOID" });
  expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({ status: 200 });
  await expectClean();
});

test("the last attempt on one invoice prevents an attempt on another that is due at the same instant", async () => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  await tenant.update(id, { payment_method_id: await tenant.card(CARDS.alwaysPoor) });
  await tenant.run();
  await tenant.travel("2026-03-31T10:00:00.000Z");
  await db.sql`update invoices set next_attempt_at = '2026-04-02T10:00:00Z', dunning_step = 3
    where environment_id = ${tenant.environmentId} and status = 'OPEN'`;
  await tenant.travel("2026-04-02T10:00:00.000Z");
  const [, first, second] = await tenant.invoices(id);
  expect(first).toMatchObject({ status: "UNCOLLECTIBLE" });
  expect(second).toMatchObject({ status: "VOID", attempts: 1 });
  await expectClean();
});

test.each(["cancel", "pause", "void"] as const)("a %s wins against an attempt that is about to begin", async (how) => {
  const { tenant, ids } = await dueTenant(1);
  const [id = ""] = ids;
  const { processors } = tenant.service;
  // The engine looks up the card's connection right before it claims the invoice.
  const find: typeof processors.find = async (...card) => {
    const invoice = (await tenant.invoices(id)).at(-1)?.id ?? "";
    expect(await tenant[how](how === "void" ? invoice : id)).toMatchObject({ status: 200 });
    return processors.find(...card);
  };
  const engine = { ...tenant.service, processors: { ...processors, find } };
  await runSubscriptions(engine, undefined, tenant.environmentId);
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ attempts: 0, next_attempt_at: null });
  expect(await tenant.payments()).toHaveLength(1);
  await expectClean();
});

test("the database refuses a second invoice for a period", async () => {
  const { tenant } = await dueTenant(1);
  const copy = db.sql`
    insert into invoices select copy.* from invoices i,
      jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'number', 2)) copy
    where i.environment_id = ${tenant.environmentId}`;
  await expect(copy).rejects.toThrow("invoices_period");
});
