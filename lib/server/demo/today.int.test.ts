import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { listDisputes } from "@/lib/domain/disputes/read-disputes";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { provideService } from "@/lib/http/current-service";
import { ORDERS_TODAY } from "./shop";
import { seedDemoDisputes, seedDemoPayments } from "./today";

const { db } = await testDatabase({ own: true });

test("the demo has a dispute that needs a response and one that was won, and its books agree", async () => {
  const { service, merchant, call } = await testTenant(db);
  provideService(service);
  const of = { environmentId: merchant.test.id, name: "Demo", permissions: PERMISSIONS };
  const { secret } = await createApiKey(service, of);
  expect(await seedDemoPayments(secret)).toBe(ORDERS_TODAY.length);
  await seedDemoDisputes(service, merchant.test, secret);
  const { data } = await listDisputes(call(), {});
  expect(new Map(data.map(({ status, reason, amount }) => [status, [reason, amount]]))).toEqual(
    new Map([
      ["NEEDS_RESPONSE", ["FRAUDULENT", 7_800]],
      ["WON", ["NOT_RECEIVED", 11_200]],
    ]),
  );
  expect(data).toHaveLength(2);
  const { checks } = await verifyBooks(db);
  expect(checks.filter(({ count }) => count > 0)).toEqual([]);
});
