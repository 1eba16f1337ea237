import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { exportCustomers, listCustomers } from "./customers";

const { db } = await testDatabase();

test("an export has every customer once, in the list's order, over many pages", async () => {
  const { call } = await testTenant(db);
  const environmentId = call().environment.id;
  await db.sql`
    insert into customers (environment_id, id, customer_id, email, name, words, first_payment_at, last_payment_at)
    select ${environmentId}, customer_uuid(${environmentId}::uuid, 'c' || i, null), 'c' || i, null,
      case when i % 2 = 0 then 'Ada' else 'Grace' end, '', now(), now() - (i / 7) * interval '1 second'
    from generate_series(1, 450) as i`;
  const ids = async (query: { q?: string }) => {
    const opened = await exportCustomers(call(), query);
    const found: string[] = [];
    for await (const batch of opened.batches) found.push(...batch.map(({ id }) => id));
    await opened.close();
    expect(found).toHaveLength(opened.total);
    return found;
  };
  const all = await ids({});
  expect(new Set(all).size).toBe(450);
  expect(all).toEqual((await listCustomers(call(), { limit: 1_000 })).data.map(({ id }) => id));
  expect(await ids({ q: "ada" })).toEqual(
    (await listCustomers(call(), { q: "ada", limit: 1_000 })).data.map(({ id }) => id),
  );
  expect((await ids({ q: "ada" })).length).toBe(225);
});
