import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright/test";
import { findBrowser } from "@/e2e/fixtures/browser";
import { env } from "@/lib/env";
import { serviceAddress } from "@/lib/server/address";

/** `npm run screenshots`: takes the README's pictures of the demo merchant on the local service. */
const folder = fileURLToPath(new URL("../public/screenshots", import.meta.url));
const demo = JSON.parse(readFileSync(join(env.dataDir, "demo.json"), "utf8")) as { email: string; password: string };
const base = serviceAddress();

type Shot = { name: string; path: string; dark?: true; narrow?: true; before?: (page: Page) => Promise<void> };

/** Each picture has its own session. Typed text shows the form in use. */
const CARD = { "Card number": "4242 4242 4242 4242", "Expiry date": "12 / 30", "Security code": "123" };

const SHOTS: Shot[] = [
  { name: "overview", path: "/test" },
  { name: "transactions", path: "/test/transactions?status=DECLINED&brand=visa" },
  { name: "payment", path: "/test/transactions?status=PARTIALLY_REFUNDED", dark: true, before: openFirst },
  { name: "subscriptions", path: "/test/subscriptions" },
  { name: "phone", path: "/test/transactions", narrow: true },
  { name: "checkout", path: "/demo", before: checkOutWithLog },
  { name: "payment-form", path: "/demo", before: checkOut },
  { name: "payment-form-phone", path: "/demo", narrow: true, dark: true, before: checkOut },
  { name: "payment-link", path: "/test/checkout/new", before: openLink },
];

const panelOf = (page: Page) => page.getByRole("complementary", { name: "Payment" });

async function openFirst(page: Page): Promise<void> {
  const payment = await page.locator("[data-payment]").first().getAttribute("data-payment");
  await page.goto(`${page.url()}&panel=${payment}`, { waitUntil: "networkidle" });
  await panelOf(page).getByRole("list", { name: "Timeline" }).waitFor();
}

async function checkOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Buy" }).click();
  const form = page.frameLocator("iframe");
  await form.getByRole("button", { name: /^Pay/ }).waitFor();
  for (const [label, text] of Object.entries(CARD)) await form.getByLabel(label, { exact: true }).fill(text);
  await form.getByRole("button", { name: /^Pay/ }).scrollIntoViewIfNeeded();
}

async function checkOutWithLog(page: Page): Promise<void> {
  await checkOut(page);
  await page.getByRole("button", { name: /^Live log/ }).click();
  await page.evaluate(() => window.scrollTo(0, 0));
}

async function openLink(page: Page): Promise<void> {
  await page.getByLabel("Amount", { exact: true }).fill("129.00");
  await page.getByRole("button", { name: /^Create/ }).click();
  await page.goto((await page.getByRole("link", { name: "Open in a new tab" }).getAttribute("href")) ?? "");
  await page.getByRole("button", { name: /^Pay/ }).waitFor();
}

const found = await findBrowser();
const browser = await chromium.launch({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
mkdirSync(folder, { recursive: true });
for (const { name, path, dark, narrow, before } of SHOTS) {
  const context = await browser.newContext({
    baseURL: base,
    viewport: narrow ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(demo.email);
  await page.getByLabel("Password", { exact: true }).fill(demo.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/test/);
  await page.goto(path, { waitUntil: "networkidle" });
  await before?.(page);
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`public/screenshots/${name}.png`);
  await context.close();
}
await browser.close();
