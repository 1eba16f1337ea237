import type { Page, Request } from "playwright/test";
import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { listPayments } from "@/lib/contract/payments/endpoints";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { CARDS } from "../samples";
import { expectPaid, expectStep, fillCard, pay, payButton, TEXTS, test, whilePending } from "./fixtures";

const ATTEMPTS = "**/pay/*/attempts";
const paymentsOf = async (api: Api) => (await api.call(listPayments)).ok().data.map(({ status }) => status);

/** The form's payment attempts. */
function attemptsOf(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request: Request) => {
    if (request.url().endsWith("/attempts")) sent.push((request.postDataJSON() as { attempt: string }).attempt);
  });
  return sent;
}

test("the connection is cut after the server has the card: the form checks, never pays twice, and ends paid", async ({
  page,
  api,
  openCheckout,
}) => {
  const sent = attemptsOf(page);
  let cuts = 0;
  await page.route(ATTEMPTS, async (route) => {
    // The server receives it and charges the card; its response never arrives.
    await route.fetch();
    if (++cuts <= 2) await route.abort("connectionreset");
    else await route.continue();
  });
  // The state is unreadable as well, otherwise the form would recover immediately.
  await page.route("**/pay/*/state", (route) => (cuts < 2 ? route.abort("connectionreset") : route.continue()));
  const checkout = await openCheckout(page);
  await pay(checkout.form);
  await expect(checkout.form.getByText(TEXTS.notices.connection_lost)).toBeVisible();
  await expect(checkout.form.locator("#number")).toHaveAttribute("readonly", "");
  await expectPaid(checkout.form);
  expect(new Set(sent).size).toBe(1);
  expect(await paymentsOf(api)).toEqual(["CAPTURED"]);
  await expect.poll(() => checkout.told("onSuccess")).toHaveLength(1);
  await expect.poll(() => checkout.told("onError")).toMatchObject([{ code: "connection_lost" }]);
});

test("the connection is cut before the server has the card: the attempt is resent, and pays once", async ({
  page,
  api,
  context,
  openCheckout,
}) => {
  const sent = attemptsOf(page);
  const checkout = await openCheckout(page);
  await fillCard(checkout.form);
  await context.setOffline(true);
  await payButton(checkout.form).click();
  await expect(checkout.form.getByText(TEXTS.notices.connection_lost)).toBeVisible();
  expect(await paymentsOf(api)).toEqual([]);
  await context.setOffline(false);
  await expectPaid(checkout.form);
  expect(sent.length).toBeGreaterThan(1);
  expect(new Set(sent).size).toBe(1);
  expect(await paymentsOf(api)).toEqual(["CAPTURED"]);
});

test("invalid responses of a proxy or failing server are requested again", {
  tag: "@prove",
}, async ({ page, api, openCheckout }) => {
  const troubles = [
    { status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" },
    { status: 200, contentType: "application/json", body: "{}" },
    { status: 503, contentType: "application/problem+json", body: '{"code":"database_unavailable"}' },
  ];
  await page.route(ATTEMPTS, async (route) => {
    const trouble = troubles.shift();
    await (trouble ? route.fulfill(trouble) : route.continue());
  });
  const checkout = await openCheckout(page);
  await pay(checkout.form, CARDS.declined);
  await expect(checkout.form.getByText(TEXTS.notices.card_declined)).toBeVisible({ timeout: 60_000 });
  expect(troubles).toEqual([]);
  expect(await paymentsOf(api)).toEqual(["DECLINED"]);
});

test("a reload while the payment is in progress: the form knows, and ends paid, once", async ({
  page,
  api,
  tenant,
  db,
  openCheckout,
}) => {
  const checkout = await openCheckout(page);
  const submitted = page.waitForRequest(ATTEMPTS);
  await pay(checkout.form, CARDS.slow);
  await submitted;
  await expect.poll(() => paymentsOf(api)).toEqual(["PENDING"]);
  await whilePending(db, tenant.merchant.test.id, async () => {
    await page.reload();
    await expectStep(checkout.form, TEXTS.processing.title);
  });
  await expectPaid(checkout.form);
  expect(await paymentsOf(api)).toEqual(["CAPTURED"]);
  await expect
    .poll(() => checkout.told("onSuccess"))
    .toMatchObject([{ clientSessionId: checkout.session.id, status: "CAPTURED" }]);
});

test("however often and fast the button is clicked, there is one attempt", async ({ page, api, openCheckout }) => {
  const sent = attemptsOf(page);
  const checkout = await openCheckout(page);
  await fillCard(checkout.form);
  await payButton(checkout.form).evaluate((button: HTMLButtonElement) => {
    for (let press = 0; press < 5; press++) button.click();
  });
  await page.keyboard.press("Enter");
  await checkout.submit();
  await expectPaid(checkout.form);
  expect(sent).toHaveLength(1);
  expect(await paymentsOf(api)).toEqual(["CAPTURED"]);
});

test("two tabs pay concurrently with different cards: one pays, the other shows it as paid", async ({
  context,
  api,
  openCheckout,
  newCheckoutSession,
}) => {
  const session = await newCheckoutSession();
  const tabs = [];
  for (const number of [CARDS.slow, CARDS.approved]) {
    const page = await context.newPage();
    const checkout = await openCheckout(page, {}, session);
    await fillCard(checkout.form, number);
    tabs.push(checkout);
  }
  // By script, because a browser sends no mouse events to a background tab.
  await Promise.all(tabs.map(({ form }) => payButton(form).dispatchEvent("click")));
  for (const { form } of tabs) await expectPaid(form);
  expect(await paymentsOf(api)).toEqual(["CAPTURED"]);
  const { payment_id } = (await api.call(getClientSession, { id: session.id })).ok();
  for (const { told } of tabs) await expect.poll(() => told("onSuccess")).toMatchObject([{ paymentId: payment_id }]);
});

test("too many attempts from one address: the form asks to wait, and the card can be sent again", async ({
  page,
  api,
  openCheckout,
}) => {
  let refused = false;
  await page.route(ATTEMPTS, async (route) => {
    if (refused) return route.continue();
    refused = true;
    const body = JSON.stringify({ code: "rate_limited", status: 429, title: "", detail: "" });
    await route.fulfill({
      status: 429,
      headers: { "retry-after": "1" },
      contentType: "application/problem+json",
      body,
    });
  });
  const checkout = await openCheckout(page);
  await pay(checkout.form);
  await expect(checkout.form.getByText(TEXTS.notices.rate_limited)).toBeVisible();
  expect(await paymentsOf(api)).toEqual([]);
  await expect(checkout.form.locator("#number")).not.toHaveAttribute("readonly");
  await payButton(checkout.form).click();
  await expectPaid(checkout.form);
});
