import { refundPayment } from "@/lib/contract/payments/endpoints";
import { getTransaction } from "@/lib/contract/transactions/endpoints";
import { test } from "../browser";
import { latch } from "../fixtures/latch";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";
import {
  alive,
  expectAnswer,
  expectUrl,
  inPopover,
  LIST,
  openList,
  pay,
  rows,
  shownIds,
  someOfEverything,
} from "./transaction-list";

test("every filter finds what the API finds, is shown as a chip, and is in the URL", async ({ owner: page, api }) => {
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
    await popover.getByLabel("At least").fill("50,00");
    await popover.getByLabel("At most").fill("1.500");
    await popover.getByRole("button", { name: "Apply" }).click();
    await popover.getByRole("button", { name: "$1,500.00 (one thousand five hundred)" }).click();
    await expect(popover.getByLabel("At most")).toHaveValue("1500.00");
    await popover.getByLabel("At most").fill("99,90");
    await popover.getByRole("button", { name: "Apply" }).click();
  });
  const dollars = { amount: { gte: 5_000, lte: 9_990 }, currency: ["USD"] };
  await check("?min=50&max=99.90", dollars, "Amount: $50.00 to $99.90");

  await inPopover(page, "Amount", async (popover) => {
    await popover.getByLabel("Currency", { exact: true }).selectOption("JPY");
    await popover.getByLabel("At most, JPY").fill("700");
    await popover.getByRole("button", { name: "Apply" }).click();
  });
  const yen = { amount: { lte: 700 }, currency: ["JPY"] };
  await check("?max=700&unit=JPY&currency=JPY", yen, "Amount: at most ¥700");

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

  await inPopover(page, "Amount", async (popover) => {
    await popover.getByLabel("Currency", { exact: true }).selectOption("USD");
  });
  await check("?currency=USD", { currency: ["USD"] }, "Currency: USD");
  const more = (role: "checkbox" | "button", name: string) =>
    inPopover(page, "More", (popover) => popover.getByRole(role, { name }).click());
  await more("checkbox", "Charge");
  await check("?type=CHARGE", { type: ["CHARGE"] }, "Type: Charge");
  await more("checkbox", "Generic decline");
  await check("?decline=generic_decline", { decline_code: ["generic_decline"] }, "Decline reason: Generic decline");
  await more("button", "Last 7 days");
  await check("?captured=last-7-days", { captured_at: { gte: "2020-01-01" } }, "Captured: last 7 days");
});

test("the search box understands operators and plain words, and turns them into chips", async ({
  owner: page,
  api,
}) => {
  await someOfEverything(api);
  await openList(page);
  const box = page.getByRole("searchbox", { name: "Search payments" });
  const chips = page.getByRole("list", { name: "Active filters" });

  await box.fill("status:declined brand:visa amount:>50 created:last-7-days");
  await box.press("Enter");
  await expect(box).toHaveValue("");
  await expectUrl(page, "?status=DECLINED&brand=visa&min=50.01&created=last-7-days");
  await expect(chips.getByRole("listitem")).toHaveText([
    "Status: Declined",
    "Card: Visa",
    "Amount: over $50.00",
    "Created: last 7 days",
    "Clear all",
  ]);
  await expectAnswer(page, api, {
    status: ["DECLINED"],
    card_brand: ["visa"],
    amount: { gte: 5_001 },
    currency: ["USD"],
  });

  // More terms add to the filters; deleting the terms removes their filter.
  await box.fill("anna@example.com");
  await expectUrl(page, "?status=DECLINED&brand=visa&min=50.01&created=last-7-days&email=anna@example.com");
  await box.fill("");
  await expectUrl(page, "?status=DECLINED&brand=visa&min=50.01&created=last-7-days");
  await chips.getByRole("button", { name: "Remove filter Status: Declined" }).click();
  await expectUrl(page, "?brand=visa&min=50.01&created=last-7-days");
  await chips.getByRole("button", { name: "Clear all" }).click();

  // Escape leaves the box and keeps its text.
  await box.fill("visa");
  await box.press("Escape");
  await expect(box).not.toBeFocused();
  await expect(box).toHaveValue("visa");
  await box.fill("");

  // Found while typing, without Enter.
  await box.fill("4444");
  await expectAnswer(page, api, { q: "4444" });
  await page.getByRole("button", { name: "Only cards ending in 4444" }).click();
  await expectAnswer(page, api, { card_last4: "4444" });
  await box.fill("€50 to €60");
  await expectUrl(page, "?min=50&max=60&unit=EUR");
  await box.fill("over $1,500");
  await page.getByRole("button", { name: "$1.50 (one and 50/100)" }).click();
  await expectAnswer(page, api, { amount: { gte: 151 }, currency: ["USD"] });
  await box.fill("$99.90");
  await expectAnswer(page, api, { amount: { gte: 9_990, lte: 9_990 }, currency: ["USD"] });
  await box.fill("description:gold visa");
  await box.press("Enter");
  // An unknown operator becomes search terms: never an error, and never the whole list.
  await expect(chips.getByRole("listitem")).toHaveText(["Search: description:gold", "Card: Visa", "Clear all"]);
  await expect(page.getByRole("heading", { name: "No payments match" })).toBeVisible();
  await page.getByRole("button", { name: /^Without “description:gold”: \d/ }).click();
  await expect(chips.getByRole("listitem")).toHaveText(["Card: Visa", "Clear all"]);

  const popover = page.getByRole("dialog", { name: "How to search" });
  await page.getByRole("button", { name: "How to search" }).click();
  await expect(popover.getByText("created:last-week")).toBeVisible();
});

test("a typed card number or secret is never put into a URL, and its meaning is explained", async ({
  owner: page,
  baseUrl,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.url()} ${request.postData() ?? ""}`));
  page.on("framenavigated", (frame) => asked.push(frame.url()));
  await openList(page);
  const box = page.getByRole("searchbox", { name: "Search payments" });
  for (const secret of ["4242 4242 4242 4242", "anna whsec_Q0w3bVh2c1RhZ2Y5R1lxZFNrS1pV"]) {
    await box.fill("visa");
    await expectUrl(page, "?brand=visa");
    await box.fill(`visa ${secret}`);
    await expect(page.getByText("Search by the last 4 digits")).toBeVisible();
    await expectUrl(page, "");
    await box.press("Enter");
    await expect(box).toHaveValue("");
    await expect(page.getByText("Search by the last 4 digits")).toBeVisible();
  }
  // The service's port and the hashes in its files' names can contain any digits.
  const own = asked.map((text) => text.replaceAll(baseUrl, "").replace(/^\/_next\/static\/[^? ]*/, ""));
  expect(own.filter((text) => /4242|Q0w3/.test(text))).toEqual([]);
});

test("if amount and currency contradict each other, the amount’s currency is used, and the page says so", async ({
  owner: page,
}) => {
  await openList(page);
  const box = page.getByRole("searchbox", { name: "Search payments" });
  const chips = page.getByRole("list", { name: "Active filters" });
  await box.fill("$50 currency:jpy");
  await box.press("Enter");
  await expect(chips.getByRole("listitem")).toHaveText(["Amount: $50.00", "Currency: USD", "Clear all"]);
  await expect(page.getByText("The amount is in USD, so only USD is shown.")).toBeVisible();
  await expect(box).toHaveValue("");
});

test("an id that is pasted jumps to its payment", async ({ owner: page, api }) => {
  const payment = await pay(api);
  await openList(page);
  await page.getByRole("searchbox", { name: "Search payments" }).fill(payment.id);
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

test("invalid URL parameters are reported, and the others apply", async ({ owner: page, api }) => {
  await someOfEverything(api);
  const answer = await page.goto(`${LIST}?status=DECLIEND&brand=visa&color=red&min=cheap&page=0&per=20&per=50`);
  expect(answer?.status()).toBe(200);
  for (const part of ["status=DECLIEND", "color=red", "min=cheap", "page=0", "per=50"]) {
    await expect(page.getByText(part, { exact: true })).toBeVisible();
  }
  await expectAnswer(page, api, { card_brand: ["visa"] });
  await alive(page);
  await page.getByRole("button", { name: "Remove it" }).click();
  await expectUrl(page, "?brand=visa");
  await expect(page.getByText("is not valid and was ignored")).toBeHidden();
});

test("headings sort, and announce it to screen readers", async ({ owner: page, api }) => {
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

test("another merchant's transactions are not in the list, whatever the URL", async ({
  owner: page,
  stranger,
  api,
}) => {
  const theirs = await pay(stranger.api, { customer_email: "secret@example.com" });
  await pay(api);
  await openList(page, "?email=secret@example.com");
  await expect(page.getByRole("heading", { name: "No payments match" })).toBeVisible();
  await openList(page);
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator("body")).not.toContainText(theirs.id);
  const own = await shownIds(page);
  expect((await api.call(getTransaction, { id: own[0] ?? "" })).ok().id).toBe(own[0]);
});

test("totals below the rows: of everything that the filters match, and of the selection, by currency", async ({
  owner,
  api,
}) => {
  const paid = await captured(api, { amount: 5_000 });
  (await api.call(refundPayment, { id: paid.id, body: { amount: 1_500 } })).ok();
  const euros = await captured(api, { amount: 700, currency: "EUR" });
  await owner.goto("/test/transactions");
  const totals = owner.getByRole("region", { name: "Totals" });
  await expect(totals.getByRole("row", { name: "USD $50.00 \u2212$15.00 $0.00 $35.00" })).toBeVisible();
  await expect(totals.getByRole("row", { name: "EUR €7.00 €0.00 €0.00 €7.00" })).toBeVisible();
  await expect(totals.getByRole("table")).toHaveCount(1);
  await owner.getByRole("checkbox", { name: /^Select \u2212\$15\.00/ }).check();
  const selected = totals.getByRole("table", { name: "Totals: 1 selected" });
  await expect(selected.getByRole("row", { name: "USD $0.00 \u2212$15.00 $0.00 \u2212$15.00" })).toBeVisible();
  // A refund appears in the totals as soon as it appears in the rows.
  (await api.call(refundPayment, { id: euros.id, body: { amount: 200 } })).ok();
  await expect(totals.getByRole("row", { name: "EUR €7.00 \u2212€2.00 €0.00 €5.00" })).toBeVisible();
  await owner.goto("/test/transactions?type=CHARGE&currency=EUR");
  await expect(totals.getByRole("row", { name: "EUR €7.00 \u2212€2.00 €0.00 €5.00" })).toBeVisible();
  await expect(totals.getByText("1 transaction", { exact: true })).toBeVisible();
});

test("what is typed before the page's scripts arrive is searched for", async ({ owner: page, api }) => {
  await captured(api, { customer_email: "anna@example.com" });
  await captured(api, { customer_email: "bob@example.com" });
  for (const [path, label] of [
    [LIST, "Search payments"],
    ["/test/customers", "Search customers"],
  ] as const) {
    const scripts = latch();
    await page.route("**/_next/static/chunks/*.js", async (route) => {
      await scripts.hold();
      await route.continue();
    });
    await page.goto(path, { waitUntil: "commit" });
    const box = page.getByRole("searchbox", { name: label });
    await box.pressSequentially("anna");
    scripts.release();
    await expect(page.getByText("anna@example.com").first()).toBeVisible();
    await expect(page.getByText("bob@example.com")).toHaveCount(0);
    await expect(box).toHaveValue("anna");
    await page.unrouteAll({ behavior: "wait" });
  }
});
