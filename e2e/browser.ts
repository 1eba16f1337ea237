import AxeBuilder from "@axe-core/playwright";
import type { BrowserContext, ConsoleMessage, Page, Response } from "playwright/test";
import type { Audience } from "@/lib/contract/accounts/proof";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { NewStaff } from "@/lib/domain/support/staff";
import { test as base, expect } from "./fixtures/playwright";
import { createTestStaff, createTestUser, signIn, TEST_PASSWORD } from "./fixtures/users";

type SignedInPerson = { readonly userId: string; readonly email: string; readonly password: string };

type PageFixtures = {
  heldToPolicy: undefined;
  /** Makes a person of the test's merchant; the password is known and the second factor off. */
  newPerson: (role?: MerchantRole) => Promise<SignedInPerson>;
  /** Signs a person in, in all pages of a browser context. */
  signInAs: (context: BrowserContext, person: { userId: string }, audience?: Audience) => Promise<void>;
  /** A page on which an owner of `tenant` is signed in. */
  owner: Page;
  /** A member of the staff that no other test knows, signed in on `staffPage`. */
  staff: NewStaff & { userId: string };
  staffPage: Page;
};

/**
 * Tests in a browser. Every one of them fails when a page of ours breaks its own policy
 * or comes without one, whatever else it is about. Paths are relative to the host.
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
  const intervals = [20, 50, 100];
  await expect.poll(() => lifeless().catch((error: Error) => [error.message]), { intervals }).toEqual([]);
}

/** Goes there and waits until the page is alive; in front, as what streams in is drawn only in a window that shows. */
export async function openAlive(page: Page, path: string): Promise<void> {
  await page.bringToFront();
  await page.goto(path);
  await untilAlive(page);
}

/** What this context's pages of ours do against their policy from now on, and those that have none. */
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

/** `display:none`: how React hides a part of a picture that comes late. Our styles hide it, for the policy refuses that. */
const HIDDEN_BY_REACT = "'sha256-aqNNdDLnnrDOnTNdkJpYlAxKVJtLt9CtFLklmInuUAE='";

/** Being refused in a stranger's frame is what a policy is for; merchants' pages have policies of their own. */
const isViolation = (message: ConsoleMessage, baseUrl: string) =>
  /content.security.policy/i.test(message.text()) &&
  !message.text().includes("frame-ancestors") &&
  !message.text().includes(HIDDEN_BY_REACT) &&
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

/** Widths and schemes in which every page is seen. */
const LOOKS = [
  [1440, "light"],
  [390, "dark"],
  [1440, "dark"],
  [390, "light"],
] as const;
const EVERY_LOOK = process.env.EVERY_LOOK === "1";
const turns = new WeakMap<object, number>();

/** The looks to take now: one, in turn within a test and over the tests, or with EVERY_LOOK=1 all of them. */
function looksNow(): readonly (typeof LOOKS)[number][] {
  const info = test.info();
  if (!info.tags.includes("@looks"))
    throw new Error("Tag this test @looks, or `npm run prove` does not take every look.");
  if (EVERY_LOOK) return LOOKS;
  const turn = turns.get(info) ?? info.title.length;
  turns.set(info, turn + 1);
  return LOOKS.slice(turn % LOOKS.length).slice(0, 1);
}

/** The widths in which the thing with this number is tried: in turn a desk's and a phone's, or both. */
export const widthsOf = (index: number): readonly number[] =>
  EVERY_LOOK ? [1440, 390] : [index % 2 === 0 ? 1440 : 390];

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What a page's other scheme can break. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Fails with axe's findings on the page as it is now, frames of its own included, for WCAG 2.2 AA, or by these rules. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  // Of what is right only the names are wanted: to describe every element of a long page takes many times as long.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] });
  if (rules) axe.withRules(rules);
  else axe.withTags(RULES);
  // Without frames there is nothing to put together, for which axe would open another page.
  if (page.frames().length === 1) axe.setLegacyMode(true);
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
}

/** From now on the page is in this scheme, and nothing fades: colours are judged as they will be. */
export async function showIn(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await expect(page.locator(`html:is([data-theme=${scheme}], :not([data-theme]))`)).toHaveCount(1);
}

/** The page as it is, light or dark in turn; with EVERY_LOOK=1 both. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await seeIn(
    page,
    looksNow().map(([, scheme]) => scheme),
  );
}

/**
 * The page is accessible in the look of its turn, or in every look, and fits in all. It is the page as it is, or what `open`
 * loads, once in each width that is looked at.
 */
export async function expectWellInEveryLook(page: Page, open?: () => Promise<unknown>): Promise<void> {
  const looks = looksNow();
  // What is loaded is seen first in the width in which it was loaded.
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

/** Axe meets the page once; its other scheme is judged by the colors alone. */
async function seeIn(page: Page, schemes: ("light" | "dark")[]): Promise<void> {
  for (const [index, scheme] of [...new Set(schemes)].entries()) {
    await showIn(page, scheme);
    await expectAccessible(page, index === 0 ? undefined : COLOUR_RULES);
  }
}

/** Fails when the page is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}
