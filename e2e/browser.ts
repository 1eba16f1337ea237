import type { Browser } from "@/lib/testing/browser";
import { test as base } from "./fixtures";

/** Tests in a browser: the one that the set-up has found on this machine. */
export const test = base.extend<object, { launchOptions: Partial<Browser> }>({
  launchOptions: [
    async ({ host: _ }, use) => {
      const found = JSON.parse(process.env.E2E_BROWSER ?? "{}") as Browser;
      await use({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
    },
    { scope: "worker" },
  ],
});
