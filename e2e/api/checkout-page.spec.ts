import { createPayment } from "@/lib/contract/payments/endpoints";
import { expect } from "../fixtures/playwright";
import { formTest as test } from "../payment-form";
import { aCard, CARDS } from "../samples";

test("the page may load only its own script and style, and only the session's origins may embed it", async ({
  open,
}) => {
  const origins = ["https://shop.example", "http://localhost:4000"];
  const { form } = await open({ allowed_origins: origins });
  const pages = await Promise.all([form.page({ origin: origins[0] as string }), form.page(), form.page()]);
  const nonces = new Set<string>();
  for (const page of pages) {
    expect(page.status).toBe(200);
    const html = await page.text();
    const policy = page.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([A-Za-z0-9+/]{24})'/.exec(policy)?.[1] ?? "";
    nonces.add(nonce);
    expect(policy).toBe(
      [
        `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'`,
        `frame-src 'self'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors ${origins.join(" ")}`,
      ].join("; "),
    );
    expect(page.headers.get("x-frame-options")).toBeNull();
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html).not.toMatch(/\sstyle=/);
    // The icon is one of our own images.
    for (const [tag] of html.matchAll(/<(?:script(?! type=.application\/json)|style|link(?! rel="icon"))[^>]*>/g))
      expect(tag).toContain(`nonce="${nonce}"`);
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) expect(address).toMatch(/^(\/(?!\/)|data:|#)/);
  }
  expect(nonces.size).toBe(3);
  expect(nonces).not.toContain("");
});

test("without allowed origins the form can't be embedded; another origin's request is rejected", async ({ open }) => {
  const nobody = await open();
  expect((await nobody.form.page()).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  const { form } = await open({ allowed_origins: ["https://shop.example"] });
  const ancestors = "frame-ancestors https://shop.example";
  for (const origin of ["https://evil.example", "https://shop.example.evil.example", "http://shop.example"]) {
    const page = await form.page({ origin });
    const html = await page.text();
    expect(page.status, origin).toBe(403);
    expect(html).toContain("This page can’t show the payment form");
    expect(html).not.toContain(form.token);
    expect(page.headers.get("content-security-policy")).toContain(ancestors);
    // Any page may embed the explanation, which contains no form.
    const why = await form.page({ origin, why: "" });
    expect(why.status, origin).toBe(403);
    expect(why.headers.get("content-security-policy")).toContain("frame-ancestors *");
    const reason = await why.text();
    expect(reason).toContain(`The page's origin ${origin} is missing`);
    expect(reason).not.toMatch(/<input|cst_|pay_/);
  }
  const named = await form.page({ origin: "https://shop.example", why: "" });
  expect(await named.text()).toContain('"type":"embeddable"');
  // An invalid origin names no page: the form then sends no messages, and no other page may embed it.
  for (const origin of ["", "*", "null", "https://shop.example/", "javascript:alert(1)", "</script>"]) {
    const page = await form.page({ origin });
    expect(await page.text(), origin).toContain('"parent_origin":null');
    expect(page.headers.get("content-security-policy")).toContain(ancestors);
  }
});

test("no checkout page sets a cookie, and every other page refuses to be framed", { tag: "@next" }, async ({
  baseUrl,
  open,
}) => {
  const { form } = await open();
  await form.attempt(CARDS.challenge);
  const challenge = (await form.state()).action?.url ?? "";
  for (const path of [
    `/pay/${form.token}`,
    `/pay/${form.token}/state`,
    "/pay/preview",
    "/pay/nothing",
    challenge,
    "/challenge/x",
    "/sdk/v1.js",
  ]) {
    const response = await fetch(baseUrl + path);
    expect(response.headers.get("set-cookie"), path).toBeNull();
    await response.arrayBuffer();
  }
  for (const path of ["/", "/sign-in", "/sign-up", "/docs", "/test/transactions", "/demo", "/nothing"]) {
    const response = await fetch(baseUrl + path, { redirect: "manual" });
    expect(response.headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
  }
  expect((await fetch(`${baseUrl}/pay/preview`)).headers.get("content-security-policy")).toContain(
    "frame-ancestors 'self'",
  );
});

test("the challenge may be embedded by the form, within the pages that may embed that", async ({
  api,
  baseUrl,
  open,
}) => {
  const { form } = await open({ allowed_origins: ["https://shop.example"] });
  await form.attempt(CARDS.challenge);
  const ofForm = await fetch(new URL((await form.state()).action?.url ?? "", baseUrl));
  expect(ofForm.headers.get("content-security-policy")).toContain("frame-ancestors 'self' https://shop.example");
  const body = { amount: 1_000, currency: "USD", card: aCard(CARDS.challenge) };
  const payment = (await api.call(createPayment, { body })).ok();
  const ofApi = await fetch(payment.next_action?.redirect_to_url.url ?? "");
  expect(ofApi.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});
