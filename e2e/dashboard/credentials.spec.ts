import { readdirSync } from "node:fs";
import type { APIRequestContext, Page } from "playwright/test";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { listCustomers } from "@/lib/contract/customers/endpoints";
import { listEvents } from "@/lib/contract/events/endpoints";
import { encodeId } from "@/lib/contract/ids";
import { createPayment, getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { listPayouts, listSettlementBatches } from "@/lib/contract/settlement/endpoints";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { testWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { requestRefund } from "@/lib/domain/approvals/requests";
import { createPaymentLink } from "@/lib/domain/checkout/payment-links";
import { connectProcessor, replaceRules } from "@/lib/domain/processors/connections";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { newId } from "@/lib/ids";
import { ownToken } from "@/lib/processor/adyen/tokens";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { test as connecting, openProcessors } from "../connecting";
import { adyenAt } from "../doubles/adyen/under-test";
import { connectingService } from "../fixtures/connections";
import { openDispute } from "../fixtures/disputes";
import { expect, type Tenant } from "../fixtures/playwright";
import { chargeOf, newEndpoint, newPlan, newSession, newSubscription } from "../samples";

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

/** An existing id for each folder of pages with an `[id]`. */
async function idsOf(
  tenant: Tenant,
  payment: Payment,
  { connection, subscription }: { connection: string; subscription: Subscription },
): Promise<Record<string, string>> {
  const { api, merchant } = tenant;
  const { service } = tenant.context();
  await runSettlement(service, { environmentId: merchant.test.id });
  await runPayouts(service);
  const endpoint = await newEndpoint(api);
  const { sql } = service.db;
  const first = async (list: Promise<{ ok(): { data: readonly { id: string }[] } }>) =>
    (await list).ok().data[0]?.id ?? "";
  const requests = async () =>
    (await sql<{ id: string }[]>`select id from request_log where environment_id = ${merchant.test.id} limit 1`)[0]?.id;
  await expect.poll(requests, { timeout: 60_000 }).toBeDefined();
  // A job records customers within about a second of their payments.
  const customer = () => first(api.call(listCustomers));
  await expect.poll(customer, { timeout: 60_000 }).not.toBe("");
  const price = { amount: 1_999, currency: "USD", description: "A poster" };
  const link = await createPaymentLink(tenant.context(), createPaymentLinkBody.parse(price));
  const [key] = await sql<{ id: string }[]>`select id from api_keys where environment_id = ${merchant.test.id} limit 1`;
  const requester = { userId: newId(), name: "Ada", email: "ada@shop.example", role: "operator" as const };
  const request = { subject: payment.id, parameters: { amount: 1 }, reason: "The parcel is lost", user: requester };
  return {
    approvals: (await requestRefund(tenant.context(), request)).id,
    plans: (await newPlan(api)).id,
    events: await first(api.call(listEvents)),
    "api-keys": encodeId("apiKey", key?.id ?? ""),
    requests: encodeId("request", (await requests()) ?? ""),
    webhooks: endpoint.id,
    deliveries: (await api.call(testWebhookEndpoint, { id: endpoint.id })).ok().id,
    "settlement-batches": await first(api.call(listSettlementBatches)),
    payouts: await first(api.call(listPayouts)),
    transactions: chargeOf(payment).id,
    customers: await customer(),
    processors: connection,
    checkout: (await newSession(api)).id,
    links: link.id,
    payments: payment.id,
    reconciliation: connection,
    merchants: encodeId("merchant", merchant.id),
    subscriptions: subscription.id,
    "payment-methods": subscription.payment_method_id ?? "",
    invoices: subscription.latest_invoice_id ?? "",
    disputes: (await openDispute({ service, db: service.db, environmentId: merchant.test.id }, payment.id)).id,
  };
}

/** URLs of all files with this name in a folder of `app`, routed the way Next does it, with ids filled in. */
function addressesOf(folder: string, file: string, ids: Record<string, string>): string[] {
  const all = readdirSync(`app/${folder}`, { recursive: true, encoding: "utf8" });
  return all
    .filter((path) => (path === file || path.endsWith(`/${file}`)) && !path.includes("[...rest]"))
    .map((path) => {
      const parts = path
        .split("/")
        .slice(0, -1)
        .filter((part) => !part.startsWith("("));
      const filled = parts.map((part, index) => {
        if (part === "[mode]") return "test";
        if (part !== "[id]") return part;
        const id = ids[parts[index - 1] ?? ""];
        // A new page needs an entry in `ids` before it can be tested.
        if (!id) throw new Error(`${path} is of something that this test has not made`);
        return id;
      });
      return `/${filled.join("/")}`;
    });
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
  expect(exports).toHaveLength(11);
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
