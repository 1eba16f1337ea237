import type { Page } from "playwright/test";
import type { Sql } from "@/db/client";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { encodeId } from "@/lib/contract/ids";
import { expectAccessibleInBothSchemes, expectNoSidewaysScroll, test } from "../browser";
import { expect, type Tenant } from "../fixtures/playwright";
import { newPlan } from "../samples";

const form = (page: Page) => page.getByRole("form", { name: "New session" });
const link = (page: Page) => page.getByTestId("payment-link");

async function openForm(page: Page, search = ""): Promise<void> {
  await page.goto(`/test/checkout/new${search}`);
  await expect(page.getByRole("heading", { name: "New session", level: 1 })).toBeVisible();
  // Fields are enabled once React has hydrated.
  await expect(page.getByLabel("Name")).toBeEnabled();
}

const create = (page: Page) => page.getByRole("button", { name: "Create session" }).click();

/** The environment's only session, as returned by the API. */
async function onlySession({ api, merchant }: Tenant, db: { sql: Sql }): Promise<ClientSession> {
  const rows = await db.sql`select id from client_sessions where environment_id = ${merchant.test.id}`;
  expect(rows).toHaveLength(1);
  return (await api.call(getClientSession, { id: encodeId("clientSession", rows[0]?.id as string) })).ok();
}

test("a link for an amount is created, shown once, copied, and open to anyone who has it", async ({
  owner: page,
  tenant,
  db,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openForm(page);
  await page.getByLabel("Amount", { exact: true }).fill("19.99");
  await page.getByLabel("Currency").selectOption("EUR");
  await expect(page.getByTestId("summary-amount")).toHaveText("€19.99 EUR");
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByLabel("E-mail").fill("ada@shopper.example");
  await page.getByLabel("Your customer id").fill("c-42");
  await page.getByRole("radio", { name: "When you capture it" }).check();
  await page.getByLabel("Return URL").fill("https://shop.example/thank-you");
  await page.getByRole("textbox", { name: "Origin 1" }).fill("shop.example/cart");
  await page.getByRole("button", { name: "Add another" }).click();
  await expect(page.getByRole("textbox", { name: "Origin 1" })).toHaveValue("https://shop.example");
  await page.getByRole("textbox", { name: "Origin 2" }).fill("http://localhost:3000");
  await create(page);

  await expect(page.getByRole("heading", { name: "Session ready", level: 1 })).toBeVisible();
  const session = await onlySession(tenant, db);
  expect(session).toMatchObject({
    amount: 1999,
    currency: "EUR",
    plan_id: null,
    capture_method: "manual",
    status: "OPEN",
    customer_name: "Ada Lovelace",
    customer_email: "ada@shopper.example",
    customer_id: "c-42",
    return_url: "https://shop.example/thank-you",
    allowed_origins: ["https://shop.example", "http://localhost:3000"],
  });
  const address = await link(page).innerText();
  expect(address).toMatch(/\/pay\/cst_[A-Za-z0-9_-]{43}$/);
  await expect(page.getByRole("img", { name: "QR code of the payment link" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Open in a new tab" })).toHaveAttribute("href", address);

  // Prevents leaving by accident while the link hasn't been copied.
  await page.getByRole("link", { name: "Open the session" }).click();
  const question = page.getByRole("dialog", { name: "Leave without copying the link?" });
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Stay" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  const token = address.slice(address.lastIndexOf("/") + 1);
  await expect(page.getByRole("tabpanel")).toContainText(`token: "${token}"`);
  await page.getByRole("tab", { name: "React" }).click();
  await expect(page.getByRole("tabpanel")).toContainText(token);

  await page.getByRole("link", { name: "Open the session" }).click();
  await page.waitForURL(`**/test/checkout/${session.id}`);
  await expect(page.getByText("https://shop.example", { exact: true })).toBeVisible();
  expect(await page.content()).not.toContain(token);
});

test("a link for a plan has the plan's price", { tag: "@looks" }, async ({ owner: page, tenant, db, api }) => {
  const plan = await newPlan(api, { name: "Poster", status: "ACTIVE", full_price_amount: 45 });
  await newPlan(api, { name: "A draft" });
  await newPlan(api, {
    name: "Monthly",
    status: "ACTIVE",
    type: "SUBSCRIPTION_NO_TRIAL",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
  });
  await page.goto(`/test/plans/${plan.id}`);
  await expect(page.getByRole("link", { name: "New session" })).toHaveAttribute("href", /checkout\/new\?plan=/);
  await openForm(page);
  await page.getByRole("radio", { name: "A plan" }).check();
  const plans = page.getByLabel("Plan", { exact: true });
  await expect(plans.getByRole("option")).toHaveText(["Choose a plan", "Poster · $45.00 USD"]);
  await create(page);
  await expect(plans).toHaveAccessibleDescription(/Choose a plan/);
  await plans.selectOption(plan.id);
  await expect(page.getByTestId("summary-amount")).toHaveText("$45.00 USD");
  await create(page);
  await expect(link(page)).toBeVisible();
  await expect(page.getByText("No page may embed this session")).toBeVisible();
  await expectAccessibleInBothSchemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  expect(await onlySession(tenant, db)).toMatchObject({ plan_id: plan.id, amount: 4500, currency: "USD" });
});

test("among many plans one is found by its name, by keyboard", async ({ owner: page, tenant, db, api }) => {
  for (let i = 0; i < 14; i++) await newPlan(api, { name: `Print ${i}`, status: "ACTIVE" });
  const wanted = await newPlan(api, { name: "Signed poster", status: "ACTIVE" });
  await openForm(page);
  await page.getByRole("radio", { name: "A plan" }).check();
  const box = page.getByRole("combobox", { name: "Plan" });
  await box.focus();
  await page.keyboard.type("poster sig");
  await expect(page.getByRole("option")).toHaveText([/Signed poster/]);
  await page.keyboard.press("Enter");
  await expect(box).toHaveValue(/^Signed poster · \$19\.99/);
  await create(page);
  await expect(link(page)).toBeVisible();
  expect((await onlySession(tenant, db)).plan_id).toBe(wanted.id);
});

test("an error is shown at its field, and typed values stay", async ({ owner: page, api, tenant, db }) => {
  const plan = await newPlan(api, { name: "Poster", status: "ACTIVE" });
  await openForm(page, `?plan=${plan.id}`);
  await expect(page.getByRole("radio", { name: "A plan" })).toBeChecked();
  await page.getByRole("radio", { name: "An amount" }).check();
  await create(page);
  await expect(page.getByLabel("Amount", { exact: true })).toHaveAccessibleDescription("Enter the amount.");
  await expect(page.getByLabel("Amount", { exact: true })).toBeFocused();
  await page.getByLabel("Amount", { exact: true }).fill("1.999");
  await page.getByLabel("E-mail").fill("nobody");
  await page.getByLabel("Return URL").fill("shop.example");
  await page.getByRole("textbox", { name: "Origin 1" }).fill("ftp://shop.example");
  await create(page);
  await expect(page.getByLabel("Amount", { exact: true })).toHaveAccessibleDescription(/at most 2 decimals in USD/);
  await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription(/can’t be mailed/);
  await expect(page.getByLabel("Return URL")).toHaveAccessibleDescription(/begins with https/);
  await expect(page.getByRole("textbox", { name: "Origin 1" })).toHaveAccessibleDescription(
    /in http:\/\/ and https:\/\/ pages only/,
  );

  // Known only to the server: the plan was deactivated in the meantime.
  await openForm(page, `?plan=${plan.id}`);
  await db.sql`update plans set status = 'INACTIVE' where environment_id = ${tenant.merchant.test.id}`;
  await create(page);
  await expect(page.getByLabel("Plan", { exact: true })).toHaveAccessibleDescription(/INACTIVE/);
  await expect(form(page)).toBeVisible();
});

test("a double click and a lost response create one session", async ({ owner: page, tenant, db }) => {
  await openForm(page);
  await page.getByLabel("Amount", { exact: true }).fill("5");
  const keys: (string | undefined)[] = [];
  await page.route("**/v1/client-sessions", async (route) => {
    keys.push(route.request().headers()["x-idempotency-key"]);
    await route.fetch();
    if (keys.length === 1) await route.abort("connectionreset");
    else await route.continue();
  });
  await page.getByRole("button", { name: "Create session" }).dblclick();
  await expect(page.getByRole("alert").filter({ hasText: "No response arrived" })).toBeVisible();
  await create(page);
  // The retry shows the same link, so it wasn't lost with the response.
  await expect(link(page)).toHaveText(/\/pay\/cst_/);
  expect(new Set(keys).size).toBe(1);
  await onlySession(tenant, db);
});
