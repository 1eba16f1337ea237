import type { Page } from "@playwright/test";
import type { Sql } from "@/db/client";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { cancelClientSession, getClientSession } from "@/lib/contract/checkout/operations";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { untilAlive } from "../browser";
import { expect, type Tenant } from "../fixtures";
import { expectAccessible, expectNoSidewaysScroll } from "../looks";
import { aCard, CARDS, newPlan, newSession } from "../samples";
import { test } from "./fixtures";

const form = (page: Page) => page.getByRole("form", { name: "New payment link" });
const link = (page: Page) => page.getByTestId("payment-link");

async function openForm(page: Page, search = ""): Promise<void> {
  await page.goto(`/test/checkout/new${search}`);
  await expect(page.getByRole("heading", { name: "New payment link", level: 1 })).toBeVisible();
  // Fields take part as soon as React does.
  await expect(page.getByLabel("Name")).toBeEnabled();
}

const create = (page: Page) => page.getByRole("button", { name: "Create payment link" }).click();

/** The only session of the environment, as the API has it. */
async function onlySession({ api, merchant }: Tenant, db: { sql: Sql }): Promise<ClientSession> {
  const rows = await db.sql`select id from client_sessions where environment_id = ${merchant.test.id}`;
  expect(rows).toHaveLength(1);
  return (await api.call(getClientSession, { id: encodeId("clientSession", rows[0]?.id as string) })).ok();
}

test("a link for an amount is made, shown once, copied, and open to whoever has it", async ({
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
  await page.getByLabel("Return address").fill("https://shop.example/thank-you");
  await page.getByRole("textbox", { name: "Origin 1" }).fill("shop.example/cart");
  await page.getByRole("button", { name: "Add another" }).click();
  await expect(page.getByRole("textbox", { name: "Origin 1" })).toHaveValue("https://shop.example");
  await page.getByRole("textbox", { name: "Origin 2" }).fill("http://localhost:3000");
  await create(page);

  await expect(page.getByRole("heading", { name: "Payment link ready", level: 1 })).toBeVisible();
  const session = await onlySession(tenant, db);
  expect(session).toMatchObject({
    ...{ amount: 1999, currency: "EUR", plan_id: null, capture_method: "manual", status: "OPEN" },
    ...{ customer_name: "Ada Lovelace", customer_email: "ada@shopper.example", customer_id: "c-42" },
    ...{ return_url: "https://shop.example/thank-you" },
    allowed_origins: ["https://shop.example", "http://localhost:3000"],
  });
  const address = await link(page).innerText();
  expect(address).toMatch(/\/pay\/cst_[A-Za-z0-9_-]{43}$/);
  await expect(page.getByRole("img", { name: "QR code of the payment link" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Open in a new tab" })).toHaveAttribute("href", address);

  // Nobody leaves by accident while it is nowhere else.
  await page.getByRole("link", { name: "See the session" }).click();
  const question = page.getByRole("dialog", { name: "Leave without copying the link?" });
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Stay" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  const token = address.slice(address.lastIndexOf("/") + 1);
  await expect(page.getByRole("tabpanel")).toContainText(`token: "${token}"`);
  await page.getByRole("tab", { name: "React" }).click();
  await expect(page.getByRole("tabpanel")).toContainText(token);

  await page.getByRole("link", { name: "See the session" }).click();
  await page.waitForURL(`**/test/checkout/${session.id}`);
  await expect(page.getByText("https://shop.example", { exact: true })).toBeVisible();
  expect(await page.content()).not.toContain(token);
});

test("a link for a plan takes the plan's price", async ({ owner: page, tenant, db, api }) => {
  const plan = await newPlan(api, { name: "Poster", status: "ACTIVE", full_price_amount: 45 });
  await newPlan(api, { name: "A draft" });
  await newPlan(api, {
    ...{ name: "Monthly", status: "ACTIVE", type: "SUBSCRIPTION_NO_TRIAL" },
    ...{ billing_frequency_value: 1, billing_frequency_unit: "MONTHS" },
  });
  await page.goto(`/test/plans/${plan.id}`);
  await expect(page.getByRole("link", { name: "New payment link" })).toHaveAttribute("href", /checkout\/new\?plan=/);
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
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expectAccessible(page);
  }
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

test("what is refused stands on its field, and what was typed stays", async ({ owner: page, api, tenant, db }) => {
  const plan = await newPlan(api, { name: "Poster", status: "ACTIVE" });
  await openForm(page, `?plan=${plan.id}`);
  await expect(page.getByRole("radio", { name: "A plan" })).toBeChecked();
  await page.getByRole("radio", { name: "An amount" }).check();
  await create(page);
  await expect(page.getByLabel("Amount", { exact: true })).toHaveAccessibleDescription("Enter the amount.");
  await expect(page.getByLabel("Amount", { exact: true })).toBeFocused();
  await page.getByLabel("Amount", { exact: true }).fill("1.999");
  await page.getByLabel("E-mail").fill("nobody");
  await page.getByLabel("Return address").fill("shop.example");
  await page.getByRole("textbox", { name: "Origin 1" }).fill("ftp://shop.example");
  await create(page);
  await expect(page.getByLabel("Amount", { exact: true })).toHaveAccessibleDescription(/at most 2 decimals in USD/);
  await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription(/not an e-mail address/);
  await expect(page.getByLabel("Return address")).toHaveAccessibleDescription(/begins with https/);
  await expect(page.getByRole("textbox", { name: "Origin 1" })).toHaveAccessibleDescription(/Use an origin/);

  // What only the server knows: the plan was taken from sale meanwhile.
  await openForm(page, `?plan=${plan.id}`);
  await db.sql`update plans set status = 'INACTIVE' where environment_id = ${tenant.merchant.test.id}`;
  await create(page);
  await expect(page.getByLabel("Plan", { exact: true })).toHaveAccessibleDescription(/INACTIVE/);
  await expect(form(page)).toBeVisible();
});

test("a double click and a lost answer make one session", async ({ owner: page, tenant, db }) => {
  await openForm(page);
  await page.getByLabel("Amount", { exact: true }).fill("5");
  const keys: (string | undefined)[] = [];
  await page.route("**/v1/client-sessions", async (route) => {
    keys.push(route.request().headers()["x-idempotency-key"]);
    await route.fetch();
    if (keys.length === 1) await route.abort("connectionreset");
    else await route.continue();
  });
  await page.getByRole("button", { name: "Create payment link" }).dblclick();
  await expect(page.getByRole("alert").filter({ hasText: "No answer came" })).toBeVisible();
  await create(page);
  // The retry has the same link: it was not lost with the answer.
  await expect(link(page)).toHaveText(/\/pay\/cst_/);
  expect(new Set(keys).size).toBe(1);
  await onlySession(tenant, db);
});

async function expire(db: { sql: Sql }, { id }: { id: string }): Promise<void> {
  await db.sql`update client_sessions set expires_at = now() - interval '1 minute' where id = ${decodeId("clientSession", id)}`;
}

test("the list is filtered and paged by its address, and its rows lead to their sessions", async ({
  owner: page,
  api,
  db,
}) => {
  await page.goto("/test/checkout");
  await expect(page.getByRole("heading", { name: "No payment links yet" })).toBeVisible();
  await expect(page.getByText("curl -X POST")).toBeVisible();
  const cancelled = await newSession(api, { customer_name: "Cancelled shopper" });
  (await api.call(cancelClientSession, { id: cancelled.id, body: {} })).ok();
  await expire(db, await newSession(api, { customer_name: "Late shopper" }));
  for (let i = 1; i <= 19; i++) await newSession(api, { customer_email: `shopper-${i}@x.example` });
  await page.goto("/test/checkout");
  await expect(page.getByText("1–20 of 21 sessions")).toBeVisible();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText("21–21 of 21 sessions")).toBeVisible();
  await expect(page.getByRole("row", { name: /Cancelled shopper/ })).toBeVisible();
  const filter = page.getByRole("navigation", { name: "Filter by status" });
  await filter.getByRole("link", { name: "Expired" }).click();
  await page.waitForURL("**/checkout?status=EXPIRED");
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row", { name: /€25\.00 EUR Expired Late shopper/ })).toBeVisible();
  await filter.getByRole("link", { name: "Completed" }).click();
  await expect(page.getByRole("heading", { name: "No sessions match" })).toBeVisible();
  await page.getByRole("link", { name: "Show all sessions" }).click();
  await expect(page.getByText("1–20 of 21 sessions")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "No sessions match" })).toBeVisible();
  await page.goto("/test/checkout?status=CANCELLED");
  await page.getByRole("link", { name: "€25.00 EUR" }).click();
  await page.waitForURL(`**/checkout/${cancelled.id}`);
  await page.goto("/test/checkout?status=ODD");
  await expect(page.getByText("This address has a filter that does not exist")).toBeVisible();
});

test("an open session is cancelled once it is clear what that means", async ({ owner: page, api }) => {
  const { id } = await newSession(api);
  await page.goto(`/test/checkout/${id}`);
  await page.getByRole("button", { name: "Cancel session" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this session?" });
  await dialog.getByRole("button", { name: "Keep it open" }).click();
  expect((await api.call(getClientSession, { id })).ok().status).toBe("OPEN");
  await page.getByRole("button", { name: "Cancel session" }).click();
  await dialog.getByRole("button", { name: "Cancel session" }).click();
  await expect(page.getByRole("list", { name: "History" })).toContainText("By Test owner");
  await expect(page.getByRole("button", { name: "Cancel session" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Create another" })).toBeVisible();
  expect((await api.call(getClientSession, { id })).ok().status).toBe("CANCELLED");
});

test("a session that ended meanwhile says so in the dialog", async ({ owner: page, api }) => {
  const { id } = await newSession(api);
  await page.goto(`/test/checkout/${id}`);
  await page.getByRole("button", { name: "Cancel session" }).click();
  (await api.call(cancelClientSession, { id, body: {} })).ok();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel session" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "is CANCELLED" })).toBeVisible();
});

test("a session shows its attempts in plain words, and its payment leads back to it", async ({
  owner: page,
  api,
  baseUrl,
}) => {
  const session = await newSession(api, { metadata: { order: "42" } });
  const pay = (number: string, attempt: string) =>
    page.request.post(`${baseUrl}/pay/${session.client_session_token}/attempts`, {
      headers: { "sec-fetch-site": "same-origin" },
      data: { attempt, mode: "payment", card: { ...aCard(number), name: "Ada Lovelace" } },
    });
  await page.goto(`/test/checkout/${session.id}`);
  await expect(page.getByText("No card has been tried yet")).toBeVisible();
  await expect(page.getByText("order", { exact: true })).toBeVisible();

  expect((await pay(CARDS.declined, "first")).status()).toBe(200);
  await page.reload();
  const attempts = page.getByRole("region", { name: "Attempts" });
  await expect(attempts).toContainText("4 of 5 tries left");
  await expect(attempts.getByRole("listitem")).toHaveText([/Visa •••• 0002.*Declined.*The issuer gave no reason/]);

  expect((await pay(CARDS.approved, "second")).status()).toBe(200);
  await page.reload();
  await expect(attempts.getByRole("listitem")).toHaveText([/4242.*Captured/, /0002.*Declined/]);
  await expect(page.getByRole("list", { name: "History" })).toContainText("Completed");
  await expect(page.getByRole("button", { name: "Cancel session" })).toHaveCount(0);
  const { payment_id } = (await api.call(getClientSession, { id: session.id })).ok();

  await page.goto("/test/checkout?status=COMPLETED");
  await expect(page.getByRole("row", { name: /€25\.00 EUR Completed/ })).toContainText("2 of 5");
  await page.getByRole("link", { name: "See payment" }).click();
  await page.waitForURL(`**/test/payments/${payment_id}`);
  await page.getByTitle(session.id, { exact: true }).click();
  await page.waitForURL(`**/test/checkout/${session.id}`);
  await page.getByRole("link", { name: "Payment with Visa •••• 0002" }).click();
  await page.waitForURL("**/test/payments/pay_*");
  await expect(page.getByText("Declined").first()).toBeVisible();
});

test("a viewer sees sessions and changes nothing; an operator creates, and does not style", async ({
  page,
  api,
  newPerson,
  signInAs,
}) => {
  const { id } = await newSession(api);
  await signInAs(page.context(), await newPerson("viewer"));
  await page.goto("/test/checkout");
  await expect(page.getByText("1–1 of 1 sessions")).toBeVisible();
  await expect(page.getByRole("link", { name: "New payment link" })).toHaveCount(0);
  await page.goto(`/test/checkout/${id}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("€25.00 EUR");
  await expect(page.getByRole("button", { name: "Cancel session" })).toHaveCount(0);
  for (const path of ["/test/checkout/new", "/test/checkout/appearance"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: /You cannot see/ })).toBeVisible();
  }
  await page.context().clearCookies();
  await signInAs(page.context(), await newPerson("operator"));
  await page.goto("/test/checkout");
  await expect(page.getByRole("link", { name: "New payment link" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Appearance" })).toHaveCount(0);
  const answer = await page.request.fetch("/api/dashboard/test/checkout/appearance", {
    method: "PATCH",
    headers: { "sec-fetch-site": "same-origin" },
    data: { appearance: { preset: "night" } },
  });
  expect(answer.status()).toBe(403);
});

test("a session of another merchant, or of the other mode, is not there", async ({ owner: page, stranger, tenant }) => {
  const strange = await newSession(stranger.api, { customer_name: "Somebody else’s" });
  const live = await newSession(tenant.live, { customer_name: "Somebody else’s" });
  for (const id of [strange.id, live.id, "cs_01h455vb4pex5vsknk084sn02q", "nonsense"]) {
    await page.goto(`/test/checkout/${id}`);
    await expect(page.getByRole("heading", { name: "There is no such client session here" })).toBeVisible();
    await expect(page.getByText("Somebody else’s")).toHaveCount(0);
  }
});

test.describe("appearance", () => {
  const frame = (page: Page) => page.frameLocator("iframe[title='Preview of the payment form']");

  async function open(page: Page): Promise<void> {
    await page.goto("/test/checkout/appearance");
    await expect(page.getByLabel("Accent", { exact: true })).toBeEnabled();
    await expect(frame(page).getByRole("button").last()).toBeVisible();
  }

  const stored = async (db: { sql: Sql }, environmentId: string) =>
    (await db.sql`select checkout_appearance from environments where id = ${environmentId}`)[0]?.checkout_appearance;

  test("the preview follows what is chosen, and it is saved for this environment", async ({
    owner: page,
    tenant,
    db,
  }) => {
    await open(page);
    const root = frame(page).locator("html");
    const background = () => root.evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.getByRole("radio", { name: "Night" }).check();
    await expect.poll(background).toBe("rgb(14, 17, 22)");
    await page.getByLabel("Background", { exact: true }).fill("ffffff");
    await page.getByLabel("Text", { exact: true }).fill("#222222");
    await page.getByLabel("Accent", { exact: true }).fill("#7A1FA2");
    await expect.poll(background).toBe("rgb(255, 255, 255)");
    await page.getByLabel("Corner radius").fill("20");
    await page.getByLabel("Font").selectOption("Georgia");
    await page.getByLabel("Language of the preview").selectOption("Deutsch");
    await expect(frame(page).locator("html")).toHaveAttribute("lang", "de");
    await page.getByRole("button", { name: "Phone" }).click();
    const box = await page.getByTitle("Preview of the payment form").boundingBox();
    expect(box?.width).toBeLessThanOrEqual(375);

    await page.getByText("Use it in one session only").click();
    const expected = {
      ...{ preset: "night", background_color: "#ffffff", text_color: "#222222", accent_color: "#7a1fa2" },
      ...{ border_radius: 20, font_family: "Georgia, 'Times New Roman', serif" },
    };
    expect(JSON.parse(await page.locator("figure code").innerText())).toEqual({ appearance: expected });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByText("Appearance saved")).toBeVisible();
    expect(await stored(db, tenant.merchant.test.id)).toEqual(expected);
    expect(await stored(db, tenant.merchant.live.id)).toBeNull();
    await open(page);
    await expect(page.getByLabel("Accent", { exact: true })).toHaveValue("#7a1fa2");
    await page.getByRole("button", { name: "Reset to default" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => stored(db, tenant.merchant.test.id)).toBeNull();
    await page.goto("/test/settings/activity");
    await expect(page.getByText("Changed how the payment form looks").first()).toBeVisible();
  });

  test("what cannot be read is told at once, mended by a click, and never saved", async ({
    owner: page,
    tenant,
    db,
    baseUrl,
  }) => {
    await open(page);
    await page.getByLabel("Text", { exact: true }).fill("#bbbbbb");
    await expect(page.getByLabel("Text", { exact: true })).toHaveAccessibleDescription(
      /Hard to read .* needed 4.5 to 1/,
    );
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Mend the colours first" })).toBeVisible();
    await expect(page.getByLabel("Text", { exact: true })).toBeFocused();
    expect(await stored(db, tenant.merchant.test.id)).toBeNull();
    const answer = await page.request.fetch(`${baseUrl}/api/dashboard/test/checkout/appearance`, {
      method: "PATCH",
      headers: { "sec-fetch-site": "same-origin" },
      data: { appearance: { text_color: "#bbbbbb" } },
    });
    expect(answer.status()).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ param: "appearance.text_color" }] });
    await page.getByRole("button", { name: /^Use #/ }).click();
    await expect(page.getByText("Hard to read")).toHaveCount(0);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByText("Appearance saved")).toBeVisible();
  });

  test("what was changed is not lost without a question", async ({ owner: page }) => {
    await open(page);
    await page.getByRole("radio", { name: "Sharp" }).check();
    await page.getByRole("link", { name: "Checkout", exact: true }).first().click();
    await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("link", { name: "Checkout", exact: true }).first().click();
    await page.waitForURL("**/test/checkout");
  });
});

test("the pages are reached by shortcut, palette and a pasted id", async ({ owner: page, api }) => {
  const { id } = await newSession(api);
  await page.goto("/test");
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await untilAlive(page);
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.waitForURL("**/test/checkout");
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/A page, an id/).fill("payment link");
  await expect(page.getByRole("option", { name: /^Checkout/ })).toBeVisible();
  await page.getByPlaceholder(/A page, an id/).fill(id);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/test/checkout/${id}`);
});
