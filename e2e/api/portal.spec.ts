import { getInvoice } from "@/lib/contract/invoices/endpoints";
import { createPortalSession } from "@/lib/contract/portal/endpoints";
import { cancelSubscription, getSubscription } from "@/lib/contract/subscriptions/endpoints";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import type { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { newPaymentMethod, newSubscription } from "../samples";

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

const openPortal = async (api: Api, customer_id: string, more: object = {}) =>
  (await api.call(createPortalSession, { body: { customer_id, ...more } })).ok();

/** Posts a form of the portal as a browser does, and returns the response without following it. */
const post = (
  url: string,
  action: string,
  form: Record<string, string>,
  headers: Record<string, string> = SAME_ORIGIN,
) => fetch(`${url}/${action}`, { method: "POST", body: new URLSearchParams(form), headers, redirect: "manual" });

const endsWithPeriod = async (api: Api, { id }: Subscription) =>
  (await api.call(getSubscription, { id })).ok().cancel_at_period_end;

test("a portal session is created once for a key, and its address is nowhere in the request log", async ({
  api,
  db,
  tenant,
}) => {
  const body = { customer_id: "cus_1", return_url: "https://shop.example/account" };
  const made = await api.call(createPortalSession, { body, key: "one" });
  const { object, url, expires_at } = made.ok();
  expect(object).toBe("portal_session");
  expect(url).toMatch(/\/portal\/prt_[\w-]{43}$/);
  expect(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  const again = await api.call(createPortalSession, { body, key: "one" });
  expect([again.replayed, again.text]).toEqual([true, made.text]);
  (await api.call(createPortalSession, { body: {} })).problem("missing_parameter");
  (await api.call(createPortalSession, { body: { ...body, customer: "x" } })).problem("unknown_parameter");
  (await api.call(createPortalSession, { body: { ...body, return_url: "javascript:alert(1)" } })).problem(
    "invalid_parameter",
  );
  const token = url.split("/").at(-1) ?? "";
  const logged = await db.sql`
    select r::text as row from request_log r where environment_id = ${tenant.merchant.test.id} and operation = 'createPortalSession'`;
  expect(logged.some(({ row }) => String(row).includes(token.slice(4)))).toBe(false);
});

test("customer pages set no cookie, are not framed, cached or indexed, and load nothing from elsewhere", {
  tag: "@next",
}, async ({ api, baseUrl }) => {
  const subscription = await newSubscription(api);
  const { url } = await openPortal(api, subscription.customer_id);
  const invoice = (await api.call(getInvoice, { id: subscription.latest_invoice_id ?? "" })).ok();
  const paths = [
    url,
    `${url}/cancel?subscription=${subscription.id}`,
    invoice.hosted_url ?? "",
    `${baseUrl}/portal/back`,
  ];
  for (const path of [...paths, `${baseUrl}/portal/x`, `${baseUrl}/invoice/x`]) {
    const response = await fetch(path);
    const html = await response.text();
    const { headers } = response;
    expect(response.status, path).toBe(path.endsWith("/x") ? 404 : 200);
    expect(headers.get("content-security-policy"), path).toMatch(
      /^default-src 'none'; script-src 'nonce-[\w+/]{24}'; style-src 'nonce-[\w+/]{24}'; .*form-action 'self'; .*frame-ancestors 'none'$/,
    );
    expect(headers.get("set-cookie"), path).toBeNull();
    expect(headers.get("cache-control"), path).toBe("no-store");
    expect(headers.get("x-robots-tag"), path).toBe("noindex");
    // Same-origin where a form has to show that it is ours; other sites never get a referrer.
    expect(headers.get("referrer-policy"), path).toMatch(path.startsWith(url) ? /^same-origin$/ : /^no-referrer$/);
    expect(html, path).not.toMatch(/\sstyle=|<iframe/);
    for (const [, address] of html.matchAll(/(?:src|href|action)="([^"]+)"/g))
      expect(address, path).toMatch(new RegExp(`^(?:/(?!/)|${baseUrl}/)`));
  }
});

test("a customer cancels at the end of the period and undoes it, and a second click changes nothing", async ({
  api,
}) => {
  const subscription = await newSubscription(api);
  const { url } = await openPortal(api, subscription.customer_id);
  const form = { subscription: subscription.id };
  for (const [action, becomes] of [
    ["cancel", true],
    ["cancel", true],
    ["continue", false],
    ["continue", false],
  ] as const) {
    const response = await post(url, action, form);
    expect(response.status).toBe(303);
    expect(await endsWithPeriod(api, subscription)).toBe(becomes);
    const shown = await fetch(new URL(response.headers.get("location") ?? "", url));
    expect(await shown.text()).toContain(becomes ? "Your subscription is cancelled." : " continues. Next charge: ");
  }
});

test("other sites, foreign objects, expired sessions and late cancellations change nothing", async ({
  api,
  stranger,
  db,
  tenant,
}) => {
  const subscription = await newSubscription(api);
  const { url } = await openPortal(api, subscription.customer_id);
  const form = { subscription: subscription.id };
  // A page of another site can't act for the customer, even with the token.
  const elsewhereSent: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    {},
  ];
  for (const headers of elsewhereSent) {
    expect((await post(url, "cancel", form, headers)).status).toBe(403);
  }
  const other = await newPaymentMethod(api, { customer_id: "someone_else" });
  const foreign = await openPortal(api, other.customer_id);
  expect((await post(foreign.url, "cancel", form)).status).toBe(404);
  const elsewhere = await openPortal(stranger.api, subscription.customer_id);
  expect((await post(elsewhere.url, "cancel", form)).status).toBe(404);
  expect(await (await fetch(elsewhere.url)).text()).not.toContain(subscription.id);
  expect((await post(url, "nothing", form)).status).toBeGreaterThanOrEqual(404);
  expect((await post(url, "cancel", {})).status).toBe(404);
  expect(await endsWithPeriod(api, subscription)).toBe(false);

  await api.call(cancelSubscription, { id: subscription.id, body: {} });
  const late = await post(url, "cancel", form);
  expect(late.headers.get("location")).toContain("done=changed");
  expect(await (await fetch(new URL(late.headers.get("location") ?? "", url))).text()).toContain("so nothing was done");

  await db.sql`update portal_sessions set expires_at = now() - interval '1 ms' where environment_id = ${tenant.merchant.test.id}`;
  const over = await fetch(url);
  expect([over.status, await over.text()]).toEqual([410, expect.stringContaining("This page has expired")]);
  expect((await post(url, "continue", form)).status).toBe(410);
});

test("an invoice's page is visible only with its exact address", async ({ api, baseUrl }) => {
  const subscription = await newSubscription(api);
  const { hosted_url, number } = (await api.call(getInvoice, { id: subscription.latest_invoice_id ?? "" })).ok();
  const html = await (await fetch(hosted_url ?? "")).text();
  expect(html).toContain(number);
  expect(html).toContain("Paid on");
  expect(html).not.toContain("<form");
  const token = hosted_url?.split("/").at(-1) ?? "";
  for (const wrong of ["x", token.slice(0, -1), `${token}x`, token.replace("inv_0", "inv_1"), token.split(".")[0]]) {
    const response = await fetch(`${baseUrl}/invoice/${wrong}`);
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("Invoice not found")]);
  }
  // A paid invoice can't be paid again.
  const paid = await fetch(`${hosted_url}/pay`, { method: "POST", headers: SAME_ORIGIN, redirect: "manual" });
  expect([paid.status, paid.headers.get("location")]).toEqual([303, `/invoice/${token}`]);
  const crossSite = { "sec-fetch-site": "cross-site" };
  expect((await fetch(`${hosted_url}/pay`, { method: "POST", headers: crossSite })).status).toBe(403);
});
