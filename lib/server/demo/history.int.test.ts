import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase, testDatabase } from "@/e2e/fixtures/database";
import { testService, testTenant } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { SUBSCRIPTION_STATUSES } from "@/lib/contract/subscriptions/statuses";
import { getInvoice } from "@/lib/domain/invoices/read-invoices";
import { getPayment } from "@/lib/domain/payments/read-payments";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { getSubscription } from "@/lib/domain/subscriptions/read-subscriptions";
import { advanceClocks } from "@/lib/domain/test-clock/advance";
import { advanceTestClock } from "@/lib/domain/test-clock/test-clock";
import { getTransaction } from "@/lib/domain/transactions/read-transactions";
import { seedDemoHistory } from "./history";

const { db, url } = await testDatabase({ own: true });

test("the demo has subscribers in every status, in line with their last events, and the engine continues with them", async () => {
  const { service, merchant, call } = await testTenant(db);
  await seedDemoHistory(service, merchant.test.id);
  const of = merchant.test.id;
  const statuses = await db.sql<{ status: string }[]>`
    select distinct status from subscriptions where environment_id = ${of} order by status`;
  expect(statuses.map(({ status }) => status)).toEqual([...SUBSCRIPTION_STATUSES].sort());
  const invoices = await db.sql<{ status: string; attempts: number }[]>`
    select status, max(attempts)::int as attempts from invoices where environment_id = ${of} group by status order by status`;
  expect(invoices).toEqual([
    { status: "OPEN", attempts: 2 },
    { status: "PAID", attempts: 2 },
    { status: "UNCOLLECTIBLE", attempts: 4 },
    { status: "VOID", attempts: 2 },
  ]);
  const told = await db.sql<{ type: string; id: string; object: object }[]>`
    select 'subscription' as type, s.id, e.data -> 'object' as object from subscriptions s
    join events e on e.environment_id = s.environment_id and e.object_id = s.id and e.sequence = s.event_sequence
    where s.environment_id = ${of}
    union all
    select 'invoice', i.id, e.data -> 'object' from invoices i
    join events e on e.environment_id = i.environment_id and e.object_id = i.id and e.sequence = i.event_sequence
    where i.environment_id = ${of}`;
  expect(told.length).toBeGreaterThan(50);
  const refunded = await db.sql`
    select i.status, n.amount::float8 = i.total as is_whole, n.tax_amount::float8 as tax, n.number is not null as is_noted
    from invoices i
    join payments p on p.environment_id = i.environment_id and p.invoice_id = i.id and p.status = 'REFUNDED'
    left join credit_notes n on n.environment_id = p.environment_id and n.payment_id = p.id
    where i.environment_id = ${of}`;
  expect([...refunded]).toEqual([{ status: "PAID", is_whole: true, tax: expect.any(Number), is_noted: true }]);
  for (const { type, id, object } of told) {
    const found =
      type === "invoice"
        ? await getInvoice(call(), { id: encodeId("invoice", id) })
        : await getSubscription(call(), { id: encodeId("subscription", id) });
    // A renewal that is paid, and a first payment that was left, are events of the invoice alone.
    const now = "next_action" in found && { next_action: found.next_action };
    expect(found).toEqual({ ...object, ...now, updated_at: expect.any(String) });
  }

  const to = new Date(Date.now() + 40 * 86_400_000).toISOString();
  await advanceTestClock(call(), { to });
  await db.sql`update environments set clock_held_until = now() - interval '1 s' where id = ${of}`;
  await advanceClocks(service);
  const [after] = await db.sql<{ renewed: number; waiting: number }[]>`
    select count(*) filter (where status = 'ACTIVE' and period_end_at > ${to})::int as renewed,
      count(*) filter (where status in ('INCOMPLETE', 'TRIALING'))::int as waiting
    from subscriptions where environment_id = ${of}`;
  expect(after).toEqual({ renewed: expect.toSatisfy((count: number) => count > 12), waiting: 0 });
  const { checks } = await verifyBooks(db);
  expect(checks.filter(({ count }) => count > 0)).toEqual([]);
});

test("the demo's history is in all books, as the money path would have recorded it", async () => {
  const { service, merchant, call } = await testTenant(db);
  // Two concurrent processes, and a later one, write it once. If they shared connections, the second could get
  // none within 5 s, because the first one takes longer on a busy machine.
  const other = openTestDatabase(url);
  onTestFinished(async () => void (await other.close()));
  const seed = (by = service) => seedDemoHistory(by, merchant.test.id);
  const counts = await Promise.all([seed(), seed(testService(other.db))]);
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
