import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { Secret, TOTP } from "otpauth";
import { encodeId } from "@/lib/contract/ids";
import type { NewStaff } from "@/lib/domain/support/staff";
import { test, untilAlive } from "../browser";
import { TEST_SECRET } from "../fixtures/factories";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

test.describe("signing in", () => {
  test("the output of create-staff signs in, with a code and never without", async ({ page }) => {
    const staff = await runCreateStaff(`${randomUUID()}@cardlane.test`);
    expect(staff.recovery_codes).toHaveLength(10);
    await page.goto("/support?q=4242");
    await expect(page).toHaveURL(/\/support\/sign-in\?next=/);
    // Clicks have no effect until the page has hydrated.
    await expect(async () => {
      await page.getByLabel("E-mail address").fill(staff.email);
      await page.getByLabel("Password", { exact: true }).fill(staff.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "a code" })).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await page.getByLabel("Code").fill("000000");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "That code is wrong" })).toBeVisible();
    await page.getByLabel("Code").fill(codeOf(staff.totp_secret));
    await page.getByLabel("Code").press("Enter");
    await expect(page).toHaveURL(/\/support\?q=4242$/);
    await expect(page.getByText("Cardlane support")).toBeVisible();
    await untilAlive(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/support\/sign-in/);
    await page.goto("/support");
    await expect(page).toHaveURL(/\/support\/sign-in/);
  });

  test("the endpoint behind it refuses a password without its code", async ({ staff, baseUrl, request }) => {
    const { csrfToken } = await (await request.get(`${baseUrl}/api/support-auth/csrf`)).json();
    const answer = await request.post(`${baseUrl}/api/support-auth/callback/credentials`, {
      form: { csrfToken, email: staff.email, password: staff.password, code: "", json: "true" },
      headers: { origin: baseUrl },
    });
    expect(await answer.text()).toContain("code_required");
    const page = await request.get(`${baseUrl}/support`, { maxRedirects: 0 });
    expect(page.status()).toBe(307);
  });

  test("a merchant's cookie opens nothing here, and the staff's opens nothing at a merchant's", async ({
    owner,
    tenant,
    staff,
    signInAs,
    browser,
    baseUrl,
  }) => {
    const payment = await captured(tenant.api);
    const merchantId = encodeId("merchant", tenant.merchant.id);
    const pages = [
      "/support",
      `/support?q=${payment.id}`,
      `/support/payments/${payment.id}`,
      `/support/merchants/${merchantId}`,
      "/support/unknown-outcomes",
      "/support/reconciliation",
      "/support/audit",
    ];
    for (const path of pages) {
      const answer = await owner.request.get(baseUrl + path, { maxRedirects: 0 });
      expect([path, answer.status()]).toEqual([path, 307]);
      expect(answer.headers().location).toContain("/support/sign-in");
    }
    const sameOrigin = { "sec-fetch-site": "same-origin" };
    const suspend = await owner.request.post(`${baseUrl}/api/support/merchants/${merchantId}/suspend`, {
      data: { reason: "x" },
      headers: sameOrigin,
    });
    expect(suspend.status()).toBe(401);
    const read = await owner.request.get(`${baseUrl}/v1/payments/${payment.id}`, {
      headers: { "x-cardlane-environment": encodeId("environment", tenant.merchant.test.id) },
    });
    expect(read.status()).toBe(401);

    const context = await browser.newContext();
    await signInAs(context, staff, "staff");
    for (const path of ["/test", "/live/transactions", `/test/payments/${payment.id}`]) {
      const answer = await context.request.get(baseUrl + path, { maxRedirects: 0 });
      expect([path, answer.status()]).toEqual([path, 307]);
      expect(answer.headers().location).toContain("/sign-in");
    }
    const byMode = await context.request.get(`${baseUrl}/v1/payments/${payment.id}`, {
      headers: { "x-cardlane-mode": "test" },
    });
    expect(byMode.status()).toBe(401);
    await context.close();
  });
});

/** Runs the command on the host's database, the way an operator does. */
async function runCreateStaff(email: string): Promise<NewStaff> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "scripts/create-staff.ts", "--email", email, "--name", "Sam", "--json"],
    { env: { ...process.env, DATABASE_URL: process.env.E2E_DATABASE_URL, CARDLANE_SECRET: TEST_SECRET } },
  );
  return JSON.parse(stdout) as NewStaff;
}
