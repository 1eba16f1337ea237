import AxeBuilder from "@axe-core/playwright";
import type { BrowserContext, ConsoleMessage, Locator, Page, Response } from "playwright/test";
import type { Audience } from "@/lib/contract/accounts/sessions";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { NewStaff } from "@/lib/domain/support/staff";
import { test as base, expect } from "./fixtures/playwright";
import { createTestStaff, createTestUser, signIn, TEST_PASSWORD } from "./fixtures/users";

type SignedInPerson = { readonly userId: string; readonly email: string; readonly password: string };

type PageFixtures = {
  heldToPolicy: undefined;
  /** Creates a user of the test's merchant with TEST_PASSWORD and no second factor. */
  newPerson: (role?: MerchantRole) => Promise<SignedInPerson>;
  /** Signs a user in, in all pages of a browser context. */
  signInAs: (context: BrowserContext, person: { userId: string }, audience?: Audience) => Promise<void>;
  /** Opens a path in a browser context of its own, in which this person is signed in. */
  openAs: (person: { userId: string }, path: string) => Promise<Page>;
  /** A page on which an owner of `tenant` is signed in. */
  owner: Page;
  /** A staff member of this test only, signed in on `staffPage`. */
  staff: NewStaff & { userId: string };
  staffPage: Page;
};

/**
 * Browser tests. Each fails if one of our pages violates its content security policy or lacks a required
 * header. Paths are relative to the host.
 */
export const test = base.extend<PageFixtures>({
  heldToPolicy: [
    async ({ context, baseUrl }, use) => {
      const faults = watchPolicies(context, baseUrl);
      await use(undefined);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
  baseURL: async ({ baseUrl }, use) => {
    await use(baseUrl);
  },
  newPerson: async ({ db, tenant }, use) => {
    await use(async (role = "owner") => {
      const { id, email } = await createTestUser(db, { merchantId: tenant.merchant.id, role, name: `Test ${role}` });
      return { userId: id, email, password: TEST_PASSWORD };
    });
  },
  signInAs: async ({ service, baseUrl }, use) => {
    await use(async (context, { userId }, audience = "merchant") => {
      const cookie = await signIn({ ...service, baseUrl }, userId, audience);
      await context.addCookies([{ ...cookie, url: baseUrl }]);
    });
  },
  openAs: async ({ browser, baseUrl, signInAs }, use) => {
    await use(async (person, path) => {
      const context = await browser.newContext({ baseURL: baseUrl });
      await signInAs(context, person);
      const page = await context.newPage();
      await openAlive(page, path);
      return page;
    });
  },
  owner: async ({ page, newPerson, signInAs }, use) => {
    await signInAs(page.context(), await newPerson());
    await use(page);
  },
  staff: async ({ service }, use) => {
    await use(await createTestStaff(service));
  },
  staffPage: async ({ page, staff, signInAs }, use) => {
    await signInAs(page.context(), staff, "staff");
    await use(page);
  },
});

/** Waits until a Next page shows everything that was streamed: React reveals it later, in groups. */
async function untilStreamed(page: Page): Promise<void> {
  const hidden = () =>
    page.evaluate(() => {
      // React moves each part that was streamed (S:1) to its place (B:1).
      const isPending = (part: Element) => document.getElementById(part.id.replace("S:", "B:")) !== null;
      const parts = [...document.querySelectorAll('[hidden][id^="S:"]')].filter(isPending);
      return document.readyState === "complete" ? parts.map(({ id }) => id) : ["the page"];
    });
  // A redirect destroys the document being evaluated.
  const intervals = [20, 50, 100];
  await expect.poll(() => hidden().catch((error: Error) => [error.message]), { intervals }).toEqual([]);
}

/**
 * Waits until a Next page is complete and hydrated: nothing streamed is hidden, and React has attached to
 * every heading, form, field and button. `networkidle` guarantees less, and never occurs on a page that
 * streams updates.
 */
export async function untilAlive(page: Page): Promise<void> {
  await untilStreamed(page);
  const lifeless = () =>
    page.evaluate(() => {
      const parts = [...document.querySelectorAll("h1, main :is(form, input, select, textarea, button)")];
      const dead = parts.filter((part) => !Object.keys(part).some((name) => name.startsWith("__reactFiber$")));
      const isDrawn = document.querySelector("h1") !== null;
      return isDrawn ? dead.map((part) => part.outerHTML.slice(0, 200)) : ["the page"];
    });
  // A redirect destroys the document being evaluated.
  const intervals = [20, 50, 100];
  await expect.poll(() => lifeless().catch((error: Error) => [error.message]), { intervals }).toEqual([]);
}

/**
 * Opens a page and waits for hydration. Brings it to the front, because a hidden tab doesn't render streamed
 * content.
 */
export async function openAlive(page: Page, path: string): Promise<void> {
  await page.bringToFront();
  await page.goto(path);
  await untilAlive(page);
}

/** Presses a key until it has the effect: a page's own keys work only once React's effects have run. */
export async function pressUntil(page: Page, key: string, seen: Locator): Promise<void> {
  await expect(async () => {
    if (!(await seen.isVisible())) await page.keyboard.press(key);
    await expect(seen).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

/** Collects policy violations of our pages in this context, and required headers that pages lack. */
function watchPolicies(context: BrowserContext, baseUrl: string): string[] {
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

/**
 * Hash of `display:none`, which React sets on late content. The policy blocks it; our styles hide the content
 * instead.
 */
const HIDDEN_BY_REACT = "'sha256-aqNNdDLnnrDOnTNdkJpYlAxKVJtLt9CtFLklmInuUAE='";

/**
 * Ignores blocked framing by other sites, which is the policy's purpose, and our script's own warnings on
 * merchants' pages.
 */
const isViolation = (message: ConsoleMessage, baseUrl: string) =>
  /content.security.policy/i.test(message.text()) &&
  !message.text().includes("frame-ancestors") &&
  !message.text().startsWith(`Framing '${baseUrl}`) &&
  !message.text().startsWith("Cardlane: ") &&
  !message.text().includes(HIDDEN_BY_REACT) &&
  message.location().url.startsWith(baseUrl);

/** Headers required on every page. The sites that may embed a page differ, so they aren't checked here. */
const WANTED: Record<string, RegExp> = {
  "content-security-policy":
    /^default-src 'none'; script-src (?:'nonce-[\w+/=]{24}'.*; style-src [^;]*'nonce-|'self' 'sha256-.*; style-src 'self';).*object-src 'none'; base-uri 'none'/,
  "x-content-type-options": /^nosniff$/,
  "cross-origin-opener-policy": /^same-origin$/,
  "cross-origin-resource-policy": /^(same|cross)-origin$/,
  "permissions-policy": /camera=\(\)/,
  "referrer-policy": /^(same-origin|no-referrer)$/,
};

function missingIn(response: Response): string[] {
  const headers = response.headers();
  // Redirects and downloads are not pages.
  if (!headers["content-type"]?.startsWith("text/html")) return [];
  const wrong = Object.entries(WANTED).filter(([name, wanted]) => !wanted.test(headers[name] ?? ""));
  const unsafe = /unsafe-(inline|eval|hashes)/.test(headers["content-security-policy"] ?? "");
  return [...wrong.map(([name]) => name), ...(unsafe ? ["unsafe-…"] : [])].map((what) => `${response.url()}: ${what}`);
}

/** Viewport widths and color schemes in which every page is tested. */
const LOOKS = [
  [1440, "light"],
  [390, "dark"],
  [1440, "dark"],
  [390, "light"],
] as const;
const EVERY_LOOK = process.env.EVERY_LOOK === "1";
const turns = new WeakMap<object, number>();

/** The looks to test in this call: the next one in rotation, or all with EVERY_LOOK=1. */
function looksNow(): readonly (typeof LOOKS)[number][] {
  const info = test.info();
  if (!info.tags.includes("@looks"))
    throw new Error("Tag this test @looks, or `npm run prove` does not test every look.");
  if (EVERY_LOOK) return LOOKS;
  const turn = turns.get(info) ?? info.title.length;
  turns.set(info, turn + 1);
  return LOOKS.slice(turn % LOOKS.length).slice(0, 1);
}

/** Widths for testing item `index`: desktop and phone alternate, or both with EVERY_LOOK=1. */
export const widthsOf = (index: number): readonly number[] =>
  EVERY_LOOK ? [1440, 390] : [index % 2 === 0 ? 1440 : 390];

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Rules that a change of color scheme can break. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Fails if axe finds violations on the current page or in its frames, by WCAG 2.2 AA or the given rules. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  // Passes are reported by name only, because describing every element of a long page takes many times as
  // long.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] });
  if (rules) axe.withRules(rules);
  else axe.withTags(RULES);
  // Without frames, legacy mode avoids the extra page that axe opens to merge results.
  const isAlone = page.frames().length === 1;
  if (isAlone) axe.setLegacyMode(true);
  // A page that is still streaming has no heading yet, or a hidden one.
  await untilStreamed(page);
  if (isAlone && !rules) await expect(page.locator("h1:visible")).not.toHaveCount(0);
  // A refresh replaces the title.
  await expect(page).toHaveTitle(/./);
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
}

/** Switches the color scheme and turns animations off, so that colors are final when tested. */
export async function showIn(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await expect(page.locator(`html:is([data-theme=${scheme}], :not([data-theme]))`)).toHaveCount(1);
}

/** Tests the current page in light or dark, in rotation, or in both with EVERY_LOOK=1. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await seeIn(
    page,
    looksNow().map(([, scheme]) => scheme),
  );
}

/**
 * Tests that the page is accessible in the next look in rotation, or in all with EVERY_LOOK=1, and fits both
 * widths. Tests the current page, or the one that `open` loads once per tested width.
 */
export async function expectWellInEveryLook(page: Page, open?: () => Promise<unknown>): Promise<void> {
  const looks = looksNow();
  // Widths at which the page is loaded come first.
  for (const width of new Set([...(open ? looks.map(([one]) => one) : []), 1440, 390])) {
    await page.setViewportSize({ width, height: 900 });
    const schemes = looks.filter(([one]) => one === width).map(([, scheme]) => scheme);
    if (open && schemes[0]) {
      await showIn(page, schemes[0]);
      await open();
    }
    await seeIn(page, schemes);
    await expectNoSidewaysScroll(page);
  }
}

/** Runs all rules once, and only the color rules in the other scheme. */
async function seeIn(page: Page, schemes: ("light" | "dark")[]): Promise<void> {
  // On a page that typing has scrolled, the header may cover part of a checkbox, which then counts as too small.
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  for (const [index, scheme] of [...new Set(schemes)].entries()) {
    await showIn(page, scheme);
    await expectAccessible(page, index === 0 ? undefined : COLOUR_RULES);
  }
}

/** Fails if the page is wider than the viewport. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** Chooses the value of a filter that takes one. */
export async function chooseFilter(page: Page, form: string, value: string): Promise<void> {
  const filters = page.getByRole("region", { name: "Filters" });
  await filters.getByRole("button", { name: form }).click();
  await page.getByRole("group", { name: form }).getByRole("button", { name: value, exact: true }).click();
}
