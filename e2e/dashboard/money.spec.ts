import type { Locator, Page, Route } from "@playwright/test";
import type { Database } from "@/db/client";
import { decodeId } from "@/lib/contract/ids";
import { getPayment } from "@/lib/contract/operations/payments";
import { refundTransaction } from "@/lib/contract/operations/transactions";
import type { Payment } from "@/lib/contract/payment";
import { expect, type Tenant } from "../fixtures";
import { aCard, authorized, CARDS, captured, chargeOf, settled } from "../samples";
import { expectAccessible, expectNoSidewaysScroll, test } from "./fixtures";

const payments = (id: string) => `/test/payments/${id}`;
const dialogOf = (page: Page, name: string | RegExp = "Refund payment") => page.getByRole("dialog", { name });

/** Opens the dialog from the payment's page. */
async function openDialog(
  page: Page,
  payment: Payment,
  action: "Refund" | "Capture" | "Void" = "Refund",
): Promise<Locator> {
  const dialog = dialogOf(page, `${action} payment`);
  await expect(async () => {
    await page.goto(payments(payment.id));
    await opens(page.getByRole("main").getByRole("button", { name: action, exact: true }), dialog);
  }).toPass();
  await expect(dialog.locator("form fieldset")).toBeAttached();
  return dialog;
}

/** Presses until it opens: a press before the page's script runs is lost. */
async function opens(button: Locator, opened: Locator): Promise<void> {
  await expect(async () => {
    if (!(await opened.isVisible())) await button.click({ timeout: 2_000 });
    await expect(opened).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
}

const submitOf = (dialog: Locator) => dialog.getByRole("button", { name: /^(Refund|Capture|Void) \$/ });

/** What the database has: every refund of the payment, and every operation that was begun to make one. */
async function refundsOf(db: Database, { merchant }: Tenant, payment: Payment) {
  const id = decodeId("payment", payment.id);
  const transactions = await db.sql<{ amount: number; status: string }[]>`
    select amount, status from transactions
    where environment_id = ${merchant.test.id} and payment_id = ${id} and type = 'REFUND' order by id`;
  const operations = await db.sql<{ state: string }[]>`
    select state from operations where environment_id = ${merchant.test.id} and payment_id = ${id} and kind = 'refund'`;
  return { amounts: transactions.map(({ amount }) => amount), operations: operations.length };
}

/** Lets the request reach the service, then cuts the connection instead of handing on the answer. */
async function loseAnswers(page: Page, times = 1): Promise<() => number> {
  let lost = 0;
  await page.route("**/v1/**/refund", async (route: Route) => {
    if (lost >= times) return route.continue();
    lost++;
    await route.fetch();
    await route.abort("connectionreset");
  });
  return () => lost;
}

/** Idempotency keys of the refunds that the page sends, as they go out. */
function keysSent(page: Page): (string | undefined)[] {
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/refund"))
      keys.push(request.headers()["x-idempotency-key"]);
  });
  return keys;
}

test("a refund from the payment's page says what it does, and does it once", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await expect(dialog.getByText("Captured")).toBeVisible();
  await expect(dialog.getByText("cannot be undone")).toBeVisible();
  await expect(dialog.getByText("5–10 business days")).toBeVisible();
  await expect(dialog.getByLabel("Amount")).toHaveValue("100.00");
  await dialog.getByRole("button", { name: "Refund $100.00 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded $100.00 to Visa •••• 4242")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [10_000], operations: 1 });
  await expect(owner.getByRole("main").getByText("Refunded").first()).toBeVisible();
});

test("a refund from the table: a part, then the rest; the button follows the amount", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  await owner.goto("/test/transactions");
  const menu = owner.getByRole("button", { name: new RegExp(`^Actions for .*${chargeOf(payment).id}`) });
  const refund = owner.getByRole("menuitem", { name: /^Refund/ });
  await opens(menu, refund);
  await refund.click();
  const dialog = dialogOf(owner);
  await dialog.getByLabel("Amount").fill("25.50");
  await dialog.getByLabel("Reason").selectOption("RETURN");
  await dialog.getByRole("button", { name: "Refund $25.50 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded $25.50")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  await opens(menu, refund);
  await refund.click();
  await expect(dialog.getByLabel("Amount")).toHaveValue("74.50");
  await expect(dialog.getByText("Already refunded")).toBeVisible();
  await submitOf(dialog).click();
  await expect(dialog.getByText("Refunded $74.50")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [2_550, 7_450], operations: 2 });
});

test("more than is left is stopped in the form, and by the service when it is forced", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("100.01");
  await expect(dialog.getByText("At most $100.00 can be refunded.")).toBeVisible();
  await dialog.getByRole("button", { name: "Refund", exact: true }).click();
  expect((await refundsOf(db, tenant, payment)).operations).toBe(0);

  for (const wrong of ["", "abc", "0", "-5", "10.001"]) {
    await dialog.getByLabel("Amount").fill(wrong);
    await dialog.getByRole("button", { name: "Refund", exact: true }).click();
    await expect(dialog.getByLabel("Amount")).toHaveAttribute("aria-invalid", "true");
  }

  await owner.route("**/v1/**/refund", (route) => route.continue({ postData: JSON.stringify({ amount: 10_001 }) }));
  await dialog.getByLabel("Amount").fill("50.00");
  await submitOf(dialog).click();
  await expect(dialog.getByText(/At most 100\.00 USD can be refunded/)).toBeVisible();
  await expect(dialog.getByLabel("Amount")).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByLabel("Amount")).toHaveValue("50.00");
  expect((await refundsOf(db, tenant, payment)).amounts).toEqual([]);

  await owner.unroute("**/v1/**/refund");
  await submitOf(dialog).click();
  await expect(dialog.getByText("Refunded $50.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [5_000], operations: 1 });
});

test("'other' needs a note, which is kept with the refund", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Reason").selectOption("OTHER");
  await submitOf(dialog).click();
  await expect(dialog.getByText("Say what the reason is.")).toBeVisible();
  await dialog.getByLabel("Note").fill("Broken on arrival");
  await submitOf(dialog).click();
  await expect(dialog.getByText("Refunded $100.00")).toBeVisible();
  const [row] = await db.sql<{ refund_reason: string; refund_comment: string }[]>`
    select refund_reason, refund_comment from transactions
    where environment_id = ${tenant.merchant.test.id} and payment_id = ${decodeId("payment", payment.id)} and type = 'REFUND'`;
  expect(row).toEqual({ refund_reason: "OTHER", refund_comment: "Broken on arrival" });
});

test("a double click makes one refund", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("30.00");
  await submitOf(dialog).dblclick();
  await expect(dialog.getByText("Refunded $30.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [3_000], operations: 1 });
});

test("many clicks in one turn of the page's own loop make one refund", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("30.00");
  await submitOf(dialog).evaluate((button: HTMLButtonElement) => {
    for (let i = 0; i < 10; i++) {
      button.click();
      button.form?.requestSubmit();
    }
  });
  await expect(dialog.getByText("Refunded $30.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [3_000], operations: 1 });
});

test("two tabs at once make one refund, and the other is told what changed", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const other = await owner.context().newPage();
  const dialogs = [await openDialog(owner, payment), await openDialog(other, payment)];
  for (const dialog of dialogs) await dialog.getByLabel("Amount").fill("40.00");
  await Promise.all(dialogs.map((dialog) => submitOf(dialog).click()));
  const told = dialogs.map((dialog) =>
    dialog.getByText("Refunded $40.00 to").or(dialog.getByText("This payment has changed since you opened it")),
  );
  for (const text of told) await expect(text.first()).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_000], operations: 1 });
});

test("a tab that was open while another refunded shows it when one comes back, before anything is sent", async ({
  owner,
  api,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  (await api.call(refundTransaction, { id: chargeOf(payment).id, body: { amount: 2_500 } })).ok();
  await owner.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(dialog.getByText("A refund of $25.00 was made.")).toBeVisible();
  await expect(dialog.getByLabel("Amount")).toHaveValue("75.00");
});

test("the network cut after the request went out: unknown, and a safe retry finds the one refund", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("45.00");
  await loseAnswers(owner);
  await submitOf(dialog).click();
  const unknown = dialogOf(owner, "Outcome unknown");
  await expect(
    unknown.getByText(/not known yet whether the refund of \$45\.00 to Visa •••• 4242 went through/),
  ).toBeVisible();
  await expectAccessible(owner);
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialogOf(owner).getByText("Refunded $45.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_500], operations: 1 });
});

test("the network cut before the request went out: the safe retry makes the refund", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  let cut = true;
  await owner.route("**/v1/**/refund", (route) => (cut ? route.abort("connectionreset") : route.continue()));
  await submitOf(dialog).click();
  const unknown = dialogOf(owner, "Outcome unknown");
  await unknown.getByRole("button", { name: "Check status" }).click();
  await expect(unknown.getByText(/has not received the request so far/)).toBeVisible();
  cut = false;
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialogOf(owner).getByText("Refunded $100.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [10_000], operations: 1 });
});

test("checking the status finds the refund whose answer was lost, and sends nothing", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("45.00");
  await loseAnswers(owner);
  const sent = keysSent(owner);
  await submitOf(dialog).click();
  await dialogOf(owner, "Outcome unknown").getByRole("button", { name: "Check status" }).click();
  await expect(dialog.getByText("Refunded $45.00")).toBeVisible();
  expect(sent).toHaveLength(1);
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_500], operations: 1 });
});

test("a reload while the outcome is unknown comes back to it, with the same key", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("45.00");
  await loseAnswers(owner);
  await owner.route("**/idempotency-key?*", (route) => route.abort());
  const sent = keysSent(owner);
  await submitOf(dialog).click();
  await expect(dialogOf(owner, "Outcome unknown")).toBeVisible();

  await owner.reload();
  const unknown = dialogOf(owner, "Outcome unknown");
  await expect(unknown.getByText(/refund of \$45\.00/).first()).toBeVisible();
  await unknown.getByRole("button", { name: "Close" }).click();
  await expect(owner.getByText("nobody knows yet whether it went through")).toBeVisible();
  await owner.goto("/test/transactions");
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialog.getByText("Refunded $45.00")).toBeVisible();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toBe(sent[0]);
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_500], operations: 1 });
});

test("a reload in the middle of sending finds what became of it, and sends nothing", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  const sent = keysSent(owner);
  const reached = new Promise<void>((resolve) => {
    void owner.route("**/v1/**/refund", async (route) => {
      await route.fetch();
      resolve();
    });
  });
  await submitOf(dialog).click();
  await reached;
  await owner.reload();
  await expect(dialog.getByText("Refunded $100.00")).toBeVisible();
  expect(sent).toHaveLength(1);
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [10_000], operations: 1 });
});

test("capturing a part releases the rest", async ({ owner, api }) => {
  const payment = await authorized(api);
  const dialog = await openDialog(owner, payment, "Capture");
  await expect(dialog.getByText("Capture before")).toBeVisible();
  await dialog.getByLabel("Amount").fill("60.00");
  await expect(dialog.getByText("The remaining hold of $40.00 is released")).toBeVisible();
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Capture $60.00 from Visa •••• 4242" }).click();
  await expect(dialog.getByText("Captured $60.00")).toBeVisible();
  const after = (await api.call(getPayment, { id: payment.id })).ok();
  expect(after).toMatchObject({ status: "CAPTURED", amount_captured: 6_000, amount_capturable: 0 });
});

test("a capture that the processor refuses is said so, and the payment can still be voided", async ({ owner, api }) => {
  const payment = await authorized(api, { card: aCard(CARDS.captureFails) });
  const dialog = await openDialog(owner, payment, "Capture");
  await submitOf(dialog).click();
  await expect(dialog.getByRole("alert")).toContainText("no money moved");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await owner.getByRole("main").getByRole("button", { name: "Void", exact: true }).click();
  const voiding = dialogOf(owner, "Void payment");
  await voiding.getByLabel("Reason").fill("Out of stock");
  await expectAccessible(owner);
  await submitOf(voiding).click();
  await expect(voiding.getByText("Voided $100.00")).toBeVisible();
  const after = (await api.call(getPayment, { id: payment.id })).ok();
  expect(after.status).toBe("VOIDED");
  expect(chargeOf(after).void_reason).toBe("Out of stock");
});

test("a slow processor: the button waits, closes nothing, and tells the end", async ({ owner, tenant, api, db }) => {
  const payment = await authorized(api, { card: aCard(CARDS.slow) });
  const dialog = await openDialog(owner, payment, "Capture");
  await submitOf(dialog).click();
  await expect(dialog.getByRole("button", { name: "Sending…" })).toHaveAttribute("aria-busy", "true");
  await owner.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  await expect(dialog.getByText("Captured $100.00")).toBeVisible();
  expect((await refundsOf(db, tenant, payment)).operations).toBe(0);
});

test("a bulk refund of five, one of which is not refundable, has an outcome for each", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const good = await Promise.all([2_000, 3_000, 4_000, 5_000].map((amount) => captured(api, { amount })));
  const held = await authorized(api);
  await owner.goto("/test/transactions");
  const bar = owner.getByRole("region", { name: "Selection" });
  await expect(async () => {
    await owner.getByRole("checkbox", { name: /^Select this page/ }).check({ timeout: 2_000 });
    await expect(bar).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect(bar).toContainText("5 selected");
  await expect(bar).toContainText("$140.00");
  await bar.getByRole("button", { name: "Refund 4…" }).click();
  const dialog = owner.getByRole("dialog", { name: /Refund 4 payments|Bulk refund/ });
  await expect(dialog.getByRole("region", { name: "Not refundable" })).toContainText("Nothing has been captured yet");
  await expectAccessible(owner);
  // One of the four changes meanwhile.
  const changed = good[1] as Payment;
  (await api.call(refundTransaction, { id: chargeOf(changed).id, body: { amount: 1_000 } })).ok();
  await loseAnswers(owner);
  await dialog.getByRole("button", { name: "Refund $140.00 to 4 cards" }).dblclick();
  await expect(dialog.getByText(/Finished: 4 of 4/)).toBeVisible();
  await expect(dialog.getByText(/2 refunded · 1 refused · 1 unknown/)).toBeVisible();
  await expect(dialog.getByText("It has changed: $20.00 is left to refund. Nothing was sent.")).toBeVisible();
  await expectAccessible(owner);

  await owner.reload();
  await expect(dialog.getByText(/2 refunded · 1 refused · 1 unknown/)).toBeVisible();
  await dialog.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialog.getByText(/3 refunded · 1 refused/)).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  for (const payment of good) {
    const amount = payment === changed ? 1_000 : payment.amount;
    expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [amount], operations: 1 });
  }
  expect(await refundsOf(db, tenant, held)).toEqual({ amounts: [], operations: 0 });
});

test("a bulk refund can be stopped: what was not sent is not sent, until one says so", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const all = await Promise.all(Array.from({ length: 5 }, () => captured(api)));
  await owner.goto("/test/transactions");
  const bar = owner.getByRole("region", { name: "Selection" });
  await expect(async () => {
    await owner.getByRole("checkbox", { name: /^Select this page/ }).check({ timeout: 2_000 });
    await expect(bar).toBeVisible({ timeout: 2_000 });
  }).toPass();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await owner.route("**/v1/**/refund", async (route) => {
    await held;
    await route.continue();
  });
  await bar.getByRole("button", { name: "Refund 5…" }).click();
  const dialog = owner.getByRole("dialog", { name: /Refund 5 payments|Bulk refund/ });
  await dialog.getByRole("button", { name: "Refund $500.00 to 5 cards" }).click();
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
  release();
  await expect(dialog.getByText(/3 refunded · 2 not sent/)).toBeVisible();
  const made = async () =>
    (await Promise.all(all.map((payment) => refundsOf(db, tenant, payment)))).flatMap(({ amounts }) => amounts);
  expect(await made()).toHaveLength(3);
  await dialog.getByRole("button", { name: "Send the remaining 2" }).click();
  await expect(dialog.getByText(/5 refunded/)).toBeVisible();
  expect(await made()).toHaveLength(5);
});

test("a payment that cannot be refunded says why, in the table and on its page", async ({ owner, api }) => {
  const held = await authorized(api);
  await owner.goto(payments(held.id));
  const main = owner.getByRole("main");
  await expect(main.getByRole("button", { name: "Refund", exact: true })).toHaveCount(0);
  await opens(main.getByRole("button", { name: "Other actions" }), owner.getByText("Nothing has been captured yet"));
  await owner.goto("/test/transactions");
  const menu = owner.getByRole("button", { name: new RegExp(`^Actions for .*${chargeOf(held).id}`) });
  await opens(menu, owner.getByRole("menuitem", { name: /^Refund/ }));
  await expect(owner.getByRole("menuitem", { name: /^Refund/ })).toHaveAttribute("aria-disabled", "true");
  await expect(owner.getByRole("menuitem", { name: /^Refund/ })).toContainText("Nothing has been captured yet");
});

test("a viewer sees reasons, not buttons, and the service agrees", async ({ page, newPerson, signInAs, api }) => {
  await signInAs(page.context(), await newPerson("viewer"));
  const payment = await captured(api);
  await page.goto(payments(payment.id));
  const main = page.getByRole("main");
  const why = page.getByText("Your role does not allow you to refund payments");
  await opens(main.getByRole("button", { name: "Why can't I refund?" }), why);
  await expect(main.getByRole("button", { name: "Refund", exact: true })).toHaveCount(0);
  const status = await page.evaluate(
    async (id) =>
      (
        await fetch(`/v1/transactions/${id}/refund`, {
          method: "POST",
          headers: {
            "X-Cardlane-Mode": "test",
            "X-Idempotency-Key": crypto.randomUUID(),
            "Content-Type": "application/json",
          },
          body: "{}",
        })
      ).status,
    chargeOf(payment).id,
  );
  expect(status).toBe(403);
});

test("a whole refund by keyboard alone, with the focus back where it was", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  await owner.goto(payments(payment.id));
  const button = owner.getByRole("main").getByRole("button", { name: "Refund", exact: true });
  await button.focus();
  await owner.keyboard.press("Enter");
  const dialog = dialogOf(owner);
  await expect(dialog.getByLabel("Amount")).toBeFocused();
  await owner.keyboard.type("12.34");
  await owner.keyboard.press("Tab");
  await owner.keyboard.press("Tab");
  await expect(dialog.getByLabel("Note")).toBeFocused();
  await owner.keyboard.press("Tab");
  await owner.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Refund $12.34 to Visa •••• 4242" })).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Done" })).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [1_234], operations: 1 });
});

test("currencies keep their decimals", async ({ owner, api }) => {
  const yen = await captured(api, { amount: 5_000, currency: "JPY" });
  const dialog = await openDialog(owner, yen);
  await expect(dialog.getByLabel("Amount")).toHaveValue("5000");
  await dialog.getByLabel("Amount").fill("1200");
  await dialog.getByRole("button", { name: "Refund ¥1,200 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded ¥1,200")).toBeVisible();
});

for (const scheme of ["light", "dark"] as const) {
  test(`the refund dialog is accessible and fits a phone (${scheme})`, async ({ owner, tenant }) => {
    const payment = await settled(tenant);
    await owner.emulateMedia({ colorScheme: scheme });
    await owner.setViewportSize({ width: 390, height: 844 });
    const dialog = await openDialog(owner, payment);
    await expectNoSidewaysScroll(owner);
    await expectAccessible(owner);
    await dialog.getByLabel("Amount").fill("999999");
    await dialog.getByLabel("Reason").selectOption("OTHER");
    await dialog.getByRole("button", { name: "Refund", exact: true }).click();
    await expectAccessible(owner);
    await expect(submitOf(dialog).or(dialog.getByRole("button", { name: "Refund", exact: true }))).toBeInViewport();
  });
}
