import { describe, expect, test } from "vitest";
import { CHALLENGED, codeOf, countPayments, DECLINED } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { ctxOf, planShops } from "@/e2e/fixtures/plan-checkout";
import { losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { voidInvoice } from "../invoices/end-invoice";
import { getPaymentMethod } from "../payment-methods/payment-methods";
import { recoverOperations } from "../payments/recover-operations";
import { runSubscriptions } from "../subscriptions/engine";
import { billOf } from "./billing";
import { findCheckout } from "./pay-session";

const { db } = await testDatabase({ max: 30 });
const { answer, expectClean, invoicesOf, openClub, payOnItsPage, sentenceOf, subscriptionsOf } = planShops(db);

describe("a session of a recurring plan", () => {
  test("makes the subscription, its paid invoice and its stored card in the payment's commit", async () => {
    const club = await openClub("plain", { customer_email: "ann@example.com", metadata: { order: "7" } });
    expect(await club.get()).toMatchObject({ amount: 2_190, currency: "EUR", subscription_id: null });
    const { state } = await club.pay();
    const session = await club.get();
    expect(state).toMatchObject({ status: "COMPLETED", subscription_id: session.subscription_id });
    const [subscription] = await subscriptionsOf(club.tenant);
    expect(subscription).toMatchObject({
      id: session.subscription_id,
      status: "ACTIVE",
      customer_id: "ann",
      customer_email: "ann@example.com",
      payment_method_id: session.payment_method_id,
      metadata: { order: "7" },
      period: { number: 1 },
    });
    expect(await invoicesOf(club.tenant)).toMatchObject([
      { status: "PAID", number: "INV-000001", amount_paid: 2_190, attempts: 1, payment_ids: [session.payment_id] },
    ]);
    const payment = await club.tenant.get(session.payment_id ?? "");
    expect(payment).toMatchObject({
      status: "CAPTURED",
      subscription_id: session.subscription_id,
      plan_id: club.plan_id,
      payment_method_id: session.payment_method_id,
      client_session_id: club.id,
      initiator: null,
    });
    expect(payment.transactions[0]?.subscription_id).toBe(session.subscription_id);
    const method = await getPaymentMethod(ctxOf(club.tenant), { id: session.payment_method_id ?? "" });
    expect(method.consent).toMatchObject({
      text: "I agree that Test merchant charges this card €21.90 every month until I cancel.",
      ip: expect.any(String),
    });
    const events = (await eventsAsTold(db, club.tenant.environmentId)).map(({ event }) => event.type);
    for (const type of ["subscription.created", "subscription.activated", "invoice.paid", "payment_method.created"])
      expect(events.filter((one) => one === type)).toHaveLength(1);
    expect(events.filter((one) => one === "client_session.completed")).toHaveLength(1);
    await expectClean();
  });

  test("renews by itself with the stored card", async () => {
    const club = await openClub("plain");
    await club.pay();
    const { environmentId, service } = club.tenant;
    await db.sql`update environments set clock_offset_ms = extract(epoch from interval '32 days') * 1000 where id = ${environmentId}`;
    for (let i = 0; i < 3; i++) await runSubscriptions(service);
    expect((await invoicesOf(club.tenant)).map(({ status }) => status)).toEqual(["PAID", "PAID"]);
    await expectClean();
  });

  test("a decline leaves no subscription, and the shopper tries another card", async () => {
    const club = await openClub("plain");
    const { state } = await club.pay({ card: DECLINED });
    expect(state).toMatchObject({ status: "OPEN", failure: "card_declined", subscription_id: null });
    expect(await subscriptionsOf(club.tenant)).toEqual([]);
    expect(await invoicesOf(club.tenant)).toEqual([]);
    expect((await club.pay()).state.status).toBe("COMPLETED");
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ status: "ACTIVE" }]);
    expect((await invoicesOf(club.tenant)).map(({ number }) => number)).toEqual(["INV-000001"]);
    await expectClean();
  });

  test("takes nothing without the shopper's agreement", async () => {
    const club = await openClub("plain");
    expect(await codeOf(club.pay({ consent: undefined }))).toBe("missing_parameter");
    expect(await codeOf(club.pay({ consent: "I agree to something else." }))).toBe("invalid_state");
    expect(await countPayments(db, club.tenant)).toEqual({ all: 0, paid: 0 });
  });

  test("is INCOMPLETE during a challenge, and ACTIVE after it", async () => {
    const club = await openClub("plain");
    const { state } = await club.pay({ card: CHALLENGED });
    expect(state.status).toBe("REQUIRES_ACTION");
    const [waiting] = await subscriptionsOf(club.tenant);
    expect(waiting).toMatchObject({ status: "INCOMPLETE", payment_method_id: null, next_action: expect.any(Object) });
    expect((await club.get()).subscription_id).toBeNull();
    await answer(club.tenant, state, "passed");
    expect(await club.get()).toMatchObject({ status: "COMPLETED", subscription_id: waiting?.id });
    const [begun] = await subscriptionsOf(club.tenant);
    expect(begun).toMatchObject({ id: waiting?.id, status: "ACTIVE", payment_method_id: expect.any(String) });
    await expectClean();
  });

  test("after a failed challenge, another card completes the same subscription", async () => {
    const club = await openClub("paid");
    const { state } = await club.pay({ card: CHALLENGED });
    await answer(club.tenant, state, "failed");
    expect(await club.state()).toMatchObject({ status: "OPEN", failure: "authentication_failed" });
    const [waiting] = await subscriptionsOf(club.tenant);
    expect((await club.pay()).state.status).toBe("COMPLETED");
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ id: waiting?.id, status: "TRIALING" }]);
    expect(await invoicesOf(club.tenant)).toMatchObject([{ status: "PAID", attempts: 2, amount_paid: 100 }]);
    await expectClean();
  });

  test("takes no second payment once its first invoice was paid on the invoice's page", async () => {
    const club = await openClub("plain");
    const { state } = await club.pay({ card: CHALLENGED });
    await answer(club.tenant, state, "failed");
    const consent = await sentenceOf(club.tenant, club.token);
    const before = await findCheckout(club.tenant.service, club.token);
    if (!before) throw new Error("there is no session");
    expect((await payOnItsPage(club.tenant)).state.status).toBe("COMPLETED");
    expect(await club.state()).toMatchObject({ status: "CANCELLED" });
    expect(await codeOf(club.pay({ consent }))).toBe("invalid_state");
    for (const customerId of ["ann", "bob"]) {
      const shopper = { subscriber: { customerId, email: null }, card: null };
      expect(await codeOf(billOf(ctxOf(club.tenant), before.row, shopper)), "an attempt that began before").toBe(
        "invalid_state",
      );
    }
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ status: "ACTIVE" }]);
    expect(await countPayments(db, club.tenant)).toEqual({ all: 2, paid: 1 });
    await expectClean();
  });

  test("closes with its first invoice", async () => {
    const club = await openClub("plain");
    const { state } = await club.pay({ card: CHALLENGED });
    await answer(club.tenant, state, "failed");
    const [invoice] = await invoicesOf(club.tenant);
    await voidInvoice(ctxOf(club.tenant), { id: invoice?.id ?? "" });
    expect(await club.state()).toMatchObject({ status: "CANCELLED" });
    expect(await codeOf(club.pay())).toBe("invalid_state");
    await expectClean();
  });

  test("EXPIRED after 23 hours without a payment", async () => {
    const club = await openClub("plain");
    const { state } = await club.pay({ card: CHALLENGED });
    await answer(club.tenant, state, "failed");
    const { environmentId, service } = club.tenant;
    await db.sql`update environments set clock_offset_ms = extract(epoch from interval '23 hours 1 minute') * 1000 where id = ${environmentId}`;
    await runSubscriptions(service);
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ status: "EXPIRED" }]);
    expect(await invoicesOf(club.tenant)).toMatchObject([{ status: "VOID" }]);
    await expectClean();
  });

  test("ten clicks and ten tabs make one subscription", async () => {
    const club = await openClub("plain");
    const consent = await sentenceOf(club.tenant, club.token);
    await Promise.all(Array.from({ length: 10 }, () => codeOf(club.pay({ attempt: "a", consent }))));
    const tabs = await club.open({ customer_id: "bob" });
    await Promise.all(Array.from({ length: 10 }, () => codeOf(tabs.pay())));
    expect((await subscriptionsOf(club.tenant)).map(({ customer_id }) => customer_id).toSorted()).toEqual([
      "ann",
      "bob",
    ]);
    expect(await countPayments(db, club.tenant)).toEqual({ all: 2, paid: 2 });
    await expectClean();
  });

  test("a lost response is recovered to exactly one subscription", async () => {
    const club = await openClub("plain");
    club.tenant.script.next(losesAnswer);
    const consent = await sentenceOf(club.tenant, club.token);
    const { state } = await club.pay({ attempt: "a", consent });
    expect(state.status).toBe("PROCESSING");
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ status: "INCOMPLETE" }]);
    await db.sql`update operations set next_attempt_at = now() - interval '1 ms', lease_until = now() - interval '1 ms' where environment_id = ${club.tenant.environmentId}`;
    await recoverOperations(club.tenant.service);
    expect(await club.state()).toMatchObject({ status: "COMPLETED", subscription_id: expect.any(String) });
    expect((await club.pay({ attempt: "a", consent })).state.status).toBe("COMPLETED");
    expect(await subscriptionsOf(club.tenant)).toMatchObject([
      { status: "ACTIVE", payment_method_id: expect.any(String) },
    ]);
    expect(await countPayments(db, club.tenant)).toEqual({ all: 1, paid: 1 });
    await expectClean();
  });

  test("a payment that never reaches its issuer leaves no subscription", async () => {
    const club = await openClub("plain");
    const unsent = says({ kind: "not_sent", reason: "nothing was sent" });
    club.tenant.script.next(unsent, unsent, unsent);
    expect((await club.pay()).state).toMatchObject({ status: "OPEN", failure: "processing_error" });
    expect(await subscriptionsOf(club.tenant)).toEqual([]);
    await expectClean();
  });

  test.each(["plain", "free"] as const)("(%s) without a customer is for the address typed last", async (kind) => {
    const club = await openClub(kind, { customer_id: null });
    expect((await club.pay({ card: DECLINED, email: "ann@exmaple.com" })).state.status).toBe("OPEN");
    expect(await codeOf(club.pay())).toBe("missing_parameter");
    expect((await club.pay({ email: "ann@example.com" })).state.status).toBe("COMPLETED");
    expect(await subscriptionsOf(club.tenant)).toMatchObject([
      { customer_id: "ann@example.com", customer_email: "ann@example.com" },
    ]);
    await expectClean();
  });

  test("cannot be captured by hand", async () => {
    const club = await openClub("plain");
    expect(await codeOf(club.open({ capture_method: "manual" }))).toBe("invalid_parameter");
  });
});
