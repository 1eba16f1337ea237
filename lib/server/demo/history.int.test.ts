import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { getPayment } from "@/lib/domain/payments/read-payments";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { getTransaction } from "@/lib/domain/transactions/read-transactions";
import { seedDemoHistory } from "./history";

const { db } = await testDatabase({ own: true });

test("the demo's past is in every book, as the money path would have recorded it", async () => {
  const { service, merchant, call } = await testTenant(db);
  // Two concurrent processes, and a later one, write it once.
  const seed = () => seedDemoHistory(service, merchant.test.id);
  const counts = await Promise.all([seed(), seed()]);
  expect(Math.min(...counts)).toBe(0);
  expect(Math.max(...counts)).toBeGreaterThan(1_000);
  expect(await seed()).toBe(0);
  const { checks } = await verifyBooks(db);
  expect(checks.filter(({ count }) => count > 0)).toEqual([]);
  const [last] = await db.sql<{ declined: number; settled: number; open: number }[]>`
    select count(*) filter (where status = 'DECLINED' and card_brand = 'visa' and amount > 5000 and currency = 'USD'
        and created_at > now() - interval '7 days')::int as declined,
      count(*) filter (where settled_at is not null)::int as settled,
      count(*) filter (where status = 'CAPTURED')::int as open
    from transactions where environment_id = ${merchant.test.id}`;
  expect(last?.declined).toBeGreaterThan(2);
  expect(last?.settled).toBeGreaterThan(900);
  expect(last?.open).toBeGreaterThan(5);

  // A payment is as in its last event.
  const payments = await db.sql<{ id: string; status: string; object: object; was: string | null }[]>`
    select distinct on (p.status) p.id, p.status, e.data -> 'object' as object, e.data #>> '{previous,status}' as was
    from payments p
    join events e on e.environment_id = p.environment_id and e.object_id = p.id and e.sequence = p.event_sequence
    where p.environment_id = ${merchant.test.id} and p.amount_refunded = 0
    order by p.status, p.id`;
  expect(payments.map(({ status, was }) => [status, was])).toEqual([
    ["CAPTURED", null],
    ["DECLINED", null],
    ["SETTLED", "CAPTURED"],
    ["VOIDED", "AUTHORIZED"],
  ]);
  for (const { id, object } of payments)
    expect(await getPayment(call(), { id: encodeId("payment", id) })).toEqual(object);
  // A transaction is too.
  const transactions = await db.sql<{ id: string; object: object; was: string | null }[]>`
    select distinct on (t.type, t.status) t.id, e.data -> 'object' as object, e.data #>> '{previous,status}' as was
    from transactions t
    join events e on e.environment_id = t.environment_id and e.object_id = t.id and e.sequence = t.event_sequence
    where t.environment_id = ${merchant.test.id} order by t.type, t.status, t.id`;
  expect(transactions.length).toBeGreaterThan(7);
  for (const { id, object } of transactions)
    expect(await getTransaction(call(), { id: encodeId("transaction", id) })).toEqual(object);
  const early = await db.sql`
    select t.id from transactions t
    join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
    where t.environment_id = ${merchant.test.id} and (p.updated_at < t.updated_at
      or t.updated_at < greatest(t.authorized_at, t.captured_at, t.settled_at, t.voided_at, t.refunded_at))`;
  expect(early).toHaveLength(0);
});
