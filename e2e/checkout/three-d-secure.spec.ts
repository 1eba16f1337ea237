import { cancelClientSession, getClientSession } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { expect } from "../fixtures/playwright";
import { aCard, CARDS, captured } from "../samples";
import { expectPaid, expectStep, issuerIn, pay, TEXTS, test } from "./fixtures";

const declinedNotice = TEXTS.notices.authentication_failed;

for (const [button, pays] of [
  ["Approve the payment", true],
  ["Fail the check", false],
  ["Cancel and go back", false],
] as const) {
  test(`the challenge is shown in the form, and the shopper clicks ${button}`, async ({ page, api, openCheckout }) => {
    const checkout = await openCheckout(page, {}, { return_url: "https://shop.example/thanks" });
    await pay(checkout.form, CARDS.challenge);
    await expect(issuerIn(checkout.form).getByRole("heading", { level: 1 })).toHaveText("Confirm your payment");
    await expect.poll(() => checkout.told("onActionRequired")).toEqual([{ kind: "three_d_secure" }]);
    await issuerIn(checkout.form).getByRole("button", { name: button }).click();
    if (pays) await expectPaid(checkout.form);
    else await expect(checkout.form.getByText(declinedNotice)).toBeVisible();
    const session = (await api.call(getClientSession, { id: checkout.session.id })).ok();
    expect(session.status).toBe(pays ? "COMPLETED" : "OPEN");
    await expect.poll(() => checkout.told("onSuccess")).toHaveLength(pays ? 1 : 0);
    expect(new URL(page.url()).pathname).toBe(`/${checkout.session.id}`);
    if (pays) return;
    await pay(checkout.form);
    await expectPaid(checkout.form);
  });
}

test("the page is reloaded during a challenge: the challenge is shown again, and one payment is made", async ({
  page,
  api,
  openCheckout,
}) => {
  const checkout = await openCheckout(page);
  await pay(checkout.form, CARDS.challenge);
  await expect(issuerIn(checkout.form).getByRole("button", { name: "Approve the payment" })).toBeVisible();
  await page.reload();
  await issuerIn(checkout.form).getByRole("button", { name: "Approve the payment" }).click();
  await expectPaid(checkout.form);
  await expect.poll(() => checkout.told("onActionRequired")).toHaveLength(1);
  expect((await api.call(listPayments)).ok().data.map(({ status }) => status)).toEqual(["CAPTURED"]);
});

test("a challenge completed elsewhere, too late, or cancelled by the merchant: the form continues by itself", async ({
  context,
  api,
  db,
  service,
  openCheckout,
}) => {
  const asked = async () => {
    const checkout = await openCheckout(await context.newPage());
    await pay(checkout.form, CARDS.challenge);
    await expect(issuerIn(checkout.form).getByRole("button", { name: "Approve the payment" })).toBeVisible();
    return checkout;
  };
  const [elsewhere, late, cancelled] = [await asked(), await asked(), await asked()];
  const address = (await elsewhere.form.locator("iframe").getAttribute("src")) ?? "";
  const window = await context.newPage();
  await window.goto(new URL(address, elsewhere.session.iframe_url ?? "").href);
  await window.getByRole("button", { name: "Approve the payment" }).click();
  await expectPaid(elsewhere.form);

  const id = decodeId("clientSession", late.session.id);
  await db.sql`update payments p set updated_at = now() - interval '31 minutes' from client_sessions s
    where s.id = ${id} and p.environment_id = s.environment_id and p.id = s.open_payment_id`;
  await expirePayments(service);
  await expect(late.form.getByText(declinedNotice)).toBeVisible();

  await api.call(cancelClientSession, { id: cancelled.session.id });
  await expectStep(cancelled.form, TEXTS.closed.cancelled.title);
});

test("a challenge page that cannot be framed opens in its own window, and the form waits for it", async ({
  page,
  context,
  openCheckout,
}) => {
  await page.route("**/challenge/*", async (route) => {
    const response = await route.fetch();
    const policy = response.headers()["content-security-policy"] ?? "";
    const headers = {
      ...response.headers(),
      "content-security-policy": policy.replace(/frame-ancestors .*/, "frame-ancestors 'none'"),
    };
    await route.fulfill({ response, headers, body: "<h1>The bank</h1>" });
  });
  const checkout = await openCheckout(page);
  await pay(checkout.form, CARDS.challenge);
  await expect(checkout.form.getByText(TEXTS.challenge.blocked)).toBeVisible();
  const opened = context.waitForEvent("page");
  await checkout.form.getByRole("link", { name: TEXTS.challenge.openInWindow }).click();
  await (await opened).getByRole("button", { name: "Approve the payment" }).click();
  await expectPaid(checkout.form);
});

const challenged = { amount: 1_999, card: aCard(CARDS.challenge) };

for (const [button, status, title] of [
  ["Approve the payment", "CAPTURED", "The payment is confirmed"],
  ["Fail the check", "DECLINED", "3-D Secure failed"],
] as const) {
  test(`a shopper completes the 3-D Secure challenge: ${button}`, async ({ page, api }) => {
    const payment = await captured(api, challenged);
    const url = payment.next_action?.redirect_to_url.url ?? "";
    await page.goto(url);
    await expect(page.getByRole("heading", { name: "Confirm your payment" })).toBeVisible();
    await expect(page.getByText("$19.99")).toBeVisible();
    await expect(page.getByText("•••• 3220")).toBeVisible();
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
    await expect(page.getByRole("button")).toHaveCount(0);
    expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe(status);
    await page.reload();
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
  });
}

test("the challenge shows no card data, and works without JavaScript", async ({ browser, api }) => {
  const payment = await captured(api, challenged);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(payment.next_action?.redirect_to_url.url ?? "");
  expect(await page.content()).not.toContain(CARDS.challenge);
  await page.getByRole("button", { name: "Approve the payment" }).click();
  await expect(page.getByRole("heading", { name: "The payment is confirmed" })).toBeVisible();
  await context.close();
});
