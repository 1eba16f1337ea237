import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { planList } from "@/lib/contract/plans/plan";
import { idTime, newId } from "@/lib/ids";
import { listPlans } from "./plans";

const { db } = await testDatabase();

/** Plans named 0, 1, 2 …, every third one active; the newest has the highest number. */
async function tenantWithPlans(count: number) {
  const tenant = await testTenant(db);
  const rows = Array.from({ length: count }, (_, i) => ({
    id: newId(),
    name: String(i),
    status: i % 3 === 0 ? "ACTIVE" : "DRAFT",
  }));
  await db.sql`
    insert into plans (environment_id, id, type, name, currency, full_price, status, created_at, updated_at)
    select ${tenant.merchant.test.id}, id, 'ONE_TIME', name, 'USD', 100, status, at, at
    from unnest(${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.name)}::text[], ${rows.map((row) => row.status)}::text[],
      ${rows.map((row) => idTime(row.id))}::timestamptz[]) as row (id, name, status, at)`;
  const list = async (query: Parameters<typeof listPlans>[1] = {}) =>
    planList.parse(await listPlans(tenant.call(), query));
  return { ...tenant, list, ids: rows.map((row) => encodeId("plan", row.id)) };
}

const names = (page: { data: { name: string }[] }) => page.data.map((plan) => Number(plan.name));

test("plans are listed newest first, twenty per page", async () => {
  const { list } = await tenantWithPlans(25);
  const first = await list();
  expect(first).toMatchObject({ object: "list", limit: 20, offset: 0, has_more: true, total: 25, total_capped: false });
  expect(names(first)).toEqual(Array.from({ length: 20 }, (_, i) => 24 - i));
  const second = await list({ offset: 20 });
  expect(names(second)).toEqual([4, 3, 2, 1, 0]);
  expect(second.has_more).toBe(false);
});

test("starting_after continues after a plan, and together the pages have every plan once", async () => {
  const { list } = await tenantWithPlans(25);
  const seen: number[] = [];
  let starting_after: string | undefined;
  for (let more = true; more; ) {
    const page = await list({ limit: 7, starting_after });
    seen.push(...names(page));
    expect(page.total).toBe(25);
    more = page.has_more;
    starting_after = page.data.at(-1)?.id;
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => 24 - i));
});

test("status and type narrow the list and its total", async () => {
  const { list } = await tenantWithPlans(9);
  expect(await list({ status: "ACTIVE" })).toMatchObject({ total: 3, has_more: false });
  expect(names(await list({ status: "ACTIVE", limit: 2 }))).toEqual([6, 3]);
  expect(await list({ type: "SUBSCRIPTION_NO_TRIAL" })).toMatchObject({ data: [], total: 0, has_more: false });
});

test("starting_after with an unknown plan, or another environment's, is 400", async () => {
  const { list, ids, stranger: otherMerchant, call } = await tenantWithPlans(2);
  const refusal = { code: "invalid_parameter", param: "starting_after" };
  await expect(list({ starting_after: "nonsense" })).rejects.toMatchObject(refusal);
  await expect(list({ starting_after: encodeId("plan", newId()) })).rejects.toMatchObject(refusal);
  await expect(listPlans(call({ environment: otherMerchant.test }), { starting_after: ids[0] })).rejects.toMatchObject(
    refusal,
  );
  expect(await listPlans(call({ environment: otherMerchant.test }), {})).toMatchObject({ data: [], total: 0 });
});

test("the total is exact up to 10,000 and capped beyond", async () => {
  const { list, merchant } = await tenantWithPlans(10_000);
  expect(await list({ limit: 1 })).toMatchObject({ total: 10_000, total_capped: false });
  const id = newId();
  await db.sql`insert into plans (environment_id, id, type, name, currency, full_price, status, created_at, updated_at)
    values (${merchant.test.id}, ${id}, 'ONE_TIME', 'last', 'USD', 100, 'DRAFT', ${idTime(id)}, ${idTime(id)})`;
  expect(await list({ limit: 1 })).toMatchObject({ total: 10_000, total_capped: true });
});
