import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { getClientSession } from "../checkout/client-sessions";
import { openInvoice, payOpened, presentHosted } from "./hosted-invoice";
import { invoiceUrl } from "./hosted-link";

const { db } = await testDatabase();

const FREE_TRIAL = {
  type: "SUBSCRIPTION_FREE_TRIAL" as const,
  trial_period_value: 7,
  trial_period_unit: "DAYS" as const,
};

const tokenOf = ({ hosted_url }: Invoice) => hosted_url?.split("/").at(-1) ?? "";

/** A monthly subscription on a card, and its first invoice. */
async function subscribed(tenant: SubscriptionTenant, { card = CARDS.good as string, terms = {} } = {}) {
  const body = { plan_id: await tenant.plan(terms), payment_method_id: await tenant.card(card) };
  const subscription: Subscription = (await tenant.create(body)).body;
  return { subscription, invoice: (await tenant.invoices(subscription.id))[0] as Invoice };
}

async function shownAt(tenant: SubscriptionTenant, invoice: Invoice) {
  const opened = await openInvoice(tenant.service, tokenOf(invoice));
  return opened && presentHosted(tenant.service, opened);
}

test("every response and event gives an invoice the same address, except while it is a draft", async () => {
  const tenant = await subscriptionTenant(db);
  const { subscription, invoice } = await subscribed(tenant);
  expect(invoice.hosted_url).toMatch(/^http:\/\/cardlane\.test\/invoice\/env_\w{26}\.inv_\w{26}\.[\w-]{30}$/);
  expect((await tenant.invoice(invoice.id)).hosted_url).toBe(invoice.hosted_url);
  const events = await tenant.events(invoice.id);
  const shown = events.map(({ type, data }) => [type, (data.object as unknown as Invoice).hosted_url]);
  expect(shown).toEqual(events.map(({ type }) => [type, invoice.hosted_url]));
  const preview = await tenant.preview(subscription.id, { plan_id: subscription.plan_id, quantity: 2, when: "now" });
  expect(preview.body).toMatchObject({ status: "DRAFT", hosted_url: null });
});

test("the page shows the invoice as it is: paid, due again on a day, void", async () => {
  const tenant = await subscriptionTenant(db);
  const { subscription, invoice: first } = await subscribed(tenant, { card: CARDS.poorLater });
  expect(await shownAt(tenant, first)).toMatchObject({
    shop: { merchant_name: "Test merchant", environment: "sandbox" },
    number: "INV-000001",
    status: "PAID",
    card: { brand: "visa", last4: "7205" },
    payment: "none",
    failed: false,
  });
  await tenant.travel("2026-02-28T10:00:00.000Z");
  await tenant.travel("2026-03-31T10:00:00.000Z");
  const late = (await tenant.invoices(subscription.id)).at(-1);
  if (!late) throw new Error("no third invoice");
  expect(await shownAt(tenant, late)).toMatchObject({
    status: "OPEN",
    payment: "payable",
    failed: true,
    next_attempt_at: "2026-04-03T10:00:00.000Z",
    card: null,
  });
  await tenant.void(late.id);
  expect(await shownAt(tenant, late)).toMatchObject({ status: "VOID", payment: "none" });
});

test("neither the API nor an event shows the secret address to which the invoice's form leads back", async () => {
  const tenant = await subscriptionTenant(db);
  const { subscription } = await subscribed(tenant, { card: CARDS.alwaysPoor, terms: FREE_TRIAL });
  await tenant.travel("2026-03-01T10:00:00.000Z");
  await tenant.letRun(0);
  const invoice = (await tenant.invoices(subscription.id)).at(-1);
  const opened = invoice ? await openInvoice(tenant.service, tokenOf(invoice)) : null;
  if (opened === null) throw new Error("no invoice");
  expect(await payOpened(tenant.service, opened)).toContain("/pay/cst_");
  const [row] = await db.sql`select id, return_url from client_sessions where environment_id = ${tenant.environmentId}`;
  expect(row?.return_url).toBe(invoice?.hosted_url);
  const session = await getClientSession(tenant.context(), { id: encodeId("clientSession", row?.id) });
  expect(session.return_url).toBeNull();
  const [created] = await db.sql`select data from events
    where environment_id = ${tenant.environmentId} and type = 'client_session.created'`;
  expect(created?.data.object.return_url).toBeNull();
});

test("a suspended merchant's invoice is shown, but can't be paid", async () => {
  const tenant = await subscriptionTenant(db);
  const { subscription } = await subscribed(tenant, { card: CARDS.alwaysPoor, terms: FREE_TRIAL });
  await tenant.travel("2026-03-01T10:00:00.000Z");
  const invoice = (await tenant.invoices(subscription.id)).at(-1);
  if (!invoice) throw new Error("no invoice");
  expect(await shownAt(tenant, invoice)).toMatchObject({ payment: "payable" });
  await db.sql`update merchants set suspended_at = now() where id = ${tenant.merchant.id}`;
  expect(await shownAt(tenant, invoice)).toMatchObject({ status: "OPEN", payment: "unavailable" });
});

test("no other text opens an invoice: made-up, changed, of another invoice or environment", async () => {
  const [tenant, stranger] = [await subscriptionTenant(db), await subscriptionTenant(db)];
  const { invoice } = await subscribed(tenant);
  const token = tokenOf(invoice);
  expect(await openInvoice(tenant.service, token)).not.toBeNull();
  const [environment = "", id = "", mac = ""] = token.split(".");
  const [theirEnvironment = "", theirId = "", theirMac = ""] = tokenOf((await subscribed(stranger)).invoice).split(".");
  const wrong = [
    ...["", "x", ".", "..", "...", `${environment}.${id}`, `${token}.`, `${token}x`, token.slice(0, -1)],
    ...[
      `${environment}.${id}.${theirMac}`,
      `${environment}.${theirId}.${theirMac}`,
      `${theirEnvironment}.${id}.${mac}`,
    ],
    ...[token.toUpperCase(), `${id}.${environment}.${mac}`, invoice.id],
    // The invoice's id with our code for it, in an environment that doesn't have it.
    invoiceUrl(tenant.service, { environment_id: stranger.environmentId, id: decodeId("invoice", invoice.id) ?? "" })
      .split("/")
      .at(-1) ?? "",
  ];
  for (const text of wrong) expect(await openInvoice(tenant.service, text), text).toBeNull();
});
