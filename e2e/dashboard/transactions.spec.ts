import type { Locator, Page } from "@playwright/test";
import { capturePayment, createPayment, refundPayment, voidPayment } from "@/lib/contract/operations/payments";
import { getTransaction, searchTransactions } from "@/lib/contract/operations/transactions";
import type { Payment } from "@/lib/contract/payment";
import type { Api } from "../client";
import { expect } from "../fixtures";
import { aCard, aPayment, CARDS } from "../samples";
import { expectAccessible, expectNoSidewaysScroll, test } from "./fixtures";

const LIST = "/test/transactions";
const MASTERCARD = "5555555555554444";

const pay = async (api: Api, overrides: object = {}): Promise<Payment> => {
  const answer = await api.call(createPayment, { body: aPayment(overrides) });
  // A declined card is a payment, too.
  return JSON.parse(answer.text) as Payment;
};

/** A few payments of each kind: every filter leaves some and takes some away. */
async function someOfEverything(api: Api): Promise<void> {
  await pay(api, { amount: 1_000, customer_email: "Anna@Example.com", customer_id: "anna" });
  await pay(api, {
    amount: 5_000,
    card: aCard(MASTERCARD),
    customer_email: "bob@example.com",
    customer_id: "bob smith",
  });
  await pay(api, { amount: 5_001, card: aCard(CARDS.declined) });
  await pay(api, { amount: 9_990, card: aCard(CARDS.declined), customer_email: "anna@example.com" });
  await pay(api, { amount: 700, currency: "JPY", capture_method: "manual", card: aCard(CARDS.amex) });
  const voided = await pay(api, { capture_method: "manual" });
  await api.call(voidPayment, { id: voided.id, body: {} });
  const refunded = await pay(api, { amount: 20_000 });
  await api.call(refundPayment, { id: refunded.id, body: { amount: 5_000 } });
}

const rows = (page: Page): Locator => page.locator(".data-table tbody tr");
const shownIds = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.dataset.id));

/** The page shows what the API answers to the same question, in its order. */
async function expectAnswer(page: Page, api: Api, filters: object, sort?: object): Promise<void> {
  const body = { filters, ...(sort && { sort }) };
  const answer = (await api.call(searchTransactions, { body })).ok();
  expect(answer.data.length, "a filter that finds nothing proves nothing").toBeGreaterThan(0);
  await expect.poll(() => shownIds(page)).toEqual(answer.data.map((row) => row.id));
}

/** Ready to be worked with: alive, and shown by the server already. */
async function openList(page: Page, search = ""): Promise<void> {
  await page.goto(LIST + search);
  await expect(page.getByRole("heading", { level: 1, name: "Transactions" })).toBeVisible();
  await alive(page);
}

/** The search box takes part as soon as React does; what listens to keys does so after the next picture. */
async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("[data-search]") ?? {}).some((key) => key.startsWith("__react")),
  );
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn)))),
  );
}

const inPopover = async (page: Page, name: string, act: (popover: Locator) => Promise<void>) => {
  const filters = page.getByRole("region", { name: "Filters" });
  await filters.getByRole("button", { name: new RegExp(`^${name}( in use)?$`) }).click();
  await act(page.getByRole("dialog", { name: `Filter by ${name.toLowerCase()}` }));
  await page.keyboard.press("Escape");
};
const expectUrl = (page: Page, search: string) => expect.poll(() => new URL(page.url()).search).toBe(search);

test("every filter finds what the API finds, says so as a chip, and stands in the address", async ({
  owner: page,
  api,
}) => {
  await someOfEverything(api);
  await openList(page);
  await expectAnswer(page, api, {});
  const check = async (search: string, filters: object, chip: string) => {
    await expectUrl(page, search);
    await expectAnswer(page, api, filters);
    const chips = page.getByRole("list", { name: "Active filters" });
    await expect(chips.getByText(chip, { exact: true })).toBeVisible();
    await chips.getByRole("button", { name: "Clear all" }).click();
    await expectUrl(page, "");
  };

  await inPopover(page, "Status", async (popover) => {
    await popover.getByRole("checkbox", { name: "Declined" }).click();
    await popover.getByRole("checkbox", { name: "Voided" }).click();
  });
  await check("?status=VOIDED,DECLINED", { status: ["VOIDED", "DECLINED"] }, "Status: Voided or Declined");

  await inPopover(page, "Card", (popover) => popover.getByRole("checkbox", { name: "Mastercard" }).click());
  await check("?brand=mastercard", { card_brand: ["mastercard"] }, "Card: Mastercard");

  await inPopover(page, "Amount", async (popover) => {
    await popover.getByLabel("At least").fill("50.00");
    await popover.getByLabel("At most").fill("99.90");
    await popover.getByRole("button", { name: "Apply" }).click();
  });
  await check("?min=50&max=99.90", { amount: { gte: 5_000, lte: 9_990 } }, "Amount: 50 to 99.90, as USD");

  await inPopover(page, "Amount", async (popover) => {
    await popover.getByLabel("At most").fill("700");
    await popover.getByLabel("Typed in").selectOption("JPY");
    await popover.getByRole("button", { name: "Apply" }).click();
  });
  await check("?max=700&unit=JPY", { amount: { lte: 700 } }, "Amount: at most 700, as JPY");

  await inPopover(page, "Date", (popover) => popover.getByRole("button", { name: "Last 7 days" }).click());
  await check("?created=last-7-days", {}, "Created: last 7 days");

  const customer = (label: string, value: string) =>
    inPopover(page, "Customer", async (popover) => {
      await popover.getByLabel(label).fill(value);
      await popover.getByRole("button", { name: "Apply" }).click();
    });
  await customer("Customer e-mail", "ANNA@example.com");
  await check("?email=ANNA@example.com", { customer_email: "anna@example.com" }, "E-mail: ANNA@example.com");
  await customer("Customer id", "bob smith");
  await check("?customer=bob%20smith", { customer_id: "bob smith" }, "Customer: bob smith");
  await customer("Last four digits of the card", "0002");
  await check("?last4=0002", { card_last4: "0002" }, "Card ends in 0002");
});

test("the search box understands operators and plain words, and makes chips of them", async ({ owner: page, api }) => {
  await someOfEverything(api);
  await openList(page);
  const box = page.getByRole("searchbox", { name: "Search transactions" });
  const chips = page.getByRole("list", { name: "Active filters" });

  await box.fill("status:declined brand:visa amount:>50 created:last-7-days");
  await box.press("Enter");
  await expect(box).toHaveValue("");
  await expectUrl(page, "?status=DECLINED&brand=visa&min=50.01&created=last-7-days");
  await expect(chips.getByRole("listitem")).toHaveText([
    "Status: Declined",
    "Card: Visa",
    "Amount: at least 50.01, as USD",
    "Created: last 7 days",
    "Clear all",
  ]);
  await expectAnswer(page, api, { status: ["DECLINED"], card_brand: ["visa"], amount: { gte: 5_001 } });

  // More words add to the chips, and taking them back takes their filter back.
  await box.fill("anna@example.com");
  await expectUrl(page, "?status=DECLINED&brand=visa&min=50.01&created=last-7-days&email=anna@example.com");
  await box.fill("");
  await expectUrl(page, "?status=DECLINED&brand=visa&min=50.01&created=last-7-days");
  await chips.getByRole("button", { name: "Remove filter Status: Declined" }).click();
  await expectUrl(page, "?brand=visa&min=50.01&created=last-7-days");
  await chips.getByRole("button", { name: "Clear all" }).click();

  // Found while it is typed, without Enter.
  await box.fill("4444");
  await expectAnswer(page, api, { card_last4: "4444" });
  await box.fill("$99.90");
  await expectAnswer(page, api, { amount: { gte: 9_990, lte: 9_990 } });
  await box.fill("plan:gold visa");
  await box.press("Enter");
  await expect(page.getByText("Transactions cannot be searched by plan.")).toBeVisible();
  await expect(box).toHaveValue("plan:gold");
  await expectUrl(page, "?brand=visa");

  const popover = page.getByRole("dialog", { name: "How to search" });
  await page.getByRole("button", { name: "How to search" }).click();
  await expect(popover.getByText("created:last-week")).toBeVisible();
});

test("an id that is pasted jumps to its payment", async ({ owner: page, api }) => {
  const payment = await pay(api);
  await openList(page);
  await page.getByRole("searchbox", { name: "Search transactions" }).fill(payment.id);
  await page.waitForURL(`**/test/payments/${payment.id}`);
});

test("back, forward and reload keep the state, and a link opens it", async ({ owner: page, api }) => {
  await someOfEverything(api);
  await openList(page, "?status=DECLINED&sort=amount");
  const ascending = { field: "amount", order: "asc" };
  await expectAnswer(page, api, { status: ["DECLINED"] }, ascending);
  await page.getByRole("link", { name: "Refunded" }).click();
  await expectUrl(page, "?status=REFUNDED,PARTIALLY_REFUNDED");
  await expectAnswer(page, api, { status: ["REFUNDED", "PARTIALLY_REFUNDED"] });
  await page.goBack();
  await expectUrl(page, "?status=DECLINED&sort=amount");
  await expectAnswer(page, api, { status: ["DECLINED"] }, ascending);
  await page.goForward();
  await expectAnswer(page, api, { status: ["REFUNDED", "PARTIALLY_REFUNDED"] });
  await page.reload();
  await expectAnswer(page, api, { status: ["REFUNDED", "PARTIALLY_REFUNDED"] });
  await expect(page.getByRole("link", { name: "Refunded" })).toHaveAttribute("aria-current", "page");
});

test("what an address says wrongly is told, and the rest of it counts", async ({ owner: page, api }) => {
  await someOfEverything(api);
  const answer = await page.goto(`${LIST}?status=DECLIEND&brand=visa&colour=red&min=cheap&page=0&per=20&per=50`);
  expect(answer?.status()).toBe(200);
  for (const part of ["status=DECLIEND", "colour=red", "min=cheap", "page=0", "per=50"]) {
    await expect(page.getByText(part, { exact: true })).toBeVisible();
  }
  await expectAnswer(page, api, { card_brand: ["visa"] });
  await alive(page);
  await page.getByRole("button", { name: "Remove it" }).click();
  await expectUrl(page, "?brand=visa");
  await expect(page.getByText("was not understood")).toBeHidden();
});

test("headings sort, and say so to those who do not see it", async ({ owner: page, api }) => {
  await someOfEverything(api);
  await openList(page);
  const heading = (name: string) => page.getByRole("columnheader", { name });
  await expect(heading("Created")).toHaveAttribute("aria-sort", "descending");
  for (const [name, field, first, second] of [
    ["Amount", "amount", "desc", "asc"],
    ["Status", "status", "asc", "desc"],
    ["Created", "created_at", "desc", "asc"],
  ] as const) {
    for (const order of [first, second]) {
      await heading(name).getByRole("button").click();
      await expect(heading(name)).toHaveAttribute("aria-sort", order === "asc" ? "ascending" : "descending");
      await expectAnswer(page, api, {}, { field, order });
    }
  }
  await expect(page.getByRole("status").filter({ hasText: "oldest first" })).toBeAttached();
});

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

  await page.getByRole("button", { name: "Remove filter Amount: at least 60, as USD" }).click();
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

test("a selection is kept across pages, and says what all means", async ({ owner: page, api }) => {
  await Promise.all(Array.from({ length: 23 }, (_, i) => pay(api, { amount: 1_000 + i })));
  await openList(page);
  await expect(rows(page)).toHaveCount(20);
  await expect(page.getByText("1–20 of 23").first()).toBeVisible();
  const bar = page.getByRole("region", { name: "Selection" });
  await page.getByRole("checkbox", { name: "Select this page's 20 transactions" }).check();
  await expect(bar).toContainText("20 selected");
  await expect(bar).toContainText("this page’s 20");
  await page.getByRole("button", { name: "Next" }).click();
  await expectUrl(page, "?page=2");
  await expect(rows(page)).toHaveCount(3);
  await rows(page).nth(1).getByRole("checkbox").check();
  await expect(bar).toContainText("21 selected");
  await page.getByRole("button", { name: "Previous" }).click();
  await expect(rows(page)).toHaveCount(20);
  await expect(page.getByRole("checkbox", { name: "Select this page's 20 transactions" })).toBeChecked();
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
  await page.keyboard.press("j");
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
  // It changes where it stands, too.
  await api.call(capturePayment, { id: first.id, body: {} });
  await expect(row).toContainText("Captured");
  const waiting = page.getByRole("button", { name: "2 new transactions" });
  await expect(waiting).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
  await expect(rows(page)).toHaveCount(2);
  await waiting.click();
  await expect(rows(page)).toHaveCount(4);

  await row.hover();
  await pay(api);
  await expect(page.getByRole("button", { name: "1 new transaction" })).toBeVisible();
  await page.mouse.move(5, 5);
  await expect(rows(page)).toHaveCount(5);
});

test("nothing yet, nothing found and past the end are told apart", async ({ owner: page, api }) => {
  await openList(page);
  await expect(page.getByRole("heading", { name: "No transactions yet" })).toBeVisible();
  await expect(page.getByText('-H "X-Api-Key: sk_test_…"')).toBeVisible();
  await expectAccessible(page);
  await pay(api);
  await expect(rows(page)).toHaveCount(1);
  await openList(page, "?status=DECLINED&brand=amex");
  await expect(page.getByRole("heading", { name: "No transactions match" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows(page)).toHaveCount(1);
  await openList(page, "?page=7");
  await page.getByRole("button", { name: "Go to page 1" }).click();
  await expect(rows(page)).toHaveCount(1);
});

test("an outage keeps the rows, says so with the request's id, and can be tried again", async ({
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
  await expect(notice).toContainText("could not be brought up to date");
  await expect(notice).toContainText("req_of_the_outage");
  await expect(rows(page)).toHaveCount(count);
  await page.getByRole("link", { name: "Declined" }).click();
  await expect(notice).toContainText("still those of the filters before");
  await expect(rows(page)).toHaveCount(count);
  await page.unroute("**/v1/transactions/search");
  await page.route("**/v1/transactions/search", (route) => route.abort());
  await expect(notice).toContainText("No answer came");
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

for (const colorScheme of ["light", "dark"] as const) {
  test(`nothing is in the way of those who see or move differently, ${colorScheme}`, async ({ owner: page, api }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await someOfEverything(api);
    await openList(page, "?brand=visa&colour=red");
    await expectAccessible(page);
    await rows(page).first().getByRole("checkbox").check();
    await expect(page.getByRole("region", { name: "Selection" })).toBeVisible();
    await expectAccessible(page);
    for (const name of ["Status", "Amount", "Date", "Customer"]) {
      await inPopover(page, name, async (popover) => {
        await expect(popover).toBeVisible();
        await expectAccessible(page);
      });
    }
    await page.getByRole("button", { name: "Columns" }).click();
    await expectAccessible(page);
  });
}

test("another merchant's transactions are not in the list, whatever the address says", async ({
  owner: page,
  stranger,
  api,
}) => {
  const theirs = await pay(stranger.api, { customer_email: "secret@example.com" });
  await pay(api);
  await openList(page, "?email=secret@example.com");
  await expect(page.getByRole("heading", { name: "No transactions match" })).toBeVisible();
  await openList(page);
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator("body")).not.toContainText(theirs.id);
  const own = await shownIds(page);
  expect((await api.call(getTransaction, { id: own[0] ?? "" })).ok().id).toBe(own[0]);
});
