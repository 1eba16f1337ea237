import { defineConfig } from "playwright/test";
import type { HostOptions } from "@/e2e/fixtures/playwright";

/**
 * `npx playwright test` runs the browser part of `npm test`: the API on our own host, a smoke of every other
 * host, and each page in one look. `npm run prove` runs the non-default projects, and EVERY_LOOK=1.
 */
const EVERY_LOOK = process.env.EVERY_LOOK === "1";

/** The contract suite, run against every host. Tests of settings have services of their own. */
const API = { testDir: "e2e/api", default: !EVERY_LOOK };
/** `@next`: routing, bodies, streams, errors, headers, cookies. `@processors`: one payment of each kind. */
const SMOKE = { next: /@next/, other: /@processors/, stripe: /@processors/, adyen: /@processors/ };
const HOSTS = ["next", "other", "stripe", "adyen"] as const;

/**
 * Behind other processors: only tests that move money; with EVERY_PROCESSOR the whole API suite, except
 * tests of what Next serves and of the service itself.
 */
const BEHIND_ANOTHER = process.env.EVERY_PROCESSOR
  ? {
      testIgnore: /checkout-page|security-headers|service|not-found|hostile|edge|wire|status/,
      grepInvert:
        /is a page that explains it|a session of a recurring plan begins|a free trial begins|a cancelled or expired session accepts nothing|and its form says so|totals are exact/,
    }
  : { testMatch: /(?:captures-voids-refunds|three-d-secure)\.spec/ };
/** `@sandbox` tests use cards that only the sandbox has: address checks, scores, special responses. */
const NOT_THE_SANDBOX = { ...BEHIND_ANOTHER, grepInvert: [BEHIND_ANOTHER.grepInvert ?? [], /@sandbox/].flat() };
/** `@own-host` tests what only our own host does, not Next's. */
const ON_NEXT = { grepInvert: /@own-host/ };
const WHOLE = { next: ON_NEXT, other: BEHIND_ANOTHER, stripe: NOT_THE_SANDBOX, adyen: NOT_THE_SANDBOX };

/** `@looks` tests one look per page, or all with EVERY_LOOK=1; `@prove` tests run only with it. */
const PAGES = EVERY_LOOK ? { grep: /@looks|@prove/ } : { grepInvert: /@prove/ };

export default defineConfig<HostOptions>({
  globalSetup: "./e2e/global-setup.ts",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  // Generous, to catch only hangs: a busy machine can take several times as long.
  timeout: EVERY_LOOK ? 600_000 : 180_000,
  expect: { timeout: 30_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [[process.stdout.isTTY ? "line" : "dot"], ["json"]] : [["list"]],
  projects: [
    // One project for all, because each project starts its own workers.
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
