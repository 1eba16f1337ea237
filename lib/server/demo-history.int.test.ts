import { expect, test } from "vitest";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { testDatabase } from "@/lib/testing/database";
import { testTenant } from "@/lib/testing/factories";
import { seedDemoHistory } from "./demo-history";

const { db } = await testDatabase();

test("the demo's past is in every book as the money path would have left it", async () => {
  const { service, merchant } = await testTenant(db);
  const payments = await seedDemoHistory(service, merchant.test.id);
  expect(payments).toBeGreaterThan(1_000);
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
});
