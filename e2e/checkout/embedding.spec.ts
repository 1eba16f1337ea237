import type { Frame, Page } from "playwright/test";
import { listPayments } from "@/lib/contract/payments/endpoints";
import { expect } from "../fixtures/playwright";
import { CARDS } from "../samples";
import { expectPaid, fillCard, issuerIn, merchantHtml, merchantPage, pay, payButton, TEXTS, test } from "./fixtures";

const formIn = async (page: Page): Promise<Frame> => {
  const element = await page.locator("#payment iframe").elementHandle();
  return (await element?.contentFrame()) as Frame;
};

/** The same machine under its other name, which is another origin. */
const strangerOf = (origin: string) =>
  origin.includes("localhost") ? origin.replace("localhost", "127.0.0.1") : origin.replace("127.0.0.1", "localhost");

test("a page that the session does not name cannot show the form, whatever origin it claims", async ({
  page,
  baseUrl,
  merchantSite,
  newCheckoutSession,
}) => {
  for (const allowed_origins of [["https://shop.example"], []]) {
    const session = await newCheckoutSession({ allowed_origins });
    await page.goto(merchantSite.serve(merchantPage(baseUrl, { token: session.client_session_token })));
    const frame = await formIn(page);
    await frame.waitForLoadState().catch(() => {});
    expect(await frame.locator("input").count()).toBe(0);
    expect(await page.content()).not.toContain("Card number");
  }
  // Refused even if the page claims to be another.
  const session = await newCheckoutSession({ allowed_origins: ["https://shop.example"] });
  const source = `${baseUrl}/pay/${session.client_session_token}?origin=https%3A%2F%2Fshop.example`;
  await page.goto(merchantSite.serve(`<main id="payment"><iframe src="${source}"></iframe></main>`));
  const frame = await formIn(page);
  await frame.waitForLoadState().catch(() => {});
  expect(await frame.locator("input").count()).toBe(0);
});

test("a page in between the shop and the form is refused, too: every ancestor must be named", async ({
  page,
  baseUrl,
  merchantSite,
  newCheckoutSession,
}) => {
  const session = await newCheckoutSession();
  merchantSite.serve(merchantPage(baseUrl, { token: session.client_session_token }), { path: "/shop" });
  merchantSite.serve(`<iframe src="${merchantSite.origin}/shop"></iframe>`, { path: "/stranger" });
  await page.goto(`${strangerOf(merchantSite.origin)}/stranger`);
  const shop = page.frameLocator("iframe");
  await expect(shop.locator("#payment iframe")).toBeAttached();
  await expect(shop.frameLocator("#payment iframe").locator("input")).toHaveCount(0);
});

test("the form is shown in pages that isolate themselves from other origins", async ({
  page,
  baseUrl,
  merchantSite,
  newCheckoutSession,
}) => {
  for (const policy of ["require-corp", "credentialless"]) {
    const { client_session_token: token } = await newCheckoutSession();
    const headers = { "cross-origin-embedder-policy": policy, "cross-origin-opener-policy": "same-origin" };
    await page.goto(merchantSite.serve(merchantPage(baseUrl, { token }), { headers }));
    expect(await page.evaluate(() => crossOriginIsolated), policy).toBe(true);
    const form = page.frameLocator("#payment iframe:not([aria-busy])");
    await pay(form, CARDS.challenge);
    await issuerIn(form).getByRole("button", { name: "Approve the payment" }).click();
    await expectPaid(form);
  }
});

test("the form obeys only its own page: other windows, frames and messages have no effect", async ({
  page,
  context,
  api,
  baseUrl,
  merchantSite,
  openCheckout,
}) => {
  const checkout = await openCheckout(page);
  await fillCard(checkout.form);
  const label = checkout.form.locator("label[for=number]");
  const say = (message: object) => `parent.frames[0].postMessage(${JSON.stringify(message)}, "*")`;
  const submit = { source: "cardlane", type: "submit" };
  const french = { source: "cardlane", type: "update", locale: "fr" };
  // Another frame of the merchant's own site, and a foreign site's frame in the merchant's page.
  merchantSite.serve(`<script>${say(submit)}; ${say(french)}</script>`, { path: "/widget" });
  await page.evaluate(
    async (sources) => {
      for (const src of sources) {
        const frame = document.body.appendChild(document.createElement("iframe"));
        frame.src = src;
        await new Promise((resolve) => frame.addEventListener("load", resolve));
      }
    },
    ["/widget", `${strangerOf(merchantSite.origin)}/widget`],
  );
  // The merchant's page itself, with messages outside the protocol.
  await page.evaluate(
    ({ target, messages }) => {
      for (const message of messages) window.frames[0]?.postMessage(message, target);
    },
    {
      target: baseUrl,
      messages: [
        { type: "submit" },
        { ...submit, source: "somebody" },
        { ...submit, now: true },
        { ...french, locale: "xx" },
        { source: "cardlane", type: "update", appearance: { accent_color: "red;}" } },
        { source: "cardlane", type: "constructor" },
        "submit",
        null,
      ],
    },
  );
  // A window that opened the shop.
  const opener = await context.newPage();
  await opener.goto(merchantSite.serve(merchantHtml(baseUrl)));
  await opener.evaluate(
    async ({ url, message }) => {
      const shop = window.open(url);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      shop?.frames[0]?.postMessage(message, "*");
    },
    { url: page.url(), message: submit },
  );
  await expect(label).toHaveText(TEXTS.labels.number);
  await expect(payButton(checkout.form)).toBeEnabled();
  expect((await api.call(listPayments)).ok().data).toEqual([]);
  await checkout.submit();
  await expectPaid(checkout.form);
});

test("a payment loads nothing from other origins, sets no cookie, stores nothing in the browser, and violates no policy", async ({
  page,
  context,
  baseUrl,
  openCheckout,
}) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (request.frame() !== page.mainFrame() && origin !== baseUrl && protocol !== "data:")
      elsewhere.push(request.url());
  });
  const complaints: string[] = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const checkout = await openCheckout(page);
  await pay(checkout.form, CARDS.challenge);
  await issuerIn(checkout.form).getByRole("button", { name: "Fail the check" }).click();
  await pay(checkout.form);
  await expectPaid(checkout.form);
  expect(elsewhere).toEqual([]);
  expect(await context.cookies()).toEqual([]);
  const kept = await (await formIn(page)).evaluate(async () => {
    const stores: (() => unknown[] | Promise<unknown[]>)[] = [
      () => Object.keys(localStorage),
      () => Object.keys(sessionStorage),
      () => indexedDB.databases(),
      () => (window.isSecureContext ? caches.keys() : []),
    ];
    // Browsers without storage for cross-site frames refuse even the query.
    const isRefusal = ({ name, message }: Error) =>
      name === "SecurityError" || (name === "UnknownError" && message.startsWith("The user denied permission"));
    const refused = (error: Error) => (isRefusal(error) ? [] : Promise.reject(error));
    const found = stores.map((store) => Promise.resolve().then(store).catch(refused));
    return (await Promise.all(found)).flat();
  });
  expect(kept).toEqual([]);
  expect(complaints).toEqual([]);
});

test("typed values exist only in the form: not in the page, an address, or a message to the page", async ({
  page,
  baseUrl,
  merchantSite,
  openCheckout,
}) => {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  const checkout = await openCheckout(page);
  await pay(checkout.form, "4111111111111111", { cvv: "907", name: "Somebody Secret" });
  await expectPaid(checkout.form);
  // Ports can begin like the number.
  const withoutOrigins = (text: string) => text.replaceAll(merchantSite.origin, "").replaceAll(baseUrl, "");
  const known = JSON.stringify([addresses, await checkout.told(), await page.content()]);
  // Word boundaries, because ids and nonces can contain any digits.
  expect(withoutOrigins(known)).not.toMatch(/\b4111|Somebody Secret/);
  expect(withoutOrigins(await (await formIn(page)).content())).not.toMatch(/\b4111|\b907\b|Somebody Secret/);
});
