import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import type { Page } from "playwright/test";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import type { Plan } from "@/lib/contract/plans/plan";
import {
  cancelSubscription,
  createSubscription,
  getSubscription,
  listSubscriptions,
  pauseSubscription,
} from "@/lib/contract/subscriptions/endpoints";
import { advanceTestClock, getTestClock } from "@/lib/contract/test-clock/endpoints";
import { expectAccessible, expectWellInEveryLook, openAlive, test } from "../browser";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { aCard, newPaymentMethod, newPlan } from "../samples";
import { opens } from "./money-dialogs";

const DAY_MS = 86_400_000;
const POOR_LATER = "4000000000007205";

const monthly = (api: Api, name: string, overrides: object = {}): Promise<Plan> =>
  newPlan(api, {
    type: "SUBSCRIPTION_NO_TRIAL",
    status: "ACTIVE",
    name,
    currency: "EUR",
    full_price_amount: 21.9,
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    ...overrides,
  });

const trialPlan = (api: Api) =>
  monthly(api, "Coffee club", {
    type: "SUBSCRIPTION_FREE_TRIAL",
    full_price_amount: 19.9,
    trial_period_value: 14,
    trial_period_unit: "DAYS",
  });

async function subscribe(
  api: Api,
  plan: Plan,
  who: string,
  overrides: { card?: string; [field: string]: unknown } = {},
) {
  const { card, ...rest } = overrides;
  const customer_id = `cus_${who}`;
  const method = await newPaymentMethod(api, { customer_id, ...(card && { card: aCard(card) }) });
  const body = {
    plan_id: plan.id,
    customer_id,
    customer_email: `${who}@customer.example`,
    payment_method_id: method.id,
    ...rest,
  };
  return (await api.call(createSubscription, { body })).ok();
}

/** Advances the test clock, to days after a time, and waits until everything on the way has happened. */
async function advance(api: Api, days: number, after?: string | null): Promise<void> {
  const from = after ?? (await api.call(getTestClock)).ok().now;
  const to = new Date(Date.parse(from) + days * DAY_MS).toISOString();
  (await api.call(advanceTestClock, { body: { to } })).ok(202);
  await expect.poll(async () => (await api.call(getTestClock)).ok().status, { timeout: 30_000 }).toBe("READY");
}

/** Advances to the day after the next invoice, before any retry, however long the month is. */
async function advancePastInvoice(api: Api, id: string): Promise<void> {
  await advance(api, 1, (await api.call(getSubscription, { id })).ok().next_invoice_at);
}

const pageOf = (id: string) => `/test/subscriptions/${id}`;
const dialogOf = (page: Page) => page.getByRole("dialog");

/** Opens an action's dialog from the subscription's page: by its button, or in the menu. */
async function openAction(page: Page, id: string, name: string): Promise<void> {
  await openAlive(page, pageOf(id));
  const main = page.getByRole("main");
  const button = main.getByRole("button", { name, exact: true });
  if ((await button.count()) > 0) return opens(button, dialogOf(page));
  const item = page.getByRole("menuitem", { name: `${name}…` });
  await opens(main.getByRole("button", { name: "More", exact: true }), item);
  await item.click();
  await expect(dialogOf(page)).toBeVisible();
}

const headings = (page: Page) => page.locator("tbody tr td:first-child");

test("the list is filtered, searched, sorted and paged in its address, and saves views", { tag: "@looks" }, async ({
  owner: page,
  api,
}) => {
  const [studio, pro] = [await monthly(api, "Studio"), await monthly(api, "Pro", { full_price_amount: 49 })];
  const ada = await subscribe(api, studio, "ada");
  const bob = await subscribe(api, pro, "bob");
  await subscribe(api, pro, "cyd");
  (await api.call(pauseSubscription, { id: ada.id })).ok();
  (await api.call(cancelSubscription, { id: bob.id, body: { reason: "Moved away" } })).ok();

  await openAlive(page, "/test/subscriptions");
  await expect(page.getByText("3 subscriptions")).toBeVisible();
  await expect(headings(page)).toHaveText(["cyd@customer.example", "bob@customer.example", "ada@customer.example"]);
  await expectWellInEveryLook(page);
  await page.setViewportSize({ width: 1440, height: 900 });

  const filters = page.getByRole("region", { name: "Filters" });
  await opens(filters.getByRole("button", { name: "Status" }), page.getByRole("checkbox", { name: "Paused" }));
  await page.getByRole("checkbox", { name: "Paused" }).check();
  await page.getByRole("checkbox", { name: "Cancelled" }).check();
  await expect(page).toHaveURL(/status=PAUSED,CANCELLED/);
  await page.keyboard.press("Escape");
  await expect(headings(page)).toHaveText(["bob@customer.example", "ada@customer.example"]);
  await expect(page.getByRole("list", { name: "Active filters" })).toContainText("Status: Paused or Cancelled");
  await page.getByRole("button", { name: /Remove filter Status/ }).click();
  await expect(page.getByText("3 subscriptions")).toBeVisible();

  await opens(filters.getByRole("button", { name: "Plan" }), page.getByRole("combobox", { name: "Plan" }));
  await page.getByRole("combobox", { name: "Plan" }).selectOption({ label: "Pro" });
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("list", { name: "Active filters" })).toContainText("Plan: Pro");
  await expect(page.getByText("2 subscriptions")).toBeVisible();

  await page.getByRole("button", { name: "Save view" }).click();
  await dialogOf(page).getByLabel("Name").fill("Pro people");
  await dialogOf(page).getByRole("button", { name: "Save view" }).click();
  await expect(page.getByRole("link", { name: "Pro people" })).toHaveAttribute("aria-current", "page");
  await page.getByRole("link", { name: "All", exact: true }).click();
  await expect(page.getByText("3 subscriptions")).toBeVisible();
  await page.getByRole("link", { name: "Pro people" }).click();
  await expect(page.getByText("2 subscriptions")).toBeVisible();

  for (const [typed, found] of [
    ["ada@", "ada@customer.example"],
    ["cus_BOB", "bob@customer.example"],
    [ada.id, "ada@customer.example"],
  ] as const) {
    await openAlive(page, "/test/subscriptions");
    await page.getByRole("searchbox", { name: "Search subscriptions" }).fill(typed);
    await expect(headings(page)).toHaveText([found]);
  }
  await page.getByRole("searchbox", { name: "Search subscriptions" }).fill("nobody");
  await expect(page.getByText("No subscriptions match")).toBeVisible();

  await openAlive(page, "/test/subscriptions");
  await page.getByRole("table").getByRole("button", { name: "Customer" }).click();
  await expect(page).toHaveURL(/sort=customer_id/);
  await expect(headings(page)).toHaveText(["ada@customer.example", "bob@customer.example", "cyd@customer.example"]);
  await openAlive(page, "/test/subscriptions?status=WRONG&color=red");
  await expect(page.getByText("Part of this link is not valid and was ignored")).toBeVisible();
});

test("pages follow a cursor in both directions", async ({ owner: page, api }) => {
  const plan = await monthly(api, "Studio");
  const method = await newPaymentMethod(api, { customer_id: "cus_many" });
  for (let i = 0; i < 23; i++) {
    const body = { plan_id: plan.id, customer_id: "cus_many", payment_method_id: method.id };
    (await api.call(createSubscription, { body: { ...body, customer_email: `r${i}@customer.example` } })).ok();
  }
  await openAlive(page, "/test/subscriptions");
  await expect(page.getByText("23 subscriptions")).toBeVisible();
  await expect(headings(page)).toHaveCount(20);
  await page.getByRole("button", { name: "Next", exact: true }).last().click();
  await expect(headings(page)).toHaveText(["r2@customer.example", "r1@customer.example", "r0@customer.example"]);
  await expect(page.getByRole("button", { name: "Next", exact: true }).last()).toBeDisabled();
  await page.getByRole("button", { name: "Previous" }).click();
  await expect(headings(page).first()).toHaveText("r22@customer.example");
  await expect(page.getByRole("button", { name: "Previous" })).toBeDisabled();
});

test("the export has the filtered list", async ({ owner: page, api }) => {
  const plan = await monthly(api, "Studio");
  const ada = await subscribe(api, plan, "ada", { quantity: 3 });
  const bob = await subscribe(api, plan, "bob");
  (await api.call(pauseSubscription, { id: bob.id })).ok();
  await openAlive(page, "/test/subscriptions?status=ACTIVE");
  const dialog = page.getByRole("dialog", { name: "Export subscriptions" });
  await opens(page.getByRole("button", { name: "Export", exact: true }), dialog);
  const saving = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export", exact: true }).click();
  const lines = parse(await readFile(await (await saving).path()), { columns: true }) as Record<string, string>[];
  expect(lines).toMatchObject([
    { id: ada.id, status: "ACTIVE", plan_name: "Studio", quantity: "3", amount: "65.70", currency: "EUR" },
  ]);
});

test("a page shows what happens next, and describes every event", { tag: "@looks" }, async ({ owner: page, api }) => {
  const plan = await monthly(api, "Studio");
  const { id } = await subscribe(api, plan, "otto", { card: POOR_LATER, metadata: { team: "Garden 7" } });
  await advancePastInvoice(api, id);
  await advancePastInvoice(api, id);
  expect((await api.call(getSubscription, { id })).ok().status).toBe("PAST_DUE");

  await openAlive(page, pageOf(id));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("otto@customer.example");
  await expect(page.getByText(/€21\.90 EUR unpaid: attempt 2 of 4 on/)).toBeVisible();
  await expect(page.getByText(/^Attempt 2 of 4 on/)).toBeVisible();
  await expect(page.getByRole("region", { name: "Next invoice" })).toContainText("To be charged");
  await expect(page.getByRole("region", { name: "Invoices" }).getByRole("listitem")).toHaveCount(3);
  await expect(page.getByRole("region", { name: "Payments" })).toContainText("Declined");
  await expect(page.getByRole("region", { name: "Details" })).toContainText("Garden 7");
  const timeline = page.getByRole("list", { name: "Timeline" });
  await expect(timeline).toContainText("Subscribed to Studio");
  await expect(timeline).toContainText("Paid €21.90");
  await expect(timeline).toContainText("Payment of €21.90 failed");
  await expectWellInEveryLook(page);

  await page.goto("/test/subscriptions/sub_01jd4v8w3gfh1r2a3b4c5d6e7f");
  await expect(page.getByText("No such subscription")).toBeVisible();
});

test("a cancellation at the end of the period is undone; an immediate one refunds the amount shown before", {
  tag: "@looks",
}, async ({ owner: page, api }) => {
  // A cent of this price lasts a day, so that the shown amount doesn't change before it is refunded.
  const { id } = await subscribe(api, await monthly(api, "Studio", { full_price_amount: 0.3 }), "ada");
  await advance(api, 10);
  await openAction(page, id, "Cancel");
  await expectWellInEveryLook(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await dialogOf(page)
    .getByRole("button", { name: /^Cancel on / })
    .click();
  await expect(page.getByText("It won’t be renewed, and nothing more will be charged.")).toBeVisible();
  expect((await api.call(getSubscription, { id })).ok()).toMatchObject({ cancel_at_period_end: true });

  await page.getByRole("button", { name: "Keep subscription" }).click();
  await dialogOf(page).getByRole("button", { name: "Keep subscription" }).click();
  await expect(page.getByText("It won’t be renewed, and nothing more will be charged.")).toBeHidden();
  expect((await api.call(getSubscription, { id })).ok()).toMatchObject({ cancel_at_period_end: false });

  await openAction(page, id, "Cancel");
  await dialogOf(page).getByRole("radio", { name: "Now" }).check();
  await dialogOf(page)
    .getByRole("radio", { name: /^Refund €/ })
    .check();
  const told = await dialogOf(page)
    .getByRole("button", { name: /^Cancel now and refund €/ })
    .textContent();
  await dialogOf(page).getByLabel("Reason").fill("Moved away");
  await dialogOf(page)
    .getByRole("button", { name: told ?? "" })
    .click();
  await expect(page.getByText(/^Ended on/).first()).toBeVisible();
  await expect(page.getByText("Reason: Moved away").first()).toBeVisible();
  const amount = told?.replace("Cancel now and refund ", "") ?? "";
  await expect(page.getByRole("region", { name: "Payments" })).toContainText(`−${amount}`, { timeout: 15_000 });
  await openAlive(page, pageOf(id));
  await page.getByRole("button", { name: "Why can’t I change it?" }).click();
  await expect(page.getByText("The subscription has ended.", { exact: false })).toBeVisible();
  await page.getByRole("link", { name: "Subscribe again" }).click();
  await expect(page.getByRole("combobox", { name: "Customer" })).toHaveValue("cus_ada");
});

test("pausing and resuming show what is charged, and charge once even if the response is lost", async ({
  owner: page,
  api,
}) => {
  const { id } = await subscribe(api, await monthly(api, "Studio"), "ada");
  await openAction(page, id, "Pause");
  await dialogOf(page).getByRole("button", { name: "Pause subscription" }).click();
  await expect(page.getByRole("button", { name: "Resume", exact: true })).toBeVisible();

  await openAction(page, id, "Resume");
  await expect(dialogOf(page)).toContainText("To be charged");
  await expectAccessible(page);
  const keys: (string | undefined)[] = [];
  await page.route("**/v1/**/resume", async (route) => {
    keys.push(route.request().headers()["x-idempotency-key"]);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await dialogOf(page).getByRole("button", { name: "Resume and charge €21.90" }).dblclick();
  await dialogOf(page).getByRole("button", { name: "Retry safely" }).click();
  await expect(dialogOf(page)).toBeHidden();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  const invoices = (await api.call(listInvoices, { query: { subscription_id: id } })).ok();
  expect(invoices.data.map(({ amount_paid }) => amount_paid)).toEqual([2_190, 2_190]);
});

test("a new subscription whose response is lost is repeated under its key after a reload, and made once", async ({
  owner: page,
  api,
}) => {
  const studio = await monthly(api, "Studio");
  await newPaymentMethod(api, { customer_id: "cus_ada" });
  const keys: (string | undefined)[] = [];
  await page.route("**/v1/subscriptions", async (route) => {
    keys.push(route.request().headers()["x-idempotency-key"]);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  const submit = page.getByRole("main").getByRole("button", { name: "Subscribe and charge €21.90" });
  const unknown = page.getByRole("dialog", { name: "Outcome unknown" });
  const closeUnknown = () => unknown.getByRole("contentinfo").getByRole("button", { name: "Close" }).click();
  await openAlive(page, `/test/subscriptions/new?customer=cus_ada&plan=${studio.id}`);
  await submit.click();
  await dialogOf(page).getByRole("button", { name: "Subscribe and charge €21.90" }).click();
  await expect(unknown).toBeVisible();

  await page.reload();
  await expect(unknown).toContainText("Subscribe cus_ada to Studio");
  await closeUnknown();
  await expect(page.getByRole("status").filter({ hasText: "“Subscribe cus_ada to Studio” was sent" })).toBeVisible();
  await submit.click();
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await page.waitForURL("**/test/subscriptions/sub_*");
  await expect(page.getByText("its outcome is not known yet")).toHaveCount(0);
  expect(keys).toEqual([expect.any(String), keys[0]]);
  const { data } = (await api.call(listSubscriptions, { query: { plan_id: studio.id } })).ok();
  expect(data).toHaveLength(1);
});

test("a change of plan or quantity shows its invoice first", { tag: "@looks" }, async ({ owner: page, api }) => {
  const studio = await monthly(api, "Studio");
  await monthly(api, "Pro", { full_price_amount: 49 });
  const { id } = await subscribe(api, studio, "ada");
  await openAction(page, id, "Change plan or quantity");
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("button", { name: /^Change on / })).toBeDisabled();
  await dialog.getByLabel("Plan", { exact: true }).selectOption({ label: "Pro · €49.00 every month" });
  await expect(dialog.getByText(/€49\.00 is charged to Visa •••• 4242 on/)).toBeVisible();
  await dialog.getByRole("radio", { name: "Now" }).check();
  await dialog.getByLabel("Quantity", { exact: true }).fill("2");
  await expect(dialog.getByText("unused part of the period")).toBeVisible();
  const told = dialog.getByRole("button", { name: /^Change now and charge €/ });
  await expect(told).toBeEnabled();
  await expectWellInEveryLook(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await told.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("Pro × 2").first()).toBeVisible();
  expect((await api.call(getSubscription, { id })).ok()).toMatchObject({ quantity: 2, plan: { name: "Pro" } });

  await openAction(page, id, "Change plan or quantity");
  await dialog.getByLabel("Quantity", { exact: true }).fill("1");
  await dialog.getByRole("button", { name: /^Change on / }).click();
  await expect(page.getByText(/^Changes to Pro on/)).toBeVisible();
});

test("an unpaid invoice is charged manually, and another card is charged immediately", async ({ owner: page, api }) => {
  const { id } = await subscribe(api, await monthly(api, "Studio"), "otto", { card: POOR_LATER });
  const other = await newPaymentMethod(api, { customer_id: "cus_otto" });
  await advancePastInvoice(api, id);
  await advancePastInvoice(api, id);
  await openAction(page, id, "Retry now");
  await dialogOf(page).getByRole("button", { name: "Charge €21.90 to Visa •••• 7205" }).click();
  await expect(dialogOf(page).getByRole("alert")).toContainText(/declined|funds/i);
  await dialogOf(page).getByRole("button", { name: "Cancel" }).click();

  await openAction(page, id, "Change card");
  await dialogOf(page).getByRole("radio", { name: /4242/ }).check();
  await dialogOf(page).getByRole("button", { name: "Use this card and charge €21.90" }).click();
  await expect(dialogOf(page)).toBeHidden();
  await expect
    .poll(async () => (await api.call(getSubscription, { id })).ok(), { timeout: 15_000 })
    .toMatchObject({ status: "ACTIVE", payment_method_id: other.id });
  await expect(page.getByRole("region", { name: "Card on file" })).toContainText("4242");
});

test("a trial is extended, and the first charge moves with it", async ({ owner: page, api }) => {
  const { id, trial_end_at } = await subscribe(api, await trialPlan(api), "maya");
  await openAction(page, id, "Extend the trial");
  const later = new Date(Date.parse(trial_end_at ?? "") + 7 * DAY_MS).toISOString().slice(0, 16);
  await dialogOf(page).getByLabel("The trial ends").fill(later);
  await expect(dialogOf(page).getByText(/Then €19\.90 is charged for the first period/)).toBeVisible();
  await dialogOf(page)
    .getByRole("button", { name: /^End the trial on / })
    .click();
  await expect(dialogOf(page)).toBeHidden();
  expect((await api.call(getSubscription, { id })).ok().trial_end_at?.slice(0, 16)).toBe(later);
  await expect(page.getByRole("list", { name: "Timeline" })).toContainText("Trial extended to");
});

test("a subscriber is added after the form shows today's charge and the first full one", { tag: "@looks" }, async ({
  owner: page,
  api,
}) => {
  const plan = await trialPlan(api);
  await newPaymentMethod(api, { customer_id: "cus_new" });
  await openAlive(page, `/test/subscriptions/new?plan=${plan.id}`);
  await page.getByLabel("Customer", { exact: true }).fill("cus_nobody");
  await expect(page.getByText("No card on file")).toBeVisible();
  await page.getByRole("button", { name: "Make a link" }).click();
  await expect(page.getByTestId("payment-link")).toContainText("/pay/");
  await page.getByLabel("Customer", { exact: true }).fill("cus_new");
  await page.getByLabel("E-mail").fill("new@customer.example");
  const effects = page.getByRole("region", { name: "What happens" });
  await expect(effects).toContainText("Nothing is charged. The trial begins.");
  await expect(effects).toContainText("€19.90 is charged, the first time in full.");
  await expectWellInEveryLook(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Start the trial" }).click();
  await dialogOf(page).getByRole("button", { name: "Start the trial" }).dblclick();
  await page.waitForURL(/\/test\/subscriptions\/sub_/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("new@customer.example");

  await openAlive(page, `/test/subscriptions/new?plan=${plan.id}&customer=cus_new&email=new@customer.example`);
  await expect(effects).toContainText("has already had a trial of this plan");
  await expect(page.getByRole("button", { name: "Subscribe and charge €19.90" })).toBeEnabled();
  expect((await api.call(listSubscriptions)).ok().data).toHaveLength(1);

  await openAlive(page, `/test/plans/${plan.id}`);
  const subscribers = page.getByRole("region", { name: "Subscribers" });
  await expect(subscribers).toContainText("new@customer.example");
  await subscribers.getByRole("link", { name: "Trial 1" }).click();
  await expect(page).toHaveURL(new RegExp(`status=TRIALING&plan=${plan.id}`));
  await expect(headings(page)).toHaveText(["new@customer.example"]);
});

test("a viewer sees subscriptions, and why nothing can be changed", async ({ page, api, newPerson, signInAs }) => {
  const { id } = await subscribe(api, await monthly(api, `Studio ${randomUUID().slice(0, 4)}`), "ada");
  await signInAs(page.context(), await newPerson("viewer"));
  await openAlive(page, "/test/subscriptions");
  await expect(headings(page)).toHaveText(["ada@customer.example"]);
  await expect(page.getByRole("link", { name: "Add subscriber" })).toHaveCount(0);
  await openAlive(page, pageOf(id));
  await page.getByRole("button", { name: "Why can’t I change it?" }).click();
  await expect(page.getByText("Your role does not allow you to change subscriptions.", { exact: false })).toBeVisible();
  await page.goto("/test/subscriptions/new");
  await expect(page.getByText("You don’t have access to the form for new subscribers")).toBeVisible();
});
