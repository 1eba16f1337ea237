import { createPayment, getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, expectNoSidewaysScroll, expectWellInEveryLook } from "../browser";
import { cardOf, connectAccount, openAction, openProcessors, test } from "../connecting";
import { messageOf } from "../doubles/stripe/deliveries";
import { expect } from "../fixtures/playwright";
import { dialogOf, openDialog, submitOf } from "./money-dialogs";

// In order, in one worker: each worker starts its own service.
test.describe.configure({ mode: "default" });

const WEBHOOK_SECRET = "whsec_pastedfromthedashboard";
const byToken = (overrides: object = {}) => ({
  amount: 10_000,
  currency: "USD",
  payment_token: "pm_card_visa",
  ...overrides,
});

test("a key that the processor rejects is reported at its field, and nothing is connected", {
  tag: "@looks",
}, async ({ owner }) => {
  await openProcessors(owner);
  await expect(owner.getByRole("heading", { name: "Test payments go to the sandbox" })).toBeVisible();
  await expectWellInEveryLook(owner);
  await owner.getByRole("button", { name: "Connect a processor" }).click();
  const dialog = owner.getByRole("dialog", { name: "Connect a processor’s test mode" });
  await expectWellInEveryLook(owner);
  const key = dialog.getByLabel("Secret key");
  const connect = dialog.getByRole("button", { name: "Connect", exact: true });
  for (const [typed, refusal] of [
    ["", "Enter the Secret key."],
    ["pk_test_publishable", "A secret key of Stripe's begins with sk_test_"],
    ["sk_test_unknown0000", "Stripe does not accept this secret key."],
    ["sk_live_unknown0000", "This is a live key, which moves real money."],
  ] as const) {
    await key.fill(typed);
    await connect.click();
    await expect(dialog.getByText(refusal)).toBeVisible();
  }
  await expectNoSidewaysScroll(owner);
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(owner.getByRole("heading", { name: "Test payments go to the sandbox" })).toBeVisible();
});

test("connected, with webhooks that arrive, tested, beside a second one that becomes the default", {
  tag: "@looks",
}, async ({ owner, connecting: { main, second }, baseUrl }) => {
  await openProcessors(owner);
  const card = await connectAccount(owner, main, "Main shop");
  await expect(card).toContainText("Double Ltd (acct_double0000000001)");
  await expect(card).toContainText("sk_test_…m4i1");
  await expect(card).toContainText("Default");
  await expect(card).toContainText("None received yet");
  await expectWellInEveryLook(owner);

  await card.getByRole("button", { name: "Set up" }).click();
  const webhooks = owner.getByRole("dialog", { name: "Webhooks of Stripe" });
  await expect(webhooks.getByText("charge.dispute.created")).toBeVisible();
  await expectWellInEveryLook(owner);
  await webhooks.getByLabel("Webhook signing secret").fill("not one");
  await webhooks.getByRole("button", { name: "Save secret" }).click();
  await expect(webhooks.getByText("A signing secret of Stripe's begins with whsec_.")).toBeVisible();
  await webhooks.getByLabel("Webhook signing secret").fill(WEBHOOK_SECRET);
  await webhooks.getByRole("button", { name: "Save secret" }).click();
  await expect(webhooks).toHaveCount(0);
  await expect(card.getByText("Webhooks are not set up yet")).toHaveCount(0);

  const address = (await card.getByText(`${baseUrl}/webhooks/stripe/`).textContent()) ?? "";
  const event = { id: "evt_hello", object: "event", type: "customer.created", livemode: false, data: { object: {} } };
  const send = async (secret: string) =>
    (await fetch(address, { method: "POST", ...messageOf(event as never, { secret }) })).status;
  expect(await send("whsec_ofsomebodyelse")).toBe(400);
  await owner.reload();
  await expect(card).toContainText("None received yet");
  expect(await send(WEBHOOK_SECRET)).toBe(200);
  await owner.reload();
  await expect(card).not.toContainText("None received yet");

  await card.getByRole("button", { name: "Test", exact: true }).click();
  await expect(owner.getByText("Main shop works")).toBeVisible();
  const other = await connectAccount(owner, second, "Other shop");
  await expect(other).not.toContainText("Default");
  await (await openAction(owner, "Other shop", /Make default/)).getByRole("button", { name: "Make default" }).click();
  await expect(other).toContainText("Default");
  await expect(card).not.toContainText("Default");
  await expectWellInEveryLook(owner);
});

test("a rule routes a payment to its account, where it is captured and refunded by buttons; with nothing open it is disconnected", {
  tag: ["@looks", "@prove"],
}, async ({ owner, api, connecting: { main, second } }) => {
  await openProcessors(owner);
  await connectAccount(owner, main, "Main shop");
  await connectAccount(owner, second, "Dollars");
  const rules = owner.getByRole("region", { name: "Rules" });
  await rules.getByRole("button", { name: "Add a rule" }).click();
  await rules.getByLabel("Currency of rule 1").selectOption("USD");
  await rules.getByLabel("Connection of rule 1").selectOption("Dollars");
  await rules.getByRole("button", { name: "Save rules" }).click();
  await expect(owner.getByText("Rules saved")).toBeVisible();
  await expectWellInEveryLook(owner);

  const payment = (await api.call(createPayment, { body: byToken({ capture_method: "manual" }) })).ok();
  const euros = (await api.call(createPayment, { body: byToken({ currency: "EUR" }) })).ok();
  const [intent] = [...second.books.intents.values()].filter(({ status }) => status === "requires_capture");
  expect(intent?.amount).toBe(10_000);
  expect([...main.books.intents.values()].some(({ currency }) => currency === "eur")).toBe(true);
  expect(euros.status).toBe("CAPTURED");

  await openProcessors(owner);
  const refused = await openAction(owner, "Dollars", /Disconnect/);
  await refused.getByRole("button", { name: "Disconnect", exact: true }).click();
  await expect(refused.getByText("Routing rules send payments to it. Change them first.")).toBeVisible();
  await refused.getByRole("button", { name: "Cancel" }).click();
  await rules.getByRole("button", { name: "Remove rule 1" }).click();
  await rules.getByRole("button", { name: "Save rules" }).click();
  await expect(owner.getByText("Rules saved").last()).toBeVisible();
  const open = await openAction(owner, "Dollars", /Disconnect/);
  await open.getByRole("button", { name: "Disconnect", exact: true }).click();
  await expect(open.getByText("Still open there: 1 authorized payment to capture or void.")).toBeVisible();
  await expectWellInEveryLook(owner);

  const capture = await openDialog(owner, payment, "Capture");
  await submitOf(capture).click();
  await expect(capture.getByText("Captured $100.00")).toBeVisible();
  await owner.keyboard.press("Escape");
  const refund = await openDialog(owner, payment, "Refund");
  await refund.getByLabel("Amount").fill("40.00");
  await submitOf(refund).click();
  await expect(refund.getByText("Refunded $40.00")).toBeVisible();
  expect([...second.books.refunds.values()].map(({ amount }) => amount)).toEqual([4_000]);
  await owner.reload();
  const shown = owner.getByRole("main");
  await owner.locator("#developer > summary").click();
  await expect(
    shown.locator(`a[href="https://dashboard.stripe.com/test/payments/${intent?.id}"]`).first(),
  ).toBeVisible();
  await expectWellInEveryLook(owner);

  await openProcessors(owner);
  await (await openAction(owner, "Dollars", /Disconnect/))
    .getByRole("button", { name: "Disconnect", exact: true })
    .click();
  const card = cardOf(owner, "Dollars");
  await expect(card).toContainText("Disconnected");
  await expectWellInEveryLook(owner);
  const left = (await api.call(refundPayment, { id: payment.id, body: {} })).problem("processor_not_configured");
  expect(left.detail).toContain("Settings → Processors");
  const dialog = await openDialog(owner, payment, "Refund");
  await submitOf(dialog).click();
  await expect(dialogOf(owner).getByRole("alert")).toContainText("is no longer connected");
  await expect(dialogOf(owner).getByRole("link", { name: "Go to processors" })).toHaveAttribute(
    "href",
    "/test/settings/processors",
  );
  expect((await api.call(getPayment, { id: payment.id })).ok().amount_refunded).toBe(4_000);
});

test("Compare now fetches the processor's list, and the page shows the result without a reload", {
  tag: ["@looks", "@prove"],
}, async ({ owner, connecting: { main } }) => {
  await openProcessors(owner);
  const card = await connectAccount(owner, main, "Main shop");
  await card.getByRole("link", { name: "Reconciliation" }).click();
  await expect(owner.getByText("Not compared yet")).toBeVisible();
  await expectWellInEveryLook(owner);
  await owner.getByRole("button", { name: "Compare now" }).click();
  await owner.getByRole("menuitem", { name: "The last 7 days" }).click();
  await expect(owner.getByText("Comparison requested")).toBeVisible();
  // The account also contains payments of other tests, which are missing from this merchant's books.
  await expect(owner.getByText(/^The books (agree|differ)$/)).toBeVisible();
  await expect(owner.getByRole("row").filter({ hasText: "Manually" })).toHaveCount(1);
  await expectWellInEveryLook(owner);
});

test("users who may not manage settings see why, and live mode says that payments are refused until a processor is connected", {
  tag: "@looks",
}, async ({ page, newPerson, signInAs }) => {
  await signInAs(page.context(), await newPerson("viewer"));
  await openProcessors(page);
  await expect(page.getByText("You don’t have access to processors")).toBeVisible();
  await page.context().clearCookies();
  await signInAs(page.context(), await newPerson());
  await openProcessors(page, "live");
  await expect(page.getByRole("heading", { name: "No live processor is connected" })).toBeVisible();
  await expectWellInEveryLook(page);
});
