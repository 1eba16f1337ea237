import { defineConfig } from "@playwright/test";
import type { HostOptions } from "@/e2e/fixtures/playwright";

/**
 * `npx playwright test` is the part of `npm test`: the API on our own host, a smoke of every other host, and each page in one
 * look. `npm run prove` runs the rest: the projects that are not default, and EVERY_LOOK=1.
 */
const EVERY_LOOK = process.env.EVERY_LOOK === "1";

/** The same contract suite runs against every host; what depends on settings has a service of its own. */
const API = { testDir: "e2e/api", default: !EVERY_LOOK };
/** Where hosts differ: routing, bodies, streams, errors, headers, cookies. Behind processors: one payment of each kind. */
const SMOKE = { next: /@next/, other: /@processors/, stripe: /@processors/, adyen: /@processors/ };
const HOSTS = ["next", "other", "stripe", "adyen"] as const;

/**
 * Behind another processor than the sandbox: what moves money, and with EVERY_PROCESSOR all of the API but what Next
 * serves, and what is about the service and not about payments. What is marked `@sandbox` only the sandbox does.
 */
const BEHIND_ANOTHER = process.env.EVERY_PROCESSOR
  ? {
      testIgnore: /checkout-page|security-headers|service|not-found|hostile|edge|wire|status/,
      grepInvert: /is a page that explains it|past its time, takes nothing|and its form says so|totals are exact/,
    }
  : { testMatch: /(?:captures-voids-refunds|three-d-secure)\.spec/ };
/** Its cards are its own: their checks of addresses, their scores, and how they answer where the processors' APIs have no such thing. */
const NOT_THE_SANDBOX = { ...BEHIND_ANOTHER, grepInvert: [BEHIND_ANOTHER.grepInvert ?? [], /@sandbox/].flat() };
const WHOLE = { next: {}, other: BEHIND_ANOTHER, stripe: NOT_THE_SANDBOX, adyen: NOT_THE_SANDBOX };

/** Tests marked `@looks` take one look of their page, or all with EVERY_LOOK=1; those marked `@prove` need it to run at all. */
const PAGES = EVERY_LOOK ? { grep: /@looks|@prove/ } : { grepInvert: /@prove/ };

/**
 * The window that tests with frames of other sites begin with. In one that a test makes higher, Chromium lets clicks below
 * the first height miss such a frame as soon as another page was open: axe opens one.
 */
const LARGEST = { width: 1440, height: 1000 };

export default defineConfig<HostOptions>({
  globalSetup: "./e2e/global-setup.ts",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  // For what hangs: a machine with other work takes several times as long, and is not wrong.
  timeout: EVERY_LOOK ? 600_000 : 180_000,
  expect: { timeout: 30_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [[process.stdout.isTTY ? "line" : "dot"], ["json"]] : [["list"]],
  projects: [
    { name: "service", ...API, use: { host: "service" } },
    ...HOSTS.map((host) => ({ name: `${host}-smoke`, ...API, grep: SMOKE[host], use: { host } })),
    ...HOSTS.map((host) => ({ name: host, ...API, ...WHOLE[host], default: false, use: { host } })),
    { name: "configured", ...API, testDir: "e2e/configured", use: { host: "configured" } },
    { name: "limited", ...API, testDir: "e2e/limited", use: { host: "limited" } },
    { name: "checkout", testDir: "e2e/checkout", ...PAGES, use: { host: "service", viewport: LARGEST } },
    { name: "docs", testDir: "e2e/docs", ...PAGES, use: { host: "service" } },
    { name: "dashboard", testDir: "e2e/dashboard", ...PAGES, use: { host: "service" } },
    { name: "support", testDir: "e2e/support", ...PAGES, use: { host: "service" } },
    { name: "demo", testDir: "e2e/demo", ...PAGES, use: { host: "demo" } },
  ],
});
