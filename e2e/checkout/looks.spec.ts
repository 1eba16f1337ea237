import type { Page } from "playwright/test";
import type { Database } from "@/db/client";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { listPayments } from "@/lib/contract/payments/endpoints";
import { expectAccessible } from "../browser";
import { expect, type Tenant } from "../fixtures/playwright";
import { CARDS } from "../samples";
import {
  expectPaid,
  expectStep,
  type Form,
  fillCard,
  issuerIn,
  pay,
  payButton,
  TEXTS,
  test,
  whilePending,
} from "./fixtures";

/** Together, both embeddings cover each scheme at each width; `npm test` runs one of them. */
const INSIDE_SHOPS = [
  { width: 390, theme: "dark" },
  { width: 1440, theme: "light", tag: "@prove" },
] as const;
const BY_ITSELF = [
  { width: 1440, theme: "dark", tag: "@prove" },
  { width: 390, theme: "light", tag: "@prove" },
] as const;

/** Neither the shop's page nor the form's is wider than its window, from the smallest phones to desktops. */
async function expectFits(page: Page): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 390, height: 900 };
  for (const one of [320, width]) {
    await page.setViewportSize({ width: one, height });
    for (const frame of page.frames()) {
      const overflow = await frame.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `${frame.url().slice(0, 60)} at ${one}`).toBeLessThanOrEqual(0);
    }
  }
}

async function expectWell(page: Page): Promise<void> {
  await expectFits(page);
  await expectAccessible(page);
}

type Look = { page: Page; tenant: Tenant; db: Database };

/** Walks through every step that a shopper can see. */
async function walkThrough({ page, tenant, db }: Look, form: Form): Promise<void> {
  const { api } = tenant;
  await expect(form.locator("#number")).toBeVisible();
  await expectWell(page);
  await payButton(form).click();
  await expect(form.getByText(TEXTS.problems.number_missing)).toBeVisible();
  await expectWell(page);
  await pay(form, CARDS.declined);
  await expect(form.getByText(TEXTS.notices.card_declined)).toBeVisible();
  await expectWell(page);
  await pay(form, CARDS.challenge);
  await expect(issuerIn(form).getByRole("button", { name: "Approve the payment" })).toBeVisible();
  await expectWell(page);
  await issuerIn(form).getByRole("button", { name: "Fail the check" }).click();
  await expect(form.getByText(TEXTS.notices.authentication_failed)).toBeVisible();
  await page.route("**/pay/*/attempts", (route) => route.abort("connectionreset"));
  await pay(form, CARDS.declined);
  await expect(form.getByText(TEXTS.notices.connection_lost)).toBeVisible();
  await expectWell(page);
  await page.unroute("**/pay/*/attempts");
  await expect(form.getByText(TEXTS.notices.card_declined)).toBeVisible({ timeout: 60_000 });
  await pay(form, CARDS.slow);
  await expect.poll(async () => (await api.call(listPayments)).ok().data[0]?.status).toBe("PENDING");
  await whilePending(db, tenant.merchant.test.id, async () => {
    await page.reload();
    await expectStep(form, TEXTS.processing.title);
    await expectWell(page);
  });
  await expectPaid(form);
  await expectWell(page);
}

for (const { width, theme, ...tag } of INSIDE_SHOPS) {
  test(
    `every step of the form is accessible and fits, inside a shop: ${width} px, ${theme}`,
    tag,
    async ({ page, tenant, db, openCheckout }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const session = { currency: "USD", amount: 123_456_789 };
      const checkout = await openCheckout(page, { appearance: { theme } }, session);
      await walkThrough({ page, tenant, db }, checkout.form);
    },
  );
}

for (const { width, theme, ...tag } of BY_ITSELF) {
  test(
    `every step of the payment link is accessible and fits, down to a phone: ${width} px, ${theme}`,
    tag,
    async ({ page, tenant, db, baseUrl, newCheckoutSession }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const session = await newCheckoutSession({ currency: "USD", appearance: { theme: "system" } });
      await page.goto(`${baseUrl}/pay/${session.client_session_token}`);
      await walkThrough({ page, tenant, db }, page);
    },
  );
}

test("closed forms and error pages are accessible and fit, right-to-left too", async ({
  page,
  baseUrl,
  openCheckout,
  newCheckoutSession,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const path of [
    `cst_${"a".repeat(43)}`,
    "preview",
    `${(await newCheckoutSession()).client_session_token}?origin=https://evil.example`,
  ]) {
    await page.goto(`${baseUrl}/pay/${path}`);
    await expectWell(page);
  }
  const arabic = await openCheckout(page, { locale: "ar" }, { currency: "USD" });
  await expect(arabic.form.locator("#number")).toBeVisible();
  await payButton(arabic.form).click();
  await expectWell(page);
  await fillCard(arabic.form);
  for (const left of [4, 3, 2, 1]) {
    await pay(arabic.form, CARDS.declined);
    await expect(arabic.form.getByText(textsOf("ar").attemptsLeft(left))).toBeVisible();
  }
  await pay(arabic.form, CARDS.declined);
  await expectStep(arabic.form, textsOf("ar").closed.attempts_exhausted.title);
  await expectWell(page);
});

test("the frame is as high as the form in every state", async ({ page, openCheckout }) => {
  const checkout = await openCheckout(page, {}, { currency: "USD" });
  const height = () => page.locator("#payment iframe").evaluate((frame) => frame.getBoundingClientRect().height);
  const content = () =>
    checkout.form.locator("body").evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
  const fits = () => expect.poll(async () => (await height()) - (await content())).toBe(0);
  await expect(checkout.form.locator("#number")).toBeVisible();
  await fits();
  const before = await height();
  await payButton(checkout.form).click();
  await expect(checkout.form.getByText(TEXTS.problems.number_missing)).toBeVisible();
  await fits();
  expect(await height()).toBeGreaterThan(before);
  await page.setViewportSize({ width: 320, height: 800 });
  await fits();
  await pay(checkout.form, CARDS.challenge);
  await expect(issuerIn(checkout.form).getByRole("button", { name: "Approve the payment" })).toBeVisible();
  await fits();
  const hidden = () =>
    checkout.form.locator("iframe").evaluate((frame: HTMLIFrameElement) => {
      const inside = frame.contentDocument?.documentElement;
      return (inside?.scrollHeight ?? 0) - (inside?.clientHeight ?? 0);
    });
  await expect.poll(hidden).toBeLessThanOrEqual(0);
});
