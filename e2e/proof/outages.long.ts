import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright/test";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionCookieName } from "@/lib/auth/session-cookie";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { findBrowser } from "../fixtures/browser";
import { testDatabase } from "../fixtures/database";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy";
import { cookieOf, testUsers } from "../fixtures/users";
import { inParallel } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";

const ANSWER_MS = 10_000;
const BACK_MS = 5_000;

const { db, url } = await testDatabase();
const users = await testUsers(db);
let proxy: TcpProxy;
let host: ProofHost;
let browser: Browser;
let cookies = "";

beforeAll(async () => {
  proxy = await startTcpProxy(url);
  host = await startHost({ databaseUrl: proxy.url, whole: true, env: { PROCESSOR_TIMEOUT_MS: "8000" } });
  const service = { ...users.service, baseUrl: host.baseUrl };
  const [owner, staff] = [await users.newUser("owner"), await users.newUser("staff")];
  cookies = `${await cookieOf(service, owner)}; ${await cookieOf(service, staff)}`;
  const found = await findBrowser();
  browser = await chromium.launch({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
});
afterAll(async () => {
  proxy?.resume();
  await browser?.close();
  await host?.stop();
  await proxy?.close();
});

type Asked = { readonly name: string; readonly path: string; readonly method: string };
type Seen = Asked & { status: number; retryAfter: string | null; ms: number; text: string };

const IDS: Record<string, string> = {
  payments: encodeId("payment", newId()),
  transactions: encodeId("transaction", newId()),
  plans: encodeId("plan", newId()),
  checkout: encodeId("clientSession", newId()),
  merchants: encodeId("merchant", newId()),
  "api-keys": encodeId("apiKey", newId()),
  team: encodeId("user", newId()),
};
const SIGNED_IN = /^\/(test|support|api\/dashboard|api\/support)(\/|$)(?!sign-in)/;
const TOKEN = `cst_${"t".repeat(43)}`;

/** Every page and route that Next serves, with ids that don't exist: authentication comes first. */
function everything(): Asked[] {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) => {
    return /(^|\/)(page\.tsx|route\.ts)$/.test(file.split(sep).join("/")) && !file.startsWith("v1");
  });
  return files.flatMap((file) => {
    const parts = dirname(file).split(sep).join("/").split("/");
    const named = parts.filter((part) => part !== "." && !part.startsWith("("));
    const filled = named.map((part, at) => fill(part, named[at - 1] ?? ""));
    const path = `/${filled.join("/")}`;
    const methods = file.endsWith("page.tsx") ? ["GET"] : methodsOf(file);
    return methods.map((method) => ({ name: `${method} ${path}`, path, method }));
  });
}

function fill(part: string, before: string): string {
  if (part === "[mode]") return "test";
  if (part === "[token]") return TOKEN;
  if (part === "[code]") return "api_key_invalid";
  if (part === "[...nextauth]") return "callback/credentials";
  if (part.startsWith("[...")) return "nowhere";
  return part.startsWith("[") ? (IDS[before] ?? newId()) : part;
}

/** The methods that a route's file exports. */
function methodsOf(file: string): string[] {
  const text = readFileSync(join("app", file), "utf8");
  const exported = [...text.matchAll(/^export (?:const|async function|function|\{)[^=(;]*/gm)].map(([names]) => names);
  return ["GET", "POST", "PATCH", "DELETE"].filter((method) => exported.some((names) => names.includes(method)));
}

const FORM = "application/x-www-form-urlencoded";
const EMAIL = "ada@shop.example";
const PASSWORD = "a long and rare sentence";
const SIGN_UP = { business_name: "Shop", name: "Ada", time_zone: "UTC" };
/** Bodies that pass parsing. */
const BODIES: Record<string, { type: string; body: () => Promise<string> | string }> = {
  [`/pay/${TOKEN}/attempts`]: {
    type: "application/json",
    body: () =>
      JSON.stringify({
        attempt: newId(),
        mode: "payment",
        card: { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" },
      }),
  },
  [`/challenge/${TOKEN}/result`]: { type: FORM, body: () => "result=passed" },
  "/api/auth/callback/credentials": { type: FORM, body: () => signInForm("/api/auth") },
  "/api/support-auth/callback/credentials": { type: FORM, body: () => signInForm("/api/support-auth") },
  "/api/sign-up": {
    type: "application/json",
    body: () => JSON.stringify({ ...SIGN_UP, email: EMAIL, password: PASSWORD }),
  },
  "/api/forgot-password": { type: "application/json", body: () => JSON.stringify({ email: EMAIL }) },
  "/api/reset-password": { type: "application/json", body: () => JSON.stringify({ token: TOKEN, password: PASSWORD }) },
  "/api/stop-report-mails": { type: "application/json", body: () => JSON.stringify({ token: TOKEN }) },
  "/api/verify-email": { type: "application/json", body: () => JSON.stringify({ token: TOKEN }) },
};

const csrf = new Map<string, { token: string; cookie: string }>();
async function signInForm(endpoint: string): Promise<string> {
  return new URLSearchParams({
    csrfToken: csrf.get(endpoint)?.token ?? "",
    json: "true",
    email: EMAIL,
    password: PASSWORD,
  }).toString();
}
async function takeCsrf(endpoint: string): Promise<void> {
  const response = await fetch(`${host.baseUrl}${endpoint}/csrf`);
  const cookie = response.headers.getSetCookie().map((one) => one.split(";")[0]);
  csrf.set(endpoint, {
    token: ((await response.json()) as { csrfToken: string }).csrfToken,
    cookie: cookie.join("; "),
  });
}

async function ask(asked: Asked): Promise<Seen> {
  const { path, method } = asked;
  const given = BODIES[path];
  const endpoint = path.split("/callback")[0] ?? "";
  const started = performance.now();
  const response = await fetch(host.baseUrl + path, {
    method,
    redirect: "manual",
    headers: {
      Cookie: [cookies, csrf.get(endpoint)?.cookie].filter(Boolean).join("; "),
      Accept: "text/html",
      Origin: host.baseUrl,
      "Sec-Fetch-Site": "same-origin",
      ...(method !== "GET" && { "Content-Type": given?.type ?? "application/json" }),
    },
    ...(method !== "GET" && { body: (await given?.body()) ?? "{}" }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  const retryAfter = response.headers.get("retry-after");
  return { ...asked, status: response.status, retryAfter, ms: performance.now() - started, text };
}

/**
 * Every response is an outage, or unchanged because it needs no database, unlike everything behind a sign-in.
 */
function expectOutage(seen: readonly Seen[], healthy: readonly Seen[]): void {
  const before = new Map(healthy.map(({ name, status }) => [name, status]));
  const wrong = seen.filter(({ name, path, status, retryAfter, ms }) => {
    if (ms > ANSWER_MS) return true;
    if (status === 503) return !(Number(retryAfter) > 0);
    return status >= 500 || status !== before.get(name) || (status !== 405 && SIGNED_IN.test(path));
  });
  const told = wrong.map(({ name, status, ms, text }) => {
    return `${name}: ${status}, before ${before.get(name)}, after ${Math.round(ms)} ms ${text.slice(0, 100)}`;
  });
  expect(told).toEqual([]);
}

const slowest = (seen: readonly Seen[]) => `${(Math.max(...seen.map(({ ms }) => ms)) / 1_000).toFixed(1)} s`;

/** Requests everything, a few at a time; the first dozen concurrently, before the outage is detected. */
async function askAll(all: readonly Asked[]): Promise<Seen[]> {
  const first = all.filter((_, at) => at % Math.ceil(all.length / 12) === 0);
  const met = await Promise.all(first.map(ask));
  return [...met, ...(await inParallel(all, 6, ask))];
}

async function untilBack(): Promise<number> {
  const started = performance.now();
  const paths = ["/test/transactions", "/support", "/test/plans", "/health/ready"];
  for (const path of paths) {
    while ((await ask({ name: path, path, method: "GET" })).status >= 500) {
      expect(performance.now() - started, path).toBeLessThan(BACK_MS);
      await wait(50);
    }
  }
  return performance.now() - started;
}

const readOnly = async (isOn: boolean) => {
  const name = new URL(url).pathname.slice(1);
  await db.sql.begin(async (tx) => {
    await tx`set transaction read write`;
    await tx.unsafe(
      isOn
        ? `alter database "${name}" set default_transaction_read_only = on`
        : `alter database "${name}" reset default_transaction_read_only`,
    );
  });
  proxy.cut();
};

test("every page and route is 503 within ten seconds of any outage, and as before within five of its end", async () => {
  for (const endpoint of ["/api/auth", "/api/support-auth"]) await takeCsrf(endpoint);
  const all = everything();
  const healthy = await inParallel(all, 4, ask);
  expect(healthy.filter(({ status }) => status >= 500).map(({ name, status }) => `${name}: ${status}`)).toEqual([]);
  for (const [name, begin, end] of [
    ["silent", () => proxy.fallSilent(), () => proxy.resume()],
    ["read-only", () => readOnly(true), () => readOnly(false)],
    ["gone", () => proxy.refuse(), () => proxy.accept()],
  ] as const) {
    await begin();
    const seen = await askAll(all);
    await end();
    const backMs = await untilBack();
    const refused = seen.filter(({ status }) => status === 503).length;
    reportFigure(
      `${name}: ${seen.length} answers, ${refused} of them 503, the slowest after ${slowest(seen)}, back after ${Math.round(backMs)} ms`,
    );
    expectOutage(seen, healthy);
  }
});

async function looksRight(page: Page): Promise<void> {
  for (const [width, colorScheme] of [[390, "light"] as const, [390, "dark"] as const, [1280, "light"] as const]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  }
}

test("a user reads what is wrong, and continues with one button when it is over", async () => {
  const context = await browser.newContext({ baseURL: host.baseUrl });
  const [name = "", value = ""] = (cookies.split("; ")[0] ?? "").split("=");
  expect(name).toBe(sessionCookieName("merchant", host.baseUrl));
  await context.addCookies([{ name, value, url: host.baseUrl }]);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (/content.security.policy/i.test(message.text())) faults.push(message.text());
  });
  const plans = page.getByRole("heading", { level: 1, name: "Plans" });
  const outage = page.getByRole("heading", { level: 1, name: "The database does not respond" });

  await page.goto("/test/plans");
  await plans.waitFor();
  await proxy.refuse();
  // On client-side navigation the browser requests only a part and renders the rest itself.
  await page.getByRole("link", { name: "Payments" }).first().click();
  await outage.waitFor({ timeout: 20_000 });
  await looksRight(page);
  await page.goto("/test/plans?status=ACTIVE").then((response) => expect(response?.status()).toBe(503));
  await outage.waitFor();
  await looksRight(page);
  await proxy.accept();
  await untilBack();
  await page.getByRole("link", { name: "Try again" }).click();
  await plans.waitFor();
  expect(new URL(page.url()).search).toBe("?status=ACTIVE");

  // The frame renders, and its content fails.
  await proxy.refuse();
  await page.getByRole("link", { name: "Payments" }).first().click();
  await outage.waitFor({ timeout: 20_000 });
  await proxy.accept();
  await untilBack();
  const again = page.getByRole("button", { name: "Try again" }).or(page.getByRole("link", { name: "Try again" }));
  await again.click();
  await page.getByRole("heading", { level: 1, name: "Payments" }).waitFor();
  expect(faults).toEqual([]);
});
