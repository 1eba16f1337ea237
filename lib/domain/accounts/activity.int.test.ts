import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { createTestUser } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { activatePlan, createPlan } from "../plans/plans";
import { recordStaffAct } from "../support/staff-acts";
import { exportActivity, listActivity } from "./activity";
import { updateBusiness } from "./business";

const { db } = await testDatabase();

/** A shop in which Ada refunds, changes a price and the business's name, and Grace refunds. */
async function busyTeam() {
  const tenant = await moneyTenant(db);
  const { service, merchant } = tenant;
  const ada = await createTestUser(db, { merchantId: merchant.id, role: "owner", name: "Ada" });
  const grace = await createTestUser(db, { merchantId: merchant.id, role: "support", name: "Grace" });
  const staff = await createTestUser(db, { merchantId: null, role: "staff", name: "Sam" });
  const as = (user: { id: string }) => testContext(service, merchant.test, { actor: { type: "user", id: user.id } });
  const payment = (await tenant.create()).body;
  await tenant.act("refund", payment.id, { amount: 1_200 }, { context: { actor: as(ada).actor } });
  await tenant.act("refund", payment.id, { amount: 300 }, { context: { actor: as(grace).actor } });
  const body = { type: "ONE_TIME", name: "Print", currency: "USD", full_price_amount: 20 };
  const plan = JSON.parse((await createPlan(as(ada), createPlanBody.parse(body))).body);
  await activatePlan(as(ada), { id: plan.id });
  await updateBusiness(as(ada), { name: "Renamed" });
  const look = { action: "support.viewed_merchant", merchantId: merchant.id } as const;
  await recordStaffAct(service, { userId: staff.id }, look);
  const list = async (query: object = {}) => (await listActivity(as(ada), { timeZone: "UTC", ...query })).rows;
  return { ctx: as(ada), payment, plan, list, id: ({ id }: { id: string }) => encodeId("user", id), ada, grace };
}

test("the activity has what members did with money, prices and settings, and none of what API keys did", async () => {
  const { list, payment, plan } = await busyTeam();
  const rows = await list();
  expect(rows.map(({ action, actor, mode }) => [action, actor.name, mode])).toEqual([
    ["support.viewed_merchant", "Cardlane support", null],
    ["settings.business_updated", "Ada", null],
    ["plan.activated", "Ada", "test"],
    ["plan.created", "Ada", "test"],
    [expect.stringMatching(/refund/), "Grace", "test"],
    [expect.stringMatching(/refund/), "Ada", "test"],
  ]);
  expect(rows.at(-1)).toMatchObject({ objectId: payment.id, money: { amount: 1_200, currency: "USD" } });
  expect(rows.at(-2)).toMatchObject({ objectId: payment.id, money: { amount: 300, currency: "USD" } });
  expect(rows[2]).toMatchObject({ objectId: plan.id, money: null });
});

test("each filter leaves the others' acts out, and an export has the same rows", async () => {
  const { ctx, list, id, ada, grace } = await busyTeam();
  const actions = async (query: object) => {
    const rows = await list(query);
    expect(await exportActivity(ctx, { timeZone: "UTC", ...query })).toEqual(rows);
    return rows.map(({ action }) => action);
  };
  const [adas, graces] = [await list({ area: "payments", who: id(ada) }), await list({ who: id(grace) })];
  expect([adas.map(({ money }) => money?.amount), graces.map(({ money }) => money?.amount)]).toEqual([[1_200], [300]]);
  expect(await actions({ area: "plans" })).toEqual(["plan.activated", "plan.created"]);
  expect(await actions({ area: "settings" })).toEqual(["settings.business_updated"]);
  expect(await actions({ area: "support" })).toEqual(["support.viewed_merchant"]);
  expect(await actions({ who: "support" })).toEqual(["support.viewed_merchant"]);
  expect(await actions({ area: "exports" })).toEqual([]);
  expect(await actions({ created: { preset: "last-7-days" } })).toHaveLength(6);
  expect(await actions({ created: { from: null, to: "2020-01-01" } })).toEqual([]);
  const foreign = await busyTeam();
  expect(await actions({ who: foreign.id(foreign.ada) })).toEqual([]);
  expect(await actions({ before: "nonsense" })).toEqual([]);
});
