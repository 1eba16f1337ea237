import { expectAccessible, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";
import { dialogOf, keysSent, loseAnswers, openDialog, refundsOf, submitOf } from "./money-dialogs";

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
    unknown.getByText(/don’t know yet whether the refund of \$45\.00 to Visa •••• 4242 went through/),
  ).toBeVisible();
  await expectAccessible(owner);
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialogOf(owner).getByText("Refunded $45.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_500], operations: 1 });
});

test("the network fails before the request is sent: the safe retry makes the refund", async ({
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
  await expect(unknown.getByText(/has not received the request yet/)).toBeVisible();
  cut = false;
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialogOf(owner).getByText("Refunded $100.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [10_000], operations: 1 });
});

test("checking the status finds the refund whose response was lost, and sends nothing", async ({
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

test("a reload while the outcome is unknown returns to it, with the same key", async ({ owner, tenant, api, db }) => {
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
  await expect(owner.getByText("its outcome is not known yet")).toBeVisible();
  await owner.goto("/test/transactions");
  await unknown.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialog.getByText("Refunded $45.00")).toBeVisible();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toBe(sent[0]);
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_500], operations: 1 });
});

test("a reload while sending finds the outcome, and sends nothing", async ({ owner, tenant, api, db }) => {
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
