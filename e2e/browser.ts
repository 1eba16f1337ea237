import type { BrowserContext, ConsoleMessage, Page, Response } from "@playwright/test";
import type { Browser } from "@/lib/testing/browser";
import { test as base, expect } from "./fixtures";

/**
 * Tests in a browser: the one that the set-up has found. Every one of them fails when a page of ours breaks its own policy
 * or comes without one, whatever else it is about.
 */
export const test = base.extend<{ heldToPolicy: undefined }, { launchOptions: Partial<Browser> }>({
  launchOptions: [
    async ({ host: _ }, use) => {
      const found = JSON.parse(process.env.E2E_FOUND_BROWSER ?? "{}") as Browser;
      await use({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
    },
    { scope: "worker" },
  ],
  heldToPolicy: [
    async ({ context, baseUrl }, use) => {
      const faults = watchPolicies(context, baseUrl);
      await use(undefined);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

/**
 * Waits until a page of Next's is alive: all that it draws is there, and every form, field and button of it does what it should,
 * for React has hung itself on them. A network that rests says less, and never comes on a page that follows what happens.
 */
export async function untilAlive(page: Page): Promise<void> {
  const lifeless = () =>
    page.evaluate(() => {
      const parts = [...document.querySelectorAll("h1, main :is(form, input, select, textarea, button)")];
      const dead = parts.filter((part) => !Object.keys(part).some((name) => name.startsWith("__reactFiber$")));
      const isDrawn = document.readyState === "complete" && document.querySelector("h1") !== null;
      return isDrawn ? dead.map((part) => part.outerHTML.slice(0, 200)) : ["the page"];
    });
  // An address that leads on takes its document along.
  await expect.poll(() => lifeless().catch((error: Error) => [error.message])).toEqual([]);
}

/** What this context's pages of ours do against their policy from now on, and those that have none. */
export function watchPolicies(context: BrowserContext, baseUrl: string): string[] {
  const faults: string[] = [];
  context.on("console", (message) => {
    if (isViolation(message, baseUrl)) faults.push(`${message.location().url}: ${message.text()}`);
  });
  context.on("response", (response) => {
    const isPage = response.request().resourceType() === "document";
    if (isPage && response.url().startsWith(`${baseUrl}/`)) faults.push(...missingIn(response));
  });
  return faults;
}

/** Being refused in a stranger's frame is what a policy is for; merchants' pages have policies of their own. */
const isViolation = (message: ConsoleMessage, baseUrl: string) =>
  /content.security.policy/i.test(message.text()) &&
  !message.text().includes("frame-ancestors") &&
  message.location().url.startsWith(baseUrl);

/** What every page has to come with; who may embed it is each page's own business. */
const WANTED: Record<string, RegExp> = {
  "content-security-policy":
    /^default-src 'none'; script-src 'nonce-[\w+/=]{24}'.*; style-src [^;]*'nonce-.*object-src 'none'; base-uri 'none'/,
  "x-content-type-options": /^nosniff$/,
  "cross-origin-opener-policy": /^same-origin$/,
  "cross-origin-resource-policy": /^same-origin$/,
  "permissions-policy": /camera=\(\)/,
  "referrer-policy": /^(same-origin|no-referrer)$/,
};

function missingIn(response: Response): string[] {
  const headers = response.headers();
  // Redirects and downloads are no pages.
  if (!headers["content-type"]?.startsWith("text/html")) return [];
  const wrong = Object.entries(WANTED).filter(([name, wanted]) => !wanted.test(headers[name] ?? ""));
  const unsafe = /unsafe-(inline|eval|hashes)/.test(headers["content-security-policy"] ?? "");
  return [...wrong.map(([name]) => name), ...(unsafe ? ["unsafe-…"] : [])].map((what) => `${response.url()}: ${what}`);
}
