import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright/test";
import { connect, type Database } from "@/db/client";
import { test as base, openAlive } from "./browser";
import { type AdyenDouble, startAdyenDouble } from "./doubles/adyen/api";
import { type Double, startDouble } from "./doubles/stripe/double";
import { createDatabase, dropDatabase } from "./fixtures/cluster";
import { createTestMerchant } from "./fixtures/factories";
import { expect } from "./fixtures/playwright";
import { type ProofHost, startHost } from "./proof/host";

/** Two accounts that a merchant can connect, and a service that uses the doubles instead of Stripe. */
type Connecting = { host: ProofHost; databaseUrl: string; main: Double; second: Double; adyen: AdyenDouble | null };

/**
 * Tests with one service and database per worker, because the jobs of other hosts would query Stripe for the
 * doubles' payments.
 */
export const test = base.extend<object, { withAdyen: boolean; connecting: Connecting; db: Database }>({
  withAdyen: [false, { option: true, scope: "worker" }],
  connecting: [
    async ({ host: _, withAdyen }, use) => {
      // Has the format of an Adyen key, so that masking recognizes it.
      const adyen = withAdyen ? await startAdyenDouble({ apiKey: `AQEyofthe${randomUUID()}` }) : null;
      const main = await startDouble({ secretKey: "sk_test_ofthemainshop000000m4i1" });
      const second = await startDouble({
        secretKey: "sk_test_oftheothershop00000s2d2",
        accountId: "acct_double0000000002",
      });
      const doubles = { [main.secretKey]: main.endpoint, [second.secretKey]: second.endpoint };
      const [adminUrl, name] = [process.env.E2E_ADMIN_URL ?? "", `e2e_connecting_${randomUUID().slice(0, 8)}`];
      const databaseUrl = await createDatabase(adminUrl, name, process.env.E2E_TEMPLATE);
      const seeded = connect(databaseUrl, { max: 1 });
      await createTestMerchant(seeded, "Somebody else");
      await seeded.close();
      const env = {
        STRIPE_DOUBLES: JSON.stringify(doubles),
        ...(adyen && { ADYEN_DOUBLE: adyen.url, WEBHOOK_ALLOW_LOCAL: "true" }),
        PROCESSOR_TIMEOUT_MS: "8000",
        LOG_LEVEL: "info",
        MAIL_OUTBOX: "1",
      };
      const host = await startHost({ entry: "e2e/connecting-host.ts", databaseUrl, env });
      await use({ host, databaseUrl, main, second, adyen });
      await host.stop();
      await Promise.all([main.stop(), second.stop(), adyen?.stop()]);
      await dropDatabase(adminUrl, name);
    },
    { scope: "worker", timeout: 180_000 },
  ],
  baseUrl: [async ({ connecting }, use) => use(connecting.host.baseUrl), { scope: "worker" }],
  db: [
    async ({ connecting }, use) => {
      const db = connect(connecting.databaseUrl, { max: 3, applicationName: "cardlane-e2e" });
      await use(db);
      await db.close();
    },
    { scope: "worker" },
  ],
});

/** Opens the settings page for processors. */
export const openProcessors = (page: Page, mode = "test") => openAlive(page, `/${mode}/settings/processors`);

/** Connects an account in the dashboard and waits until the page shows it. */
export async function connectAccount(page: Page, { secretKey }: Double, label: string): Promise<Locator> {
  await page.getByRole("button", { name: "Connect a processor" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(label);
  await dialog.getByLabel("Secret key").fill(secretKey);
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  const card = cardOf(page, label);
  await expect(card).toBeVisible();
  return card;
}

/** The section of the page for one connection. */
export const cardOf = (page: Page, label: string) =>
  page
    .getByRole("main")
    .getByRole("region")
    .filter({ has: page.getByRole("heading", { name: label }) });

/** Opens one of a connection's dialogs from its menu. */
export async function openAction(page: Page, label: string, item: string | RegExp): Promise<Locator> {
  await page.getByRole("button", { name: `Actions for ${label}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  return dialog;
}
