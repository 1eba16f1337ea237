import type { Page } from "playwright/test";
import { moneyText } from "@/lib/contract/format";
import { createPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { searchTransactions } from "@/lib/contract/transactions/endpoints";
import { parseQuery, searchBody } from "@/lib/contract/transactions/query";
import { expectAccessible, expectAccessibleInBothSchemes, expectNoSidewaysScroll, test, untilAlive } from "../browser";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";

const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
const DECLINED = { insufficient_funds: "4000000000009995", lost_card: "4000000000009987" } as const;

/** Each card is declined for a different reason. */
const MORE_DECLINES = [
  "4000000000000002",
  "4000000000009979",
  "4000000000000069",
  "4000000000000127",
  "4000000000004954",
];

const pay = async (api: Api, amount: number, currency = "USD", number = CARD.number): Promise<Payment> =>
  (await api.call(createPayment, { body: { amount, currency, card: { ...CARD, number } } })).ok();

async function decline(api: Api, code: keyof typeof DECLINED): Promise<void> {
  const body = { amount: 700, currency: "USD", card: { ...CARD, number: DECLINED[code] } };
  expect((await api.call(createPayment, { body })).status).toBe(402);
}

/** A known day: 100.00 and 50.00 USD captured, 20.00 refunded, three cards declined, and 30.00 EUR. */
async function knownDay(api: Api): Promise<void> {
  const first = await pay(api, 10_000);
  await pay(api, 5_000);
  (await api.call(refundPayment, { id: first.id, body: { amount: 2_000 } })).ok();
  await decline(api, "insufficient_funds");
  await decline(api, "insufficient_funds");
  await decline(api, "lost_card");
  await pay(api, 3_000, "EUR");
}

const tile = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });

/** Number of transactions that the API finds for a list's address. */
async function listed(api: Api, href: string): Promise<number> {
  const { query, problems } = parseQuery(new URL(href, "http://x.test").searchParams);
  expect(problems).toEqual([]);
  return (await api.call(searchTransactions, { body: searchBody(query, "UTC", Date.now()) as never })).ok().total;
}

test("figures are the API's transactions, in each currency, and its links lead to lists that agree", async ({
  owner,
  api,
}) => {
  await knownDay(api);
  await owner.goto("/test");
  await expect(tile(owner, "Gross volume")).toContainText(moneyText(15_000, "USD"));
  await expect(tile(owner, "Gross volume")).toContainText("2 payments");
  await expect(tile(owner, "Refunds")).toContainText(moneyText(2_000, "USD"));
  await expect(tile(owner, "Net")).toContainText(moneyText(13_000, "USD"));
  await expect(tile(owner, "Approval rate")).toContainText("40%");
  await expect(tile(owner, "Approval rate")).toContainText("2 approved, 3 declined");

  const reasons = owner.getByRole("region", { name: "Decline reasons" });
  await expect(reasons.getByRole("row", { name: "Insufficient funds 2 66.7%" })).toBeVisible();
  await expect(reasons.getByRole("row", { name: "Lost card 1 33.3%" })).toBeVisible();
  const declinedHref = await reasons.getByRole("link", { name: "3 declined" }).getAttribute("href");
  expect(await listed(api, declinedHref ?? "")).toBe(3);

  const latest = owner.getByRole("region", { name: "Latest payments" });
  const { total } = (await api.call(searchTransactions, { body: {} })).ok();
  await expect(latest.getByRole("row")).toHaveCount(1 + total);
  await expect(latest.getByRole("row").nth(1)).toContainText(moneyText(3_000, "EUR"));

  await owner.getByRole("navigation", { name: "Currency" }).getByRole("link", { name: "EUR" }).click();
  await expect(tile(owner, "Gross volume")).toContainText(moneyText(3_000, "EUR"));
  await expect(owner).toHaveURL(/currency=EUR/);
  await expect(tile(owner, "Approval rate")).toContainText("100%");
  await owner.getByRole("navigation", { name: "Period" }).getByRole("link", { name: "7 days" }).click();
  await expect(owner).toHaveURL(/period=7-days&currency=EUR|currency=EUR&period=7-days/);
  await owner.goBack();
  await owner.goBack();
  await expect(tile(owner, "Gross volume")).toContainText(moneyText(15_000, "USD"));

  await reasons.getByRole("link", { name: "3 declined" }).click();
  await expect(owner).toHaveURL(/\/test\/transactions\?status=DECLINED&currency=USD&created=/);
  await expect(owner.getByText(/of 3\b/).first()).toBeVisible();
});

test("every link of the overview opens exactly the rows that it counts", async ({ owner, api }) => {
  await knownDay(api);
  await api.call(createPayment, { body: { amount: 800, currency: "USD", card: CARD, capture_method: "manual" } });
  for (const number of MORE_DECLINES) {
    const body = { amount: 700, currency: "USD", card: { ...CARD, number } };
    expect((await api.call(createPayment, { body })).status).toBe(402);
  }
  const { total } = (await api.call(searchTransactions, { body: {} })).ok();
  const declined = 3 + MORE_DECLINES.length;
  /** Link texts with the row counts that they show; each must be present. */
  const counted: [name: RegExp, rows: number][] = [
    [/^Gross volume$/, 2],
    [/^Net$/, 3],
    [/^Refunds$/, 1],
    [/^Approval rate$/, 3 + declined],
    [new RegExp(`^${declined} declined$`), declined],
    [/^Insufficient funds$/, 2],
    [/^Other reasons$/, declined - 2 - 4],
    [/^(Lost|Stolen|Expired) card$|^Incorrect|^Fraud|^Generic/, 1],
    [/^All payments$/, total],
    [/^1 authorization to capture$/, 1],
    [/^\w{3}, \w{3} \d/, 3],
    [/^3 approved$/, 3],
  ];
  await owner.goto("/test");
  await owner.getByRole("button", { name: "Table" }).click();
  const links = await owner
    .getByRole("main")
    .getByRole("link")
    .evaluateAll((all) =>
      all.map((link) => ({
        name: link.getAttribute("aria-label") ?? link.textContent?.trim() ?? "",
        href: link.getAttribute("href") ?? "",
        day: link.closest("tr")?.querySelector("th")?.textContent ?? "",
      })),
    );
  const met = new Set<RegExp>();
  for (const { name, href, day } of links) {
    // Skips other views of this page, and the payments themselves.
    if (/^\/test(\?|$)/.test(href) || href.startsWith("/test/payments/")) continue;
    const [pattern, rows] = counted.find(([written]) => written.test(name)) ?? [];
    expect.soft(pattern, `${name} leads to ${href}`).toBeDefined();
    const isEarlier = /^\w{3}, /.test(day) && !day.includes("so far");
    expect.soft(await listed(api, href), `${name} ${day}: ${href}`).toBe(isEarlier ? 0 : rows);
    if (pattern) met.add(pattern);
  }
  expect(counted.map(([pattern]) => pattern).filter((pattern) => !met.has(pattern))).toEqual([]);
});

test("each figure is shown beside the previous period's", async ({ owner, api, tenant, db }) => {
  await pay(api, 15_000);
  // Last week's figures, in the form that the job writes.
  await db.sql`insert into daily_totals (environment_id, currency, day, measure, amount, count)
    values (${tenant.merchant.test.id}, 'USD', current_date - 7, 'captured', 12000, 3),
      (${tenant.merchant.test.id}, 'USD', current_date - 7, 'approved', 12000, 3),
      (${tenant.merchant.test.id}, 'USD', current_date - 7, 'declined', 1000, 1)`;
  await owner.goto("/test?period=7-days");
  await expect(tile(owner, "Gross volume")).toContainText(`up 25% from ${moneyText(12_000, "USD")}`);
  await expect(tile(owner, "Approval rate")).toContainText("up 25 points from 75%");
  await owner.goto("/test?period=all");
  await expect(tile(owner, "Gross volume")).toContainText(moneyText(27_000, "USD"));
  await expect(tile(owner, "Gross volume")).toContainText("No earlier period");
});

test("the chart has a table of the same figures, all by keyboard, and each row leads to its day", async ({
  owner,
  api,
}) => {
  await knownDay(api);
  await owner.goto("/test?period=7-days");
  const volume = owner.getByRole("region", { name: "Volume by day" });
  await expect(volume.getByRole("application", { name: /Gross volume and refunds by day/ })).toBeVisible();
  await expect(volume).toContainText(
    `gross volume ${moneyText(15_000, "USD")} USD, refunds ${moneyText(2_000, "USD")} USD`,
  );
  const toggle = volume.getByRole("button", { name: "Table" });
  await toggle.focus();
  await owner.keyboard.press("Enter");
  await expect(toggle).toHaveAttribute("aria-pressed", "true");
  const rows = volume.getByRole("row");
  await expect(rows).toHaveCount(8);
  const today = rows.nth(1);
  await expect(today).toContainText(moneyText(15_000, "USD"));
  await expect(today).toContainText(moneyText(13_000, "USD"));
  const day = today.getByRole("link").first();
  await day.focus();
  await owner.keyboard.press("Enter");
  await expect(owner).toHaveURL(/\/test\/transactions\?currency=USD&captured=\d{4}-\d{2}-\d{2}$/);
});

test("a bar is chosen with the arrow keys and Enter", async ({ owner, api }) => {
  await pay(api, 2_500);
  await owner.goto("/test?period=7-days");
  const chart = owner.getByRole("application", { name: /Gross volume/ });
  await chart.focus();
  for (let i = 0; i < 7; i++) await owner.keyboard.press("ArrowRight");
  await expect(owner.getByText("Select the bar to see these payments")).toBeVisible();
  await expect(owner.getByText(/, so far$/)).toBeVisible();
  await owner.keyboard.press("Enter");
  await expect(owner).toHaveURL(/\/test\/transactions\?currency=USD&captured=\d{4}-\d{2}-\d{2}$/);
  expect(await listed(api, owner.url())).toBe(1);
});

test("needs attention: unknown outcomes, failed refunds, authorizations about to expire", async ({
  owner,
  api,
  tenant,
  db,
}) => {
  const held = (
    await api.call(createPayment, { body: { amount: 4_200, currency: "USD", card: CARD, capture_method: "manual" } })
  ).ok();
  await db.sql`update payments set capture_before = now() + interval '3 hours' where environment_id = ${tenant.merchant.test.id}`;
  const paid = await pay(api, 6_600, "USD", "4000000000005126");
  (await api.call(refundPayment, { id: paid.id, body: { amount: 600 } })).ok(); // Fails some seconds later.
  const body = { amount: 8_800, currency: "USD", card: { ...CARD, number: "4000000000001968" } };
  await api.call(createPayment, { body }); // The processor responds with garbage, and isn't retried for a while.
  await db.sql`update operations set next_attempt_at = now() + interval '110 seconds'
    where environment_id = ${tenant.merchant.test.id} and unknown_at is not null and state = 'open' and kind = 'authorize'`;
  const attention = owner.getByRole("region", { name: "Needs attention" });
  await expect(async () => {
    await owner.goto("/test");
    await expect(attention).toContainText("1 refund failed", { timeout: 2_000 });
  }).toPass();
  await expect(attention).toContainText("1 outcome unknown");
  await expect(attention).toContainText("1 authorization expires soon");
  await expect(attention).toContainText(moneyText(8_800, "USD"));
  for (const name of ["1 refund failed", "1 outcome unknown", "1 authorization expires soon"]) {
    expect(await listed(api, (await attention.getByRole("link", { name }).getAttribute("href")) ?? ""), name).toBe(1);
  }
  await attention.getByRole("link", { name: moneyText(4_200, "USD") }).click();
  await expect(owner).toHaveURL(`/test/payments/${held.id}`);
});

test("a custom period, chosen by keyboard, is in the address", async ({ owner, api }) => {
  await pay(api, 900);
  await owner.goto("/test");
  await owner.getByRole("button", { name: "Custom" }).press("Enter");
  const dialog = owner.getByRole("dialog", { name: "Custom period" });
  await dialog.getByLabel("First day").fill("2026-03-02");
  await dialog.getByLabel("Last day").fill("2026-03-01");
  await dialog.getByRole("button", { name: "Apply" }).press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("The first day is after the last.");
  await dialog.getByLabel("Last day").fill("2026-03-05");
  await dialog.getByRole("button", { name: "Apply" }).press("Enter");
  await expect(owner).toHaveURL("/test?from=2026-03-02&to=2026-03-05");
  await expect(owner.getByText("Mar 2 – Mar 5, 2026, days in UTC")).toBeVisible();
  await expect(tile(owner, "Gross volume")).toContainText(moneyText(0, "USD"));
});

test("before the first payment there is a form for a payment link, a command to copy and a link to the keys", async ({
  owner,
}) => {
  await owner.goto("/test");
  await expect(owner.getByRole("heading", { name: "Make your first test payment" })).toBeVisible();
  await expect(owner.getByText("/v1/payments")).toBeVisible();
  await expect(owner.getByRole("main").getByRole("link", { name: "Create a payment link" })).toHaveAttribute(
    "href",
    "/test/checkout/links/new",
  );
  await expectAccessible(owner);
  await owner.getByRole("link", { name: "Create an API key" }).click();
  await expect(owner).toHaveURL("/test/developers/api-keys");
});

test("accessible light and dark, wide and at 390 px, as chart and as table", { tag: ["@looks", "@prove"] }, async ({
  owner,
  api,
}) => {
  await knownDay(api);
  for (const width of [1_440, 390]) {
    await owner.setViewportSize({ width, height: 844 });
    await owner.goto("/test");
    await expect(owner.getByRole("application", { name: /Gross volume/ })).toBeVisible();
    await expectAccessibleInBothSchemes(owner);
    await expectNoSidewaysScroll(owner);
    await owner.getByRole("button", { name: "Table" }).click();
    await expectAccessibleInBothSchemes(owner);
    await expectNoSidewaysScroll(owner);
  }
});

test("a title that is lost is restored from the heading, until the next page", async ({ owner: page }) => {
  await page.goto("/test/plans");
  await untilAlive(page);
  await page.evaluate(() => {
    document.title = "";
  });
  await expect(page).toHaveTitle("Plans · Cardlane");
  await page.getByRole("link", { name: "Customers" }).click();
  await expect(page).toHaveTitle("Customers · Cardlane");
  await expect(page.locator("head title")).toHaveCount(1);
});
