import type { Page } from "playwright/test";
import { createPayment, listPayments, refundPayment } from "@/lib/contract/payments/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { aPayment } from "../samples";

const KEYS = "/test/developers/api-keys";
/** Generous, since a busy machine may be slow: a test of the API checks the real limit against the clock. */
const KNOWN = { timeout: 10_000, intervals: [50] };
const statusOf = async (api: Api) => (await api.call(listPayments)).status;

async function openForm(page: Page, name: string): Promise<void> {
  await page.goto(`${KEYS}/new`);
  await expect(page.getByRole("heading", { name: "New test key", level: 1 })).toBeVisible();
  await page.getByLabel("Name").fill(name);
}

const secretIn = async (page: Page) => (await page.getByTestId("secret").textContent()) ?? "";

async function confirmStored(page: Page): Promise<void> {
  await page.getByLabel("I have stored this key").check();
  await page.getByRole("button", { name: "Done" }).click();
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page
    .getByRole("button", { name: new RegExp(`^Actions for ${name} `) })
    .first()
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}

const row = (page: Page, name: string) => page.getByRole("row", { name });

test("a read-only key is created, shown once, works, and can't create anything; its use is shown", async ({
  owner: page,
  baseUrl,
}) => {
  await openForm(page, "Reports");
  await page.getByRole("radio", { name: "Read-only" }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await secretIn(page);
  expect(secret).toMatch(/^sk_test_\w{38}$/);

  const api = new Api(baseUrl, secret);
  (await api.call(listPayments)).ok();
  (await api.call(createPayment, { body: aPayment() })).problem("permission_denied");

  await expect(page.getByRole("button", { name: "Done" })).toBeDisabled();
  await confirmStored(page);
  await page.waitForURL(`**${KEYS}`);
  await expect(row(page, "Reports")).toContainText("Read-only");
  await expect(row(page, "Reports")).toContainText(`sk_test_…${secret.slice(-4)}`);
  expect(await page.content()).not.toContain(secret);
  expect(
    await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), history.state]),
    ),
  ).not.toContain(secret.slice(8));
  await expect
    .poll(
      async () => {
        await page.reload();
        return row(page, "Reports").textContent();
      },
      { timeout: 60_000 },
    )
    .toMatch(/(ago|just now).*127\.0\.0\.1|(ago|just now).*::1/);
});

test("a key with limits refunds up to them; the list shows them, and the form changes them", { tag: "@looks" }, async ({
  owner: page,
  baseUrl,
}) => {
  await openForm(page, "Refund bot");
  await page.getByRole("radio", { name: "Full access" }).check();
  await page.getByLabel("Most per refund").fill("12.50");
  await page.getByLabel("Refunds per day").fill("2");
  await expectWellInEveryLook(page);
  await page.getByRole("button", { name: "Create key" }).click();
  const api = new Api(baseUrl, await secretIn(page));
  const payment = (await api.call(createPayment, { body: aPayment() })).ok();
  const refund = (amount: number) => api.call(refundPayment, { id: payment.id, body: { amount } });
  expect((await refund(1_251)).problem("limit_exceeded")).toMatchObject({ limit: "refund_max", remaining: 1_250 });
  (await refund(1_250)).ok();
  await confirmStored(page);
  await page.waitForURL(`**${KEYS}`);
  await expect(row(page, "Refund bot")).toContainText("at most $12.50 a refund, 2 refunds a day");
  await expectWellInEveryLook(page);
  await act(page, "Refund bot", "Edit");
  await expect(page.getByLabel("Most per refund")).toHaveValue("12.50");
  await page.getByLabel("Most per refund").fill("");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(row(page, "Refund bot")).toContainText("at most 2 refunds a day");
});

test("a key's name, permissions and expiry change, and its secret keeps working", { tag: "@looks" }, async ({
  owner: page,
  tenant,
}) => {
  const key = await tenant.newKey({ expiresAt: "2099-01-01T00:00:00.000Z" });
  (await key.api.call(createPayment, { body: aPayment() })).ok();
  await page.goto(KEYS);
  await page
    .locator(`[data-key="${key.id}"]`)
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.waitForURL(`**${KEYS}/${key.id}`);
  await expect(page.getByLabel("Expires")).toHaveValue("kept");
  await expectWellInEveryLook(page);
  await page.getByLabel("Name").fill("Reports");
  await page.getByRole("radio", { name: "Read-only" }).check();
  await page.getByLabel("Addresses").fill("nonsense");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByLabel("Addresses")).toHaveAccessibleDescription(/Line 1/);
  await page.getByLabel("Addresses").fill("");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.waitForURL(`**${KEYS}`);
  await expect(row(page, "Reports")).toContainText("Read-only");
  await expect(row(page, "Reports")).toContainText("2099");
  await expect
    .poll(async () => (await key.api.call(createPayment, { body: aPayment() })).status, { timeout: 10_000 })
    .toBe(403);
  (await key.api.call(listPayments)).ok();
});

test("closing without having copied the secret asks for confirmation", async ({ owner: page }) => {
  await openForm(page, "Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Store this key now" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog.getByRole("alert")).toContainText("Confirm that you stored it");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Close without storing it" }).click();
  await page.waitForURL(`**${KEYS}`);
  await expect(dialog).toHaveCount(0);
});

test("a double click creates one key; after a lost response the retry creates no second one", async ({
  owner: page,
  db,
  tenant,
}) => {
  const count = async () => {
    const [found] = await db.sql`
      select count(*)::integer as count from api_keys where environment_id = ${tenant.merchant.test.id} and name = 'Twice'`;
    return found?.count as number;
  };
  await openForm(page, "Twice");
  await page.getByRole("button", { name: "Create key" }).dblclick();
  await expect(page.getByTestId("secret")).toBeVisible();
  expect(await count()).toBe(1);

  await confirmStored(page);
  await page.waitForURL(`**${KEYS}`);
  await openForm(page, "Twice");
  let tries = 0;
  await page.route("**/api/dashboard/test/api-keys", async (route) => {
    tries++;
    if (tries > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "No response arrived" })).toBeVisible();
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByRole("dialog", { name: "The key was created, but its secret was lost" })).toBeVisible();
  expect(await count()).toBe(2);
});

test("an error of the service is shown at its field, for an address with its line", async ({ owner: page }) => {
  await openForm(page, " ");
  await page.getByRole("radio", { name: "Custom" }).check();
  await page.getByLabel("Addresses").fill("10.0.0.0/8\n\n10.0.0.0/40");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/Give the key a name/);
  await expect(page.getByText("Give the key at least one permission")).toBeVisible();
  await expect(page.getByLabel("Addresses")).toHaveAccessibleDescription(/Line 3: Enter an IP address or a CIDR block/);
  await page.getByLabel("Expires").selectOption("On a date …");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByLabel("Last day")).toHaveAccessibleDescription(/Choose a date/);
});

test("a key without permissions is refused at the choice, which is focused", async ({ owner: page }) => {
  await openForm(page, "Without permissions");
  await page.getByRole("radio", { name: "Custom" }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByText("Give the key at least one permission")).toBeInViewport();
  await expect(page.getByRole("radio", { name: "Custom" })).toBeFocused();
});

test("single permissions, an expiry and addresses are stored and shown", async ({ owner: page }) => {
  await openForm(page, "Custom");
  await page.getByRole("radio", { name: "Custom" }).check();
  await page.getByLabel("All of Payments").check();
  await page.getByRole("checkbox", { name: /^Refund/ }).check();
  await page.getByLabel("Expires").selectOption("In 90 days");
  await expect(page.getByText(/It stops working on/)).toBeVisible();
  await page.getByLabel("Addresses").fill("203.0.113.0/24");
  await page.getByRole("button", { name: "Create key" }).click();
  await confirmStored(page);
  await expect(row(page, "Custom")).toContainText("from 203.0.113.0/24");
  await page.getByRole("button", { name: "Create payments and 2 more" }).click();
  const popover = page.getByRole("dialog", { name: "Permissions of Custom" });
  for (const permission of ["payment.create", "payment.read", "transaction.refund"]) {
    await expect(popover).toContainText(permission);
  }
});

test("a rotated key and its successor both work during the overlap; without overlap the old one ends immediately", async ({
  owner: page,
  tenant,
  baseUrl,
}) => {
  const old = await tenant.newKey();
  await page.goto(KEYS);
  await page
    .locator(`[data-key="${old.id}"]`)
    .getByRole("button", { name: /^Actions/ })
    .click();
  await page.getByRole("menuitem", { name: "Rotate" }).click();
  await expect(page.getByRole("dialog")).toContainText("Both keys work until");
  await page.getByRole("button", { name: "Rotate key" }).click();
  const second = new Api(baseUrl, await secretIn(page));
  expect(await statusOf(second)).toBe(200);
  expect(await statusOf(old.api)).toBe(200);
  await confirmStored(page);
  await expect(page.locator(`[data-key="${old.id}"]`)).toContainText("Replaced");

  await page.getByRole("button", { name: `ending in ${second.apiKey?.slice(-4)}` }).click();
  await page.getByRole("menuitem", { name: "Rotate" }).click();
  await page.getByRole("radio", { name: "Immediately" }).check();
  await expect(page.getByRole("dialog")).toContainText("stops working within a second");
  await page.getByRole("button", { name: "Rotate key" }).click();
  const third = new Api(baseUrl, await secretIn(page));
  await expect.poll(() => statusOf(second), KNOWN).toBe(401);
  expect(await statusOf(third)).toBe(200);
});

test("a key is disabled, enabled, and revoked by typing its name", async ({ owner: page, baseUrl, db, tenant }) => {
  await openForm(page, "Till 7");
  await page.getByRole("button", { name: "Create key" }).click();
  const api = new Api(baseUrl, await secretIn(page));
  await confirmStored(page);
  expect(await statusOf(api)).toBe(200);

  await act(page, "Till 7", "Disable");
  await page.getByRole("button", { name: "Disable key" }).click();
  await expect(row(page, "Till 7")).toContainText("Disabled");
  await expect.poll(() => statusOf(api), KNOWN).toBe(401);

  await act(page, "Till 7", "Enable");
  await page.getByRole("button", { name: "Enable key" }).click();
  await expect(row(page, "Till 7")).toContainText("Active");
  await expect.poll(() => statusOf(api), KNOWN).toBe(200);

  await act(page, "Till 7", "Revoke");
  const confirm = page.getByRole("button", { name: "Revoke key" });
  await expect(confirm).toBeDisabled();
  await page.getByRole("textbox", { name: /Type Till 7/ }).fill("Till 7");
  await confirm.click();
  await expect(row(page, "Till 7")).toContainText("Revoked");
  await expect(row(page, "Till 7")).toBeFocused();
  await expect.poll(() => statusOf(api), KNOWN).toBe(401);
  await expect(page.getByRole("button", { name: /^Actions for Till 7/ })).toHaveCount(0);

  const actions = await db.sql`
    select action, actor ->> 'type' as actor from audit_log
    where environment_id = ${tenant.merchant.test.id} and actor ->> 'type' = 'user' order by id`;
  expect(actions.map((entry) => entry.action)).toEqual([
    ...["api_key.created", "api_key.disabled", "api_key.enabled", "api_key.revoked"],
  ]);
});

test("operators and viewers manage no keys: on the page and behind it", async ({
  page,
  tenant,
  newPerson,
  signInAs,
  baseUrl,
}) => {
  const key = await tenant.newKey();
  for (const role of ["operator", "viewer"] as const) {
    await page.context().clearCookies();
    await signInAs(page.context(), await newPerson(role));
    for (const path of [KEYS, `${KEYS}/new`, `${KEYS}/${key.id}`, "/live/developers/api-keys"]) {
      await page.goto(path);
      await expect(page.getByRole("heading", { name: "You don’t have access to API keys" })).toBeVisible();
    }
    const response = await page.request.post(`/api/dashboard/test/api-keys/${key.id}/revoke`, {
      data: {},
      headers: { origin: baseUrl },
    });
    expect(response.status()).toBe(403);
  }
  expect(await statusOf(key.api)).toBe(200);
});

test("another merchant's key doesn't exist; nor do writes from another origin work", async ({
  owner: page,
  stranger,
  baseUrl,
}) => {
  const key = await stranger.newKey();
  const post = (path: string, data: object, headers: Record<string, string> = { origin: baseUrl }) =>
    page.request.post(`/api/dashboard/test/api-keys${path}`, { data, headers });
  for (const action of ["disable", "enable", "revoke"]) {
    expect((await post(`/${key.id}/${action}`, {})).status()).toBe(404);
  }
  await page.goto(`${KEYS}/${key.id}`);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  const settings = { name: "x", permissions: ["event.read"], expires_at: null, ip_allow_list: [] };
  const edit = { data: { ...settings, updated_at: new Date() }, headers: { origin: baseUrl } };
  expect((await page.request.patch(`/api/dashboard/test/api-keys/${key.id}`, edit)).status()).toBe(404);
  const roll = { attempt: crypto.randomUUID(), overlap_hours: 0 };
  expect((await post(`/${key.id}/rotate`, roll)).status()).toBe(404);
  const body = { attempt: crypto.randomUUID(), ...settings };
  expect((await post("", body, { origin: "https://elsewhere.example" })).status()).toBe(403);
  const made = await post("", body);
  expect(made.status()).toBe(201);
  expect(made.headers()["cache-control"]).toBe("no-store");
  expect((await post("", { ...body, color: "red" })).status()).toBe(400);
  expect(await statusOf(key.api)).toBe(200);
  await page.goto(KEYS);
  await expect(page.locator(`[data-key="${key.id}"]`)).toHaveCount(0);
});

test("the developers' URL leads to the keys; without any, the page says how to begin", async ({
  owner: page,
  db,
  tenant,
}) => {
  await db.sql`delete from api_keys where environment_id = ${tenant.merchant.live.id}`;
  await page.goto("/live/developers");
  await page.waitForURL("**/live/developers/api-keys");
  await expect(page.getByRole("heading", { name: "No live keys yet" })).toBeVisible();
  await expect(page.getByText("X-Api-Key: sk_live_")).toBeVisible();
  await page.getByRole("link", { name: "New live key" }).click();
  await expect(page.getByText("This key works with real money")).toBeVisible();
});

test("the pages of keys are accessible and fit a phone", { tag: ["@looks", "@prove"] }, async ({
  owner: page,
  tenant,
}) => {
  await tenant.newKey({ ipAllowList: ["203.0.113.0/24", "10.0.0.0/8"], expiresAt: "2099-01-01T00:00:00.000Z" });
  await page.goto(KEYS);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expectWellInEveryLook(page);
  await act(page, "Test key", "Rotate");
  await expectWellInEveryLook(page);
  await openForm(page, "Accessible");
  await expectWellInEveryLook(page);
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByTestId("secret")).toBeVisible();
  await expectWellInEveryLook(page);
});

test("a key is created and rotated by keyboard alone", async ({ owner: page }) => {
  await openForm(page, "");
  await page.getByLabel("Name").focus();
  await page.keyboard.type("By hand");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("radio", { name: "Payments only" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("radio", { name: "Checkout server" })).toBeChecked();
  await page.getByLabel("Name").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Copy key" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${KEYS}`);
  await page.getByRole("button", { name: /^Actions for By hand/ }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Rotate this key" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /^Actions for By hand/ })).toBeFocused();
});
