import { defineConfig } from "playwright/test";
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
    // In one project, as each starts workers of its own.
    {
      name: "service",
      testMatch: /e2e\/(?:api|checkout|dashboard|docs|support)\/[^/]+\.spec\.ts$/,
      ...PAGES,
      use: { host: "service" },
    },
    { name: "demo", testDir: "e2e/demo", ...PAGES, use: { host: "demo" } },
    { name: "limited", testDir: "e2e/limited", default: !EVERY_LOOK, use: { host: "limited" } },
    { name: "configured", testDir: "e2e/configured", default: !EVERY_LOOK, workers: 1, use: { host: "configured" } },
    ...HOSTS.map((host) => ({ name: `${host}-smoke`, ...API, grep: SMOKE[host], workers: 1, use: { host } })),
    ...HOSTS.map((host) => ({ name: host, ...API, ...WHOLE[host], default: false, use: { host } })),
  ],
});
