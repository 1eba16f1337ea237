import { readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { test } from "../checkout/fixtures";
import { expect } from "../fixtures/playwright";
import { copyFrom, has, shell } from "./reader";

test.beforeEach(async ({ context, baseUrl, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  await page.goto("/docs/processors");
});

/** Stand-ins for the processors' scripts, limited to the interface that the pages use. */
const STRIPE_SCRIPT = `window.Stripe = (key) => ({
  elements: () => ({ create: (kind) => ({ kind, mount: (at) => { document.querySelector(at).textContent = kind; } }) }),
  createPaymentMethod: async ({ type, card }) =>
    window.refuses ? { error: { message: "Your card number is incomplete." } } : { paymentMethod: { id: ["pm", key, type, card.kind].join("_") } },
});`;
const FIELDS = {
  encryptedCardNumber: "eyJhbGciOiJSU0Et.number",
  encryptedExpiryMonth: "eyJhbGciOiJSU0Et.month",
  encryptedExpiryYear: "eyJhbGciOiJSU0Et.year",
  encryptedSecurityCode: "eyJhbGciOiJSU0Et.code",
  brand: "visa",
};
const ADYEN_SCRIPT = `window.AdyenWeb = {
  AdyenCheckout: async (configuration) => configuration,
  Card: class {
    constructor(checkout, { onChange }) { Object.assign(this, { checkout, onChange }); }
    mount(at) {
      document.querySelector(at).textContent = this.checkout.clientKey;
      const paymentMethod = { type: "scheme", checkoutAttemptId: "1", ...${JSON.stringify(FIELDS)} };
      this.onChange({ isValid: true, data: { paymentMethod, browserInfo: { userAgent: "Ünïcode" } } });
    }
  },
};`;

/** The merchant's page, and a server that returns `answer`. Returns the requests that the page sent. */
async function shop(page: Page, address: string, answer: object) {
  const sent: { order: string; payment_token: string }[] = [];
  await page.route("https://js.stripe.com/**", (route) =>
    route.fulfill({ contentType: "text/javascript", body: STRIPE_SCRIPT }),
  );
  await page.route("https://checkoutshopper-test.cdn.adyen.com/**", (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({
          contentType: "text/javascript",
          headers: { "access-control-allow-origin": "*" },
          body: ADYEN_SCRIPT,
        })
      : route.fulfill({ contentType: "text/css", body: "" }),
  );
  await page.route("**/pay", (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: answer });
  });
  await page.goto(address);
  return sent;
}

test("the page with Stripe's script sends a pm_… to the shop's server and follows its redirect", async ({
  page,
  merchantSite,
}) => {
  const html = await copyFrom(page, "stripe.html");
  merchantSite.serve("Thank you", { path: "/thanks" });
  const sent = await shop(page, merchantSite.serve(html), { redirect: "/thanks" });
  await expect(page.locator("#card")).toHaveText("card");
  await page.evaluate("window.refuses = true");
  await page.getByRole("button", { name: "Pay $19.99" }).click();
  await expect(page.getByRole("alert")).toHaveText("Your card number is incomplete.");
  expect(sent).toEqual([]);
  await page.evaluate("window.refuses = false");
  await page.getByRole("button", { name: "Pay $19.99" }).click();
  await page.waitForURL(/\/thanks$/);
  expect(sent).toEqual([{ order: "1001", payment_token: "pm_pk_test_…_card_card" }]);
});

test("the page with Adyen's fields sends only them, as one token", async ({ page, merchantSite }) => {
  const html = await copyFrom(page, "adyen.html");
  const sent = await shop(page, merchantSite.serve(html), { message: "The card was declined." });
  await expect(page.locator("#card")).toHaveText("test_…");
  await page.getByRole("button", { name: "Pay $19.99" }).click();
  await expect(page.getByRole("alert")).toHaveText("The card was declined.");
  const token = sent[0]?.payment_token ?? "";
  expect(token).toMatch(/^adyen\.[A-Za-z0-9_-]+$/);
  expect(JSON.parse(Buffer.from(token.slice("adyen.".length), "base64url").toString())).toEqual({
    ...FIELDS,
    browserInfo: { userAgent: "Ünïcode" },
  });
});

if (has("curl") && has("bash")) {
  test("the server's payment with a token of a processor that is not connected is refused, as copied", async ({
    page,
    tenant,
  }) => {
    const command = await copyFrom(page, "Pay with the processor’s token");
    const { secret } = await tenant.newKey({ permissions: ["payment.create"] });
    expect(JSON.parse(shell(command, { CARDLANE_KEY: secret }))).toMatchObject({
      code: "resource_not_found",
      param: "payment_token",
    });
  });
}

test("the command that compares exists, with the options that the page gives it", async ({ page }) => {
  const command = await copyFrom(page, "Compare from a terminal");
  const options = [...command.matchAll(/--(\w+)/g)].map(([, name]) => name);
  expect(options).toEqual(["connection", "since"]);
  const script = readFileSync("scripts/reconcile.ts", "utf8");
  for (const name of options) expect(script).toContain(`${name}: { type: "string" }`);
  expect(readFileSync("package.json", "utf8")).toContain('"reconcile":');
});

test("the command accepts any number of Adyen's report files", async ({ page }) => {
  const command = await copyFrom(page, "Compare with Adyen’s report");
  const options = [...command.matchAll(/--(\w+)/g)].map(([, name]) => name);
  expect(options).toEqual(["connection", "since", "report", "report"]);
  expect(readFileSync("scripts/reconcile.ts", "utf8")).toContain('report: { type: "string", multiple: true }');
});
