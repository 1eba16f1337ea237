import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { CARD, DECLINED } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { linkShops } from "@/e2e/fixtures/payment-links";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { createPaymentLink } from "@/lib/domain/checkout/payment-links";
import { listCustomers, noteCustomers } from "@/lib/domain/customers/customers";
import { newId } from "@/lib/ids";
import { attempt } from "./checkout";
import { checkoutPage } from "./checkout-page";
import { provideService } from "./current-service";
import { linkPage, openLink } from "./payment-link";

const { db } = await testDatabase();

/** A browser's cookie handling: cross-site requests carry only a `Lax` cookie, and only with GET. */
function browser() {
  let cookie: { value: string; sameSite: string } | null = null;
  return {
    keep(header: string | null) {
      const [value = "", ...rest] = (header ?? "").split("; ");
      const sameSite = rest.find((one) => one.startsWith("SameSite="))?.slice("SameSite=".length) ?? "none given";
      cookie = { value, sameSite };
    },
    request(url: string, from: "same-origin" | "cross-site", method = "GET") {
      const isSent = cookie !== null && (from === "same-origin" || (cookie.sameSite === "Lax" && method === "GET"));
      return new Request(url, {
        method,
        headers: {
          "sec-fetch-site": from,
          "x-forwarded-for": "192.0.2.7",
          ...(isSent && { cookie: cookie?.value ?? "" }),
        },
      });
    },
  };
}

test("a shopper who reopens a paid link, even from a mailbox, sees that it is paid before another form opens", async () => {
  const tenant = await moneyTenant(db);
  provideService(tenant.service);
  const price = { amount: 1_999, currency: "USD", description: "A poster" };
  const link = await createPaymentLink(
    testContext(tenant.service, tenant.merchant.test),
    createPaymentLinkBody.parse(price),
  );
  const token = link.url.slice(link.url.lastIndexOf("/") + 1);
  const shopper = browser();
  const visit = (from: "same-origin" | "cross-site") => linkPage(shopper.request(link.url, from), token);
  expect(await visit("cross-site")).toMatchObject({ kind: "page", paidBefore: null });
  const opened = await openLink(shopper.request(`${link.url}/open`, "same-origin", "POST"), token);
  if (opened.kind !== "opened") throw new Error(`no form: ${opened.problem}`);
  shopper.keep(opened.response.headers.get("set-cookie"));
  const session = opened.response.headers.get("location")?.slice("/pay/".length) ?? "";
  await attempt(
    {
      service: tenant.service,
      params: { token: session },
      address: randomUUID(),
      cookies: null,
      request: { id: newId(), path: "/pay/{token}/attempts" },
    },
    checkoutAttemptBody.parse({ attempt: randomUUID(), card: CARD }),
  );
  for (const from of ["same-origin", "cross-site"] as const)
    expect(await visit(from), from).toMatchObject({ kind: "page", paidBefore: `/pay/${session}` });
});

test("for a plan with a free trial, the link's page and form state today's amount and the terms as sold", async () => {
  const tenant = await moneyTenant(db);
  provideService(tenant.service);
  const { newPlan, sell } = linkShops(db);
  const plan = await newPlan(tenant, {
    type: "SUBSCRIPTION_FREE_TRIAL",
    full_price_amount: 19,
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    trial_period_value: 14,
    trial_period_unit: "DAYS",
  });
  const { link, address, opened } = await sell({ plan_id: plan.id }, tenant);
  const sold = { offer: { amount: 0, terms: { price: 1_900, trial: { value: 14, unit: "DAYS" }, trialPrice: null } } };
  expect(await linkPage(new Request(link.url), address)).toMatchObject({ kind: "page", sale: sold });
  const token = await opened();
  const page = () => checkoutPage(new Request(`http://localhost/pay/${token}`), token);
  expect(await page()).toMatchObject({ kind: "page", page: sold });
  await plan.reprice(25);
  expect(await page(), "the plan has another price now").toMatchObject({ page: sold });
});

test("the e-mail address that a link requests identifies the customer, with the lifetime total", async () => {
  const { sell } = linkShops(db);
  const shop = await sell();
  provideService(shop.tenant.service);
  const email = `${randomUUID()}@customers.example`;
  for (const typed of [email, email.toUpperCase()]) {
    const { state } = await shop.pay(await shop.opened(), CARD, { email: typed });
    expect(await shop.tenant.get(state.payment?.id ?? "")).toMatchObject({ customer_email: typed });
  }
  while ((await noteCustomers(shop.tenant.service)) > 0);
  const { data } = await listCustomers(testContext(shop.tenant.service, shop.tenant.merchant.test), {});
  expect(data).toMatchObject([{ payments: 2, currencies: [{ currency: "USD", captured: 3_998 }] }]);
});

test("a link requires the e-mail address unless that is switched off, and then stores none that a form sends", async () => {
  const { sell } = linkShops(db);
  const shop = await sell({ single_use: true });
  provideService(shop.tenant.service);
  const token = await shop.opened();
  const fields = async () => {
    const found = await checkoutPage(new Request(`http://localhost/pay/${token}`), token);
    return found.kind === "page" ? found.page.fields : null;
  };
  expect(await fields()).toMatchObject({ email: true });
  await shop.change({ asks_email: false });
  expect(await fields()).toMatchObject({ email: false });
  const { state } = await shop.pay(token, CARD, { email: "jane@customers.example" });
  expect(await shop.tenant.get(state.payment?.id ?? "")).toMatchObject({ customer_email: null });
});

test("of two shoppers at a single-use link, the one who pays becomes the customer", async () => {
  const { sell } = linkShops(db);
  const shop = await sell({ single_use: true });
  const token = await shop.opened();
  await shop.pay(token, DECLINED, { email: "first@customers.example" });
  const { state } = await shop.pay(token, CARD, { email: "second@customers.example" });
  expect(await shop.tenant.get(state.payment?.id ?? "")).toMatchObject({ customer_email: "second@customers.example" });
});

test("a paid link shows shop and amount to everyone, and the payment only to the browser that opened its form", async () => {
  const { sell } = linkShops(db);
  const { link, address, tenant, pay } = await sell({ single_use: true, description: "For Jane's operation" });
  provideService(tenant.service);
  const payer = browser();
  const opened = await openLink(payer.request(`${link.url}/open`, "same-origin", "POST"), address);
  if (opened.kind !== "opened") throw new Error(`no form: ${opened.problem}`);
  payer.keep(opened.response.headers.get("set-cookie"));
  const session = opened.response.headers.get("location")?.slice("/pay/".length) ?? "";
  await pay(session, CARD, { email: "jane@customers.example" });
  const seen = await linkPage(new Request(link.url), address);
  expect(seen).toMatchObject({
    kind: "problem",
    problem: "paid",
    status: 410,
    paidSale: {
      merchant_name: "Test merchant",
      offer: { amount: 1_999 },
      currency: "USD",
      description: null,
      plan_name: null,
    },
  });
  expect(JSON.stringify(seen)).not.toMatch(/operation|jane|4242|cst_/i);
  const again = await linkPage(payer.request(link.url, "cross-site"), address);
  expect(again.kind === "opened" && again.response.headers.get("location")).toBe(`/pay/${session}`);
});

test("a link that is opened while the shop's test clock advances says so, and makes no session", async () => {
  const { sell } = linkShops(db);
  const { link, address, tenant } = await sell();
  provideService(tenant.service);
  await db.sql`update environments set clock_frozen_at = now(), clock_advancing_to = now() + interval '1 day'
    where id = ${tenant.environmentId}`;
  const refused = await openLink(browser().request(`${link.url}/open`, "same-origin", "POST"), address);
  expect(refused).toMatchObject({
    kind: "problem",
    problem: "clock_moves",
    status: 409,
    headers: { "Retry-After": "1" },
  });
  expect(await db.sql`select 1 from client_sessions where environment_id = ${tenant.environmentId}`).toHaveLength(0);
});
