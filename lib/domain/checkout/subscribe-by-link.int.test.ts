import { describe, expect, test } from "vitest";
import { CARD, CHALLENGED, codeOf, countPayments, DECLINED } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { linkShops } from "@/e2e/fixtures/payment-links";
import { planShops } from "@/e2e/fixtures/plan-checkout";

const { db } = await testDatabase({ max: 30 });
const { sell } = linkShops(db);
const { answer, expectClean, invoicesOf, newPlan, payOnItsPage, sentenceOf, subscriptionsOf } = planShops(db);

describe("a link of a recurring plan", () => {
  test("requests the payer's e-mail address, which identifies the customer", async () => {
    const tenant = await moneyTenant(db);
    const plan_id = await newPlan(tenant, "plain");
    const { link, opened, pay, get } = await sell({ plan_id, asks_email: false }, tenant);
    expect(link.amount).toBe(2_190);
    const token = await opened();
    const consent = await sentenceOf(tenant, token);
    expect(await codeOf(pay(token, CARD, { consent }))).toBe("missing_parameter");
    const { state } = await pay(token, CARD, { consent, email: "Ann@Example.com" });
    expect(state).toMatchObject({ status: "COMPLETED", subscription_id: expect.any(String) });
    expect(await subscriptionsOf(tenant)).toMatchObject([
      { id: state.subscription_id, customer_id: "ann@example.com", customer_email: "Ann@Example.com" },
    ]);
    expect((await get()).sales).toMatchObject({ count: 1, captured: [{ currency: "EUR", amount: 2_190 }] });
    await expectClean();
  });

  test.each(["plain", "free"] as const)(
    "(%s) accepts only an e-mail address: other text could be another customer's id",
    async (kind) => {
      const tenant = await moneyTenant(db);
      const { opened, pay } = await sell({ plan_id: await newPlan(tenant, kind) }, tenant);
      const token = await opened();
      const consent = await sentenceOf(tenant, token);
      for (const email of ["cus_1042", "ann@", `${"a".repeat(65)}@example.com`]) {
        const refused = await pay(token, CARD, { consent, email }).catch((error: unknown) => error);
        expect(refused, email).toMatchObject({ status: 400, code: "invalid_parameter", param: "email" });
      }
      expect(await subscriptionsOf(tenant)).toEqual([]);
      expect(await countPayments(db, tenant)).toEqual({ all: 0, paid: 0 });
      expect((await pay(token, CARD, { consent, email: "ann@example.com" })).state.status).toBe("COMPLETED");
    },
  );

  test.each([true, false])("is for the shopper of the attempt that succeeds; asks_email: %s", async (asks_email) => {
    const tenant = await moneyTenant(db);
    const plan_id = await newPlan(tenant, "plain");
    const { opened, pay } = await sell({ plan_id, asks_email, single_use: true }, tenant);
    const token = await opened();
    const consent = await sentenceOf(tenant, token);
    await pay(token, DECLINED, { consent, email: "ann@example.com" });
    expect(await codeOf(pay(token, CARD, { consent })), "an address is required again").toBe("missing_parameter");
    const { state } = await pay(token, CARD, { consent, email: "bob@example.com" });
    expect(await subscriptionsOf(tenant)).toMatchObject([
      { id: state.subscription_id, customer_id: "bob@example.com", customer_email: "bob@example.com" },
    ]);
    expect((await tenant.get(state.payment?.id ?? "")).customer_email).toBe("bob@example.com");
    await expectClean();
  });

  test("with a free trial takes no payment, and a second trial of the same mailbox costs the full price", async () => {
    const tenant = await moneyTenant(db);
    const plan_id = await newPlan(tenant, "free");
    const shop = await sell({ plan_id }, tenant);
    expect(shop.link.amount).toBe(0);
    const first = await shop.opened();
    await shop.pay(first, CARD, { consent: await sentenceOf(tenant, first), email: "ann@example.com" });
    expect(await subscriptionsOf(tenant)).toMatchObject([{ status: "TRIALING" }]);
    expect((await shop.get()).sales, "it began a subscription").toEqual({ count: 1, capped: false, captured: [] });
    const second = await shop.opened();
    const other = { ...CARD, number: "5555555555554444" };
    const asked = async () => ({ consent: await sentenceOf(tenant, second), email: "ann+again@example.com" });
    expect((await shop.pay(second, other, await asked())).state).toMatchObject({ status: "OPEN", trial_refused: true });
    expect(await shop.opened(second), "the same form goes on").toBe(second);
    expect((await shop.pay(second, other, await asked())).state.status).toBe("COMPLETED");
    expect((await subscriptionsOf(tenant)).map(({ status }) => status)).toEqual(["ACTIVE", "TRIALING"]);
    expect((await shop.get()).sales).toMatchObject({ count: 2, captured: [{ currency: "EUR" }] });
    await expectClean();
  });

  test("that is single-use gives the trial to the next browser after it was refused to another shopper", async () => {
    const tenant = await moneyTenant(db);
    const plan_id = await newPlan(tenant, "paid");
    const used = await sell({ plan_id }, tenant);
    const known = await used.opened();
    await used.pay(known, CARD, { consent: await sentenceOf(tenant, known), email: "ann@example.com" });
    const shop = await sell({ plan_id, single_use: true }, tenant);
    const first = await shop.opened();
    const other = { ...CARD, number: "5555555555554444" };
    const asked = { consent: await sentenceOf(tenant, first), email: "ann@example.com" };
    expect((await shop.pay(first, other, asked)).state).toMatchObject({ trial_refused: true, attempts_left: 4 });
    expect(await shop.opened(first), "the same form goes on").toBe(first);
    const second = await shop.opened();
    expect(await shop.state(second)).toMatchObject({ status: "OPEN", trial_refused: false });
    expect((await shop.state(first)).status).toBe("CANCELLED");
    const consent = await sentenceOf(tenant, second);
    expect((await shop.pay(second, other, { consent, email: "bob@example.com" })).state.status).toBe("COMPLETED");
    expect((await subscriptionsOf(tenant))[0]).toMatchObject({ customer_id: "bob@example.com", status: "TRIALING" });
    await expectClean();
  });

  test("that is single-use is sold once its first invoice was paid on the invoice's page", async () => {
    const tenant = await moneyTenant(db);
    const shop = await sell({ plan_id: await newPlan(tenant, "plain"), single_use: true }, tenant);
    const token = await shop.opened();
    const consent = await sentenceOf(tenant, token);
    const { state } = await shop.pay(token, CHALLENGED, { consent, email: "ann@example.com" });
    await answer(tenant, state, "failed");
    await payOnItsPage(tenant);
    expect([await shop.status(), (await shop.get()).status]).toEqual(["COMPLETED", "COMPLETED"]);
    expect(await shop.open()).toEqual({ status: "COMPLETED" });
    expect(await codeOf(shop.pay(token, CARD, { consent, email: "bob@example.com" }))).toBe("invalid_state");
    expect(await subscriptionsOf(tenant)).toMatchObject([{ customer_id: "ann@example.com", status: "ACTIVE" }]);
    await expectClean();
  });

  test("that is single-use ends what a form began before the link changed, so that nobody pays both", async () => {
    const tenant = await moneyTenant(db);
    const shop = await sell({ plan_id: await newPlan(tenant, "plain"), single_use: true }, tenant);
    const first = await shop.opened();
    const asked = { consent: await sentenceOf(tenant, first), email: "ann@example.com" };
    const { state } = await shop.pay(first, CHALLENGED, asked);
    await answer(tenant, state, "failed");
    await shop.change({ description: "Club, now with a tote bag" });
    const second = await shop.opened();
    expect(second).not.toBe(first);
    expect(await subscriptionsOf(tenant)).toMatchObject([{ customer_id: "ann@example.com", status: "EXPIRED" }]);
    expect(await invoicesOf(tenant)).toMatchObject([{ status: "VOID" }]);
    const consent = await sentenceOf(tenant, second);
    expect((await shop.pay(second, CARD, { consent, email: "ann@example.com" })).state.status).toBe("COMPLETED");
    expect((await countPayments(db, tenant))?.paid).toBe(1);
    await expectClean();
  });

  test("another shopper of a single-use link begins a subscription of their own", async () => {
    const tenant = await moneyTenant(db);
    const plan_id = await newPlan(tenant, "paid");
    const shop = await sell({ plan_id, single_use: true }, tenant);
    const token = await shop.opened();
    const consent = await sentenceOf(tenant, token);
    const { state } = await shop.pay(token, CHALLENGED, { consent, email: "ann@example.com" });
    await answer(tenant, state, "failed");
    expect((await shop.pay(token, CARD, { consent, email: "bob@example.com" })).state.status).toBe("COMPLETED");
    expect((await subscriptionsOf(tenant)).map(({ customer_id, status }) => [customer_id, status])).toEqual([
      ["bob@example.com", "TRIALING"],
      ["ann@example.com", "EXPIRED"],
    ]);
    expect(await shop.status()).toBe("COMPLETED");
    await expectClean();
  });
});
