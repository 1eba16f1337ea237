import { expectAccessible, expectNoSidewaysScroll, openAlive, pressUntil, test } from "../browser";
import { expect } from "../fixtures/playwright";

test("the search box matches prefixes and typing errors, and works by keyboard alone", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await openAlive(page, "/docs/quickstart");
  expect(loaded).not.toContain("/docs/search.json.gz");
  const box = page.getByRole("combobox", { name: "Search the documentation" });
  await pressUntil(page, "/", box.and(page.locator(":focus")));
  await box.pressSequentially("idempotancy");
  const options = page.getByRole("option");
  await expect(options.first()).toContainText("Idempotency");
  await expect(options.first().locator("mark").first()).toHaveText(/idempotency/i);
  await expectAccessible(page);
  await box.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await box.press("ArrowUp");
  await box.press("Escape");
  await expect(options).toHaveCount(0);
  await box.press("ArrowDown");
  await box.press("Enter");
  await page.waitForURL("**/docs#idempotency");
  await expect(page.locator("#idempotency")).toBeInViewport();
  await page.keyboard.press("Control+k");
  await expect(box).toBeFocused();
  await box.fill("zzzzqqqq");
  await expect(page.getByText("Nothing found.")).toBeVisible();
});

test("a parameter is found and opened on the reference, and typing a slash elsewhere stays there", async ({ page }) => {
  await openAlive(page, "/docs/reference");
  const box = page.getByRole("combobox", { name: "Search the documentation" });
  await box.fill("capture_method");
  await page.getByRole("option").first().click();
  await page.waitForURL("**/docs/reference#createPayment.capture_method");
  await expect(page.locator("[id='createPayment.capture_method']")).toBeInViewport();
  await expect(page.getByRole("option")).toHaveCount(0);
  await page.getByRole("button", { name: "Try it: create a payment" }).click();
  const body = page.getByRole("textbox", { name: "Body" });
  await body.press("End");
  await body.press("/");
  await expect(body).toBeFocused();
});

test("if the index can't be loaded, the box says what works instead", async ({ page }) => {
  await page.route("**/docs/search.json.gz", (route) => route.abort());
  await openAlive(page, "/docs");
  const box = page.getByRole("combobox", { name: "Search the documentation" });
  await box.fill("refund");
  await expect(page.getByText("The search did not load. Press Enter to search on the server.")).toBeVisible();
  await box.press("Enter");
  await page.waitForURL("**/docs/search?q=refund");
  await expect(page.getByText(/results for “refund”/)).toBeVisible();
});

test("without JavaScript the search is a page per query, and the query is escaped", async ({ browser, baseUrl }) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/docs");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("card_declined");
  await page.getByRole("combobox", { name: "Search the documentation" }).press("Enter");
  await expect(page.locator("main li a").first()).toHaveAttribute("href", "/docs/errors/card_declined");
  await page.goto("/docs/search?q=%3Cimg%20src%3Dx%3E&q=zzzz");
  await expect(page.getByText("for “<img src=x> zzzz”")).toBeVisible();
  await page.goto("/docs/search");
  await expect(page.getByText("Guides, endpoints, parameters")).toBeVisible();
  await context.close();
});

test("the search's page is accessible and fits a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAlive(page, "/docs/search?q=webhook");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
