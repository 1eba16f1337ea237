import { listCustomers } from "@/lib/contract/customers/endpoints";
import { removePaymentMethod } from "@/lib/contract/payment-methods/endpoints";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aPayment, newPaymentMethod } from "../samples";

test("a payment and its customer show the card on file", async ({ owner, tenant: { api } }) => {
  const { id } = await newPaymentMethod(api, { customer_id: "cus_9" });
  const removed = await newPaymentMethod(api, { customer_id: "cus_9" });
  await api.call(removePaymentMethod, { id: removed.id });
  const body = { amount: 700, currency: "USD", payment_method_id: id };
  const charged = (await api.call(createPayment, { body })).ok();
  const saving = aPayment({ customer_id: "cus_9", save_payment_method: true });
  const stored = (await api.call(createPayment, { body: saving })).ok();

  const card = owner.getByRole("region", { name: "Card and checks" });
  await owner.goto(`/test/payments/${charged.id}`);
  await expect(card).toContainText("Initiated by merchant: charged without the customer");
  await expect(card).toContainText(id);
  await owner.goto(`/test/payments/${stored.id}`);
  await expect(card).toContainText("Stored by this payment");

  const found = async () => (await api.call(listCustomers, { query: { q: "cus_9" } })).ok().data;
  await expect.poll(async () => (await found()).length, { timeout: 15_000 }).toBe(1);
  await owner.goto(`/test/customers/${(await found())[0]?.id}`);
  const cards = owner.getByRole("region", { name: "Cards on file" }).getByRole("listitem");
  await expect(cards).toHaveCount(3);
  await expect(owner.locator(`li#${id}`)).toContainText("Active");
  await expect(owner.locator(`li#${removed.id}`)).toContainText("Removed");
  await expectAccessible(owner);
});
