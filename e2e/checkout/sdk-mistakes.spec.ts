import { expect } from "../fixtures/playwright";
import {
  consoleOf,
  merchantHtml,
  merchantPage,
  replaceForm,
  SCRIPTED_FORM,
  SILENT_FORM,
  TEXTS,
  TOKEN,
  test,
  withScriptedForm,
} from "./fixtures";

const LINK = /https?:\/\/\S+\/docs\/checkout#[a-z-]+$/;

const MISTAKES = [
  ["no such element", `Cardlane.mount("#paymnet", { token })`, /Nothing in the page matches "#paymnet"/],
  ["no element", `Cardlane.mount(null, { token })`, /needs an element or a selector/],
  ["a ref", `Cardlane.mount({ current: document.body }, { token })`, /Pass ref\.current/],
  ["no options", `Cardlane.mount("#payment")`, /needs options, at least \{ token \}/],
  ["no token", `Cardlane.mount("#payment", {})`, /The token is missing/],
  ["a secret key", `Cardlane.mount("#payment", { token: "sk_test_abc" })`, /Never put a secret key into a page/],
  ["a session's id", `Cardlane.mount("#payment", { token: "cs_abc" })`, /the session's id/],
  ["an unknown option", `Cardlane.mount("#payment", { token, onSucces() {} })`, /There is no option onSucces/],
  ["an unknown language", `Cardlane.mount("#payment", { token, locale: "xx" })`, /locale must be "auto" or one of/],
  [
    "a color by its name",
    `Cardlane.mount("#payment", { token, appearance: { accent_color: "red" } })`,
    /accent_color cannot be "red"/,
  ],
  [
    "two forms in one element",
    `Cardlane.mount("#payment", { token }); Cardlane.mount("#payment", { token })`,
    /already\. Call unmount\(\)/,
  ],
  [
    "an update of the token",
    `Cardlane.mount("#payment", { token }).update({ token })`,
    /There is no option token\. There are: appearance, locale, button/,
  ],
] as const;

test("a developer's mistake is thrown, and explained in the console", async ({
  page,
  request,
  baseUrl,
  merchantSite,
}) => {
  const errors = consoleOf(page, "error");
  await replaceForm(page, baseUrl, SCRIPTED_FORM);
  for (const [name, mount, says] of MISTAKES) {
    await test.step(name, async () => {
      errors.length = 0;
      await page.goto(merchantSite.serve(merchantHtml(baseUrl)));
      const thrown = await page.evaluate(`(() => {
        const token = "${TOKEN}";
        try { ${mount}; } catch (error) { return error.message; }
      })()`);
      expect(thrown).toMatch(/^Cardlane: /);
      expect(thrown).toMatch(says);
      const [link, part] = (LINK.exec(String(thrown))?.[0] ?? "").split("#");
      expect(await (await request.get(link ?? "")).text()).toContain(`id="${part}"`);
      expect(thrown).not.toMatch(/sk_test_abc|cs_abc/);
      await expect.poll(() => errors).toEqual([thrown]);
    });
  }
});

test("low-contrast colors cause a warning, and the form is shown", async ({ page, baseUrl, openCheckout }) => {
  const warnings = consoleOf(page, "warning");
  await withScriptedForm(page, baseUrl);
  await openCheckout(page, { appearance: { text_color: "#dddddd" } });
  await expect.poll(() => warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/text_color has a contrast of 1\.4 to the light background, but needs 4\.5/);
  await expect(page.locator("#payment iframe")).toHaveCount(1);
});

test("a copied script reports where to load it from", async ({ page, baseUrl, request, merchantSite }) => {
  const copy = await (await request.get(`${baseUrl}/sdk/v1.js`)).text();
  await page.goto(merchantSite.serve(`<main id="payment"></main><script>${copy}</script>`));
  const mounted = page.evaluate((token) => void Cardlane.mount("#payment", { token }), TOKEN);
  await expect(mounted).rejects.toThrow(/does not know where it came from\. Load it with <script src=/);
});

test("a page that is not secure gets no form", async ({ page, request, baseUrl }) => {
  const script = await (await request.get(`${baseUrl}/sdk/v1.js`)).text();
  await page.route("http://shop.test/**", (route) =>
    route.request().url().endsWith("/sdk/v1.js")
      ? route.fulfill({ contentType: "text/javascript", body: script })
      : route.fulfill({ contentType: "text/html", body: merchantHtml("http://shop.test") }),
  );
  await page.goto("http://shop.test/");
  const mounted = page.evaluate((token) => void Cardlane.mount("#payment", { token }), TOKEN);
  await expect(mounted).rejects.toThrow(/http:\/\/shop\.test is not secure.*over https/);
  await expect(page.locator("iframe")).toHaveCount(0);
});

test("a page without an origin, such as a file, gets no form", async ({ page, baseUrl, merchantSite }) => {
  merchantSite.serve(merchantHtml(baseUrl), { path: "/inner" });
  await page.goto(merchantSite.serve('<iframe sandbox="allow-scripts" src="/inner"></iframe>'));
  const frame = page.frame({ url: /\/inner$/ });
  const mounted = frame?.evaluate((token) => void Cardlane.mount("#payment", { token }), TOKEN);
  await expect(mounted).rejects.toThrow(/has no origin.*localhost/);
});

test("a form that stays silent is reported as not loaded, and blames no origin", { tag: "@prove" }, async ({
  page,
  baseUrl,
  openCheckout,
}) => {
  const errors = consoleOf(page, "error");
  await page.clock.install();
  await replaceForm(page, baseUrl, SILENT_FORM);
  const checkout = await openCheckout(page);
  await page.clock.fastForward(10_000);
  await expect.poll(() => checkout.told("onError")).toHaveLength(1);
  const [error] = await checkout.told("onError");
  expect(error).toMatchObject({ code: "form_not_loaded", attemptsLeft: null });
  await expect.poll(() => errors).toHaveLength(1);
  expect(errors[0]).toContain(`The payment form did not load: ${baseUrl} could not be reached, or the browser`);
  expect(errors[0]).toMatch(LINK);
});

test("a page whose policy blocks the frame gets the source to add", async ({
  page,
  baseUrl,
  merchantSite,
  newCheckoutSession,
}) => {
  const { client_session_token: token } = await newCheckoutSession();
  const headers = { "content-security-policy": "frame-src 'self'" };
  await page.goto(merchantSite.serve(merchantPage(baseUrl, { token }), { headers }));
  const told = () => page.evaluate(() => (window as unknown as { told: unknown[] }).told);
  const error = { code: "form_not_loaded", message: expect.stringContaining(`Add ${baseUrl} to its frame-src`) };
  await expect.poll(told).toEqual([{ callback: "onError", payload: expect.objectContaining(error) }]);
});

for (const [name, path] of [
  ["a form that an outage kept away", "/pay/**"],
  ["a form whose script was lost", "/sdk/frame.js**"],
] as const) {
  test(`${name} is reloaded without an error`, async ({ page, baseUrl, openCheckout }) => {
    let lost = 0;
    await page.route(`${baseUrl}${path}`, (route) =>
      ++lost === 1 ? route.abort("connectionreset") : route.continue(),
    );
    const checkout = await openCheckout(page);
    await expect(checkout.form.getByLabel("Card number")).toBeVisible();
    expect(lost).toBeGreaterThan(1);
    expect((await checkout.told()).map(({ callback }) => callback)).toEqual(["onReady"]);
  });
}

test("a page whose origin the session does not name shows no form, and gets the reason", async ({
  page,
  openCheckout,
  merchantSite,
}) => {
  const errors = consoleOf(page, "error");
  await page.clock.install();
  const checkout = await openCheckout(page, {}, { allowed_origins: ["https://another.example"] });
  // The SDK waits three seconds for the form after each load.
  const told = async () => {
    await page.clock.fastForward(3_000);
    return checkout.told("onError");
  };
  await expect.poll(told).toEqual([expect.objectContaining({ code: "origin_not_allowed" })]);
  expect(errors.filter((text) => text.startsWith("Cardlane: "))).toEqual([
    expect.stringContaining(`${merchantSite.origin} is missing from the session's allowed_origins`),
  ]);
  expect(await checkout.told("onReady")).toEqual([]);
  await expect(page.frameLocator("#payment iframe").locator("h1")).toHaveText(TEXTS.originNotAllowed.title);
  await expect(page.locator("#payment iframe")).toHaveCSS("opacity", "1");
});
