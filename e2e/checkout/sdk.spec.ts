import { readFileSync } from "node:fs";
import { expect } from "../fixtures/playwright";
import { CARDS } from "../samples";
import { consoleOf, merchantHtml, merchantPage, replaceForm, TOKEN, test, withScriptedForm } from "./fixtures";

test("the script has a version", async ({ page, baseUrl, merchantSite }) => {
  await page.goto(merchantSite.serve(merchantHtml(baseUrl)));
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(await page.evaluate(() => Cardlane.version)).toBe(version);
});

test("the form is a frame of Cardlane's, named for screen readers and out of sight until it is ready", async ({
  page,
  baseUrl,
  openCheckout,
  merchantSite,
}) => {
  const form = await withScriptedForm(page, baseUrl);
  const appearance = { accent_color: "#1a73e8" };
  const checkout = await openCheckout(page, {
    appearance,
    locale: "de",
    button: false,
    mode: "tokenize",
    fields: { name: true, postalCode: false },
  });
  const iframe = page.locator("#payment iframe");
  await expect(iframe).toHaveAttribute("title", "Sicheres Zahlungsformular");
  await expect(iframe).toHaveAttribute("allow", "payment");
  await expect(iframe).toHaveAttribute("referrerpolicy", "strict-origin");
  await expect(iframe).toHaveAttribute("aria-busy", "true");
  await expect(iframe).toHaveCSS("opacity", "0");
  const address = await form.address();
  expect(address.origin + address.pathname).toBe(`${baseUrl}/pay/${checkout.token}`);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    origin: merchantSite.origin,
    locale: "de",
    mode: "tokenize",
    name: "1",
    postal_code: "0",
  });
  await expect
    .poll(() => form.heard())
    .toEqual([
      { source: "cardlane", type: "init", appearance, locale: "de", button: false, origin: merchantSite.origin },
    ]);
  expect(await checkout.told()).toEqual([]);

  await form.say({ type: "resize", height: 412 });
  await form.say({ type: "ready" });
  await expect(iframe).toHaveCSS("opacity", "1");
  await expect(iframe).not.toHaveAttribute("aria-busy");
  expect(await iframe.evaluate((element) => element.getBoundingClientRect().height)).toBe(412);
  const width = await page.locator("#payment").evaluate((element) => element.getBoundingClientRect().width);
  expect(await iframe.evaluate((element) => element.getBoundingClientRect().width)).toBe(width);
  expect(await checkout.told()).toEqual([{ callback: "onReady", payload: null }]);
});

test("the form's events reach the page's callbacks", async ({ page, baseUrl, openCheckout }) => {
  const form = await withScriptedForm(page, baseUrl);
  const checkout = await openCheckout(page);
  await form.say({ type: "ready" });
  await form.say({ type: "change", complete: false, empty: false, processing: true });
  await form.say({ type: "error", code: "card_declined", message: "Declined.", attempts_left: 4 });
  await form.say({ type: "action_required", kind: "three_d_secure" });
  await form.say({
    type: "success",
    client_session_id: "cs_1",
    payment_id: "pay_1",
    status: "CAPTURED",
    payment_token: null,
    return_url: null,
  });
  await form.say({ type: "expired" });
  await expect
    .poll(() => checkout.told())
    .toEqual([
      { callback: "onReady", payload: null },
      { callback: "onChange", payload: { complete: false, empty: false, processing: true } },
      { callback: "onError", payload: { code: "card_declined", message: "Declined.", attemptsLeft: 4 } },
      { callback: "onActionRequired", payload: { kind: "three_d_secure" } },
      {
        callback: "onSuccess",
        payload: {
          clientSessionId: "cs_1",
          paymentId: "pay_1",
          paymentMethodId: null,
          subscriptionId: null,
          status: "CAPTURED",
          paymentToken: null,
          returnUrl: null,
        },
      },
      { callback: "onExpired", payload: null },
    ]);
});

test("messages from any other sender, or in another format, are silently ignored", async ({
  page,
  baseUrl,
  openCheckout,
  merchantSite,
}) => {
  const said = [consoleOf(page, "error"), consoleOf(page, "warning")];
  const failures: Error[] = [];
  page.on("pageerror", (error) => failures.push(error));
  const form = await withScriptedForm(page, baseUrl);
  const checkout = await openCheckout(page);
  await form.say({ type: "ready" });

  const success = {
    source: "cardlane",
    type: "success",
    client_session_id: "cs_1",
    payment_id: "pay_1",
    status: "CAPTURED",
    payment_token: null,
    return_url: null,
  };
  const sayToTop = `parent.postMessage(${JSON.stringify(success)}, "*")`;
  // The page itself, a frame of its own site, and another Cardlane frame.
  merchantSite.serve(`<script>${sayToTop}</script>`, { path: "/forger" });
  await replaceForm(page, `${baseUrl}`, `<script>${sayToTop}</script>`);
  await page.evaluate(
    async ({ message, sources, cardlane }) => {
      postMessage(message, "*");
      dispatchEvent(new MessageEvent("message", { data: message, origin: cardlane }));
      for (const src of sources) {
        const frame = document.body.appendChild(document.createElement("iframe"));
        frame.src = src;
        await new Promise((resolve) => frame.addEventListener("load", resolve));
      }
    },
    { message: success, sources: ["/forger", `${baseUrl}/pay/${TOKEN}`], cardlane: baseUrl },
  );
  // The form itself, with messages outside the protocol.
  const { type: _, ...untyped } = success;
  for (const message of [
    untyped,
    { ...success, source: "somebody" },
    { ...success, status: 7 },
    { ...success, extra: 1 },
    { type: "constructor" },
    { type: "resize", height: 1e9 },
    { type: "resize", height: "1px" },
  ]) {
    await form.say(message);
  }
  await form.say({ type: "expired" });
  await expect.poll(() => checkout.told("onExpired")).toHaveLength(1);
  expect(await checkout.told()).toEqual([
    { callback: "onReady", payload: null },
    { callback: "onExpired", payload: null },
  ]);
  expect(said).toEqual([[], []]);
  expect(failures).toEqual([]);
});

test("the page's own button submits once the form is ready, and reports it if it is early", async ({
  page,
  baseUrl,
  openCheckout,
}) => {
  const warnings = consoleOf(page, "warning");
  const form = await withScriptedForm(page, baseUrl);
  const checkout = await openCheckout(page, { button: false });
  await checkout.submit();
  await expect.poll(() => warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^Cardlane: submit\(\) was called before .*Enable your button in onReady\./);
  await form.say({ type: "ready" });
  await checkout.submit();
  await expect.poll(async () => (await form.heard()).map(({ type }) => type)).toEqual(["init", "submit"]);
});

test("looks, language and button change while the form is shown, and persist when the page moves it", async ({
  page,
  baseUrl,
  openCheckout,
}) => {
  const form = await withScriptedForm(page, baseUrl);
  const checkout = await openCheckout(page, { button: false });
  await expect.poll(() => form.heard()).toHaveLength(1);
  await checkout.update({ locale: "fr", appearance: { theme: "dark" } });
  await expect(page.locator("#payment iframe")).toHaveAttribute("title", "Formulaire de paiement sécurisé");
  await expect
    .poll(async () => (await form.heard()).at(-1))
    .toMatchObject({ type: "update", locale: "fr", appearance: { theme: "dark" } });
  expect((await form.heard()).at(-1)).not.toHaveProperty("button");
  // A frame that is moved in the document reloads, and initializes again.
  await page.evaluate(() => document.body.prepend(document.querySelector("#payment") as Element));
  await expect
    .poll(async () => (await form.heard()).map(({ origin: _, ...message }) => message))
    .toEqual([{ source: "cardlane", type: "init", appearance: { theme: "dark" }, locale: "fr", button: false }]);
});

test("a form that was unmounted is gone: no frame, no callbacks, and the next one has the element", async ({
  page,
  baseUrl,
  openCheckout,
}) => {
  const warnings = consoleOf(page, "warning");
  const form = await withScriptedForm(page, baseUrl);
  const checkout = await openCheckout(page);
  await form.say({ type: "ready" });
  await checkout.unmount();
  await expect(page.locator("iframe")).toHaveCount(0);
  await checkout.unmount();
  await checkout.submit();
  await checkout.update({ locale: "fr" });
  await expect.poll(() => warnings).toHaveLength(2);
  for (const warning of warnings) expect(warning).toMatch(/was unmounted, so nothing happened/);
  await page.evaluate((token) => void Cardlane.mount("#payment", { token }), TOKEN);
  await expect(page.locator("#payment iframe")).toHaveCount(1);
});

test("mounting, unmounting and mounting again, as in React's strict mode, leaves one form that reports once", async ({
  page,
  baseUrl,
  merchantSite,
}) => {
  const errors = consoleOf(page, "error");
  const form = await withScriptedForm(page, baseUrl);
  const script = `
    window.told = [];
    const effect = () => {
      const frame = Cardlane.mount(document.querySelector("#payment"), { token: "${TOKEN}", onReady: () => told.push("ready") });
      return () => frame.unmount();
    };
    effect()();
    effect();`;
  await page.goto(merchantSite.serve(merchantHtml(baseUrl, script)));
  await expect(page.locator("#payment iframe")).toHaveCount(1);
  await expect.poll(async () => (await form.heard()).length).toBe(1);
  await form.say({ type: "ready" });
  await expect.poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told)).toEqual(["ready"]);
  expect(errors).toEqual([]);
});

test("an error in a callback is the page's own, and the form continues", async ({ page, baseUrl, merchantSite }) => {
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(error.message));
  const form = await withScriptedForm(page, baseUrl);
  const script = `
    window.told = [];
    Cardlane.mount("#payment", {
      token: "${TOKEN}",
      onReady() { throw new Error("the page's own"); },
      onExpired() { told.push("expired"); },
    });`;
  await page.goto(merchantSite.serve(merchantHtml(baseUrl, script)));
  await form.say({ type: "ready" });
  await form.say({ type: "expired" });
  await expect.poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told)).toEqual(["expired"]);
  expect(failures).toEqual(["the page's own"]);
  await expect(page.locator("#payment iframe")).toHaveCSS("opacity", "1");
});

test("a page with a strict content security policy needs no more than the script's and the frame's origin", async ({
  page,
  baseUrl,
  merchantSite,
}) => {
  const violations = consoleOf(page, "error");
  const form = await withScriptedForm(page, baseUrl);
  const html = merchantPage(baseUrl, { token: TOKEN }).replace("<script>", '<script nonce="once">');
  const policy = `default-src 'none'; script-src ${baseUrl} 'nonce-once'; frame-src ${baseUrl}`;
  await page.goto(merchantSite.serve(html, { headers: { "content-security-policy": policy } }));
  await form.say({ type: "resize", height: 200 });
  await form.say({ type: "ready" });
  await expect(page.locator("#payment iframe")).toHaveCSS("height", "200px");
  // The browser requests an icon by itself.
  expect(violations.filter((text) => !text.includes("favicon"))).toEqual([]);
});

test("the form loads in a merchant's page, grows as needed, and reports completion", async ({ page, openCheckout }) => {
  const said = [...["error", "warning"].map((type) => consoleOf(page, type))];
  const checkout = await openCheckout(page, { fields: { name: false } });
  await expect.poll(() => checkout.told("onReady")).toHaveLength(1);
  const iframe = page.locator("#payment iframe");
  await expect(iframe).toHaveCSS("opacity", "1");
  const scrolls = () => checkout.form.locator("html").evaluate((html) => html.scrollHeight > html.clientHeight + 1);
  await expect.poll(scrolls).toBe(false);
  await checkout.form.getByLabel("Card number").fill(CARDS.approved);
  await checkout.form.getByLabel("Expiry date").fill("12 / 40");
  await expect
    .poll(() => checkout.told("onChange"))
    .toContainEqual({ complete: false, empty: false, processing: false });
  await checkout.form.getByLabel("Security code", { exact: true }).fill("123");
  await expect
    .poll(async () => (await checkout.told("onChange")).at(-1))
    .toEqual({ complete: true, empty: false, processing: false });
  await expect.poll(scrolls).toBe(false);
  // The page around it learns that a card was entered, but nothing about the card.
  expect(JSON.stringify(await checkout.told())).not.toMatch(/4242|123"/);
  expect(said).toEqual([[], []]);
});
