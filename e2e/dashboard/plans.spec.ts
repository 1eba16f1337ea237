import type { Page } from "playwright/test";
import { createPlan, getPlan, listPlans } from "@/lib/contract/plans/endpoints";
import type { Plan } from "@/lib/contract/plans/plan";
import { addPeriods, dateIn } from "@/lib/contract/plans/schedule";
import { chooseFilter, expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";

const preview = (page: Page) => page.getByRole("region", { name: "What a customer pays" });

async function openForm(page: Page): Promise<void> {
  await page.goto("/test/plans/new");
  await expect(page.getByRole("heading", { name: "New plan", level: 1 })).toBeVisible();
  // Fields are enabled once React has hydrated.
  await expect(page.getByLabel("Name")).toBeEnabled();
}

async function describe(page: Page, name: string, price: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Price", { exact: true }).fill(price);
}

test("each type of plan is created with its own fields, and the preview shows what a customer pays", async ({
  owner: page,
  api,
}) => {
  const cases = [
    { type: "One-time", words: "$19.99 once.", fields: { "Price of the trial": false, "Billed every": false } },
    { type: "Subscription", words: "$19.99 every month.", fields: { "Billed every": true, "Trial lasts": false } },
    {
      type: "Subscription with free trial",
      words: "14 days free, then $19.99 every month.",
      fields: { "Trial lasts": true },
    },
    {
      type: "Subscription with paid trial",
      words: "$1.00 for 14 days, then $19.99 every month.",
      fields: { "Price of the trial": true },
    },
  ];
  for (const { type, words, fields } of cases) {
    await openForm(page);
    await describe(page, type, "19.99");
    await page.getByRole("radio", { name: type, exact: true }).check();
    for (const [label, shown] of Object.entries(fields)) {
      await expect(page.getByLabel(label, { exact: true })).toHaveCount(shown ? 1 : 0);
    }
    if (type.includes("paid")) await page.getByLabel("Price of the trial").fill("1");
    await expect(preview(page).getByTestId("price-in-words")).toHaveText(words);
    await page.getByRole("button", { name: "Create draft" }).click();
    await page.waitForURL(/\/test\/plans\/plan_/);
    await expect(page.getByRole("heading", { name: type, level: 1 })).toBeVisible();
  }
  const { data } = (await api.call(listPlans)).ok();
  expect(data.map((plan) => plan.type).toReversed()).toEqual([
    "ONE_TIME",
    "SUBSCRIPTION_NO_TRIAL",
    "SUBSCRIPTION_FREE_TRIAL",
    "SUBSCRIPTION_PAID_TRIAL",
  ]);
  expect(data[0]).toMatchObject({ trial_price_amount: 1, trial_period_value: 14, billing_frequency_unit: "MONTHS" });
});

test("the preview's dates are counted from today, through the trial and the ends of months", async ({
  owner: page,
}) => {
  await openForm(page);
  await describe(page, "Dates", "10");
  await page.getByRole("radio", { name: "Subscription with free trial" }).check();
  const today = dateIn("UTC", new Date());
  const end = addPeriods(today, { value: 14, unit: "DAYS" }, 1);
  const monthly = [0, 1, 2, 3, 4].map((times) => addPeriods(end, { value: 1, unit: "MONTHS" }, times));
  const dates = preview(page).getByRole("listitem").getByRole("time");
  await expect
    .poll(() => dates.evaluateAll((all) => all.map((time) => time.getAttribute("datetime"))))
    .toEqual([...[today, ...monthly]]);
  await expect(preview(page).getByRole("listitem").first()).toContainText("14 days free");
  await page.getByLabel("Trial lasts", { exact: true }).fill("3");
  await page.getByLabel("Trial lasts: unit").selectOption("weeks");
  await expect(preview(page).getByRole("listitem").nth(1).getByRole("time")).toHaveAttribute(
    "datetime",
    addPeriods(today, { value: 3, unit: "WEEKS" }, 1),
  );
});

test("an API error is shown at its field, before and after submitting", async ({ owner: page, api }) => {
  (
    await api.call(createPlan, { body: { type: "ONE_TIME", name: "Taken", currency: "USD", full_price_amount: 1 } })
  ).ok();
  await openForm(page);
  await page.getByRole("button", { name: "Create draft" }).click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/Give the plan a name/);
  await expect(page.getByLabel("Price", { exact: true })).toHaveAccessibleDescription(/Enter the price/);
  await describe(page, "Taken", "19.999");
  await expect(page.getByLabel("Price", { exact: true })).toHaveAccessibleDescription(/at most 2 decimals/);
  await page.getByLabel("Currency").selectOption("JPY");
  await page.getByLabel("Price", { exact: true }).fill("19.9");
  await expect(page.getByLabel("Price", { exact: true })).toHaveAccessibleDescription(/JPY has no decimals/);
  await page.getByLabel("Price", { exact: true }).fill("1999");
  await page.getByRole("button", { name: "Create draft" }).click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/already a plan named 'Taken'/);
  await expect(page.getByLabel("Name")).toBeFocused();
  await page.getByLabel("Name").fill("Free");
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.waitForURL(/\/plans\/plan_/);
  expect((await api.call(listPlans)).ok().data[0]).toMatchObject({ name: "Free", currency: "JPY" });
});

test("a double click and a lost response create one plan", async ({ owner: page, api }) => {
  await openForm(page);
  await describe(page, "Once", "5");
  const keys: (string | undefined)[] = [];
  await page.route("**/v1/subscription-plans", async (route) => {
    keys.push(route.request().headers()["x-idempotency-key"]);
    await route.fetch();
    if (keys.length === 1) await route.abort("connectionreset");
    else await route.continue();
  });
  await page.getByRole("button", { name: "Create draft" }).dblclick();
  await expect(page.getByRole("alert").filter({ hasText: "No response arrived" })).toBeVisible();
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.waitForURL(/\/plans\/plan_/);
  expect(new Set(keys).size).toBe(1);
  expect((await api.call(listPlans)).ok().total).toBe(1);
});

async function savedPlan(api: Parameters<Parameters<typeof test>[2]>[0]["api"], more: object = {}): Promise<Plan> {
  const body = { type: "ONE_TIME", name: "Poster", currency: "USD", full_price_amount: 20, ...more };
  return (await api.call(createPlan, { body })).ok();
}

test("a plan changes from draft to active, where price and timing are locked, to inactive", async ({
  owner: page,
  api,
}) => {
  const { id } = await savedPlan(api);
  const status = async () => (await api.call(getPlan, { id })).ok().status;
  await page.goto(`/test/plans/${id}`);
  await page.getByRole("button", { name: "Activate" }).click();
  await expect(page.getByRole("dialog")).toContainText("price and timing are locked");
  await page.getByRole("button", { name: "Activate plan" }).click();
  await expect(page.getByText("Price and timing are locked", { exact: true })).toBeVisible();
  await expect(page.getByLabel("Price", { exact: true })).toBeDisabled();
  expect(await status()).toBe("ACTIVE");

  await page.getByLabel("Name").fill("Large poster");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { name: "Large poster", level: 1 })).toBeVisible();

  await page.getByRole("button", { name: "Deactivate" }).click();
  await expect(page.getByRole("dialog")).toContainText("refused from now on");
  await page.getByRole("button", { name: "Deactivate plan" }).click();
  await expect(page.getByLabel("Price", { exact: true })).toBeEnabled();
  expect(await status()).toBe("INACTIVE");
  await page.getByLabel("Price", { exact: true }).fill("25");
  await page.getByRole("button", { name: "Save changes" }).click();
  // Also disabled while it saves.
  await expect.poll(async () => (await api.call(getPlan, { id })).ok().full_price_amount).toBe(25);
  await expect(page.getByRole("button", { name: "Save changes" })).toBeDisabled();
});

test("typed values are not lost without a question: link, back, and reload", async ({ owner: page, api }) => {
  const { id } = await savedPlan(api);
  await page.goto("/test/plans");
  await page.getByRole("link", { name: "Poster" }).click();
  await page.getByLabel("Name").fill("Half-typed");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await page.getByRole("link", { name: "Plans", exact: true }).first().click();
  await expect(question).toBeVisible();
  await page.getByRole("button", { name: "Stay" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Half-typed");
  await page.evaluate(() => history.back());
  await expect(question).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(`/test/plans/${id}`);
  await page.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL("**/test/plans");
  await expect(page.getByRole("heading", { name: "Plans", level: 1 })).toBeVisible();
});

test("the list is filtered and paged by its address", async ({ owner: page, api }) => {
  await page.goto("/test/plans");
  await expect(page.getByRole("heading", { name: "No plans yet" })).toBeVisible();
  await expect(page.getByText("curl -X POST")).toBeVisible();
  for (let i = 1; i <= 21; i++) await savedPlan(api, { name: `Plan ${i}`, status: i === 1 ? "ACTIVE" : "DRAFT" });
  await page.goto("/test/plans");
  await expect(page.getByText("1–20 of 21 plans")).toBeVisible();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText("21–21 of 21 plans")).toBeVisible();
  await chooseFilter(page, "Status", "Active");
  await page.waitForURL("**/plans?status=ACTIVE");
  await expect(page.getByRole("row", { name: /Plan 1 .*\$20.00 USD once/ })).toBeVisible();
  await chooseFilter(page, "Type", "Subscription");
  await expect(page.getByRole("heading", { name: "No plans match" })).toBeVisible();
  await page.getByRole("link", { name: "Show all plans" }).click();
  await page.waitForURL("**/plans");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "No plans match" })).toBeVisible();
  await page.goto("/test/plans?status=DRAFT&offset=40");
  await expect(page.getByRole("heading", { name: "This page is past the last one" })).toBeVisible();
  await page.getByRole("link", { name: "Go to the first page" }).click();
  await page.waitForURL("**/plans?status=DRAFT");
  await expect(page.getByText("1–20 of 20 plans")).toBeVisible();
  await page.goto("/test/plans?status=ODD");
  await expect(page.getByText("This link has an unknown filter")).toBeVisible();
});

test("users who may not change plans see them read-only", async ({ page, api, newPerson, signInAs }) => {
  const { id } = await savedPlan(api);
  await signInAs(page.context(), await newPerson("viewer"));
  await page.goto(`/test/plans/${id}`);
  await expect(page.getByText("View only")).toBeVisible();
  await expect(page.getByRole("button", { name: /activate/i })).toHaveCount(0);
  await page.goto("/test/plans/new");
  await expect(page.getByRole("heading", { name: /You don’t have access to/ })).toBeVisible();
});

test("a plan of another merchant, or of the other mode, is not found", async ({ owner: page, stranger, tenant }) => {
  const strange = await savedPlan(stranger.api);
  const live = await savedPlan(tenant.live);
  for (const id of [strange.id, live.id, "plan_01h455vb4pex5vsknk084sn02q", "nonsense"]) {
    const response = await page.goto(`/test/plans/${id}`);
    await expect(page.getByRole("button", { name: "Activate" })).toHaveCount(0);
    await expect(page.getByText("Poster")).toHaveCount(0);
    expect([200, 404]).toContain(response?.status());
  }
});

test("the pages of plans are accessible and fit a phone", { tag: ["@looks", "@prove"] }, async ({
  owner: page,
  api,
}) => {
  const { id } = await savedPlan(api, {
    type: "SUBSCRIPTION_PAID_TRIAL",
    status: "ACTIVE",
    name: "A name of fifty characters, which is the longest!!",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    trial_period_value: 14,
    trial_period_unit: "DAYS",
    trial_price_amount: 1,
  });
  for (const path of ["/test/plans", "/test/plans/new", `/test/plans/${id}`]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectWellInEveryLook(page);
  }
});

test("a plan is created and activated by keyboard alone", async ({ owner: page, api }) => {
  await openForm(page);
  await page.getByLabel("Name").focus();
  await page.keyboard.type("Typed");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("radio", { name: "Subscription", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("radio", { name: "One-time" })).toBeChecked();
  await page.keyboard.press("Tab");
  await page.keyboard.type("7.50");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/plans\/plan_/);
  await page.getByRole("button", { name: "Activate" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Activate plan" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Price and timing are locked", { exact: true })).toBeVisible();
  expect((await api.call(listPlans)).ok().data[0]).toMatchObject({ name: "Typed", status: "ACTIVE" });
});
