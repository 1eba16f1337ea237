import type { APIRequestContext } from "playwright/test";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { MERCHANT_ROLES, type MerchantRole, ROLE_PERMISSIONS, type UserPermission } from "@/lib/contract/permissions";
import { connectProcessor } from "@/lib/domain/processors/connections";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { test as connecting } from "../connecting";
import { connectingService } from "../fixtures/connections";
import { expect } from "../fixtures/playwright";
import { authorized, captured, newSubscription, overdueInvoice } from "../samples";
import { addressesOf, idsOf, routeOf } from "./page-addresses";

/**
 * Pages by role, repeated here on purpose: a new page fails the test until someone decides which roles may open it.
 * `null` = every role.
 */
const PAGES: readonly (readonly [UserPermission | null, readonly string[]])[] = [
  ["transaction.read", [""]],
  ["transaction.search", ["/transactions", "/customers", "/customers/[id]"]],
  ["balance.read", ["/balance", "/payouts", "/payouts/[id]", "/settlement-batches", "/settlement-batches/[id]"]],
  ["balance.read", ["/settings/processors/[id]/reconciliation"]],
  ["report.read", ["/reports"]],
  ["dispute.read", ["/disputes", "/disputes/[id]"]],
  ["payment.read", ["/payments/[id]", "/payments/[id]/receipt", "/transactions/[id]", "/checkout", "/checkout/[id]"]],
  ["payment.read", ["/checkout/links", "/checkout/links/[id]", "/developers/requests", "/developers/requests/[id]"]],
  ["client_session.create", ["/checkout/new", "/checkout/links/new"]],
  ["payment_method.read", ["/payment-methods/[id]"]],
  ["subscription_plan.read", ["/plans", "/plans/[id]"]],
  ["subscription_plan.write", ["/plans/new"]],
  ["subscription.read", ["/subscriptions", "/subscriptions/[id]", "/settings/subscriptions"]],
  ["subscription.write", ["/subscriptions/new"]],
  ["invoice.read", ["/invoices", "/invoices/[id]", "/invoices/[id]/print"]],
  ["api_key.manage", ["/developers/api-keys", "/developers/api-keys/[id]", "/developers/api-keys/new"]],
  ["webhook_endpoint.read", ["/developers/webhooks", "/developers/webhooks/[id]"]],
  ["webhook_endpoint.read", ["/developers/webhooks/deliveries/[id]"]],
  ["event.read", ["/developers/events", "/developers/events/[id]"]],
  ["payment.read", ["/developers/idempotency"]],
  ["settings.manage", ["/checkout/appearance", "/settings/activity", "/settings/business", "/settings/processors"]],
  ["team.manage", ["/settings/team", "/settings/approvals"]],
  ["approval.request", ["/approvals"]],
  // The example is a refund, whose requests developers don't see.
  ["transaction.refund", ["/approvals/[id]"]],
  [null, ["/settings/account", "/settings/appearance", "/settings/second-factor", "/settings/sessions"]],
];

/** Permission to save each list as a file. */
const EXPORTS: Readonly<Record<string, UserPermission>> = {
  "/transactions": "transaction.read",
  "/customers": "transaction.search",
  "/balance": "balance.read",
  "/payouts": "balance.read",
  "/payouts/[id]": "balance.read",
  "/settlement-batches": "balance.read",
  "/settlement-batches/[id]": "balance.read",
  "/reports": "report.read",
  "/disputes": "dispute.read",
  "/subscriptions": "subscription.read",
  "/invoices": "invoice.read",
  "/settings/activity": "settings.manage",
};

/**
 * Buttons that not every role has that may open their page, some with their route. A button of the owner's that isn't
 * here must be shown to all of them.
 */
const BUTTONS: Partial<Record<UserPermission, readonly string[]>> = {
  "transaction.refund": ["Refund"],
  "transaction.capture": ["Capture"],
  "transaction.void": ["Void"],
  "client_session.create": [
    "Activate",
    "Add another",
    "Cancel session",
    "Create payment link",
    "Create session",
    "Deactivate",
  ],
  "subscription_plan.write": ["Activate", "Create draft", "Deactivate", "Discard", "Save changes"],
  "subscription.write": ["Add subscriber", "Change plan or quantity", "Copy portal link", "/subscriptions/[id] More"],
  "invoice.write": ["Charge now"],
  "payment_method.write": ["Remove Visa •••• 4242"],
  "test_clock.write": ["Advance… (test clock)"],
  "webhook_endpoint.write": ["Edit", "New endpoint", "Resend", "Save changes", "Send test event"],
  "approval.decide": ["Approve…", "Reject…"],
  "dispute.write": ["Accept dispute…", "Add files", "Save draft", "Submit evidence…"],
  // The owner decides whether finance may approve.
  "team.manage": ["Approve…", "Reject…"],
  "settings.manage": [
    "Add a retry",
    "Bank account •••• 6789",
    "Compare now",
    "Remove retry 1",
    "Remove retry 2",
    "Remove retry 3",
    "/settings/subscriptions Save",
  ],
};
/** Buttons that a page shows instead. */
const INSTEAD = ["Why can’t I change it?"];

const NEEDED = new Map(PAGES.flatMap(([permission, routes]) => routes.map((route) => [route, permission] as const)));
const NO_ACCESS = /You don’t have access to /;

const can = (role: MerchantRole, permission: UserPermission | null | undefined) =>
  permission === null || (permission !== undefined && ROLE_PERMISSIONS[role].includes(permission));

type Shop = { ids: Record<string, string>; pages: string[]; exports: string[] };

/** A shop with one of everything, and a processor's connection. */
const test = connecting.extend<{ shop: Shop }>({
  shop: async ({ tenant, db, connecting: { main } }, use) => {
    const { api } = tenant;
    const subscription = await newSubscription(api);
    const invoice = await overdueInvoice(api);
    const open = await authorized(api, { customer_id: "cus_1042", customer_email: "ada@shopper.example" });
    const payment = await captured(api, { customer_id: "cus_1042", customer_email: "ada@shopper.example" });
    (await api.call(refundPayment, { id: payment.id, body: { amount: 1_000 } })).ok();
    const stripe = {
      ...STRIPE,
      create: (given: Parameters<typeof STRIPE.create>[0]) => STRIPE.create({ ...given, endpoint: main.endpoint }),
    };
    const owner = tenant.context({
      service: connectingService(db, { connectors: [stripe] }),
      actor: { type: "user", id: tenant.merchant.id },
    });
    const credentials = { secret_key: main.secretKey, webhook_secret: "whsec_ofthisshop00000000" };
    const connection = await connectProcessor(owner, { processor: "stripe", label: "Main shop", credentials });
    const ids = await idsOf(tenant, payment, { connection: connection.id, subscription });
    const more = [
      `/test/payments/${open.id}`,
      `/test/invoices/${invoice.id}`,
      `/test/transactions?panel=${payment.id}`,
    ];
    const pages = [...addressesOf("(dashboard)", "page.tsx", ids), ...more];
    await use({ ids, pages, exports: addressesOf("(dashboard)", "export/route.ts", ids) });
  },
});

// Its service lets webhooks go to this machine.
test.use({ withAdyen: true });

/** Addresses of the dashboard's test mode that a page links to. */
function linksIn(html: string): string[] {
  const found = [...html.matchAll(/<a\b[^>]*?\shref="(\/test(?:[/?#][^"]*)?)"/g)].map(([, href = ""]) => href);
  return [...new Set(found.map((href) => href.replaceAll("&amp;", "&")))];
}

/** Names of a page's buttons, without the ids and names in them. */
function buttonsIn(html: string): string[] {
  const shown = html.replaceAll(/<script\b[\s\S]*?<\/script>/g, "");
  return [...shown.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)]
    .map(([, attributes = "", content = ""]) => {
      const name = /aria-label="([^"]*)"/.exec(attributes)?.[1] ?? content.replaceAll(/<[^>]*>/g, "").trim();
      return name.replaceAll(/[a-z]+_[0-9a-z]{26}/g, "ID");
    })
    .filter((name) => !name.endsWith("Account menu"));
}

/** Buttons that this role has and shouldn't, and the other way around. */
function compare(
  { role, route }: { role: MerchantRole; route: string },
  owners: readonly string[],
  own: readonly string[],
) {
  const permissions = (label: string) =>
    (Object.keys(BUTTONS) as UserPermission[]).filter((permission) =>
      BUTTONS[permission]?.some((each) => each === label || each === `${route} ${label}`),
    );
  const isFor = (label: string) =>
    permissions(label).length === 0 || permissions(label).some((each) => can(role, each));
  const isHidden = (label: string) => permissions(label).some((each) => !can(role, each));
  return {
    extra: own.filter((label) => !INSTEAD.includes(label) && !(owners.includes(label) && isFor(label))),
    missing: owners.filter((label) => !own.includes(label) && !isHidden(label)),
  };
}

async function htmlAt(request: APIRequestContext, address: string): Promise<string> {
  const response = await request.get(address, { headers: { Accept: "text/html" } });
  expect(response.status(), address).toBe(200);
  return response.text();
}

test("every page and export of the dashboard has a permission in this table", async ({
  shop: { ids, pages, exports },
}) => {
  const routes = pages.map((address) => routeOf(address, ids));
  expect([...new Set(routes)].sort()).toEqual([...NEEDED.keys()].sort());
  expect(exports.map((address) => routeOf(address, ids).replace(/\/export$/, "")).sort()).toEqual(
    Object.keys(EXPORTS).sort(),
  );
});

test("each role opens the pages that it may, is refused the others in words, and has their links and buttons alone", {
  tag: "@prove",
}, async ({ page, newPerson, signInAs, shop: { ids, pages, exports } }) => {
  const wrong: string[] = [];
  /** The owner's buttons, by address. */
  const all = new Map<string, string[]>();
  for (const role of MERCHANT_ROLES) {
    await page.context().clearCookies();
    await signInAs(page.context(), await newPerson(role));
    let links = 0;
    for (const address of pages) {
      const route = routeOf(address, ids);
      const html = await htmlAt(page.request, address);
      const isRefused = NO_ACCESS.test(html.replaceAll(/<script\b[\s\S]*?<\/script>/g, ""));
      if (isRefused === can(role, NEEDED.get(route)))
        wrong.push(`${role}: ${route} is ${isRefused ? "" : "not "}refused`);
      // A refused page has only the menu, and the switch to the other mode's page of the same name.
      const buttons = isRefused ? [] : buttonsIn(html);
      if (role === "owner") all.set(address, buttons);
      const { extra, missing } = compare({ role, route }, all.get(address) ?? [], buttons);
      if (!isRefused) wrong.push(...extra.map((label) => `${role}: ${route} has '${label}'`));
      if (!isRefused) wrong.push(...missing.map((label) => `${role}: ${route} lacks '${label}'`));
      for (const href of isRefused ? [] : linksIn(html)) {
        const to = routeOf(href, ids);
        links++;
        if (to.endsWith("/export") || to === "/settings") continue;
        if (!NEEDED.has(to)) wrong.push(`${route} links to ${href}, which is no page`);
        else if (!can(role, NEEDED.get(to))) wrong.push(`${role}: ${route} links to ${to}`);
      }
    }
    expect(links).toBeGreaterThan(100);
    for (const address of exports) {
      const route = routeOf(address, ids).replace(/\/export$/, "");
      const response = await page.request.get(address);
      const isRefused = response.status() === 403;
      if (isRefused === can(role, EXPORTS[route]))
        wrong.push(`${role}: the export of ${route} is ${isRefused ? "" : "not "}refused`);
      // An account makes at most 20 exports in quick succession.
      if (role === "owner") expect(response.status(), address).toBe(200);
    }
  }
  // Otherwise the table names a button that is no longer there.
  const shown = new Set(
    [...all].flatMap(([address, labels]) => labels.flatMap((label) => [label, `${routeOf(address, ids)} ${label}`])),
  );
  expect(
    Object.values(BUTTONS)
      .flat()
      .filter((label) => !shown.has(label)),
  ).toEqual([]);
  expect([...new Set(wrong)]).toEqual([]);
});
