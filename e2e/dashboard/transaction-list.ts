import type { Locator, Page } from "playwright/test";
import { createPayment, refundPayment, voidPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { searchTransactions } from "@/lib/contract/transactions/endpoints";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { aCard, aPayment, CARDS } from "../samples";

export const LIST = "/test/transactions";
const MASTERCARD = "5555555555554444";

export const pay = async (api: Api, overrides: object = {}): Promise<Payment> => {
  const answer = await api.call(createPayment, { body: aPayment(overrides) });
  // A declined card is a payment, too.
  return JSON.parse(answer.text) as Payment;
};

/** A few payments of each kind, so that every filter keeps some and removes others. */
export async function someOfEverything(api: Api): Promise<void> {
  await pay(api, { amount: 1_000, customer_email: "Anna@Example.com", customer_id: "anna" });
  await pay(api, {
    amount: 5_000,
    card: aCard(MASTERCARD),
    customer_email: "bob@example.com",
    customer_id: "bob smith",
  });
  await pay(api, { amount: 5_001, card: aCard(CARDS.declined) });
  await pay(api, { amount: 9_990, card: aCard(CARDS.declined), customer_email: "anna@example.com" });
  await pay(api, { amount: 700, currency: "JPY", capture_method: "manual", card: aCard(CARDS.amex) });
  const voided = await pay(api, { capture_method: "manual" });
  await api.call(voidPayment, { id: voided.id, body: {} });
  const refunded = await pay(api, { amount: 20_000 });
  await api.call(refundPayment, { id: refunded.id, body: { amount: 5_000 } });
}

export const rows = (page: Page): Locator => page.locator(".data-table tbody tr");
export const shownIds = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.dataset.id));

/** The page shows the API's result for the same query, in the same order. */
export async function expectAnswer(page: Page, api: Api, filters: object, sort?: object): Promise<void> {
  const body = { filters, ...(sort && { sort }) };
  const answer = (await api.call(searchTransactions, { body })).ok();
  expect(answer.data.length, "a filter that finds nothing proves nothing").toBeGreaterThan(0);
  await expect.poll(() => shownIds(page)).toEqual(answer.data.map((row) => row.id));
}

/** Opens the list and waits until it has hydrated and the server has rendered it. */
export async function openList(page: Page, search = ""): Promise<void> {
  await page.goto(LIST + search);
  await expect(page.getByRole("heading", { level: 1, name: "Payments" })).toBeVisible();
  await alive(page);
}

/** The search box is enabled once React has hydrated; keyboard listeners follow after the next frame. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("[data-search]") ?? {}).some((key) => key.startsWith("__react")),
  );
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn)))),
  );
}

export const inPopover = async (page: Page, name: string, act: (popover: Locator) => Promise<void>) => {
  const filters = page.getByRole("region", { name: "Filters" });
  await filters.getByRole("button", { name: new RegExp(`^${name}( in use)?$`) }).click();
  await act(page.getByRole("dialog", { name: `Filter by ${name.toLowerCase()}` }));
  await page.keyboard.press("Escape");
};
export const expectUrl = (page: Page, search: string) => expect.poll(() => new URL(page.url()).search).toBe(search);
