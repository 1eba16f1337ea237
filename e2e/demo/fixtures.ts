import type { FrameLocator, Page } from "playwright/test";
import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { getPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { test as base } from "../browser";
import { Api } from "../client";
import { expect } from "../fixtures/playwright";

/** Tests with the demo merchant's own key, which compare the shop with the API. */
export const test = base.extend<{ demo: Api }>({
  demo: async ({ baseUrl }, use) => {
    const key = process.env.E2E_DEMO_KEY;
    if (!key) throw new Error("E2E_DEMO_KEY is not set: run the tests with npx playwright test --project demo");
    await use(new Api(baseUrl, key));
  },
});

/**
 * Only a revealed frame: before that it has no height of its own, and a click would miss the moving target.
 */
export const formOf = (page: Page): FrameLocator => page.frameLocator("iframe[data-cardlane]:not([aria-busy])");

/** Opens the shop's checkout page, with the form ready. */
export async function openCheckout(page: Page, baseUrl: string, query = ""): Promise<FrameLocator> {
  await page.goto(`${baseUrl}/demo/checkout?print=ridge${query}`);
  const form = formOf(page);
  await expect(form.getByLabel("Card number")).toBeVisible();
  return form;
}

/** The payment behind the result page, as returned by the API. */
export async function paymentOnPage(page: Page, api: Api): Promise<Payment | null> {
  const session = new URL(page.url()).searchParams.get("client_session_id") ?? "";
  const { payment_id } = (await api.call(getClientSession, { id: session })).ok();
  return payment_id === null ? null : (await api.call(getPayment, { id: payment_id })).ok();
}
