import { capturePayment } from "@/lib/contract/payments/endpoints";
import {
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectNoSidewaysScroll,
  pressUntil,
  showIn,
  test,
} from "../browser";
import { expect } from "../fixtures/playwright";
import { alive, expectAnswer, expectUrl, inPopover, openList, pay, rows, someOfEverything } from "./transaction-list";

test("columns are hidden, shown and moved by keyboard, and remembered", async ({ owner: page, api }) => {
  await pay(api, { description: "Two posters" });
  await openList(page);
  const headings = () => page.locator(".data-table thead th:not(.pick, .act)").allTextContents();
  await page.getByRole("button", { name: "Columns" }).click();
  const popover = page.getByRole("dialog", { name: "Columns" });
  await popover.getByRole("checkbox", { name: "Transaction id" }).uncheck();
  await popover.getByRole("checkbox", { name: "Description" }).check();
  await popover.getByRole("button", { name: "Move Description up" }).focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("Enter");
  await expect(popover.getByRole("button", { name: "Move Description up" })).toBeFocused();
  const wanted = ["Description", "Amount", "Status", "Customer", "Card", "Created"];
  await expect.poll(headings).toEqual(wanted);
  await page.reload();
  await expect.poll(headings).toEqual(wanted);
  await expect(rows(page).first().getByRole("link", { name: "Two posters" })).toBeVisible();
  await alive(page);
  await page.getByRole("button", { name: "Columns" }).click();
  await popover.getByRole("button", { name: "Reset columns" }).click();
  await expect.poll(headings).toEqual(["Amount", "Status", "Customer", "Card", "Created", "Transaction id"]);
});

test("a view is saved, changed, renamed, shared with the team and deleted", async ({
  owner: page,
  api,
  browser,
  baseURL,
  newPerson,
  signInAs,
}) => {
  await someOfEverything(api);
  await openList(page, "?status=DECLINED&min=60");
  const tabs = page.getByRole("navigation", { name: "Views" });
  const menu = async (item: string) => {
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Large declines");
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await expect(tabs.getByRole("link", { name: "Large declines" })).toHaveAttribute("aria-current", "page");

  await page.getByRole("button", { name: "Remove filter Amount: at least $60.00" }).click();
  await expect(tabs.getByRole("link", { name: "Large declines edited" })).toBeVisible();
  await menu("Save changes");
  await expect(tabs.getByRole("link", { name: "Large declines", exact: true })).toBeVisible();
  await menu("Rename…");
  await page.getByRole("textbox", { name: "Name" }).fill("All declines");
  await page.getByRole("checkbox", { name: "Share with the team" }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await expect(tabs.getByRole("link", { name: "All declines" })).toBeVisible();

  await tabs.getByRole("link", { name: "All", exact: true }).click();
  await expectUrl(page, "");
  await tabs.getByRole("link", { name: "All declines" }).click();
  await expect.poll(() => page.url()).toContain("?status=DECLINED&view=view_");
  await expectAnswer(page, api, { status: ["DECLINED"] });

  const colleague = await browser.newContext({ baseURL: baseURL ?? "" });
  await signInAs(colleague, await newPerson("viewer"));
  const theirs = await colleague.newPage();
  await openList(theirs);
  await theirs.getByRole("link", { name: "All declines" }).click();
  await expectAnswer(theirs, api, { status: ["DECLINED"] });
  await expect(theirs.getByRole("button", { name: "View", exact: true })).toBeHidden();
  await colleague.close();

  await menu("Delete…");
  await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await expect(tabs.getByRole("link", { name: "All declines" })).toBeHidden();
  await expectUrl(page, "");
});

test('a selection is kept across pages, and states what "all" means', async ({ owner: page, api }) => {
  await Promise.all(Array.from({ length: 23 }, (_, i) => pay(api, { amount: 1_000 + i })));
  await openList(page);
  await expect(rows(page)).toHaveCount(20);
  await expect(page.getByText("1–20 of 23").first()).toBeVisible();
  const bar = page.getByRole("region", { name: "Selection" });
  await page.getByRole("checkbox", { name: "Select this page’s 20 transactions" }).check();
  await expect(bar).toContainText("20 selected");
  await expect(bar).toContainText("Up to 100, across pages.");
  await page.getByRole("button", { name: "Next" }).click();
  await expectUrl(page, "?page=2");
  await expect(rows(page)).toHaveCount(3);
  await rows(page).nth(1).getByRole("checkbox").check();
  await expect(bar).toContainText("21 selected");
  await page.getByRole("button", { name: "Previous" }).click();
  await expect(rows(page)).toHaveCount(20);
  await expect(page.getByRole("checkbox", { name: "Select this page’s 20 transactions" })).toBeChecked();
  await bar.getByRole("button", { name: "Clear" }).click();
  await expect(bar).toBeHidden();
  await page.getByLabel("Rows per page").selectOption("50");
  await expectUrl(page, "?per=50");
  await expect(rows(page)).toHaveCount(23);
});

test("rows are walked, selected and opened by keyboard; back and Escape close the panel", async ({
  owner: page,
  api,
}) => {
  await Promise.all(Array.from({ length: 3 }, (_, i) => pay(api, { amount: 1_000 + i })));
  await openList(page);
  const link = (index: number) => rows(page).nth(index).locator("a[data-row]");
  await pressUntil(page, "j", rows(page).locator("a[data-row]:focus"));
  // The first row is where "k" stops.
  for (let i = 0; i < 3; i++) await page.keyboard.press("k");
  await expect(link(0)).toBeFocused();
  await page.keyboard.press("j");
  await expect(link(1)).toBeFocused();
  await page.keyboard.press("x");
  await expect(rows(page).nth(1).getByRole("checkbox")).toBeChecked();
  await page.keyboard.press("x");
  await page.keyboard.press("k");
  await expect(link(0)).toBeFocused();
  const payment = await rows(page).nth(0).getAttribute("data-payment");
  await page.keyboard.press("Enter");
  await expectUrl(page, `?panel=${payment}`);
  const panel = page.getByRole("complementary", { name: "Payment" });
  await expect(panel).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await expectUrl(page, "");

  await rows(page).nth(2).locator(".customer").click();
  await expect(panel).toBeVisible();
  await page.goBack();
  await expect(panel).toBeHidden();
  await page.goForward();
  await expect(panel).toBeVisible();
  await page.keyboard.press("Escape");

  await link(1).focus();
  await page.keyboard.press("r");
  await expect(page.getByRole("dialog")).toContainText("Refund");
});

test("a new transaction appears by itself, and never moves the row that is pointed at", async ({
  owner: page,
  api,
}) => {
  const first = await pay(api, { capture_method: "manual" });
  await openList(page);
  await expect(rows(page)).toHaveCount(1);
  await pay(api);
  await expect(rows(page)).toHaveCount(2);

  const row = rows(page).filter({ has: page.locator(`a[href$="${first.id}"]`) });
  await row.hover();
  const before = await row.boundingBox();
  await pay(api);
  await pay(api);
  // The row also changes in place.
  await api.call(capturePayment, { id: first.id, body: {} });
  await expect(row).toContainText("Captured");
  const waiting = page.getByRole("button", { name: "2 new transactions" });
  await expect(waiting).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
  await expect(rows(page)).toHaveCount(2);
  // By keyboard: moving a pointer there leaves the row, which shows the new transactions by itself.
  await waiting.press("Enter");
  await expect(rows(page)).toHaveCount(4);

  await row.hover();
  await pay(api);
  await expect(page.getByRole("button", { name: "1 new transaction" })).toBeVisible();
  await page.mouse.move(5, 5);
  await expect(rows(page)).toHaveCount(5);
});

test("no data yet, no results, and past the end are distinguished", async ({ owner: page, api }) => {
  await openList(page);
  await expect(page.getByRole("heading", { name: "No payments yet" })).toBeVisible();
  await expect(page.getByText('-H "X-Api-Key: sk_test_…"')).toBeVisible();
  await expectAccessible(page);
  await pay(api);
  await expect(rows(page)).toHaveCount(1);
  await openList(page, "?status=DECLINED&brand=amex");
  await expect(page.getByRole("heading", { name: "No payments match" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows(page)).toHaveCount(1);
  await openList(page, "?page=7");
  await page.getByRole("button", { name: "Go to page 1" }).click();
  await expect(rows(page)).toHaveCount(1);
});

test("a component whose script fails to load says so, and leaves the rest of the page", async ({
  owner: page,
  api,
}) => {
  await pay(api);
  await page.route("**/_next/static/chunks/**", async (route) => {
    const response = await route.fetch();
    const script = await response.text();
    if (script.includes('"Totals"')) await route.abort("internetdisconnected");
    else await route.fulfill({ response, body: script });
  });
  await page.goto("/test/transactions");
  await expect(page.getByRole("alert").filter({ hasText: "Part of this page couldn’t be loaded" })).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.unroute("**/_next/static/chunks/**");
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByRole("region", { name: "Totals" })).toBeVisible();
});

test("an outage keeps the rows, shows the request's id, and can be retried", { tag: "@prove" }, async ({
  owner: page,
  api,
}) => {
  await someOfEverything(api);
  await openList(page);
  const count = await rows(page).count();
  const problem = { status: 503, code: "database_unavailable", detail: "The service is briefly unavailable." };
  await page.route("**/v1/transactions/search", (route) =>
    route.fulfill({ status: 503, headers: { "x-request-id": "req_of_the_outage" }, json: problem }),
  );
  const notice = page.getByRole("alert").filter({ hasText: "could not be" });
  await expect(notice).toContainText("could not be updated");
  await expect(notice).toContainText("req_of_the_outage");
  await expect(rows(page)).toHaveCount(count);
  await page.getByRole("link", { name: "Declined" }).click();
  await expect(notice).toContainText("match the previous filters");
  await expect(rows(page)).toHaveCount(count);
  await page.unroute("**/v1/transactions/search");
  await page.route("**/v1/transactions/search", (route) => route.abort());
  await expect(notice).toContainText("No response arrived");
  await page.unroute("**/v1/transactions/search");
  await notice.getByRole("button", { name: "Try again" }).click();
  await expect(notice).toBeHidden();
  await expectAnswer(page, api, { status: ["DECLINED"] });
});

test("on a narrow screen rows are cards, filters a sheet, and a row leads to its page", async ({
  owner: page,
  api,
}) => {
  await someOfEverything(api);
  await page.setViewportSize({ width: 390, height: 844 });
  await openList(page);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Filters" }).click();
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await sheet.getByRole("checkbox", { name: "Declined" }).click();
  await expect(sheet.getByRole("checkbox", { name: "Declined" })).toBeChecked();
  await sheet.getByRole("combobox", { name: "Sort" }).selectOption({ label: "Smallest amount first" });
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await sheet.getByRole("button", { name: "Show results" }).click();
  await expectUrl(page, "?status=DECLINED&sort=amount");
  await expectAnswer(page, api, { status: ["DECLINED"] }, { field: "amount", order: "asc" });
  const id = await rows(page).first().getAttribute("data-payment");
  await rows(page).first().locator(".customer").click();
  await page.waitForURL(`**/test/payments/${id}`);
});

test("the table is accessible without sight or a mouse", { tag: ["@looks", "@prove"] }, async ({
  owner: page,
  api,
}) => {
  await someOfEverything(api);
  await showIn(page, "light");
  await openList(page, "?brand=visa&color=red");
  await expectAccessibleInBothSchemes(page);
  await rows(page).first().getByRole("checkbox").check();
  await expect(page.getByRole("region", { name: "Selection" })).toBeVisible();
  await expectAccessibleInBothSchemes(page);
  for (const name of ["Status", "Amount", "Date", "Customer"]) {
    await inPopover(page, name, async (popover) => {
      await expect(popover).toBeVisible();
      await expectAccessibleInBothSchemes(page);
    });
  }
  await page.getByRole("button", { name: "Columns" }).click();
  await expectAccessibleInBothSchemes(page);
});
