import type { FrameLocator, Page } from "@playwright/test";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { expect } from "../fixtures";
import { CARDS } from "../samples";

/** The words of the form in English. */
export const TEXTS = textsOf("en");

/** The form on a page of its own, or inside another. */
export type Form = Pick<Page | FrameLocator, "locator" | "getByRole" | "getByText">;

export type TypedCard = { expiry?: string; cvv?: string; name?: string; postalCode?: string };

/** Fills the fields in that are there, as a browser's autofill does. */
export async function fillCard(form: Form, number: string = CARDS.approved, typed: TypedCard = {}): Promise<void> {
  const {
    expiry = "12/39",
    cvv = /^3[47]/.test(number) ? "1234" : "123",
    name = "Jane Doe",
    postalCode = "94110",
  } = typed;
  await form.locator("#number").fill(number);
  await form.locator("#expiry").fill(expiry);
  await form.locator("#cvv").fill(cvv);
  if ((await form.locator("#name").count()) > 0) await form.locator("#name").fill(name);
  if ((await form.locator("#postal_code").count()) > 0) await form.locator("#postal_code").fill(postalCode);
}

export const payButton = (form: Form) => form.locator("button[type=submit].pay");

/** Fills in and pays. */
export async function pay(form: Form, number?: string, typed?: TypedCard): Promise<void> {
  await fillCard(form, number, typed);
  await payButton(form).click();
}

/** The heading of the step that the form is at. */
export const expectStep = (form: Form, title: string) =>
  expect(form.locator("h2#step")).toHaveText(title, { timeout: 60_000 });
export const expectPaid = (form: Form) => expectStep(form, TEXTS.done.title);

/** The page of the card's issuer, within the form. */
export const issuerIn = (form: Form) => form.locator("iframe").contentFrame();
