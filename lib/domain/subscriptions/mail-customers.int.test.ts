import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { queueMail } from "@/db/queries/subscriptions/mails";
import { testDatabase } from "@/e2e/fixtures/database";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { createTestUser, mailsTo } from "@/e2e/fixtures/users";
import { decodeId } from "@/lib/contract/ids";
import type { SubscriptionSettings } from "@/lib/contract/subscriptions/settings";
import { newId } from "@/lib/ids";
import { announceExpiring, announceExpiringIn, nextAnnouncement } from "../payment-methods/expiring-cards";
import { mailReceipts, updateReceipts } from "../receipts/mail-receipts";
import { mailCustomers } from "./mail-customers";
import { updateSubscriptionSettings } from "./settings";

const { db } = await testDatabase({ max: 20 });
const HERE = { leaves: false };
const TRIAL = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 14, trial_period_unit: "DAYS" } as const;

/** A subscriber with an address of its own, in Berlin. `mails`: what it was sent so far, oldest first. */
async function subscriber({
  number = CARDS.good as string,
  plan = {},
  body = {},
  settings = {} as Partial<SubscriptionSettings>,
  start = "2026-01-31T10:00:00.000Z",
} = {}) {
  const tenant = await subscriptionTenant(db, { start });
  const user = await createTestUser(db, { merchantId: tenant.merchant.id, role: "owner" });
  const ctx = () => ({ ...tenant.context(), actor: { type: "user", id: user.id } as const });
  if (Object.keys(settings).length > 0) await updateSubscriptionSettings(ctx(), settings);
  const email = `${randomUUID()}@customers.example`;
  const payment_method_id = await tenant.card(number);
  const plan_id = await tenant.plan(plan);
  const made = await tenant.create({
    plan_id,
    payment_method_id,
    customer_email: email,
    time_zone: "Europe/Berlin",
    ...body,
  });
  expect(made.status).toBe(201);
  const mails = async () => {
    await Promise.all([mailCustomers(tenant.service, HERE), mailCustomers(tenant.service, HERE)]);
    return (await mailsTo(db, email)).toReversed();
  };
  return { tenant, email, ctx, mails, subscription: made.body, payment_method_id };
}

const subjects = (mails: { subject: string }[]) => mails.map(({ subject }) => subject);

/** Mails the receipts of captures and refunds, until every event was read. */
async function readAll({ service, environmentId }: SubscriptionTenant): Promise<void> {
  const left = async () => {
    await mailReceipts(service, HERE);
    const [row] = await db.sql`select count(*)::int as left from events e join receipt_settings s using (environment_id)
      where environment_id = ${environmentId} and (e.xid, e.id) > (s.read_xid, s.read_id)`;
    return row?.left;
  };
  await expect.poll(left, { timeout: 60_000 }).toBe(0);
}

describe("customers are mailed in the merchant's name", () => {
  test("three days before a trial ends, with what is charged then, in the subscription's time zone", async () => {
    const { tenant, mails } = await subscriber({ plan: TRIAL });
    expect(await mails()).toEqual([]);
    await tenant.travel("2026-02-11T09:59:59.999Z");
    expect(await mails()).toEqual([]);
    await tenant.travel("2026-02-11T10:00:00.000Z");
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("[Test] Your trial with Test merchant ends on Feb 14, 2026");
    expect(mail?.body).toContain(
      "Your trial with Test merchant ends on Feb 14, 2026. Your subscription then begins, and Test merchant charges $19.99 USD to your Visa •••• 4242.",
    );
    await tenant.travel("2026-02-13T10:00:00.000Z");
    expect(await mails()).toHaveLength(1);
  });

  test("when a shorter trial begins, and not again before it ends", async () => {
    const { tenant, mails } = await subscriber({ plan: { ...TRIAL, trial_period_value: 1 } });
    await tenant.run();
    expect(subjects(await mails())).toEqual(["[Test] Your trial with Test merchant ends on Feb 1, 2026"]);
    await tenant.travel("2026-02-01T09:59:59.000Z");
    expect(await mails()).toHaveLength(1);
  });

  test("not about a trial after which nothing is charged", async () => {
    const { tenant, mails, subscription } = await subscriber({ plan: TRIAL });
    await tenant.update(subscription.id, { cancel_at_period_end: true });
    await tenant.travel("2026-02-11T10:00:00.000Z");
    expect(await mails()).toEqual([]);
    await tenant.travel("2026-02-14T10:00:00.000Z");
    const [mail] = await mails();
    expect(mail?.subject).toBe("[Test] Your subscription with Test merchant has ended");
    expect(mail?.body).toContain("was cancelled and ended on Feb 14, 2026. You won’t be charged for it again.");
  });

  test("of each renewal once, with its receipt, even if captures have receipts as well", async () => {
    const { tenant, mails, ctx, email } = await subscriber();
    await updateReceipts(ctx(), { on_capture: true });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await mails();
    await mailReceipts(tenant.service, HERE);
    const sent = await mails();
    expect(subjects(sent)).toEqual(Array.from({ length: 2 }, () => "[Test] Receipt from Test merchant: $19.99 USD"));
    expect(sent[1]?.body).toContain(
      "Test merchant charged $19.99 USD to your Visa •••• 4242 on Feb 28, 2026.\n\nIt pays for your subscription from Feb 28, 2026 to Mar 31, 2026.",
    );
    expect(sent[1]?.body).toMatch(/View and print your receipt [0-9A-Z]{4}-[0-9A-Z]{4}:\n\nhttp\S+\/receipt\/rcp_/);
    await readAll(tenant);
    expect(await mailsTo(db, email)).toHaveLength(2);
  });

  test("of no renewal if its receipts are off and those of captures on, but of its refund", async () => {
    // Receipts of captures long ago are not mailed.
    const start = new Date().toISOString();
    const { tenant, ctx, email, mails } = await subscriber({ settings: { mail_receipt: false }, start });
    await updateReceipts(ctx(), { on_capture: true, on_refund: true });
    await tenant.travel(new Date(Date.parse(start) + 32 * 86_400_000).toISOString());
    expect(await tenant.payments()).toHaveLength(2);
    expect(await mails()).toEqual([]);
    await readAll(tenant);
    expect(await mailsTo(db, email)).toEqual([]);
    const renewal = (await tenant.payments()).at(-1)?.id ?? "";
    expect((await tenant.refund(renewal)).status).toBe(201);
    await readAll(tenant);
    expect(subjects(await mailsTo(db, email))).toEqual(["[Test] Refund from Test merchant: $19.99 USD"]);
  });

  test("of a failed payment, with the next attempt and a link to pay", async () => {
    const { tenant, mails, subscription } = await subscriber({
      number: CARDS.alwaysPoor,
      plan: TRIAL,
      settings: { mail_trial_ending: false },
    });
    await tenant.travel("2026-02-14T10:00:00.000Z");
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("[Test] Your payment to Test merchant failed: $19.99 USD");
    const { hosted_url } = (await tenant.invoices(subscription.id))[0] ?? {};
    expect(mail?.body).toContain(
      `Test merchant could not charge $19.99 USD for your subscription to your Visa •••• 7106 on Feb 14, 2026.`,
    );
    expect(mail?.body).toContain(
      `We’ll try again on Feb 17, 2026. To pay now, or with another card:\n\n${hosted_url}\n`,
    );
  });

  test.each([
    [CARDS.stolen, "Your payment to", "To keep your subscription, please pay with another card:"],
    [CARDS.needsCustomer, "Confirm your payment to", "Your bank asks you to confirm this payment. You can do so here:"],
  ])("of a payment with %s: what the customer can do", async (number, subject, sentence) => {
    const { tenant, mails } = await subscriber({ number, plan: TRIAL, settings: { mail_trial_ending: false } });
    await tenant.travel("2026-02-14T10:00:00.000Z");
    const [mail] = await mails();
    expect(mail?.subject).toContain(`[Test] ${subject} Test merchant`);
    expect(mail?.body).toContain(sentence);
  });

  test("of the end after the last attempt in one mail, which says why", async () => {
    const { tenant, mails } = await subscriber({
      number: CARDS.alwaysPoor,
      plan: TRIAL,
      settings: { mail_trial_ending: false },
    });
    for (const at of ["14", "17", "22"]) await tenant.travel(`2026-02-${at}T10:00:00.000Z`);
    await tenant.travel("2026-03-01T10:00:00.000Z");
    const sent = await mails();
    expect(subjects(sent)).toEqual([
      ...Array.from({ length: 3 }, () => "[Test] Your payment to Test merchant failed: $19.99 USD"),
      "[Test] Your subscription with Test merchant has ended",
    ]);
    expect(sent[3]?.body).toContain("because its last payment did not succeed");
  });

  test("once, at the start of the month in which their card expires", async () => {
    const { tenant, mails, payment_method_id } = await subscriber({ settings: { mail_receipt: false } });
    const id = decodeId("paymentMethod", payment_method_id) ?? "";
    await db.sql`update payment_methods set card_exp_year = 2026, card_exp_month = 3 where id = ${id}`;
    const { sql } = tenant.service.db;
    const next = (after: string) => nextAnnouncement(sql, tenant.environmentId, after);
    expect(await next("2026-01-31T10:00:00.000Z")).toBe("2026-03-01T00:00:00.000Z");
    expect(await next("2026-03-01T00:00:00.000Z")).toBeNull();
    const announce = () =>
      Promise.all(Array.from({ length: 3 }, () => announceExpiringIn(tenant.service, tenant.environmentId)));
    await announce();
    expect(await mails()).toEqual([]);
    await tenant.travel("2026-03-01T00:00:00.000Z");
    await announce();
    await tenant.travel("2026-03-20T00:00:00.000Z");
    await announce();
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("[Test] Your card for Test merchant expires this month");
    expect(mail?.body).toContain(
      "Your Visa •••• 4242, which pays for your subscription with Test merchant, expires at the end of March 2026.",
    );
    expect(mail?.body).toContain("Your next payment is due on Mar 31, 2026.");
    const events = await db.sql`select type, created_at from events
      where environment_id = ${tenant.environmentId} and object_id = ${id} order by sequence`;
    expect(events.map(({ type }) => type)).toEqual(["payment_method.created", "payment_method.expiring"]);
  });
});

test("a card whose last month ended while nothing ran is not announced, in real time either", async () => {
  const { tenant, payment_method_id } = await subscriber();
  const id = decodeId("paymentMethod", payment_method_id) ?? "";
  await db.sql`update payment_methods set card_exp_year = 2025, card_exp_month = 12 where id = ${id}`;
  await announceExpiring(tenant.service);
  const [row] = await db.sql`select expiry_announced,
      (select count(*)::int from events e where e.environment_id = m.environment_id and e.object_id = m.id) as events
    from payment_methods m where id = ${id}`;
  expect(row).toEqual({ expiry_announced: true, events: 1 });
});

test("nothing is mailed that was switched off when it happened, or without an address", async () => {
  const all = {
    mail_trial_ending: false,
    mail_receipt: false,
    mail_payment_failed: false,
    mail_card_expiring: false,
    mail_cancelled: false,
  };
  const off = await subscriber({ number: CARDS.poorLater, plan: TRIAL, settings: all });
  const nobody = await subscriber({ plan: TRIAL, body: { customer_email: null } });
  for (const { tenant, subscription } of [off, nobody]) {
    for (const at of ["02-11", "02-14", "03-14", "04-14", "04-17"]) await tenant.travel(`2026-${at}T10:00:00.000Z`);
    expect((await tenant.events()).map(({ type }) => type)).toContain("invoice.paid");
    await tenant.cancel(subscription.id);
  }
  await updateSubscriptionSettings(off.ctx(), { mail_receipt: true, mail_cancelled: true });
  expect(await off.mails()).toEqual([]);
  const [left] = await db.sql`select count(*)::int as n from subscription_mails
    where environment_id in (${off.tenant.environmentId}, ${nobody.tenant.environmentId})`;
  expect(left).toEqual({ n: 0 });
});

test("a mail that can't be written stays queued, delays no other, and is written once later", async () => {
  const broken = await subscriber();
  const fine = await subscriber();
  const crashing = {
    ...broken.tenant.service,
    db: {
      ...broken.tenant.service.db,
      orm: new Proxy(broken.tenant.service.db.orm, {
        get: (orm, name, receiver) =>
          name === "transaction"
            ? (work: (tx: unknown) => Promise<void>) =>
                orm.transaction(async (tx) => {
                  await work(tx);
                  throw new Error("the process dies before its commit");
                })
            : Reflect.get(orm, name, receiver),
      }),
    },
  };
  await mailCustomers(crashing as never, HERE);
  for (const { email } of [broken, fine]) expect(await mailsTo(db, email)).toEqual([]);
  const ids = [broken.tenant.environmentId, fine.tenant.environmentId];
  const waiting = () =>
    db.sql`select due_at > now() as later from subscription_mails where environment_id = any(${ids}::uuid[])`;
  expect([...(await waiting())]).toEqual([{ later: true }, { later: true }]);
  await db.sql`update subscription_mails set due_at = now() - interval '1 second' where environment_id = any(${ids}::uuid[])`;
  for (const one of [broken, fine]) expect(subjects(await one.mails())).toHaveLength(1);
  expect(await waiting()).toHaveLength(0);
});

test("mail is due from the moment at which its event is written", async () => {
  const { environmentId } = await subscriptionTenant(db);
  // A time that is rounded up, as every other one, would be still to come.
  for (let n = 0; n < 20; n++)
    await db.orm.transaction(async (tx) => {
      await queueMail(tx, environmentId, { id: newId(), type: "invoice.paid" });
      const mails = await tx.execute(
        sql`delete from subscription_mails where environment_id = ${environmentId} returning due_at <= now() as due`,
      );
      expect([...mails]).toEqual([{ due: true }]);
    });
});

test("mail that waited for more than three days is no longer sent", async () => {
  const { tenant, mails } = await subscriber();
  await db.sql`update subscription_mails set created_at = now() - interval '73 hours'
    where environment_id = ${tenant.environmentId}`;
  expect(await mails()).toEqual([]);
});

test("in test mode, mail that leaves this machine only goes to the team", async () => {
  const { tenant, email } = await subscriber();
  await mailCustomers(tenant.service, { leaves: true });
  expect(await mailsTo(db, email)).toEqual([]);
});
