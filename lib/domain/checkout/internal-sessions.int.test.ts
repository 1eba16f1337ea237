import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { CARD, codeOf } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { mailsTo } from "@/e2e/fixtures/users";
import { consentTexts } from "@/lib/contract/checkout/consent";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { attempt, getState } from "@/lib/http/checkout";
import { newId } from "@/lib/ids";
import { continueChallenge, findChallenge } from "../payments/challenges";
import { verifyBooks } from "../reconciliation/verify-books";
import { mailCustomers } from "../subscriptions/mail-customers";
import { checkoutLimits } from "./card-testing";
import { newInvoiceSession, newSetupSession } from "./internal-sessions";

const { db } = await testDatabase({ max: 20 });

const DECLINED = "4000000000000002";
// A test clock is never behind real time, so the renewal is still to come.
const YEAR = new Date().getUTCFullYear() + 1;
const RENEWAL = `${YEAR}-04-30T10:00:00.000Z`;
const uuid = (kind: "subscription" | "invoice", id: string) => decodeId(kind, id) ?? "";

/** A form at an address, as its shopper uses it. */
async function formAt(tenant: SubscriptionTenant, address: { url: string } | null) {
  if (address === null) throw new Error("there is no form");
  const { url } = address;
  const [row] = await db.sql<
    { name: string }[]
  >`select name from merchants where id = ${tenant.merchant.test.merchantId}`;
  const consent = consentTexts(row?.name ?? "", null).en;
  const call = () => ({
    service: tenant.service,
    params: { token: url.slice(url.lastIndexOf("/") + 1) },
    request: { id: newId(), path: "/pay/{token}/attempts" },
    address: randomUUID(),
    cookies: null,
  });
  return {
    state: () => getState(call()),
    pay: (number: string = CARDS.good) =>
      attempt(call(), checkoutAttemptBody.parse({ attempt: randomUUID(), card: { ...CARD, number }, consent })),
  };
}

const ctxOf = ({ service, merchant }: SubscriptionTenant, at: string) =>
  testContext(service, { ...merchant.test, clock: { offsetMs: 0, frozenAt: at } });

async function unpaidRenewal({ email = null as string | null } = {}) {
  const tenant = await subscriptionTenant(db, { start: `${YEAR}-03-31T10:00:00.000Z` });
  const plan_id = await tenant.plan();
  const made = await tenant.create({
    plan_id,
    payment_method_id: await tenant.card(CARDS.good),
    customer_email: email,
  });
  await tenant.update(made.body.id, { payment_method_id: await tenant.card(CARDS.alwaysPoor) });
  await tenant.setClock(RENEWAL);
  await tenant.run();
  // Shoppers pay while the clock runs.
  await db.sql`update environments set clock_frozen_at = null, clock_advancing_to = null,
    clock_offset_ms = extract(epoch from ${RENEWAL}::timestamptz - now()) * 1000 where id = ${tenant.environmentId}`;
  const unpaid = (await tenant.invoices(made.body.id))[1];
  expect(unpaid).toMatchObject({ status: "OPEN", attempts: 1 });
  return { tenant, id: made.body.id as string, customerId: made.body.customer_id as string, unpaid };
}

test("an invoice's form pays it with a new card, which becomes the subscription's", async () => {
  const { tenant, id, unpaid } = await unpaidRenewal();
  const ctx = ctxOf(tenant, RENEWAL);
  const invoiceId = uuid("invoice", unpaid?.id ?? "");
  const form = await formAt(tenant, await newInvoiceSession(ctx, { invoiceId, returnUrl: null }));
  const declined = await form.pay(DECLINED);
  expect(declined.state).toMatchObject({ status: "OPEN", failure: "card_declined", attempts_left: 4 });
  const { state } = await form.pay();
  expect(state).toMatchObject({ status: "COMPLETED", subscription_id: id, payment: { status: "CAPTURED" } });
  const [first, second] = await tenant.invoices(id);
  expect(first?.status).toBe("PAID");
  expect(second).toMatchObject({ status: "PAID", attempts: 3 });
  const body = await tenant.get(id);
  expect(body).toMatchObject({ status: "ACTIVE", payment_method_id: state.payment_method_id });
  expect(await codeOf(newInvoiceSession(ctx, { invoiceId, returnUrl: null }))).toBe("invalid_state");
  expect((await verifyBooks(db)).balanced).toBe(true);
});

test("a decline in the form sends no mail", async () => {
  const email = `${randomUUID()}@customers.example`;
  const { tenant, id, unpaid } = await unpaidRenewal({ email });
  const failures = async () => {
    await mailCustomers(tenant.service, { leaves: false });
    return (await mailsTo(db, email)).filter(({ subject }) => subject.includes("failed"));
  };
  expect(await failures()).toHaveLength(1);
  const input = { invoiceId: uuid("invoice", unpaid?.id ?? ""), returnUrl: null };
  const form = await formAt(tenant, await newInvoiceSession(ctxOf(tenant, RENEWAL), input));
  expect((await form.pay(DECLINED)).state.failure).toBe("card_declined");
  expect((await tenant.invoices(id))[1]).toMatchObject({ status: "OPEN", attempts: 2 });
  expect(await failures()).toHaveLength(1);
});

test("two forms of one invoice pay it once, and the other one closes", async () => {
  const { tenant, id, unpaid } = await unpaidRenewal();
  const invoiceId = uuid("invoice", unpaid?.id ?? "");
  const open = async (from: string) =>
    formAt(
      tenant,
      await newInvoiceSession(ctxOf(tenant, RENEWAL), { invoiceId, returnUrl: `https://${from}.example` }),
    );
  const forms = await Promise.all(["invoice", "portal", "shop"].map(open));
  await Promise.all(forms.map((form) => codeOf(form.pay())));
  const states = await Promise.all(forms.map((form) => form.state()));
  expect(states.map(({ status }) => status).toSorted()).toEqual(["CANCELLED", "CANCELLED", "COMPLETED"]);
  expect((await tenant.invoices(id))[1]).toMatchObject({ status: "PAID", attempts: 2 });
});

/** Opens an invoice's form as its page does. */
const opener = ({ tenant, unpaid }: Awaited<ReturnType<typeof unpaidRenewal>>, at = RENEWAL) => {
  const input = { invoiceId: uuid("invoice", unpaid?.id ?? ""), returnUrl: null };
  return () => newInvoiceSession(ctxOf(tenant, at), input);
};

test("visits of one invoice lead to one form, as long as it accepts attempts", async () => {
  const renewal = await unpaidRenewal();
  const { tenant } = renewal;
  const open = opener(renewal);
  const [first, ...others] = await Promise.all([open(), open(), open()]);
  expect(others).toEqual([first, first]);
  const form = await formAt(tenant, first ?? null);
  for (let i = 0; i < 5; i++) await form.pay(DECLINED);
  const next = await open();
  expect(next?.url).not.toBe(first?.url);
  expect(await opener(renewal, `${YEAR}-05-01T09:30:00.000Z`)()).not.toEqual(next);
  expect((await (await formAt(tenant, next)).pay()).state.status).toBe("COMPLETED");
  const made = await db.sql`select 1 from events where environment_id = ${tenant.environmentId}
    and type = 'client_session.created'`;
  expect(made).toHaveLength(3);
});

test("after twenty attempts on an invoice within a day it has no form, until the next day", async () => {
  const renewal = await unpaidRenewal();
  const open = opener(renewal);
  // Card testers use many addresses and issuers.
  const unlimited = vi.spyOn(checkoutLimits(), "takeAttempt").mockReturnValue();
  try {
    for (let i = 0; i < 4; i++) {
      const form = await formAt(renewal.tenant, await open());
      for (let k = 0; k < 5; k++) expect((await form.pay(DECLINED)).state.failure).toBe("card_declined");
    }
  } finally {
    unlimited.mockRestore();
  }
  expect(await open()).toBeNull();
  expect(await opener(renewal, `${YEAR}-05-01T10:30:00.000Z`)()).not.toBeNull();
});

const CHALLENGED = "4000000000003220";
const LATER = `${YEAR}-04-30T10:05:00.000Z`;

/** The form of an unpaid invoice, whose shopper has a challenge. `pass`: passes it. */
async function challenged({ tenant, unpaid }: Awaited<ReturnType<typeof unpaidRenewal>>) {
  const input = { invoiceId: uuid("invoice", unpaid?.id ?? ""), returnUrl: null };
  const form = await formAt(tenant, await newInvoiceSession(ctxOf(tenant, RENEWAL), input));
  const { state } = await form.pay(CHALLENGED);
  expect(state.status).toBe("REQUIRES_ACTION");
  const challenge = await findChallenge(tenant.service, (state.action?.url ?? "").replace(/^.*\/challenge\//, ""));
  if (challenge === null) throw new Error("there is no challenge");
  return { form, pass: () => continueChallenge(tenant.service, challenge, "passed") };
}

test.each(["cancel", "pause"] as const)("a challenge passed after a %s takes no money", async (action) => {
  const renewal = await unpaidRenewal();
  const { tenant, id } = renewal;
  const { form, pass } = await challenged(renewal);
  await tenant.setClock(LATER);
  expect((await tenant[action](id)).status).toBe(200);
  await pass();
  expect((await tenant.payments()).at(-1)?.status).toBe("DECLINED");
  const invoice = (await tenant.invoices(id))[1];
  expect(invoice).toMatchObject({
    status: action === "cancel" ? "VOID" : "OPEN",
    amount_paid: 0,
    next_attempt_at: null,
  });
  expect((await form.state()).failure).toBe("authentication_failed");
  expect((await verifyBooks(db)).balanced).toBe(true);
});

test("a challenge is passed after a cancellation that was being written", async () => {
  const renewal = await unpaidRenewal();
  const { tenant, id } = renewal;
  const { pass } = await challenged(renewal);
  const { hold, reached, release } = latch();
  const cancellation = db.sql.begin(async (tx) => {
    await tx`update subscriptions set status = 'CANCELLED', cancelled_at = now(), ended_at = now(), due_at = null
      where environment_id = ${tenant.environmentId} and id = ${uuid("subscription", id)}`;
    await hold();
  });
  await reached;
  const passed = pass();
  const waiting = () =>
    db.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  release();
  await Promise.all([cancellation, passed]);
  expect((await tenant.payments()).at(-1)?.status).toBe("DECLINED");
});

test("what was owed before a pause can be paid with a challenge", async () => {
  const renewal = await unpaidRenewal();
  await renewal.tenant.pause(renewal.id);
  const { pass } = await challenged(renewal);
  await pass();
  expect((await renewal.tenant.invoices(renewal.id))[1]).toMatchObject({ status: "PAID" });
});

test("a setup form sets the subscription's card, and the unpaid invoice is attempted immediately", async () => {
  const { tenant, id, customerId } = await unpaidRenewal();
  const ctx = ctxOf(tenant, RENEWAL);
  const input = { customerId, subscriptionId: uuid("subscription", id), returnUrl: "https://shop.example/back" };
  const form = await formAt(tenant, await newSetupSession(ctx, input));
  const { state } = await form.pay();
  expect(state).toMatchObject({ status: "COMPLETED", payment: null, subscription_id: id });
  await tenant.run();
  expect((await tenant.invoices(id))[1]).toMatchObject({ status: "PAID", attempts: 2 });
  expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE", payment_method_id: state.payment_method_id });
});

test("a setup form stores the card where the subscription's currency is processed", async () => {
  const { tenant, id, customerId } = await unpaidRenewal();
  const choose = vi.spyOn(tenant.service.processors, "choose");
  const cardOf = async (subscriptionId: string | null) => {
    choose.mockClear();
    const input = { customerId, subscriptionId, returnUrl: null };
    const form = await formAt(tenant, await newSetupSession(ctxOf(tenant, RENEWAL), input));
    expect((await form.pay()).state.status).toBe("COMPLETED");
    return choose.mock.calls.map(([, payment]) => payment.currency);
  };
  expect(await cardOf(uuid("subscription", id))).toEqual(["USD"]);
  expect(await cardOf(null)).toEqual([""]);
});

test("there is no form for another customer's subscription, nor for an unknown invoice", async () => {
  const { tenant, id } = await unpaidRenewal();
  const ctx = ctxOf(tenant, RENEWAL);
  const subscriptionId = uuid("subscription", id);
  expect(await codeOf(newSetupSession(ctx, { customerId: "eve", subscriptionId, returnUrl: null }))).toBe(
    "resource_not_found",
  );
  expect(await codeOf(newInvoiceSession(ctx, { invoiceId: newId(), returnUrl: null }))).toBe("resource_not_found");
});
