import { expect, test } from "vitest";
import { decodeId } from "@/lib/contract/ids";
import { cardInput } from "@/lib/contract/payments/payment";
import { testDatabase } from "@/lib/testing/database";
import { testTenant } from "@/lib/testing/factories";
import { createPaymentToken } from "./payment-tokens";

const { db } = await testDatabase();
const card = cardInput.parse({ number: "4242 4242 4242 4242", exp_month: 12, exp_year: 2040, cvv: "737" });

test("a card becomes a token for 15 minutes, and its number and CVV are stored nowhere", async () => {
  const { call, merchant } = await testTenant(db);
  const token = await createPaymentToken(call(), { card });
  expect(token.card).toEqual({ brand: "visa", last4: "4242", bin: "424242", exp_month: 12, exp_year: 2040 });
  const id = decodeId("paymentToken", token.id);
  const [row] = await db.sql`select *, to_jsonb(t)::text as text from payment_tokens t where id = ${id}`;
  expect(row).toMatchObject({ environment_id: merchant.test.id, payment_id: null, expires_at: token.expires_at });
  expect(Date.parse(row?.expires_at) - Date.parse(row?.created_at)).toBe(15 * 60_000);
  expect(row?.text).not.toContain("4242424242424242");
  expect(Object.values(row ?? {})).not.toContain("737");
});

test("live cards are refused while no live processor is configured", async () => {
  const { call, merchant } = await testTenant(db);
  await expect(createPaymentToken(call({ environment: merchant.live }), { card })).rejects.toMatchObject({
    code: "processor_not_configured",
  });
});
