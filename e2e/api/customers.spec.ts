import { getCustomer, listCustomers } from "@/lib/contract/customers/endpoints";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { noteCustomers } from "@/lib/domain/customers/customers";
import { expect, test } from "../fixtures/playwright";
import { aCard, CARDS, captured, chargeOf } from "../samples";

test("customers come from payments, with their totals; each can be fetched by id", async ({ tenant, api, db }) => {
  const first = await captured(api, {
    customer_id: "ann",
    customer_email: "Ann@Shop.example",
    customer_name: "Ann Lee",
    amount: 1000,
  });
  const last = await captured(api, { customer_id: "ann", amount: 500, card: aCard(CARDS.amex) });
  await captured(api, { customer_email: "BOB@shop.example", amount: 300 });
  await captured(api, { customer_email: "bob@shop.example", amount: 300 });
  await captured(api, { amount: 700 });
  (await api.call(refundPayment, { id: first.id, body: { amount: 250 } })).ok();
  // The service's own job may be at some of them.
  const queued = async () => {
    await noteCustomers(tenant.context().service);
    return (await db.sql`select from customers_due where environment_id = ${tenant.merchant.test.id}`).length;
  };
  await expect.poll(queued).toBe(0);

  const list = async (query: Record<string, string> = {}) => (await api.call(listCustomers, { query })).ok();
  const { data, total } = await list();
  expect(total).toBe(2);
  expect(data.map(({ email, payments }) => [email, payments])).toEqual([
    ["bob@shop.example", 2],
    ["ann@shop.example", 2],
  ]);
  const ann = data[1];
  expect(ann).toMatchObject({
    customer_id: "ann",
    name: "Ann Lee",
    declined: 0,
    // A payment and its charge are created in one request, but not always in the same millisecond.
    first_payment_at: chargeOf(first).created_at,
    last_payment_at: chargeOf(last).created_at,
    currencies: [{ currency: "USD", captured: 1500, refunded: 250, net: 1250, disputed: 0 }],
  });
  expect(ann?.cards.map(({ brand, last4 }) => [brand, last4])).toEqual([
    ["amex", "0005"],
    ["visa", "4242"],
  ]);
  expect((await api.call(getCustomer, { id: ann?.id ?? "" })).ok()).toEqual(ann);
  expect((await list({ q: "lee ann" })).data).toEqual([ann]);
  expect((await list({ q: "nobody" })).data).toEqual([]);
  expect((await list({ limit: "1" })).has_more).toBe(true);
  expect((await list({ starting_after: data[0]?.id ?? "" })).data).toEqual([ann]);
});

test("an unknown customer is 404, and an invalid query is rejected", async ({ api }) => {
  (await api.call(getCustomer, { id: "cust_01jz0000000000000000000000" })).problem("resource_not_found");
  (await api.call(getCustomer, { id: "ann" })).problem("resource_not_found");
  for (const query of [{ q: "x".repeat(201) }, { starting_after: "ann" }, { limit: "0" }]) {
    (await api.call(listCustomers, { query })).problem("invalid_parameter");
  }
  (await api.call(listCustomers, { query: { email: "ann@shop.example" } })).problem("unknown_parameter");
});
