import { createHash, randomUUID } from "node:crypto";
import { getPayment } from "@/lib/contract/payments/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aCard, CARDS, captured, newSession } from "../samples";

const COMMON = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" };
const PAGE = {
  ...COMMON,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "permissions-policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
};
const CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const nonceOf = (policy: string | null) => /'nonce-([\w+/=]{24})'/.exec(policy ?? "")?.[1];
const pagePolicy = (nonce: string) => policyWith(`'nonce-${nonce}' 'strict-dynamic'`, `'self' 'nonce-${nonce}'`);
const policyWith = (scripts: string, styles: string) =>
  `default-src 'none'; script-src ${scripts}; style-src ${styles}; img-src 'self' data:; ` +
  "font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'";

function expectHeaders(response: Response, wanted: Record<string, string>): void {
  const found = Object.fromEntries(Object.keys(wanted).map((name) => [name, response.headers.get(name)]));
  expect(found, response.url).toEqual(wanted);
}

/** Pages without a session, unknown pages, and those that Next serves itself. */
const PAGES = [
  ...["/docs/search", "/sign-in", "/sign-up", "/support/sign-in"],
  ...[
    "/nowhere",
    "/pay",
    "/pay/a/b/c",
    "/docs/errors/nothing",
    "/outbox",
    "/demo",
    "/404",
    "/500",
    "/_error",
    "/_not-found",
  ],
];

test("every page has a policy with its own nonce, which its scripts carry, and is never cached", async ({
  baseUrl,
}) => {
  const seen = new Set<string>();
  for (const path of [...PAGES, ...PAGES]) {
    // A nonce that the caller sends is ignored.
    const headers = { "content-security-policy": "script-src 'nonce-of-a-caller'", "x-cardlane-nonce": "of-a-caller" };
    const response = await fetch(baseUrl + path, { headers, redirect: "manual" });
    const html = await response.text();
    if (!response.headers.get("content-type")?.startsWith("text/html")) {
      expectHeaders(response, { ...COMMON, "content-security-policy": CLOSED });
      continue;
    }
    const nonce = nonceOf(response.headers.get("content-security-policy")) ?? "";
    expectHeaders(response, { ...PAGE, "content-security-policy": pagePolicy(nonce) });
    expect(seen.has(nonce), path).toBe(false);
    seen.add(nonce);
    expect(response.headers.get("cache-control"), path).toMatch(/no-store/);
    for (const [tag] of html.matchAll(/<(script|style)\b[^>]*>/g)) expect(tag, path).toContain(`nonce="${nonce}"`);
    expect(html.match(/<[^>]+\sstyle="[^>]*>/g), path).toBeNull();
    expect(html, path).not.toContain("of-a-caller");
  }
  expect(seen.size).toBeGreaterThan(PAGES.length);
});

test("a public page is the same for everyone, and its policy allows only our files and its own inline scripts", {
  tag: "@own-host",
}, async ({ baseUrl }) => {
  for (const path of ["/", "/docs", "/docs/reference", "/docs/errors/card_declined"]) {
    const headers = { "content-security-policy": "script-src 'nonce-of-a-caller'", "x-cardlane-nonce": "of-a-caller" };
    const response = await fetch(baseUrl + path, { headers });
    const html = await response.text();
    const inline = [...html.matchAll(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs)].map(([, text = ""]) => text);
    expect(inline.length).toBeGreaterThan(0);
    const digests = inline.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    const policy = policyWith(["'self'", ...digests].join(" "), "'self'");
    expectHeaders(response, { ...PAGE, "content-security-policy": policy });
    expect(response.headers.get("cache-control"), path).toMatch(/no-store/);
    expect(html.match(/<[^>]+\sstyle="[^>]*>|<style\b|\snonce=|<[^>]+\son\w+=|of-a-caller/g), path).toBeNull();
    expect(await (await fetch(`${baseUrl}${path}?x=1`)).text()).toBe(html);
  }
});

test("responses that are not pages may load nothing and be framed nowhere: the API, its errors, health, the dashboard's calls", {
  tag: "@next",
}, async ({ baseUrl, api }) => {
  const payment = await captured(api);
  const { headers } = await api.call(getPayment, { id: payment.id });
  expect(headers.get("content-security-policy")).toBe(CLOSED);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const asked = [
    fetch(`${baseUrl}/v1/payments/${payment.id}`),
    fetch(`${baseUrl}/v1/nothing`),
    fetch(`${baseUrl}/v1/openapi.json`),
    fetch(`${baseUrl}/v1/payments`, { method: "POST", body: "{" }),
    fetch(`${baseUrl}/health/live`),
    fetch(`${baseUrl}/health/ready`),
    fetch(`${baseUrl}/health/live`, { method: "POST" }),
    fetch(`${baseUrl}/api/auth/session`),
    fetch(`${baseUrl}/api/dashboard/account`),
    fetch(`${baseUrl}/api/sign-up`, { method: "POST", body: "{}" }),
    fetch(`${baseUrl}/favicon.svg`),
  ];
  for (const response of await Promise.all(asked)) {
    expectHeaders(response, { ...COMMON, "content-security-policy": CLOSED });
  }
});

test("the payment form and the challenge page have their own, stricter policy, and all other headers", async ({
  baseUrl,
  api,
}) => {
  const { client_session_token } = await newSession(api, { allowed_origins: ["https://shop.example"] });
  const payment = await captured(api, { card: aCard(CARDS.challenge) });
  const challenge = payment.next_action?.redirect_to_url.url ?? "";
  for (const [url, framers, formAction] of [
    [`${baseUrl}/pay/${client_session_token}`, "https://shop.example", "form-action 'self'; "],
    [`${baseUrl}/pay/cst_${"a".repeat(43)}`, "*", "form-action 'self'; "],
    [challenge, "'none'", ""],
  ] as const) {
    const response = await fetch(url);
    const policy = response.headers.get("content-security-policy");
    const nonce = nonceOf(policy);
    expectHeaders(response, {
      ...PAGE,
      "referrer-policy": "no-referrer",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": framers === "'none'" ? "same-origin" : "cross-origin",
    });
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; ` +
        `frame-src 'self'; ${formAction}object-src 'none'; base-uri 'none'; frame-ancestors ${framers}`,
    );
  }
  const state = await fetch(`${baseUrl}/pay/${client_session_token}/state`);
  expectHeaders(state, { ...COMMON, "content-security-policy": CLOSED });
  const attempt = await fetch(`${baseUrl}/pay/${client_session_token}/attempts`, {
    method: "POST",
    body: randomUUID(),
  });
  expectHeaders(attempt, { ...COMMON, "content-security-policy": CLOSED });
});

test("any site may load the merchants' script, and nothing else", async ({ baseUrl }) => {
  const policyOf = async (path: string) => (await fetch(baseUrl + path)).headers.get("cross-origin-resource-policy");
  expect(await policyOf("/sdk/v1.js")).toBe("cross-origin");
  for (const path of ["/sdk/frame.js", "/sdk/frame.css", "/favicon.svg"])
    expect(await policyOf(path)).toBe("same-origin");
});
