import { defineConfig } from "@playwright/test";
import type { HostOptions } from "@/e2e/fixtures/playwright";

/** The same contract suite runs against both hosts; what depends on settings has a service of its own. */
const API = { testDir: "e2e/api" };

/**
 * Behind another processor than the sandbox: what moves money, and by `npm run prove:processor` all of the API but what Next
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
  // A browser on a busy machine misses its moment now and then. What passes only at its second try is named at the end.
  retries: 1,
  // For what hangs: a machine with other work takes several times as long, and is not wrong.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [[process.stdout.isTTY ? "line" : "dot"], ["json"]] : [["list"]],
  projects: [
    { name: "service", ...API, use: { host: "service" } },
    { name: "next", ...API, use: { host: "next" } },
    { name: "other", ...API, ...BEHIND_ANOTHER, use: { host: "other" } },
    { name: "stripe", ...API, ...NOT_THE_SANDBOX, use: { host: "stripe" } },
    { name: "adyen", ...API, ...NOT_THE_SANDBOX, use: { host: "adyen" } },
    { name: "configured", testDir: "e2e/configured", use: { host: "configured" } },
    { name: "checkout", testDir: "e2e/checkout", use: { host: "service", viewport: LARGEST } },
    { name: "docs", testDir: "e2e/docs", use: { host: "service" } },
    { name: "dashboard", testDir: "e2e/dashboard", use: { host: "service" } },
    { name: "support", testDir: "e2e/support", use: { host: "service" } },
    { name: "demo", testDir: "e2e/demo", use: { host: "demo" } },
    { name: "limited", testDir: "e2e/limited", use: { host: "limited" } },
  ],
});
