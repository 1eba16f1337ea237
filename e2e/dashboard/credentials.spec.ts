import type { APIRequestContext, Page } from "playwright/test";
import { createPayment, getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { connectProcessor, replaceRules } from "@/lib/domain/processors/connections";
import { ownToken } from "@/lib/processor/adyen/tokens";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { test as connecting, openProcessors } from "../connecting";
import { adyenAt } from "../doubles/adyen/under-test";
import { connectingService } from "../fixtures/connections";
import { expect, type Tenant } from "../fixtures/playwright";
import { newSubscription } from "../samples";
import { addressesOf, idsOf } from "./page-addresses";

type Connected = { payments: Payment[]; ids: Record<string, string>; hints: string[]; secrets: Record<string, string> };

/** Unique secrets of both processors; pages show only a secret's last four characters. */
const SIGNING = "whsec_canarysigning5b1d9f3c70e2";
const CARD = { number: "4242424242424242", expiryMonth: "12", expiryYear: "2040", cvc: "123" };

const test = connecting.extend<{ connected: Connected }>({
  connected: async ({ tenant, db, connecting: { main, adyen } }, use) => {
    if (!adyen) throw new Error("Adyen's double runs");
    const stripe = {
      ...STRIPE,
      create: (given: Parameters<typeof STRIPE.create>[0]) => atDouble(given, main.endpoint),
    };
    // Without a connection, the sandbox stores its card.
    const subscription = await newSubscription(tenant.api);
    const service = connectingService(db, { connectors: [stripe, adyenAt(adyen)] });
    const owner = tenant.context({ service, actor: { type: "user", id: tenant.merchant.id } });
    const one = await connectProcessor(owner, {
      processor: "stripe",
      label: "Main shop",
      credentials: { secret_key: main.secretKey, webhook_secret: SIGNING },
    });
    const { apiKey, merchantAccount, hmacKey } = adyen;
    const other = await connectProcessor(owner, {
      processor: "adyen",
      label: "Other shop",
      credentials: { api_key: apiKey, merchant_account: merchantAccount, hmac_key: hmacKey },
    });
    await replaceRules(owner, [{ currency: "EUR", brand: null, connection_id: other.id }]);
    const rows = await db.sql<{ credentials: string }[]>`
      select credentials::text as credentials from processor_connections where environment_id = ${tenant.merchant.test.id}`;
    const secrets = {
      "Stripe's secret key": main.secretKey.slice(8, -4),
      "Stripe's signing secret": SIGNING.slice(6),
      "Adyen's API key": apiKey.slice(3, -4),
      "Adyen's HMAC key": hmacKey,
      ...Object.fromEntries(rows.map(({ credentials }, index) => [`what is stored of ${index}`, credentials])),
    };
    expect(rows).toHaveLength(2);
    const payments = [
      await paid(tenant, "USD", "pm_card_visa"),
      await paid(tenant, "EUR", ownToken(adyen.encrypt(CARD))),
    ];
    const ids = await idsOf(tenant, payments[0] as Payment, { connection: one.id, subscription });
    await use({ payments, ids, hints: [main.secretKey.slice(-4), apiKey.slice(-4)], secrets });
  },
});
test.use({ withAdyen: true });
// In order, in one worker: each worker starts its own service.
test.describe.configure({ mode: "default" });

const atDouble = (options: Parameters<typeof STRIPE.create>[0], endpoint: string) =>
  STRIPE.create({ ...options, endpoint });

async function paid({ api }: Tenant, currency: string, payment_token: string): Promise<Payment> {
  const body = { amount: 5_000, currency, payment_token, customer_email: "ada@shopper.example" };
  const created = async () => (await api.call(createPayment, { body })).ok().id;
  let id = "";
  // The service caches connections and rules for a second, and another process has changed these.
  await expect(async () => {
    id = await created();
  }).toPass({ timeout: 30_000 });
  await api.call(refundPayment, { id, body: { amount: 1_000 } });
  return (await api.call(getPayment, { id })).ok();
}

/** The kind of object that an export lists. */
const exported = (address: string) =>
  /\/(subscriptions|invoices|payouts|customers|settlement-batches)\/export$/.exec(address)?.[1] ?? "transactions";
/** Headings of exports that list none of the ids: nothing is disputed here, and activity is about users. */
const HEADINGS: Readonly<Record<string, string>> = {
  "/test/disputes/export": "network_reason_code",
  "/test/settings/activity/export": "object_id",
};

/** Responses for an address, as a page and as Next's own client requests it. */
async function textsAt(request: APIRequestContext, address: string): Promise<string[]> {
  const texts: string[] = [];
  for (const headers of [{ Accept: "text/html" }, { RSC: "1" }] as Record<string, string>[]) {
    const answer = await request.get(address, { headers });
    expect(answer.status(), address).toBe(200);
    texts.push(await answer.text());
  }
  return texts;
}

function expectNone(texts: readonly string[], secrets: Record<string, string>, where: string): void {
  const found = Object.entries(secrets).filter(
    ([, secret]) => secret === "" || texts.some((text) => text.includes(secret)),
  );
  expect(found.map(([name]) => `${name} at ${where}`)).toEqual([]);
}

async function lookAt(page: Page, addresses: readonly string[], secrets: Record<string, string>): Promise<string> {
  const all: string[] = [];
  for (const address of addresses) {
    const texts = await textsAt(page.request, address);
    expectNone(texts, secrets, address);
    all.push(...texts);
  }
  return all.join("\n");
}

test("a processor's credentials are in no page of the dashboard and in no export, as HTML or as data", {
  tag: "@prove",
}, async ({ owner, connected: { payments, ids, hints, secrets } }) => {
  const pages = addressesOf("(dashboard)", "page.tsx", ids);
  expect(pages.length).toBeGreaterThan(40);
  const exports = addressesOf("(dashboard)", "export/route.ts", ids);
  expect(exports).toHaveLength(12);
  const more = payments.flatMap(({ id }) => [`/test/payments/${id}`, `/test/transactions?panel=${id}`]);
  const text = await lookAt(owner, [...pages, ...more], secrets);
  for (const shown of [...hints, "Main shop", "Other shop"]) expect(text).toContain(shown);
  for (const each of exports) {
    // By default a report covers the month before, in which nothing happened.
    const address = each.includes("/reports/") ? `${each}?type=transactions&created=2020-01-01..2099-12-31` : each;
    const answer = await owner.request.get(address);
    expect(answer.status(), address).toBe(200);
    const file = await answer.text();
    expect(file, address).toContain(HEADINGS[address] ?? ids[exported(address)]);
    expectNone([file], secrets, address);
  }
});

test("nor in the processors page's data or its dialogs' requests", async ({ owner, connected: { secrets } }) => {
  const texts: string[] = [];
  const reading: Promise<unknown>[] = [];
  owner.on("response", (response) => {
    const isData = !/^(?:image|font|stylesheet|script)$/.test(response.request().resourceType());
    if (isData)
      reading.push(
        response.text().then(
          (text) => texts.push(text),
          () => {},
        ),
      );
  });
  await openProcessors(owner);
  for (const label of ["Main shop", "Other shop"]) {
    await owner.getByRole("button", { name: `Actions for ${label}` }).click();
    texts.push(await owner.content());
    await owner.keyboard.press("Escape");
  }
  for (const button of await owner.getByRole("main").getByRole("button", { name: "Test", exact: true }).all()) {
    await button.click();
    await expect(owner.getByText(/works|does not/).last()).toBeVisible();
  }
  await Promise.all(reading);
  texts.push(await owner.content());
  expect(texts.join("\n")).toContain("Other shop");
  expectNone(texts, secrets, "the processors' page");
});

test("nor in a page of support's", async ({ staffPage, connected: { payments, ids, secrets } }) => {
  const pages = addressesOf("(support)/support/(inside)", "page.tsx", ids).map((address) => `/support${address}`);
  expect(pages.length).toBeGreaterThan(6);
  const more = payments.flatMap(({ id }) => [`/support/payments/${id}`, `/support?q=${id}`]);
  const text = await lookAt(staffPage, [...pages.map((page) => page.replace(/\/$/, "")), ...more], secrets);
  for (const { id } of payments) expect(text).toContain(id);
});
