import { describe, expect, test } from "vitest";
import { CARD, CHALLENGED, codeOf, countPayments } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { planShops } from "@/e2e/fixtures/plan-checkout";
import { listCustomers, noteCustomers } from "../customers/customers";

const { db } = await testDatabase({ max: 30 });
const { answer, expectClean, invoicesOf, openClub, sentenceOf, subscriptionsOf } = planShops(db);

describe("a trial", () => {
  test("that is free checks the card, charges nothing and begins", async () => {
    const club = await openClub("free");
    expect(await club.get()).toMatchObject({ amount: 0, currency: "EUR" });
    const { state } = await club.pay();
    const session = await club.get();
    expect(state).toMatchObject({ status: "COMPLETED", payment: null, subscription_id: session.subscription_id });
    expect(session).toMatchObject({ payment_id: null, payment_method_id: expect.any(String) });
    expect(await subscriptionsOf(club.tenant)).toMatchObject([
      { status: "TRIALING", payment_method_id: session.payment_method_id, trial_refused: false, period: { number: 0 } },
    ]);
    expect(await countPayments(db, club.tenant)).toEqual({ all: 0, paid: 0 });
    await expectClean();
  });

  test.each([
    ["with its first form", CARD],
    ["after the issuer's challenge", CHALLENGED],
  ])("that is free gives its customer the name from the form, %s", async (_, card) => {
    const club = await openClub("free", { customer_id: null, customer_email: null });
    const declined = { ...card, number: "4000000000000002", name: "Somebody Else" };
    expect((await club.pay({ card: declined, email: "zoe@example.com" })).state).toMatchObject({ status: "OPEN" });
    const { state } = await club.pay({ card: { ...card, name: "Zoë Ångström" }, email: "zoe@example.com" });
    if (card === CHALLENGED) await answer(club.tenant, state, "passed");
    await noteCustomers(club.tenant.service);
    const ctx = testContext(club.tenant.service, club.tenant.merchant.test);
    const { data } = await listCustomers(ctx, { q: "angstrom" });
    expect(data).toMatchObject([
      { email: "zoe@example.com", name: "Zoë Ångström", payments: 0, first_payment_at: null },
    ]);
    expect((await club.get()).customer_name).toBe("Zoë Ångström");
    await expectClean();
  });

  test("that is free keeps the name that the merchant gave", async () => {
    const club = await openClub("free", { customer_name: "Ann Lee" });
    await club.pay({ card: { ...CARD, name: "A. Lee" } });
    await noteCustomers(club.tenant.service);
    const ctx = testContext(club.tenant.service, club.tenant.merchant.test);
    expect((await listCustomers(ctx, {})).data).toMatchObject([{ customer_id: "ann", name: "Ann Lee" }]);
  });

  test("that is free waits for the issuer's challenge, without a subscription until it is passed", async () => {
    const club = await openClub("free");
    const { state } = await club.pay({ card: CHALLENGED });
    expect(state.status).toBe("REQUIRES_ACTION");
    expect(await subscriptionsOf(club.tenant)).toEqual([]);
    await answer(club.tenant, state, "passed");
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ status: "TRIALING" }]);
  });

  test("that is paid charges its price today", async () => {
    const club = await openClub("paid");
    expect(await club.get()).toMatchObject({ amount: 100 });
    await club.pay();
    expect(await subscriptionsOf(club.tenant)).toMatchObject([{ status: "TRIALING", trial_refused: false }]);
    expect(await invoicesOf(club.tenant)).toMatchObject([{ kind: "TRIAL", status: "PAID", amount_paid: 100 }]);
    await expectClean();
  });

  test.each(["free", "paid"] as const)(
    "(%s) is known to be used up by the customer before the form opens",
    async (kind) => {
      const club = await openClub(kind);
      await club.pay();
      const again = await club.open();
      expect(await again.get()).toMatchObject({ amount: 2_190 });
      expect(await again.state()).toMatchObject({ trial_refused: true });
      expect((await again.pay({ card: { ...CARD, number: "5555555555554444" } })).state.status).toBe("COMPLETED");
      const [latest] = await subscriptionsOf(club.tenant);
      expect(latest).toMatchObject({ status: "ACTIVE", trial_refused: true, period: { number: 1 } });
      await expectClean();
    },
  );

  test.each(["free", "paid"] as const)(
    "(%s) that the card has used up is charged only after the shopper agrees",
    async (kind) => {
      const club = await openClub(kind);
      await club.pay();
      const before = await countPayments(db, club.tenant);
      const other = await club.open({ customer_id: "bob" });
      const consent = await sentenceOf(club.tenant, other.token);
      const { state } = await other.pay({ consent });
      expect(state).toMatchObject({ status: "OPEN", trial_refused: true, failure: null });
      expect(await countPayments(db, club.tenant)).toEqual(before);
      expect((await subscriptionsOf(club.tenant)).length).toBe(1);
      expect(await other.get()).toMatchObject({ amount: 2_190 });
      expect(await codeOf(other.pay({ consent }))).toBe("invalid_state");
      expect((await other.pay()).state.status).toBe("COMPLETED");
      const [latest] = await subscriptionsOf(club.tenant);
      expect(latest).toMatchObject({ customer_id: "bob", status: "ACTIVE", trial_refused: true });
      expect((await invoicesOf(club.tenant)).at(-1)).toMatchObject({ kind: "PERIOD", amount_paid: 2_190 });
      await expectClean();
    },
  );

  test("that is free: an attempt that died under its terms charges nothing when it is repeated without it", async () => {
    const club = await openClub("free");
    await club.pay();
    const other = await club.open({ customer_id: "bob" });
    const asked = { attempt: "a", consent: await sentenceOf(club.tenant, other.token) };
    const { processors } = club.tenant.service;
    const choose = processors.choose.bind(processors);
    const tokenize = () => Promise.reject(new Error("the process dies"));
    Object.assign(processors, {
      async choose(...given: Parameters<typeof choose>) {
        const at = await choose(...given);
        return at && { ...at, processor: { ...at.processor, tokenize } };
      },
    });
    expect(await codeOf(other.pay(asked))).toBe("processor_error");
    Object.assign(processors, { choose });
    expect((await other.pay({ consent: asked.consent })).state).toMatchObject({ status: "OPEN", trial_refused: true });
    expect(await codeOf(other.pay(asked))).toBe("invalid_state");
    expect(await countPayments(db, club.tenant)).toEqual({ all: 0, paid: 0 });
    expect(await subscriptionsOf(club.tenant)).toHaveLength(1);
    await expectClean();
  });

  test.each(["free", "paid"] as const)(
    "(%s) is granted once to ten concurrent sessions with one card",
    async (kind) => {
      const club = await openClub(kind);
      const sessions = await Promise.all(Array.from({ length: 10 }, (_, i) => club.open({ customer_id: `c${i}` })));
      await Promise.all(sessions.map((session) => codeOf(session.pay())));
      const begun = await subscriptionsOf(club.tenant);
      expect(begun.filter(({ trial_refused }) => !trial_refused)).toHaveLength(1);
      await expectClean();
    },
  );
});
