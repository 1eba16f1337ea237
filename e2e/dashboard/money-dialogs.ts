import type { Locator, Page, Route } from "playwright/test";
import type { Database } from "@/db/client";
import { decodeId } from "@/lib/contract/ids";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Tenant } from "../fixtures/playwright";
import { expect } from "../fixtures/playwright";

export const payments = (id: string) => `/test/payments/${id}`;
export const dialogOf = (page: Page, name: string | RegExp = "Refund payment") => page.getByRole("dialog", { name });

/** Opens the dialog from the payment's page. */
export async function openDialog(
  page: Page,
  payment: Payment,
  action: "Refund" | "Capture" | "Void" = "Refund",
): Promise<Locator> {
  const dialog = dialogOf(page, `${action} payment`);
  await expect(async () => {
    await page.goto(payments(payment.id));
    await opens(page.getByRole("main").getByRole("button", { name: action, exact: true }), dialog);
  }).toPass();
  await expect(dialog.locator("form fieldset")).toBeAttached();
  return dialog;
}

/** Clicks until it opens: a click before hydration is lost. */
export async function opens(button: Locator, opened: Locator): Promise<void> {
  await expect(async () => {
    if (!(await opened.isVisible())) await button.click({ timeout: 2_000 });
    await expect(opened).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
}

export const submitOf = (dialog: Locator) => dialog.getByRole("button", { name: /^(Refund|Capture|Void) \$/ });

/** Every refund of the payment in the database, and every operation that was started for one. */
export async function refundsOf(db: Database, { merchant }: Tenant, payment: Payment) {
  const id = decodeId("payment", payment.id);
  const transactions = await db.sql<{ amount: number; status: string }[]>`
    select amount, status from transactions
    where environment_id = ${merchant.test.id} and payment_id = ${id} and type = 'REFUND' order by id`;
  const operations = await db.sql<{ state: string }[]>`
    select state from operations where environment_id = ${merchant.test.id} and payment_id = ${id} and kind = 'refund'`;
  return { amounts: transactions.map(({ amount }) => amount), operations: operations.length };
}

/** Lets the request reach the service, then cuts the connection instead of passing on the response. */
export async function loseAnswers(page: Page, times = 1): Promise<() => number> {
  let lost = 0;
  await page.route("**/v1/**/refund", async (route: Route) => {
    if (lost >= times) return route.continue();
    lost++;
    await route.fetch();
    await route.abort("connectionreset");
  });
  return () => lost;
}

/** Idempotency keys of the page's refund requests, in order. */
export function keysSent(page: Page): (string | undefined)[] {
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/refund"))
      keys.push(request.headers()["x-idempotency-key"]);
  });
  return keys;
}
