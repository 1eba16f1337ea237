import { listCustomers } from "@/lib/contract/customers/endpoints";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { mailsTo } from "../fixtures/users";
import { aPayment } from "../samples";

test("a member notes something on a payment and a customer, mentions a colleague and changes it; a viewer only reads", async ({
  owner: page,
  tenant: { api },
  db,
  newPerson,
  openAs,
}) => {
  const colleague = await newPerson("viewer");
  const customer_name = "Zoë O’Brien-Łukasiewicz";
  const paid = (await api.call(createPayment, { body: aPayment({ customer_id: "cus_notes", customer_name }) })).ok();
  await openAlive(page, `/test/payments/${paid.id}`);
  const field = page.getByRole("textbox", { name: "Note" });
  await field.fill("The customer called: the parcel is broken.");
  await page.getByLabel("Mention a colleague").selectOption({ index: 1 });
  await expect(field).toHaveValue(/broken\. @\S/);
  await page.getByRole("button", { name: "Add note" }).click();
  const notes = page.getByRole("list", { name: "Notes" });
  await expect(notes).toContainText("the parcel is broken");
  await expect(field).toHaveValue("");
  await expectAccessible(page);
  await expect
    .poll(async () => (await mailsTo(db, colleague.email)).map(({ subject }) => subject))
    .toContain("You were mentioned in a note on a payment");

  await notes.getByRole("button", { name: "Edit note" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Note" }).fill("Sent another one.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(notes).toContainText("edited");
  await expect(notes).toContainText("Sent another one.");

  const viewer = await openAs(colleague, `/test/payments/${paid.id}`);
  await expect(viewer.getByRole("list", { name: "Notes" })).toContainText("Sent another one.");
  await expect(viewer.getByRole("button", { name: "Add note" })).toHaveCount(0);
  await expect(viewer.getByRole("button", { name: "Edit note" })).toHaveCount(0);

  await notes.getByRole("button", { name: "Delete note" }).click();
  await page.getByRole("button", { name: "Delete note" }).last().click();
  await expect(notes).toHaveCount(0);

  const found = async () => (await api.call(listCustomers, { query: { q: "cus_notes" } })).ok().data;
  await expect.poll(async () => (await found()).length).toBe(1);
  await openAlive(page, `/test/customers/${(await found())[0]?.id}`);
  await page.getByRole("textbox", { name: "Note" }).fill("Prefers mail.");
  await page.getByRole("button", { name: "Add note" }).click();
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("Prefers mail.");
});
