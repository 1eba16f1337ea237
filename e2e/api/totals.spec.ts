import { listPayments } from "@/lib/contract/payments/operations";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/operations";
import { idTime, newId } from "@/lib/ids";
import type { Tenant } from "../fixtures";
import { expect, test } from "../fixtures";
import { authorized, captured } from "../samples";

/** Copies of the environment's only transaction: more of them than a test can buy one by one. */
async function multiply({ context, merchant }: Tenant, count: number): Promise<void> {
  const ids = Array.from({ length: count }, newId);
  await context().service.db.sql`
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      metadata, created_at, updated_at)
    select t.environment_id, copy.id, t.payment_id, t.type, t.status, t.amount, t.currency, t.card_brand, t.card_last4,
      t.metadata, copy.created_at, copy.created_at
    from transactions t, unnest(${ids}::uuid[], ${ids.map(idTime)}::timestamptz[]) as copy (id, created_at)
    where t.environment_id = ${merchant.test.id}`;
}

test("totals are exact up to 10,000 and capped above, and pages go on", async ({ tenant, api }) => {
  await authorized(api);
  await multiply(tenant, 9_999);
  expect((await api.call(listTransactions)).ok()).toMatchObject({ total: 10_000, total_capped: false, has_more: true });
  const one = await captured(api);
  expect((await api.call(listTransactions)).ok()).toMatchObject({ total: 10_000, total_capped: true, has_more: true });
  const capped = (await api.call(searchTransactions, { body: { filters: { card_brand: ["visa"] } } })).ok();
  expect(capped).toMatchObject({ total: 10_000, total_capped: true });
  const few = (await api.call(searchTransactions, { body: { filters: { status: ["CAPTURED"] } } })).ok();
  expect(few).toMatchObject({ total: 1, total_capped: false });
  expect(few.data[0]?.payment_id).toBe(one.id);

  const last = (await api.call(listTransactions, { query: { limit: 100, offset: 9_950 } })).ok();
  expect([last.data.length, last.has_more, last.total_capped]).toEqual([51, false, true]);
  const oldest = last.data.at(-1);
  const beyond = (await api.call(listTransactions, { query: { starting_after: oldest?.id } })).ok();
  expect([beyond.data, beyond.has_more]).toEqual([[], false]);
  expect((await api.call(listPayments)).ok()).toMatchObject({ total: 2, total_capped: false });
});
