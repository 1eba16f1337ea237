import { randomUUID } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { getPayment } from "@/lib/contract/operations/payments";
import { expectAccessible, expectNoSidewaysScroll } from "../dashboard/fixtures";
import { expect } from "../fixtures";
import { captured, chargeOf } from "../samples";
import { runCreateStaff, test, waitingPayment } from "./fixtures";

test.describe.configure({ timeout: 120_000 });

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

test.describe("signing in", () => {
  test("what create-staff prints signs in, with a code and never without", async ({ page }) => {
    const staff = await runCreateStaff(`${randomUUID()}@cardlane.test`);
    expect(staff.recovery_codes).toHaveLength(10);
    await page.goto("/support?q=4242");
    await expect(page).toHaveURL(/\/support\/sign-in\?next=/);
    // Until the page is alive, pressing the button does nothing.
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

  test("a merchant's cookie opens nothing here, and the staff's nothing at a merchant's", async ({
    owner,
    tenant,
    staff,
    signInAsStaff,
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
    await signInAsStaff(context, staff);
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

test("everything can be found in the one box, by keyboard, and leads to the payment", async ({
  tenant,
  staffPage,
  db,
  staff,
}) => {
  const email = `${randomUUID()}@shopper.example`;
  const key = `order ${randomUUID()}`;
  const amount = 1_000_000 + Math.floor(Math.random() * 8_000_000);
  const payment = await captured(tenant.api, { customer_email: email, amount });
  const charge = chargeOf(payment);
  await db.sql`update merchants set name = ${`Shop ${key}`} where id = ${tenant.merchant.id}`;
  const [operation] = await db.sql<{ id: string; request_id: string; idempotency_key: string }[]>`
    select id, request_id, idempotency_key from operations where payment_id = ${decodeId("payment", payment.id)}`;
  if (!operation) throw new Error("there is no operation");

  const look = async (text: string) => {
    await staffPage.goto("/support");
    await expect(staffPage.getByRole("searchbox")).toBeFocused();
    await staffPage.getByRole("searchbox").fill(text);
    await staffPage.keyboard.press("Enter");
    await expect(staffPage.getByRole("status").filter({ hasText: "read as" })).toContainText(text);
    return staffPage.getByRole("main");
  };
  const texts = [
    payment.id,
    charge.id,
    email.toUpperCase(),
    (amount / 100).toFixed(2),
    `$${(amount / 100).toFixed(2)}`,
    encodeId("request", operation.request_id),
    operation.id,
    operation.idempotency_key,
  ];
  for (const text of texts) {
    const results = await look(text);
    const link = results.locator(`a[href="/support/payments/${payment.id}"]`).first();
    await expect(link, text).toBeVisible();
    await expect(results).toContainText(`Shop ${key}`);
    await expect(results).toContainText("Test");
  }
  for (const text of [
    encodeId("merchant", tenant.merchant.id),
    encodeId("environment", tenant.merchant.live.id),
    key,
  ]) {
    const results = await look(text);
    await expect(results.locator(`a[href^="/support/merchants/"]`).first(), text).toContainText(`Shop ${key}`);
  }
  // Others' cards end so, too: the newest are shown.
  await expect((await look("4242")).getByRole("heading", { name: /^Transactions/ })).toBeVisible();
  const rows = await db.sql`
    select 1 from support_audit_log where staff_id = ${staff.userId} and action = 'support.searched'`;
  expect(rows.length).toBe(texts.length + 4);
  const seen = await db.sql`
    select 1 from support_audit_log where merchant_id = ${tenant.merchant.id} and action = 'support.found'`;
  expect(seen.length).toBeGreaterThanOrEqual(texts.length + 3);

  await look("nobody@nowhere.example");
  await expect(staffPage.getByRole("heading", { name: "Nothing found in any merchant's data" })).toBeVisible();
  await expect(async () => {
    await staffPage.getByRole("searchbox").fill("");
    await staffPage.keyboard.press("Enter");
    await expect(staffPage.getByText("Type what to look for.")).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await staffPage.getByRole("searchbox").fill("4242 4242 4242 4242");
  await staffPage.keyboard.press("Enter");
  await expect(staffPage.getByText("Search by the last 4 digits")).toBeVisible();
  expect(staffPage.url()).not.toContain("4242");
});

test("a refund for a merchant carries the reason, and the merchant sees it", async ({
  tenant,
  staffPage,
  staff,
  db,
}) => {
  const payment = await captured(tenant.api, { amount: 5_000 });
  const reason = "Customer called – twice (“überfällig”)";
  await staffPage.goto(`/support/payments/${payment.id}`);
  await staffPage.getByRole("button", { name: "Refund for the merchant" }).click();
  const dialog = staffPage.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("12.50");
  await dialog.getByRole("button", { name: "Refund $12.50 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Say why you refund for the merchant.")).toBeVisible();
  await dialog.getByLabel("Why you do it for the merchant").fill(reason);
  await dialog.getByRole("button", { name: "Refund $12.50 to Visa •••• 4242" }).dblclick();
  await expect(dialog.getByText("Refunded $12.50")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(staffPage.getByText("Partially refunded").first()).toBeVisible();
  await expect(staffPage.getByText(`Reason: ${reason}`).first()).toBeVisible();

  const after = (await tenant.api.call(getPayment, { id: payment.id })).ok();
  expect(after).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 1_250 });
  const rows = await db.sql`
    select kind, actor from operations where payment_id = ${decodeId("payment", payment.id)} and kind = 'refund'`;
  expect([...rows]).toEqual([{ kind: "refund", actor: { type: "staff", id: staff.userId } }]);
  const acts = await db.sql`
    select action, detail ->> 'reason' as reason from support_audit_log
    where merchant_id = ${tenant.merchant.id} and detail ? 'reason'`;
  expect([...acts]).toEqual([{ action: "support.refundTransaction", reason }]);
});

test("the merchant's people see in their dashboard what support did and why", async ({
  tenant,
  staffPage,
  newPerson,
  signInAs,
  browser,
  baseUrl,
}) => {
  const payment = await captured(tenant.api, { amount: 5_000 });
  await staffPage.goto(`/support/payments/${payment.id}`);
  await staffPage.getByRole("button", { name: "Refund for the merchant" }).click();
  const dialog = staffPage.getByRole("dialog");
  await dialog.getByLabel("Why you do it for the merchant").fill("They asked us to");
  await dialog.getByRole("button", { name: /^Refund \$50\.00/ }).click();
  await expect(dialog.getByText("Refunded $50.00")).toBeVisible();

  const context = await browser.newContext({ baseURL: baseUrl });
  await signInAs(context, await newPerson("owner"));
  const page = await context.newPage();
  await page.goto(`/test/payments/${payment.id}`);
  await expect(page.getByText("They asked us to").first()).toBeVisible();
  await expect(page.getByText("Cardlane support").first()).toBeVisible();
  await context.close();
});

test("suspending stops a key at once and the merchant's people act no more, reinstating undoes it", async ({
  tenant,
  staffPage,
  owner: _,
  newPerson,
  signInAs,
  browser,
  baseUrl,
  db,
}) => {
  const payment = await captured(tenant.api);
  const merchantId = encodeId("merchant", tenant.merchant.id);
  await staffPage.goto(`/support/merchants/${merchantId}`);
  await staffPage.getByRole("button", { name: "Suspend" }).click();
  await staffPage.getByLabel("Reason").fill("Too many chargebacks");
  await staffPage.getByRole("button", { name: "Suspend merchant" }).click();
  await expect(staffPage.getByText("This merchant is suspended")).toBeVisible();
  // A key is remembered for half a second at most, and the page took longer than that.
  (await tenant.api.call(getPayment, { id: payment.id })).problem("merchant_suspended");

  const context = await browser.newContext({ baseURL: baseUrl });
  await signInAs(context, await newPerson("owner"));
  const page = await context.newPage();
  await page.goto(`/test/payments/${payment.id}`);
  await expect(page.getByText("This account is suspended")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("100.00");
  const refund = await page.request.post(`${baseUrl}/v1/payments/${payment.id}/refund`, {
    headers: { "x-cardlane-mode": "test", "x-idempotency-key": randomUUID(), "sec-fetch-site": "same-origin" },
    data: { amount: 100, reason: "OTHER" },
  });
  expect(refund.status()).toBe(403);
  expect(await refund.json()).toMatchObject({ code: "merchant_suspended" });
  await context.close();

  await staffPage.getByRole("button", { name: "Reinstate" }).click();
  await staffPage.getByLabel("Reason").fill("Cleared up");
  await staffPage.getByRole("button", { name: "Reinstate merchant" }).click();
  await expect(staffPage.getByText("This merchant is suspended")).toBeHidden();
  (await tenant.api.call(getPayment, { id: payment.id })).ok();
  const acts = await db.sql`
    select action, detail ->> 'reason' as reason from support_audit_log
    where merchant_id = ${tenant.merchant.id} and detail ? 'reason' order by id`;
  expect([...acts]).toEqual([
    { action: "support.suspended_merchant", reason: "Too many chargebacks" },
    { action: "support.reinstated_merchant", reason: "Cleared up" },
  ]);
});

test("a locked sign-in is unlocked with a reason", async ({ tenant, staffPage, newPerson, db }) => {
  const person = await newPerson("viewer");
  await db.sql`
    update users set failed_sign_ins = 10, locked_until = now() + interval '20 minutes' where id = ${person.userId}`;
  await staffPage.goto(`/support/merchants/${encodeId("merchant", tenant.merchant.id)}`);
  await staffPage.getByRole("button", { name: "Unlock" }).click();
  await staffPage.getByLabel("Reason").fill("They called, and it is them");
  await staffPage.getByRole("button", { name: "Unlock sign-in" }).click();
  await expect(staffPage.getByText("Locked until")).toBeHidden();
  const [row] = await db.sql`select failed_sign_ins, locked_until from users where id = ${person.userId}`;
  expect(row).toEqual({ failed_sign_ins: 0, locked_until: null });
});

test("an unknown outcome that waits for staff is asked about again, and is known then", async ({
  tenant,
  staffPage,
  db,
}) => {
  const payment = await waitingPayment(tenant, db.sql, 4_321);
  await staffPage.goto("/support/unknown-outcomes");
  const row = staffPage.getByRole("listitem").filter({ hasText: payment.id });
  await expect(row).toContainText("Waits for staff");
  await expect(row).toContainText("$43.21");
  await row.getByRole("button", { name: "Ask again" }).click();
  await expect(row.getByRole("status")).toContainText("Known now: succeeded");
  expect((await tenant.api.call(getPayment, { id: payment.id })).ok().status).toBe("CAPTURED");
  await staffPage.getByRole("button", { name: "Refresh" }).click();
  await expect(row).toBeHidden();

  await staffPage.goto(`/support/payments/${payment.id}`);
  await expect(staffPage.getByRole("heading", { name: "Authorization" })).toBeVisible();
  // What our books say, and what the processor says itself.
  await expect(staffPage.getByText("approved", { exact: true })).toBeVisible();
  await expect(staffPage.getByText("Approved", { exact: true })).toBeVisible();
  await expect(staffPage.getByText("Asked again about an unknown outcome")).toBeVisible();
});

test("the audit page filters by staff, merchant and action", async ({ tenant, staffPage, staff }) => {
  const merchantId = encodeId("merchant", tenant.merchant.id);
  await staffPage.goto(`/support/merchants/${merchantId}`);
  await staffPage.goto(`/support?q=${merchantId}`);
  await staffPage.goto("/support/audit");
  await staffPage.getByLabel("Staff", { exact: true }).selectOption(staff.staff_id);
  await staffPage.getByLabel("Merchant's id").fill(merchantId);
  await staffPage.getByLabel("What", { exact: true }).selectOption("support.viewed_merchant");
  await staffPage.getByRole("button", { name: "Filter" }).click();
  await expect(staffPage).toHaveURL(/action=support\.viewed_merchant/);
  const rows = staffPage.getByRole("list", { name: /What support staff did/ }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText("Opened the merchant");
  await staffPage.getByRole("link", { name: "Clear" }).click();
  await expect(staffPage).toHaveURL(/\/support\/audit$/);
});

test("what does not exist says so, and a foreign id looks the same as a made-up one", async ({ staffPage }) => {
  for (const path of ["/support/payments/pay_nothing", "/support/merchants/mer_nothing", "/support/nowhere"]) {
    await staffPage.goto(path);
    await expect(staffPage.getByRole("heading", { name: "No merchant has anything like that" })).toBeVisible();
  }
});

test("every page is accessible and fits a phone, light and dark", async ({ tenant, staffPage, db }) => {
  const payment = await captured(tenant.api, { customer_email: "anna@shopper.example" });
  await waitingPayment(tenant, db.sql, 1_234);
  const pages = [
    "/support",
    `/support?q=${payment.id}`,
    "/support?q=nothing-like-that",
    `/support/merchants/${encodeId("merchant", tenant.merchant.id)}`,
    `/support/payments/${payment.id}`,
    "/support/unknown-outcomes",
    "/support/audit",
    "/support/payments/pay_nothing",
  ];
  for (const path of pages) {
    await staffPage.setViewportSize({ width: 1440, height: 900 });
    await staffPage.emulateMedia({ colorScheme: "light" });
    await staffPage.goto(path);
    await expect(staffPage.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(staffPage.locator(".skeleton")).toHaveCount(0);
    await expectAccessible(staffPage);
    await staffPage.emulateMedia({ colorScheme: "dark" });
    await staffPage.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(staffPage);
    await expectNoSidewaysScroll(staffPage);
  }
});
