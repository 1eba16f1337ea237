import { cancelClientSession, getClientSession } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { expect } from "../fixtures/playwright";
import { PaymentForm } from "../payment-form";
import { CARDS } from "../samples";
import { expectPaid, expectStep, fillCard, pay, payButton, TEXTS, test } from "./fixtures";

test("a paid session shows as paid wherever its form is reopened, and accepts no card", async ({
  page,
  context,
  baseUrl,
  openCheckout,
}) => {
  const checkout = await openCheckout(page);
  await pay(checkout.form);
  await expectPaid(checkout.form);
  const again = await context.newPage();
  const reopened = await openCheckout(again, {}, checkout.session);
  await expectPaid(reopened.form);
  await expect.poll(() => reopened.told("onSuccess")).toMatchObject([{ clientSessionId: checkout.session.id }]);
  await again.goto(`${baseUrl}/pay/${checkout.token}`);
  await expectPaid(again);
  await expect(again.locator("input")).toHaveCount(0);
});

test("a session that is cancelled or ends while its form is open closes the form without a reload", async ({
  context,
  api,
  db,
  openCheckout,
}) => {
  const [cancelled, expired] = [
    await openCheckout(await context.newPage()),
    await openCheckout(await context.newPage()),
  ];
  for (const { form } of [cancelled, expired]) await fillCard(form);
  await api.call(cancelClientSession, { id: cancelled.session.id });
  const id = decodeId("clientSession", expired.session.id);
  await db.sql`update client_sessions set expires_at = now() - interval '1 ms' where id = ${id}`;
  await Promise.all([
    expect(cancelled.form.locator("h2#step")).toHaveText(TEXTS.closed.cancelled.title),
    expect(expired.form.locator("h2#step")).toHaveText(TEXTS.closed.expired.title),
  ]);
  for (const { form } of [cancelled, expired]) await expect(form.locator("input, button.pay")).toHaveCount(0);
  await expect.poll(() => cancelled.told("onError")).toMatchObject([{ code: "session_cancelled" }]);
  await expect.poll(() => expired.told("onExpired")).toEqual([null]);
});

test("the fifth decline closes the form: it counts down, says so, and reports it to the page", async ({
  page,
  api,
  openCheckout,
}) => {
  const checkout = await openCheckout(page);
  for (const left of [4, 3, 2, 1]) {
    await pay(checkout.form, CARDS.declined);
    await expect(checkout.form.getByText(TEXTS.attemptsLeft(left))).toBeVisible();
  }
  await pay(checkout.form, CARDS.declined);
  await expectStep(checkout.form, TEXTS.closed.attempts_exhausted.title);
  const codes = (await checkout.told("onError")).map((error) => (error as { code: string }).code);
  expect(codes.slice(0, 4)).toEqual(Array(4).fill("card_declined"));
  expect(codes.at(-1)).toBe("attempts_exhausted");
  expect((await api.call(getClientSession, { id: checkout.session.id })).ok()).toMatchObject({ attempts_left: 0 });
  await page.reload();
  await expectStep(checkout.form, TEXTS.closed.attempts_exhausted.title);
});

test("in mode tokenize the page gets a token, its server pays with it, and the form has sent no payment", async ({
  page,
  api,
  openCheckout,
}) => {
  const checkout = await openCheckout(page, { mode: "tokenize" });
  await expect(payButton(checkout.form)).toHaveText(TEXTS.button.save);
  await pay(checkout.form);
  await expectStep(checkout.form, TEXTS.done.savedTitle);
  const [result] = (await checkout.told("onSuccess")) as { paymentToken: string; paymentId: null }[];
  expect(result).toMatchObject({ paymentId: null, paymentToken: expect.stringMatching(/^tok_/) });
  expect((await api.call(getClientSession, { id: checkout.session.id })).ok().payment_id).toBeNull();
  const { amount, currency } = checkout.session;
  const body = { amount, currency, payment_token: result?.paymentToken };
  expect((await api.call(createPayment, { body })).ok()).toMatchObject({
    status: "CAPTURED",
    client_session_id: checkout.session.id,
  });
});

test("a payment link is a page that returns the shopper with the ids of the payment", async ({
  page,
  api,
  baseUrl,
  merchantSite,
  newCheckoutSession,
}) => {
  merchantSite.serve("<h1>Thank you</h1>", { path: "/thanks" });
  const return_url = `${merchantSite.origin}/thanks?order=7`;
  const session = await newCheckoutSession({ return_url, allowed_origins: [], customer_name: "Jane Doe" });
  await page.goto(`${baseUrl}/pay/${session.client_session_token}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Test merchant");
  await expect(page.locator(".total")).toContainText("€25.00");
  await expect(page.locator("#name")).toHaveValue("Jane Doe");
  await pay(page, CARDS.declined);
  await expect(page.getByText(TEXTS.notices.card_declined)).toBeVisible();
  await pay(page);
  await expectPaid(page);
  await page.waitForURL(`${merchantSite.origin}/thanks**`);
  const { payment_id } = (await api.call(getClientSession, { id: session.id })).ok();
  expect(page.url()).toBe(`${return_url}&client_session_id=${session.id}&payment_id=${payment_id}`);
});

test("an incomplete or unknown link says that there is nothing to pay", async ({ page, baseUrl }) => {
  const answer = await page.goto(`${baseUrl}/pay/cst_${"a".repeat(43)}`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: TEXTS.closed.not_found.title })).toBeVisible();
});

test("without a live processor the form says that the shop cannot take payments, and nothing is charged", async ({
  page,
  tenant,
  db,
  baseUrl,
  merchantSite,
  openCheckout,
}) => {
  const live = await tenant.live.raw({
    method: "POST",
    path: "/v1/client-sessions",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ amount: 2_500, currency: "EUR", allowed_origins: ["https://shop.example"] }),
  });
  const session = JSON.parse(live.text) as { id: string; client_session_token: string };
  // Live sessions accept only https origins, which tests don't have.
  await db.sql`update client_sessions set allowed_origins = ${[merchantSite.origin]}
    where id = ${decodeId("clientSession", session.id)}`;
  const checkout = await openCheckout(page, {}, session);
  await expect(checkout.form.getByText(TEXTS.notices.processor_unavailable)).toBeVisible();
  await expect(checkout.form.locator("input")).toHaveCount(0);
  await expect.poll(() => checkout.told("onError")).toMatchObject([{ code: "processor_unavailable" }]);
  expect((await new PaymentForm(baseUrl, session.client_session_token).state()).attempts_left).toBe(5);
});
