import type { Locator } from "playwright/test";
import { directionOf, textsOf } from "@/lib/client/checkout/payment-form/texts";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { getPayment } from "@/lib/contract/payments/endpoints";
import { latch } from "../fixtures/latch";
import { expect } from "../fixtures/playwright";
import { CARDS } from "../samples";
import { expectPaid, expectStep, fillCard, pay, payButton, TEXTS, test } from "./fixtures";

test("a shopper pays by keyboard alone, with the focus moving from field to field", async ({ page, openCheckout }) => {
  const checkout = await openCheckout(page, {}, { currency: "USD" });
  const { form } = checkout;
  await form.locator("#number").focus();
  await page.keyboard.type("4242424242424242");
  await expect(form.locator("#number")).toHaveValue("4242 4242 4242 4242");
  const press = async (text: string) => {
    await page.keyboard.press("Tab");
    await page.keyboard.type(text);
  };
  await press("1239");
  await expect(form.locator("#expiry")).toHaveValue(/^12 ?\/ ?39$/);
  await press("123");
  // Tab reveals the hint for the code, and skips the button that shows it.
  await expect(form.getByText(TEXTS.hints.cvvThree)).toBeVisible();
  await expect(form.locator("#cvv-hint")).toHaveClass("hint");
  await press("Jane Doe");
  await press("94110");
  await page.keyboard.press("Tab");
  await expect(payButton(form)).toBeFocused();
  await expect(payButton(form)).toHaveText(TEXTS.button.pay("$25.00"));
  await page.keyboard.press("Enter");
  await expectPaid(form);
  await expect(form.locator("h2#step")).toBeFocused();
  await expect
    .poll(() => checkout.told("onChange"))
    .toContainEqual({ complete: true, empty: false, processing: false });
});

test("Enter in a field pays, or moves to the first invalid field and reports it there", async ({
  page,
  openCheckout,
}) => {
  const { form } = await openCheckout(page);
  await form.locator("#number").fill("4242 4242 4242 4241");
  await form.locator("#number").press("Enter");
  await expect(form.locator("#number")).toBeFocused();
  for (const [field, problem] of [
    ["number", TEXTS.problems.number_invalid],
    ["expiry", TEXTS.problems.expiry_missing],
    ["cvv", TEXTS.problems.cvv_missing],
    ["name", TEXTS.problems.name_missing],
  ] as const) {
    const input = form.locator(`#${field}`);
    await expect(input).toHaveAttribute("aria-invalid", "true");
    await expect(input).toHaveAccessibleDescription(new RegExp(problem.replace(/[.?]/g, "\\$&")));
  }
  await expect(form.getByRole("status")).toHaveText(TEXTS.problemsFound(4));
  await fillCard(form);
  await form.locator("#name").press("Enter");
  await expectPaid(form);
});

test("a number is accepted as pasted or autofilled, and its brand is shown", async ({ page, openCheckout }) => {
  const { form } = await openCheckout(page);
  const number = form.locator("#number");
  for (const [pasted, shown, brand] of [
    ["4242-4242-4242-4242", "4242 4242 4242 4242", "Visa"],
    [" 3782 822463 10005 ", "3782 822463 10005", "American Express"],
    ["5555\t5555\t5555\t4444", "5555 5555 5555 4444", "Mastercard"],
    ["٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4242 4242 4242 4242", "Visa"],
  ] as const) {
    await number.fill(pasted);
    await expect(number).toHaveValue(shown);
    await expect(number).toHaveAccessibleDescription(new RegExp(brand));
  }
  const fields = { number: "cc-number", expiry: "cc-exp", cvv: "cc-csc", name: "cc-name" };
  for (const [field, autocomplete] of Object.entries(fields)) {
    await expect(form.locator(`#${field}`)).toHaveAttribute("autocomplete", autocomplete);
  }
  await form.locator("#expiry").fill("12/2039");
  await expect(form.locator("#expiry")).toHaveValue(/^12 ?\/ ?39$/);
  await form.locator("#expiry").fill("01/20");
  await form.locator("#expiry").blur();
  await expect(form.getByText(TEXTS.problems.expiry_past)).toBeVisible();
});

test("the postal code is required where issuers check it, the name unless the shop collects it elsewhere", async ({
  context,
  api,
  openCheckout,
}) => {
  const shown = async (options: object, session: object) => {
    const { form } = await openCheckout(await context.newPage(), options, session);
    await expect(form.locator("#number")).toBeVisible();
    return form.locator("form input").evaluateAll((inputs) => inputs.map(({ id }) => id).slice(3));
  };
  expect(await shown({}, { currency: "EUR" })).toEqual(["name"]);
  expect(await shown({}, { currency: "USD" })).toEqual(["name", "postal_code"]);
  const known = { line1: null, line2: null, city: null, state: null, postal_code: "94110", country: "US" };
  expect(await shown({}, { currency: "USD", billing_address: known })).toEqual(["name"]);
  expect(await shown({ fields: { name: false, postalCode: false } }, { currency: "USD" })).toEqual([]);
  const page = await context.newPage();
  const checkout = await openCheckout(page, { fields: { postalCode: true } }, { currency: "EUR" });
  await pay(checkout.form, CARDS.approved, { name: "Zoë Ångström", postalCode: "sw1a 1aa" });
  await expectPaid(checkout.form);
  const session = (await api.call(getClientSession, { id: checkout.session.id })).ok();
  const payment = (await api.call(getPayment, { id: session.payment_id ?? "" })).ok();
  expect(payment).toMatchObject({ customer_name: "Zoë Ångström", billing_address: { postal_code: "SW1A 1AA" } });
});

test("a card number in the wrong field is sent nowhere", async ({ page, openCheckout }) => {
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  const { form } = await openCheckout(page, {}, { currency: "USD" });
  await fillCard(form, CARDS.approved, { name: CARDS.approved, postalCode: "4242 4242 4242 4242" });
  await payButton(form).click();
  await expect(form.getByText(TEXTS.problems.name_invalid)).toBeVisible();
  await expect(form.getByText(TEXTS.problems.postal_code_invalid)).toBeVisible();
  expect(sent).toEqual([]);
});

test("the page's own button pays, and can be disabled", async ({ page, openCheckout }) => {
  const checkout = await openCheckout(page, { button: false });
  await expect(checkout.form.locator("#number")).toBeVisible();
  await expect(payButton(checkout.form)).toHaveCount(0);
  await checkout.submit();
  await expect(checkout.form.getByText(TEXTS.problems.number_missing)).toBeVisible();
  await expect.poll(() => checkout.told("onError")).toMatchObject([{ code: "invalid_card_data" }]);
  await fillCard(checkout.form);
  await checkout.submit();
  await expectPaid(checkout.form);
  const changes = (await checkout.told("onChange")) as { processing: boolean; complete: boolean }[];
  expect(changes.map(({ processing }) => processing)).toContain(true);
  expect(changes.at(-1)).toMatchObject({ processing: false });
});

test("every language has all texts and its direction, and typed values survive a change of language", async ({
  page,
  openCheckout,
}) => {
  const checkout = await openCheckout(page, { locale: "en" });
  const { form } = checkout;
  await form.locator("#number").fill(CARDS.declined);
  for (const locale of CHECKOUT_LOCALES) {
    const texts = textsOf(locale);
    await checkout.update({ locale });
    await expect(form.locator("html")).toHaveAttribute("lang", locale);
    await expect(form.locator("html")).toHaveAttribute("dir", directionOf(locale));
    await expect(form.locator("label[for=number]")).toHaveText(texts.labels.number);
    await expect(form.locator("#number")).toHaveValue("4000 0000 0000 0002");
    // Numbers read left to right in every language.
    await expect(form.locator("#number")).toHaveCSS("direction", "ltr");
    await pay(form, CARDS.approved, { expiry: "01/20", cvv: "12" });
    await expect(form.getByText(texts.problems.expiry_past)).toBeVisible();
    await expect(form.getByText(texts.problems.cvv_three_digits)).toBeVisible();
    await form.locator("#number").fill(CARDS.declined);
  }
  await pay(form);
  await expectStep(form, textsOf("ar").done.title);
});

test("the language is the shopper's, unless the shop sets another", async ({ browser, openCheckout }) => {
  const context = await browser.newContext({ locale: "pt-BR" });
  const own = await openCheckout(await context.newPage());
  await expect(own.form.locator("label[for=number]")).toHaveText(textsOf("pt").labels.number);
  const asked = await openCheckout(await context.newPage(), { locale: "de-AT" });
  await expect(asked.form.locator("label[for=number]")).toHaveText(textsOf("de").labels.number);
  await context.close();
});

test("a click on Pay is not lost when leaving the field shows an error", async ({ page, openCheckout }) => {
  const { form } = await openCheckout(page, {}, { currency: "USD" });
  for (const [field, typed] of [
    ["number", "4242"],
    ["cvv", "1"],
  ] as const) {
    await fillCard(form);
    await form.locator(`#${field}`).fill(typed);
    const button = await boxOf(payButton(form));
    await page.mouse.move(button.x + button.width / 2, button.y + 4);
    await page.mouse.down();
    await form.locator("body").evaluate(drawn);
    await page.mouse.up();
    await expect(form.getByRole("status")).toHaveText(TEXTS.problemsFound(1));
    await expect(form.locator(`#${field}`)).toBeFocused();
  }
});

test("neither the button nor the page below the form moves while another attempt is sent", async ({
  page,
  openCheckout,
}) => {
  const { form } = await openCheckout(page);
  const places = async () => [await boxOf(page.locator("#payment")), await boxOf(payButton(form))];
  await pay(form, CARDS.declined);
  await expect(form.getByText(TEXTS.attemptsLeft(4))).toBeVisible();
  await fillCard(form, CARDS.declined);
  const before = await places();
  const { hold, release } = latch();
  await page.route("**/attempts", async (route) => {
    await hold();
    await route.continue();
  });
  await payButton(form).click();
  await expect(payButton(form)).toHaveText(TEXTS.button.paying);
  await expect(form.getByText(TEXTS.notices.card_declined)).toBeHidden();
  await form.locator("body").evaluate(drawn);
  expect(await places()).toEqual(before);
  release();
  await expect(form.getByText(TEXTS.attemptsLeft(3))).toBeVisible();
  expect(await places()).toEqual(before);
});

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error("it is not on the page");
  return box;
}

/** Resolves once changes have been painted. */
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
