import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { type CreatePlanBody, createPlanBody, type Plan, plan as planSchema } from "@/lib/contract/plans/plan";
import type { Context } from "@/lib/domain/context";
import { activatePlan, createPlan, deactivatePlan, getPlan, updatePlan } from "./plans";

const { db } = await testDatabase();

const oneTime = { type: "ONE_TIME", name: "Poster", currency: "USD", full_price_amount: 19.99 } as const;
const monthly = { billing_frequency_value: 1, billing_frequency_unit: "MONTHS" } as const;
const trial = { trial_period_value: 14, trial_period_unit: "DAYS" } as const;

async function create(ctx: Context, body: Partial<CreatePlanBody> = {}): Promise<Plan> {
  const reply = await createPlan(ctx, createPlanBody.parse({ ...oneTime, ...body }));
  expect(reply.status).toBe(201);
  return planSchema.strict().parse(JSON.parse(reply.body));
}

const changes = (environmentId: string) => db.sql`
  select e.type, e.sequence, e.data, a.action, a.actor, a.request_id from events e
  join audit_log a on a.environment_id = e.environment_id and a.id = e.id
  where e.environment_id = ${environmentId} order by e.id`;

test("a plan is created as a draft with every member, and can be read again", async () => {
  const { call } = await testTenant(db);
  const plan = await create(call());
  expect(plan).toMatchObject({
    ...oneTime,
    object: "subscription_plan",
    status: "DRAFT",
    environment: "sandbox",
    trial_price_amount: null,
  });
  expect(plan.updated_at).toBe(plan.created_at);
  expect(await getPlan(call(), { id: plan.id })).toEqual(plan);
});

test.each([
  ["USD", 19.99, 1999],
  ["USD", 1.1, 110],
  ["JPY", 500, 500],
  ["KWD", 1.005, 1005],
  ["USD", 9_999_999_999, 999_999_999_900],
])("%s %d is stored as %d minor units and read back exactly", async (currency, full_price_amount, minor) => {
  const { call, merchant } = await testTenant(db);
  expect((await create(call(), { currency, full_price_amount })).full_price_amount).toBe(full_price_amount);
  const [row] = await db.sql`select full_price from plans where environment_id = ${merchant.test.id}`;
  expect(row?.full_price).toBe(minor);
});

test.each([
  ["USD", 19.999],
  ["JPY", 500.5],
  ["KWD", 1.0005],
  ["KWD", 9_999_999_999],
])("%s %d has too many decimals, or is too much: 400 on full_price_amount", async (currency, full_price_amount) => {
  const { call } = await testTenant(db);
  await expect(create(call(), { currency, full_price_amount })).rejects.toMatchObject({
    code: "invalid_parameter",
    param: "full_price_amount",
  });
});

test("a currency that is not ISO 4217's is 422", async () => {
  const { call } = await testTenant(db);
  await expect(create(call(), { currency: "XXX" })).rejects.toMatchObject({
    code: "currency_not_supported",
    param: "currency",
  });
});

test.each([
  ["ONE_TIME", {}],
  ["SUBSCRIPTION_NO_TRIAL", monthly],
  ["SUBSCRIPTION_FREE_TRIAL", { ...monthly, ...trial }],
  ["SUBSCRIPTION_PAID_TRIAL", { ...monthly, ...trial, trial_price_amount: 1 }],
] as const)("%s accepts exactly its own fields", async (type, own) => {
  const { call } = await testTenant(db);
  expect(await create(call(), { type, ...own })).toMatchObject({ type, ...own });
  const all = { ...monthly, ...trial, trial_price_amount: 1 };
  for (const field of Object.keys(all) as (keyof typeof all)[]) {
    const belongs = field in own;
    const body = belongs ? { ...own, [field]: null } : { ...own, [field]: all[field] };
    const code = belongs ? "missing_parameter" : "invalid_parameter";
    await expect(create(call(), { type, name: field, ...body })).rejects.toMatchObject({
      code,
      param: field,
      errors: [{ param: field, code }],
    });
  }
});

test("all invalid fields are reported together", async () => {
  const { call } = await testTenant(db);
  const body = { type: "SUBSCRIPTION_PAID_TRIAL", full_price_amount: 1.001, trial_price_amount: 0.001 } as const;
  const error = await create(call(), body).catch((e) => e);
  expect(error.errors.map((e: { param: string }) => e.param)).toEqual([
    ...["billing_frequency_value", "billing_frequency_unit", "trial_period_value", "trial_period_unit"],
    ...["full_price_amount", "trial_price_amount"],
  ]);
});

test("a name is used once per environment, also by ten concurrent requests", async () => {
  const { call, stranger: otherMerchant, merchant } = await testTenant(db);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => create(call())));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  for (const result of results) {
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "already_exists", param: "name" });
  }
  await create(call({ environment: merchant.live }));
  await create(call({ environment: otherMerchant.test }));
});

test("renaming to a taken name is 400, also when two plans swap names concurrently", async () => {
  const { call } = await testTenant(db);
  const a = await create(call(), { name: "a" });
  const b = await create(call(), { name: "b" });
  await expect(updatePlan(call(), { id: a.id, name: "b" })).rejects.toMatchObject({
    code: "already_exists",
    param: "name",
  });
  for (let i = 0; i < 10; i++) {
    const results = await Promise.allSettled([
      updatePlan(call(), { id: a.id, name: "b" }),
      updatePlan(call(), { id: b.id, name: "a" }),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "already_exists", param: "name" } });
    }
  }
});

test("a change affects only the members sent", async () => {
  const { call } = await testTenant(db);
  const plan = await create(call(), { description: "Old" });
  const changed = await updatePlan(call(), { id: plan.id, full_price_amount: 25 });
  expect(changed).toEqual({ ...plan, full_price_amount: 25, updated_at: changed.updated_at });
  expect(await updatePlan(call(), { id: plan.id, description: null })).toMatchObject({
    description: null,
    full_price_amount: 25,
  });
});

test("a change that makes the plan inconsistent is rejected", async () => {
  const { call } = await testTenant(db);
  const plan = await create(call(), { type: "SUBSCRIPTION_NO_TRIAL", ...monthly });
  await expect(updatePlan(call(), { id: plan.id, type: "ONE_TIME" })).rejects.toMatchObject({
    param: "billing_frequency_value",
  });
  await expect(updatePlan(call(), { id: plan.id, currency: "JPY" })).rejects.toMatchObject({
    param: "full_price_amount",
  });
  const cleared = { type: "ONE_TIME", billing_frequency_value: null, billing_frequency_unit: null } as const;
  expect(await updatePlan(call(), { id: plan.id, ...cleared })).toMatchObject(cleared);
});

test.each([
  { full_price_amount: 20 },
  { full_price_amount: 19.999 },
  { currency: "JPY" },
  { type: "ONE_TIME" as const },
  { billing_frequency_value: 2 },
  { billing_frequency_unit: "DAYS" as const },
  { trial_period_value: 7 },
  { status: "INACTIVE" as const, full_price_amount: 20 },
])("an active plan refuses %j", async (change) => {
  const { call } = await testTenant(db);
  const plan = await create(call(), { type: "SUBSCRIPTION_FREE_TRIAL", status: "ACTIVE", ...monthly, ...trial });
  await expect(updatePlan(call(), { id: plan.id, ...change })).rejects.toMatchObject({
    code: "invalid_state",
    extra: { current_status: "ACTIVE", allowed_actions: ["deactivate"] },
  });
  expect(await getPlan(call(), { id: plan.id })).toEqual(plan);
});

test("an active plan accepts a new name and description, and its own price again", async () => {
  const { call } = await testTenant(db);
  const plan = await create(call(), { status: "ACTIVE" });
  const change = { name: "Large poster", description: "A2", full_price_amount: 19.99, currency: "USD" };
  expect(await updatePlan(call(), { id: plan.id, ...change })).toMatchObject(change);
});

test("a plan changes from draft to active, inactive and back, and never back to draft", async () => {
  const { call } = await testTenant(db);
  const { id } = await create(call());
  const refused = (status: string) => ({ code: "invalid_state", extra: { current_status: status } });
  await expect(deactivatePlan(call(), { id })).rejects.toMatchObject(refused("DRAFT"));
  await expect(updatePlan(call(), { id, status: "INACTIVE" })).rejects.toMatchObject(refused("DRAFT"));
  expect((await activatePlan(call(), { id })).status).toBe("ACTIVE");
  await expect(updatePlan(call(), { id, status: "DRAFT" })).rejects.toMatchObject(refused("ACTIVE"));
  expect((await deactivatePlan(call(), { id })).status).toBe("INACTIVE");
  await expect(updatePlan(call(), { id, status: "DRAFT" })).rejects.toMatchObject(refused("INACTIVE"));
  expect((await updatePlan(call(), { id, status: "ACTIVE", full_price_amount: 5 })).full_price_amount).toBe(5);
});

test("unknown, malformed and foreign ids get the same 404, and nothing changes", async () => {
  const { call, stranger: otherMerchant, merchant } = await testTenant(db);
  const { id } = await create(call());
  const foreign = [call({ environment: otherMerchant.test }), call({ environment: merchant.live })];
  const verbs = [
    getPlan,
    activatePlan,
    deactivatePlan,
    (ctx: Context, input: { id: string }) => updatePlan(ctx, { ...input, name: "x" }),
  ];
  for (const verb of verbs) {
    const attempts = [
      ...foreign.map((ctx) => ({ ctx, given: id })),
      ...["plan_01h455vb4pex5vsknk084sn02q", "nonsense", id.toUpperCase(), id.replace("plan_", "cs_")].map((given) => ({
        ctx: call(),
        given,
      })),
    ];
    for (const { ctx, given } of attempts) {
      const error = await verb(ctx, { id: given }).catch((e) => e);
      expect(error.code).toBe("resource_not_found");
      expect(error.message.replaceAll(given, "")).toBe("There is no plan '' in this environment.");
    }
  }
  expect((await getPlan(call(), { id })).status).toBe("DRAFT");
});

test("every change leaves its event and audit entry; a change of nothing, and a refusal, leave none", async () => {
  const { call, merchant } = await testTenant(db);
  const ctx = call();
  const { id } = await create(ctx);
  await updatePlan(ctx, { id, name: "New", status: "ACTIVE" });
  const updated = await activatePlan(ctx, { id });
  await updatePlan(ctx, { id, name: "New", full_price_amount: 19.99 });
  await updatePlan(ctx, { id, full_price_amount: 1 }).catch(() => {});
  await create(ctx, { name: "New" }).catch(() => {});
  const plan = await deactivatePlan(ctx, { id });
  const rows = await changes(merchant.test.id);
  const names = ["created", "updated", "activated", "deactivated"];
  expect(rows.map((row) => row.type)).toEqual(names.map((name) => `subscription_plan.${name}`));
  expect(rows.map((row) => row.action)).toEqual(names.map((name) => `plan.${name}`));
  expect(rows.map((row) => row.sequence)).toEqual([1, 2, 3, 4]);
  expect(rows.at(-1)).toMatchObject({ data: { object: plan }, actor: ctx.actor, request_id: ctx.request.id });
  expect(rows[0]?.data.previous).toBeNull();
  expect(rows[2]?.data.object).toEqual(updated);
  expect(rows[2]?.data.previous).toEqual({ name: oneTime.name, status: "DRAFT", updated_at: expect.any(String) });
  expect(rows[3]?.data.previous).toEqual({ status: "ACTIVE", updated_at: updated.updated_at });
});
