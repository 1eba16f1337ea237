import { getPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aCard, authorized, CARDS, chargeOf } from "../samples";
import { dialogOf, openDialog, refundsOf, submitOf } from "./money-dialogs";

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

test("a capture that the processor refuses is reported, and the payment can still be voided", async ({
  owner,
  api,
}) => {
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

test("while waiting the button says so and nothing closes; then the outcome is shown", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await authorized(api);
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await owner.route("**/v1/**/capture", async (route) => {
    await held;
    await route.continue();
  });
  const dialog = await openDialog(owner, payment, "Capture");
  // The click itself may last as long as the request.
  const pressed = submitOf(dialog).click();
  await expect(dialog.getByRole("button", { name: "Sending…" })).toHaveAttribute("aria-busy", "true");
  await owner.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  letThrough();
  await pressed;
  await expect(dialog.getByText("Captured $100.00")).toBeVisible();
  expect((await refundsOf(db, tenant, payment)).operations).toBe(0);
});
