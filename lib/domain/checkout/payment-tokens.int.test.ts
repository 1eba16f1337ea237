import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testPaymentToken, testTenant } from "@/e2e/fixtures/factories";
import { decodeId } from "@/lib/contract/ids";
import { cardInput } from "@/lib/contract/payments/payment";

const { db } = await testDatabase();
const card = cardInput.parse({ number: "4242 4242 4242 4242", exp_month: 12, exp_year: 2040, cvv: "737" });

test("a card becomes a token for 15 minutes, and its number and CVV are stored nowhere", async () => {
  const { call, merchant } = await testTenant(db);
  const token = await testPaymentToken(call(), { card });
  const id = decodeId("paymentToken", token.id);
  const [row] = await db.sql`select *, to_jsonb(t)::text as text from payment_tokens t where id = ${id}`;
  expect(row).toMatchObject({ environment_id: merchant.test.id, payment_id: null, expires_at: token.expires_at });
  const kept = { card_brand: "visa", card_last4: "4242", card_bin: "424242", card_exp_month: 12, card_exp_year: 2040 };
  expect(row).toMatchObject(kept);
  expect(Date.parse(row?.expires_at) - Date.parse(row?.created_at)).toBe(15 * 60_000);
  expect(row?.text).not.toContain("4242424242424242");
  expect(Object.values(row ?? {})).not.toContain("737");
});
