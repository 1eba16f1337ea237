import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { PortalPage } from "@/lib/contract/portal/portal-page";
import { sha256 } from "@/lib/secret";
import { changeCard, payOwnInvoice, setCancelled } from "./act-in-portal";
import { readPortal } from "./portal-page";
import { createPortalSession, findVisit, removeExpiredPortalSessions, type Visit } from "./portal-sessions";

const { db } = await testDatabase();

const NOTHING = { done: null, subscription: null, clientSession: null };
/** A monthly subscription whose third charge was due a day ago. */
const PAST = new Date(Date.now() - 63 * 86_400_000).toISOString();
const [RENEWAL, LATE_RENEWAL] = [31.5, 62].map((days) =>
  new Date(Date.parse(PAST) + days * 86_400_000).toISOString(),
) as [string, string];
const PERIOD_END = "2026-02-28T10:00:00.000Z";

async function openSession(tenant: SubscriptionTenant, customer_id = "cus_1", return_url: string | null = null) {
  const reply = await createPortalSession(tenant.context("createPortalSession"), { customer_id, return_url });
  const { url, expires_at } = JSON.parse(reply.body) as { url: string; expires_at: string };
  return { status: reply.status, url, expires_at, token: url.split("/").at(-1) ?? "" };
}

async function visitOf(tenant: SubscriptionTenant, customer?: string): Promise<Visit> {
  const { token } = await openSession(tenant, customer);
  const visit = await findVisit(tenant.service, token);
  if (!visit) throw new Error("no visit");
  return visit;
}

const shown = async (tenant: SubscriptionTenant, visit: Visit, asked = {}): Promise<PortalPage> =>
  readPortal(tenant.service, visit, { ...NOTHING, ...asked });

async function subscribed(tenant: SubscriptionTenant, { card = CARDS.good as string, customer = "cus_1" } = {}) {
  const body = {
    plan_id: await tenant.plan({ name: `Pro of ${customer}` }),
    payment_method_id: await tenant.card(card, customer),
    customer_id: customer,
  };
  return (await tenant.create(body)).body.id as string;
}

/** A tenant whose clock runs in real time, as a customer needs it to act. */
async function runningTenant(): Promise<SubscriptionTenant> {
  const tenant = await subscriptionTenant(db, { start: new Date().toISOString() });
  await run(tenant);
  return tenant;
}

const run = ({ environmentId }: SubscriptionTenant) => db.sql`
  update environments set clock_frozen_at = null, clock_advancing_to = null where id = ${environmentId}`;

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)),
  );

test("a session's address works for an hour of the environment's time, and is stored as a digest", async () => {
  const tenant = await subscriptionTenant(db);
  const { status, url, expires_at, token } = await openSession(tenant);
  expect(status).toBe(201);
  expect(url).toMatch(/^http:\/\/cardlane\.test\/portal\/prt_[\w-]{43}$/);
  expect(expires_at).toBe("2026-01-31T11:00:00.000Z");
  const [row] = await db.sql`
    select token_sha256, to_jsonb(p)::text as row from portal_sessions p where environment_id = ${tenant.environmentId}`;
  expect(row?.token_sha256).toEqual(sha256(token));
  expect(row?.row).not.toContain(token);
  await tenant.setClock("2026-01-31T10:59:59.999Z");
  expect(await findVisit(tenant.service, token)).toMatchObject({ isOver: false });
  await tenant.setClock("2026-01-31T11:00:00.000Z");
  expect(await findVisit(tenant.service, token)).toMatchObject({ isOver: true });
  for (const text of ["", "prt_", token.slice(0, -1), `${token}x`, `prt_${"a".repeat(43)}`]) {
    expect(await findVisit(tenant.service, text), text).toBeNull();
  }
});

test("a live session's return address must use https", async () => {
  const tenant = await subscriptionTenant(db);
  const live = testContext(tenant.service, tenant.merchant.live);
  const to = (return_url: string) =>
    Promise.resolve().then(() => createPortalSession(live, { customer_id: "c", return_url }));
  expect(await codeOf(to("http://shop.example/account"))).toBe("invalid_parameter");
  expect(await codeOf(to("https://shop.example/account"))).toBeNull();
});

test("the page shows one customer's subscriptions and invoices, with what is charged next", async () => {
  const tenant = await subscriptionTenant(db);
  const own = await subscribed(tenant);
  await subscribed(tenant, { customer: "cus_2" });
  const visit = await visitOf(tenant);
  const page = await shown(tenant, visit);
  expect(page.subscriptions).toMatchObject([
    {
      id: own,
      status: "ACTIVE",
      plan_name: "Pro of cus_1",
      price: 1_999,
      next_invoice_at: PERIOD_END,
      next_invoice_amount: 1_999,
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2040, status: "ACTIVE" },
      owed: null,
      actions: { cancel: true, continue: false },
    },
  ]);
  expect(page.invoices).toMatchObject([{ number: "INV-000001", status: "PAID", amount_due: 1_999, is_payable: false }]);
  expect(await shown(tenant, await visitOf(tenant, "nobody"))).toMatchObject({ subscriptions: [], invoices: [] });
});

test("an unpaid renewal is shown as owed, with its next attempt", async () => {
  const tenant = await subscriptionTenant(db);
  await subscribed(tenant, { card: CARDS.poorLater });
  await tenant.travel(PERIOD_END);
  await tenant.travel("2026-03-31T10:00:00.000Z");
  const { subscriptions } = await shown(tenant, await visitOf(tenant));
  expect(subscriptions).toMatchObject([
    { status: "PAST_DUE", owed: { amount: 1_999, next_attempt_at: "2026-04-03T10:00:00.000Z" } },
  ]);
});

test("a customer cancels and undoes it, twice each, and is the actor in events and audit log", async () => {
  const tenant = await runningTenant();
  const id = await subscribed(tenant);
  const visit = await visitOf(tenant);
  const { period } = await tenant.get(id);
  for (const _ of [1, 2]) await setCancelled(tenant.service, visit, id, true);
  expect(await tenant.get(id)).toMatchObject({ cancel_at_period_end: true, next_invoice_at: null });
  const asked = { done: "cancelled", subscription: id };
  expect(await shown(tenant, visit, asked)).toMatchObject({
    subscriptions: [{ actions: { cancel: false, continue: true } }],
    notice: { kind: "cancelled", subscription: { period_end_at: period?.end_at } },
  });
  for (const _ of [1, 2]) await setCancelled(tenant.service, visit, id, false);
  // The address still contains "cancelled", which is no longer true.
  expect((await shown(tenant, visit, asked)).notice).toBeNull();
  expect(await tenant.get(id)).toMatchObject({ cancel_at_period_end: false, next_invoice_at: period?.end_at });
  const acts = await db.sql`
    select action, actor from audit_log where environment_id = ${tenant.environmentId} and object_id = ${decodeId("subscription", id)}
      and action = 'subscription.updated'`;
  const actor = { type: "customer", id: visit.session.id };
  expect([...acts]).toEqual([
    { action: "subscription.updated", actor },
    { action: "subscription.updated", actor },
  ]);
});

test("another customer's and another environment's subscription do not exist for a customer", async () => {
  const [tenant, stranger] = [await subscriptionTenant(db), await subscriptionTenant(db)];
  const visit = await visitOf(tenant);
  const wrong = [await subscribed(tenant, { customer: "cus_2" }), await subscribed(stranger), "sub_x", ""];
  for (const id of wrong) {
    expect(await codeOf(setCancelled(tenant.service, visit, id, true)), id).toBe("resource_not_found");
    expect((await shown(tenant, visit, { done: "cancelled", subscription: id })).notice).toBeNull();
  }
});

test("status and settings limit what a customer can do", async () => {
  const tenant = await runningTenant();
  const id = await subscribed(tenant);
  const visit = await visitOf(tenant);
  const { sql } = db;
  await sql`insert into subscription_settings (environment_id, dunning_steps, after_last_attempt, mail_trial_ending, mail_receipt,
      mail_payment_failed, mail_card_expiring, mail_cancelled, portal_change_card, portal_cancel, portal_invoices)
    values (${tenant.environmentId}, '{3}', 'CANCEL', true, true, true, true, true, false, false, false)`;
  expect(await shown(tenant, visit)).toMatchObject({
    subscriptions: [{ actions: { card: false, cancel: false, continue: false } }],
    invoices: null,
  });
  expect(await codeOf(setCancelled(tenant.service, visit, id, true))).toBe("invalid_state");
  await sql`delete from subscription_settings where environment_id = ${tenant.environmentId}`;
  await tenant.pause(id);
  expect(await codeOf(setCancelled(tenant.service, visit, id, true))).toBe("invalid_state");
  await tenant.resume(id);
  await tenant.cancel(id);
  // Ended by the merchant while the page was open.
  expect(await codeOf(setCancelled(tenant.service, visit, id, true))).toBe("invalid_state");
  expect((await shown(tenant, visit)).subscriptions).toMatchObject([
    { status: "CANCELLED", card: null, actions: { card: false, cancel: false, continue: false } },
  ]);
});

test("a form for another card or an open invoice is the customer's own, and leads back without the token", async () => {
  const tenant = await subscriptionTenant(db, { start: PAST });
  const id = await subscribed(tenant, { card: CARDS.poorLater });
  await tenant.travel(RENEWAL);
  await tenant.travel(LATE_RENEWAL);
  const late = (await tenant.invoices(id)).at(-1)?.id ?? "";
  await run(tenant);
  const [visit, other] = [await visitOf(tenant), await visitOf(tenant, "cus_2")];
  expect(await shown(tenant, visit)).toMatchObject({
    subscriptions: [{ actions: { card: true } }],
    invoices: [{ id: late, is_payable: true }, { is_payable: false }, { is_payable: false }],
  });
  const form = /^http:\/\/cardlane\.test\/pay\/cst_[\w-]{43}$/;
  expect(await changeCard(tenant.service, visit, id)).toMatch(form);
  expect(await payOwnInvoice(tenant.service, visit, late)).toMatch(form);
  expect(await codeOf(changeCard(tenant.service, other, id))).toBe("resource_not_found");
  expect(await codeOf(payOwnInvoice(tenant.service, other, late))).toBe("resource_not_found");
  const sessions = await db.sql`
    select mode, subscription_id is not null as of_subscription, invoice_id is not null as of_invoice, customer_id, return_url
    from client_sessions where environment_id = ${tenant.environmentId} order by id`;
  const back = "http://cardlane.test/portal/back";
  expect([...sessions]).toEqual([
    { mode: "setup", of_subscription: true, of_invoice: false, customer_id: "cus_1", return_url: back },
    { mode: "payment", of_subscription: true, of_invoice: true, customer_id: "cus_1", return_url: back },
  ]);
  await tenant.void(late);
  expect(await codeOf(payOwnInvoice(tenant.service, visit, late))).toBe("invalid_state");
  await db.sql`update merchants set suspended_at = now() where id = ${tenant.merchant.id}`;
  const suspended = await visitOf(tenant);
  expect(await codeOf(changeCard(tenant.service, suspended, id))).toBe("invalid_state");
});

test("a form's result is reported only to its customer, and only once it is so", async () => {
  const tenant = await runningTenant();
  const id = await subscribed(tenant);
  const [visit, other] = [await visitOf(tenant), await visitOf(tenant, "cus_2")];
  await changeCard(tenant.service, visit, id);
  const [form] = await db.sql`select id from client_sessions where environment_id = ${tenant.environmentId}`;
  const asked = { clientSession: encodeId("clientSession", form?.id) };
  expect((await shown(tenant, visit, asked)).notice).toBeNull();
  await db.sql`update client_sessions set status = 'COMPLETED', payment_method_id = (
      select payment_method_id from subscriptions where environment_id = ${tenant.environmentId})
    where environment_id = ${tenant.environmentId}`;
  expect((await shown(tenant, visit, asked)).notice).toMatchObject({ kind: "card", card: { last4: "4242" } });
  expect((await shown(tenant, other, asked)).notice).toBeNull();
  expect((await shown(tenant, visit, { clientSession: "cs_x" })).notice).toBeNull();
  // Another tab has put a later card on the subscription.
  const later = decodeId("paymentMethod", await tenant.card(CARDS.good, "cus_1"));
  await db.sql`update subscriptions set payment_method_id = ${later} where environment_id = ${tenant.environmentId}`;
  expect((await shown(tenant, visit, asked)).notice).toBeNull();
});

test("while the test clock advances, a customer changes nothing", async () => {
  const tenant = await subscriptionTenant(db);
  const id = await subscribed(tenant);
  const visit = await visitOf(tenant);
  expect(await codeOf(setCancelled(tenant.service, visit, id, true))).toBe("clock_advancing");
  expect(await tenant.get(id)).toMatchObject({ cancel_at_period_end: false });
});

test("sessions are removed a week after they expired", async () => {
  const tenant = await subscriptionTenant(db, { start: new Date(Date.now() - 8 * 86_400_000).toISOString() });
  const [{ token: old }, recent] = [await openSession(tenant), await subscriptionTenant(db)];
  await recent.setClock(new Date().toISOString());
  const { token } = await openSession(recent);
  await removeExpiredPortalSessions(tenant.service);
  expect(await findVisit(tenant.service, old)).toBeNull();
  expect(await findVisit(tenant.service, token)).not.toBeNull();
});
