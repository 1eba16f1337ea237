import { listPayments } from "@/lib/contract/payments/endpoints";
import { expectAccessible, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { copyFrom } from "./reader";

const KEPT = () => sessionStorage.getItem("cardlane.docs.sandbox-key");

test("an owner creates a key for these pages, and pays, repeats and refunds from the reference", {
  tag: "@prove",
}, async ({ owner: page, context, baseUrl, tenant }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await openAlive(page, "/docs/reference");
  await page.getByRole("button", { name: "Try it: create a payment" }).click();
  const form = page.getByRole("form", { name: "Try it: create a payment" });
  await form.getByRole("button", { name: "Send in test mode" }).click();
  await expect(page.getByText("Create or paste a test key first.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create a test key" }).click();
  await expect(page.getByText("is filled in on these pages")).toBeVisible();
  const kept = JSON.parse((await page.evaluate(KEPT)) ?? "{}") as { secret: string; expiresAt: string };
  expect(kept.secret).toMatch(/^sk_test_/);
  expect(Date.parse(kept.expiresAt) - Date.now()).toBeLessThan(86_400_000);

  await form.getByRole("button", { name: "Send in test mode" }).click();
  const answer = page.getByRole("region", { name: "Response" });
  await expect(answer).toContainText("201");
  await expect(answer).toContainText('"status": "CAPTURED"');
  await expect(answer).toContainText("X-Request-Id");
  await form.getByRole("button", { name: "Send in test mode" }).click();
  await expect(answer).toContainText("The stored response to the first request: nothing ran twice.");
  const { data } = (await tenant.api.call(listPayments)).ok();
  expect(data).toHaveLength(1);

  // The next form is filled with the payment's id, and a refusal is shown unchanged.
  await page.getByRole("button", { name: "Try it: refund a payment" }).click();
  const refund = page.getByRole("form", { name: "Try it: refund a payment" });
  await expect(refund.getByLabel("id", { exact: true })).toHaveValue(data[0]?.id ?? "");
  await refund.getByLabel("Body").fill('{ "amount": 999999 }');
  await refund.getByRole("button", { name: "Send in test mode" }).click();
  await expect(page.getByText('"code": "amount_exceeds_refundable"')).toBeVisible();
  await refund.getByLabel("Body").fill('{ "amount": ');
  await refund.getByRole("button", { name: "Send in test mode" }).click();
  await expect(refund.getByText("This is not valid JSON:")).toBeVisible();

  // Samples are filled in and copied with the key, here and on the next page; no address contains it.
  expect(await copyFrom(page, "Request: create a payment")).toContain(`-H "X-Api-Key: ${kept.secret}"`);
  await openAlive(page, "/docs");
  expect(await copyFrom(page, "Store the key")).toBe(`export CARDLANE_KEY=${kept.secret}`);
  expect(addresses.filter((address) => address.includes(kept.secret))).toEqual([]);

  // It is an ordinary key, listed with the others.
  await page.goto("/test/developers/api-keys");
  await expect(page.getByRole("row").filter({ hasText: "Documentation" })).toContainText(kept.secret.slice(-4));
});

test("a pasted key is used in this tab only and forgotten on request; a live key is rejected and not stored", async ({
  page,
  context,
  tenant,
}) => {
  await openAlive(page, "/docs/quickstart");
  await page.getByRole("button", { name: "Fill in your test key" }).click();
  const field = page.getByLabel("Or paste one");
  await expect(field).toHaveAttribute("type", "password");
  await field.fill(tenant.live.apiKey ?? "");
  await page.getByRole("button", { name: "Use", exact: true }).click();
  await expect(page.getByText("This is a live key. Only test keys")).toBeVisible();
  await expect(field).toHaveValue("");
  expect(await page.evaluate(KEPT)).toBeNull();
  const secret = tenant.api.apiKey ?? "";
  await field.fill(` ${secret}\n`);
  await page.getByRole("button", { name: "Use", exact: true }).click();
  await expect(page.locator("[data-sandbox-key]").first()).toHaveText(secret);
  const other = await context.newPage();
  await openAlive(other, "/docs/quickstart");
  await expect(other.locator("[data-sandbox-key]").first()).toHaveText("sk_test_…");
  await page.getByRole("button", { name: "Remove it" }).click();
  await expect(page.locator("[data-sandbox-key]").first()).toHaveText("sk_test_…");
  expect(await page.evaluate(KEPT)).toBeNull();
});

test("users who may not manage keys see why, and another merchant's key is accepted like any other", async ({
  page,
  newPerson,
  signInAs,
}) => {
  await signInAs(page.context(), await newPerson("viewer"));
  await openAlive(page, "/docs/reference");
  await page.getByRole("button", { name: "Try it: list payments" }).click();
  await page.getByRole("button", { name: "Create a test key" }).click();
  await expect(page.getByText("Your role lacks the permission api_key.manage")).toBeVisible();
  await page.getByLabel("Or paste one").fill(`sk_test_${"a".repeat(38)}`);
  await page.getByRole("button", { name: "Use", exact: true }).click();
  await page.getByRole("form", { name: "Try it: list payments" }).getByRole("button", { name: "Send" }).click();
  await expect(page.getByText('"code": "api_key_invalid"')).toBeVisible();
});

test("a signed-out user is sent to the sign-in and back", async ({ page }) => {
  await openAlive(page, "/docs/reference");
  await page.getByRole("button", { name: "Try it: list payments" }).click();
  await page.getByRole("button", { name: "Create a test key" }).click();
  await page.waitForURL(/\/sign-in\?next=%2Fdocs%2Freference/);
});

test("the stream of events is shown as it arrives, and can be stopped", async ({ page, tenant }) => {
  await openAlive(page, "/docs/reference");
  await page.getByRole("button", { name: "Try it: stream events" }).click();
  await page.getByLabel("Or paste one").fill(tenant.api.apiKey ?? "");
  await page.getByRole("button", { name: "Use", exact: true }).click();
  await page.getByRole("form", { name: "Try it: stream events" }).getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("region", { name: "Response" })).toContainText("id: start_");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
  await expect(page.getByText("No complete response arrived")).toHaveCount(0);
});
