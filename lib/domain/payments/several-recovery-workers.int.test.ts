import { describe, expect, test } from "vitest";
import { connect } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { recoverOperations } from "./recover-operations";

const { db, url } = await testDatabase();

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe("several instances", () => {
  test("five concurrent recovery workers finish each operation once", async () => {
    const tenant = await moneyTenant(db);
    const count = 30;
    tenant.script.next(...Array.from({ length: count }, () => losesAnswer));
    await Promise.all(Array.from({ length: count }, (_, index) => tenant.create({}, { key: `k${index}` })));
    await tenant.endLeases();
    const pools = Array.from({ length: 5 }, () => connect(url, { max: 3 }));
    try {
      const services = pools.map((pool) => testService(pool));
      let taken = 0;
      for (let round = 0; round < 4; round++) {
        const counts = await Promise.all(services.map((service) => recoverOperations(service)));
        taken += counts.reduce((sum, one) => sum + one, 0);
      }
      expect(taken).toBe(count);
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
    const rows = await db.sql`select state, epoch, count(*) as count from operations
      where environment_id = ${tenant.environmentId} group by 1, 2`;
    expect([...rows]).toEqual([{ state: "succeeded", epoch: 2, count }]);
    await expectClean();
  });

  test("an operation that cannot be resolved does not stop the others", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer, losesAnswer);
    const first = await tenant.create({}, { key: "a" });
    const second = await tenant.create({}, { key: "b" });
    await tenant.endLeases();
    tenant.script.next(async () => {
      throw new Error("broken");
    });
    await tenant.complete();
    const states = await Promise.all([first, second].map(async ({ body }) => (await tenant.get(body.id)).status));
    expect(states.sort()).toEqual(["CAPTURED", "PENDING"]);
    await tenant.endLeases();
    await tenant.complete();
    await expectClean();
  });

  test("a concurrent retry and recovery worker return one response", async () => {
    const tenant = await moneyTenant(db);
    for (let round = 0; round < 10; round++) {
      tenant.script.next(losesAnswer);
      const key = `race ${round}`;
      const { body } = await tenant.create({}, { key });
      await tenant.endLeases();
      const [a, b] = await Promise.all([tenant.create({}, { key }), tenant.create({}, { key }), tenant.complete()]);
      const final = await tenant.create({}, { key });
      expect(final).toMatchObject({ status: 201, body: { id: body.id } });
      for (const answer of [a, b]) if (answer.status === 201) expect(answer.text).toBe(final.text);
    }
    const [row] = await db.sql`select count(*) as count from payments where environment_id = ${tenant.environmentId}`;
    expect(row?.count).toBe(10);
    await expectClean();
  });
});
