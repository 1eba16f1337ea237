import type { Page } from "playwright/test";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import { createPlan } from "@/lib/contract/plans/endpoints";
import { testWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { openDispute } from "../fixtures/disputes";
import { expect } from "../fixtures/playwright";
import { aCard, aPlan, CARDS, captured, newEndpoint, newSession, newSubscription } from "../samples";

type Made = Record<
  "payment" | "plan" | "key" | "session" | "endpoint" | "delivery" | "event" | "invoice" | "dispute",
  string
>;

/** Every page of the dashboard; ids belong to objects that the test creates. */
const PAGES: Record<string, (made: Made) => string> = {
  overview: () => "/test",
  transactions: () => "/test/transactions",
  "transactions with filters": () => "/test/transactions?status=DECLINED&brand=visa",
  "transactions without results": () => "/test/transactions?q=nobody%40nowhere.example",
  payment: ({ payment }) => `/test/payments/${payment}`,
  "payment panel": ({ payment }) => `/test/transactions?panel=${payment}`,
  balance: () => "/test/balance?period=this_year",
  "balance without results": () => "/test/balance?type=payout",
  payouts: () => "/test/payouts",
  reports: () => "/test/reports?type=transactions&created=this-year",
  "reports without results": () => "/test/reports?created=2020-01-01",
  "settlement batches": () => "/test/settlement-batches",
  checkout: () => "/test/checkout",
  "checkout without results": () => "/test/checkout?status=COMPLETED",
  "new session": () => "/test/checkout/new",
  "payment links": () => "/test/checkout/links",
  "new payment link": ({ plan }) => `/test/checkout/links/new?plan=${plan}`,
  "client session": ({ session }) => `/test/checkout/${session}`,
  "appearance of the payment form": () => "/test/checkout/appearance",
  customers: () => "/test/customers",
  "customers without results": () => "/test/customers?q=nobody",
  "subscriptions without results": () => "/test/subscriptions?q=nobody",
  "add subscriber, without a plan": () => "/test/subscriptions/new",
  invoices: () => "/test/invoices",
  "invoices without results": () => "/test/invoices?q=nobody",
  invoice: ({ invoice }) => `/test/invoices/${invoice}`,
  "invoice to print": ({ invoice }) => `/test/invoices/${invoice}/print`,
  disputes: () => "/test/disputes",
  "disputes without results": () => "/test/disputes?status=WON",
  dispute: ({ dispute }) => `/test/disputes/${dispute}`,
  plans: () => "/test/plans",
  "new plan": () => "/test/plans/new",
  plan: ({ plan }) => `/test/plans/${plan}`,
  "API keys": () => "/test/developers/api-keys",
  webhooks: () => "/test/developers/webhooks",
  "webhook endpoint": ({ endpoint }) => `/test/developers/webhooks/${endpoint}`,
  "webhook delivery": ({ delivery }) => `/test/developers/webhooks/deliveries/${delivery}`,
  events: () => "/test/developers/events",
  event: ({ event }) => `/test/developers/events/${event}`,
  requests: () => "/test/developers/requests",
  "requests without results": () => "/test/developers/requests?status=5xx",
  idempotency: ({ key }) => `/test/developers/idempotency?key=${key}`,
  settings: () => "/test/settings/account",
  "settings of subscriptions": () => "/test/settings/subscriptions",
  "live overview, where nothing has happened": () => "/live",
  "live transactions, where nothing has happened": () => "/live/transactions",
  "live customers, where nothing has happened": () => "/live/customers",
  "live disputes, where nothing has happened": () => "/live/disputes",
  "live invoices, where nothing has happened": () => "/live/invoices",
  "live balance, where nothing has happened": () => "/live/balance",
  "live payouts, where nothing has happened": () => "/live/payouts",
  "live subscriptions, where nothing has happened": () => "/live/subscriptions",
  "live checkout, where nothing has happened": () => "/live/checkout",
};
const PUBLIC_PAGES = ["/sign-in", "/sign-up", "/forgot-password", "/support/sign-in"];

/** Pages of one part share a browser, a merchant and its data; 6 parts keep every worker busy. */
const PARTS = 6;

for (let part = 0; part < PARTS; part++) {
  const pages = Object.entries(PAGES).filter((_, index) => index % PARTS === part);
  const name = `pages, part ${part + 1} of ${PARTS}, are accessible, fit and say nothing wrong`;
  test(name, { tag: "@looks" }, async ({ owner, api, tenant, service, db }) => {
    const payment = await captured(api, { customer_email: "ada@shopper.example" });
    await captured(api, { card: aCard(CARDS.amex), currency: "EUR" });
    const plan = (await api.call(createPlan, { body: aPlan(), key: `key-of-${payment.id}` })).ok();
    const session = await newSession(api, { allowed_origins: ["https://shop.example"], customer_name: "Ada" });
    await newSubscription(api);
    const [invoice] = (await api.call(listInvoices)).ok().data;
    const dispute = await openDispute({ service, db, environmentId: tenant.merchant.test.id }, payment.id);
    const endpoint = await newEndpoint(api, { url: "http://127.0.0.1:9/nobody" });
    const delivery = (await api.call(testWebhookEndpoint, { id: endpoint.id })).ok();
    const made = {
      payment: payment.id,
      plan: plan.id,
      key: `key-of-${payment.id}`,
      session: session.id,
      endpoint: endpoint.id,
      delivery: delivery.id,
      event: delivery.event_id,
      invoice: invoice?.id ?? "",
      dispute: dispute.id,
    };
    const errors = listenForErrors(owner);
    for (const [name, addressOf] of pages) {
      await test.step(name, async () => {
        await expectWellInEveryLook(owner, async () => {
          await owner.goto(addressOf(made));
          await expect(owner.getByRole("heading", { level: 1 }).first()).toBeVisible();
          await expect(owner.locator("[aria-busy=true]")).toHaveCount(0);
        });
        expect(errors).toEqual([]);
      });
    }
  });
}

test("pages before sign-in are accessible, fit and have no errors", { tag: "@looks" }, async ({ page }) => {
  const errors = listenForErrors(page);
  for (const path of PUBLIC_PAGES) {
    await test.step(path, async () => {
      await expectWellInEveryLook(page, () => page.goto(path));
      expect(errors).toEqual([]);
    });
  }
});

/** Collects the browser's errors: in scripts, in hydration and in loading. */
function listenForErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return errors;
}
