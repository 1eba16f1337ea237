import {
  activatePlan,
  createPlan,
  deactivatePlan,
  getPlan,
  listPlans,
  updatePlan,
} from "@/lib/contract/plans/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aPlan, newPlan } from "../samples";

const RECURRING = { billing_frequency_value: 1, billing_frequency_unit: "MONTHS" };
const TRIAL = { trial_period_value: 14, trial_period_unit: "DAYS" };
const TYPES = {
  ONE_TIME: {},
  SUBSCRIPTION_NO_TRIAL: RECURRING,
  SUBSCRIPTION_FREE_TRIAL: { ...RECURRING, ...TRIAL },
  SUBSCRIPTION_PAID_TRIAL: { ...RECURRING, ...TRIAL, trial_price_amount: 0.99 },
} as const;

test("the source document's example creates a plan", async ({ api }) => {
  const body = { type: "ONE_TIME", name: "Premium", currency: "USD", full_price_amount: 99.99, status: "ACTIVE" };
  const plan = (await api.call(createPlan, { body })).ok();
  expect(plan).toMatchObject({ ...body, object: "subscription_plan", environment: "sandbox", description: null });
  expect((await api.call(getPlan, { id: plan.id })).ok()).toEqual(plan);
});

for (const [type, fields] of Object.entries(TYPES)) {
  test(`${type} has exactly its own fields`, async ({ api }) => {
    const plan = await newPlan(api, { type, ...fields });
    expect(plan).toMatchObject({ type, status: "DRAFT", ...fields });
    for (const field of Object.keys(fields)) {
      const body = aPlan({ type, ...fields, [field]: undefined });
      expect((await api.call(createPlan, { body })).problem("missing_parameter").param).toBe(field);
    }
    const foreign = { ...TYPES.SUBSCRIPTION_PAID_TRIAL };
    for (const field of Object.keys(foreign).filter((name) => !(name in fields))) {
      const body = aPlan({ type, ...fields, [field]: foreign[field as keyof typeof foreign] });
      expect((await api.call(createPlan, { body })).problem("invalid_parameter").param).toBe(field);
    }
  });
}

for (const field of ["type", "name", "currency", "full_price_amount"]) {
  test(`${field} is required`, async ({ api }) => {
    const refusal = (await api.call(createPlan, { body: aPlan({ [field]: undefined }) })).problem("missing_parameter");
    expect(refusal.param).toBe(field);
  });
}

for (const [field, value] of [
  ["type", "FREE"],
  ["name", "x".repeat(51)],
  ["currency", "usd"],
  ["full_price_amount", 0],
  ["full_price_amount", -1],
  ["full_price_amount", "19.99"],
  ["full_price_amount", 19.999],
  ["status", "LIVE"],
  ["description", "x".repeat(1_001)],
] as const) {
  test(`${field} is checked: ${JSON.stringify(value).slice(0, 30)}`, async ({ api }) => {
    const refusal = (await api.call(createPlan, { body: aPlan({ [field]: value }) })).problem("invalid_parameter");
    expect(refusal.param).toBe(field);
  });
}

test("a price has no more decimals than its currency", async ({ api }) => {
  for (const [currency, price, fits] of [
    ["JPY", 1_500, true],
    ["JPY", 1_500.5, false],
    ["USD", 0.01, true],
    ["USD", 0.001, false],
    ["USD", 1.005, false],
    ["KWD", 1.005, true],
    ["KWD", 1.0005, false],
    ["USD", 19.99, true],
    ["USD", 1_234_567.89, true],
  ] as const) {
    const answer = await api.call(createPlan, { body: aPlan({ currency, full_price_amount: price }) });
    if (fits) expect(answer.ok().full_price_amount).toBe(price);
    else expect(answer.problem("invalid_parameter").param).toBe("full_price_amount");
  }
  (await api.call(createPlan, { body: aPlan({ currency: "ZZZ" }) })).problem("currency_not_supported");
});

test("every unit of time is accepted", async ({ api }) => {
  for (const billing_frequency_unit of ["DAYS", "WEEKS", "MONTHS"]) {
    await newPlan(api, { type: "SUBSCRIPTION_NO_TRIAL", billing_frequency_value: 2, billing_frequency_unit });
  }
  const body = aPlan({ type: "SUBSCRIPTION_NO_TRIAL", billing_frequency_value: 1, billing_frequency_unit: "YEARS" });
  (await api.call(createPlan, { body })).problem("invalid_parameter");
});

test("a name is unique per environment", async ({ tenant, api, stranger }) => {
  const plan = await newPlan(api, { name: "Gold" });
  expect((await api.call(createPlan, { body: aPlan({ name: "Gold" }) })).problem("already_exists").param).toBe("name");
  await newPlan(tenant.live, { name: "Gold" });
  await newPlan(stranger.api, { name: "Gold" });
  const other = await newPlan(api);
  (await api.call(updatePlan, { id: other.id, body: { name: "Gold" } })).problem("already_exists");
  expect((await api.call(updatePlan, { id: plan.id, body: { name: "Gold" } })).ok()).toEqual(plan);
  const racers = Array.from({ length: 6 }, () => api.call(createPlan, { body: aPlan({ name: "Race" }) }));
  const statuses = (await Promise.all(racers)).map(({ status }) => status);
  expect(statuses.sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
});

test("a draft can be changed freely, and omitted fields stay", async ({ api }) => {
  const plan = await newPlan(api, { description: "first" });
  const body = { name: "Other name", full_price_amount: 5, currency: "EUR" };
  const changed = (await api.call(updatePlan, { id: plan.id, body })).ok();
  expect(changed).toEqual({ ...plan, ...body, updated_at: changed.updated_at });
  expect((await api.call(updatePlan, { id: plan.id, body: { description: null } })).ok().description).toBeNull();
  expect((await api.call(updatePlan, { id: plan.id, body: {} })).ok().name).toBe("Other name");
});

test("a change must leave a plan that fits together", async ({ api }) => {
  const plan = await newPlan(api);
  const update = (body: object) => api.call(updatePlan, { id: plan.id, body });
  (await update({ type: "SUBSCRIPTION_NO_TRIAL" })).problem("missing_parameter");
  (await update({ ...RECURRING })).problem("invalid_parameter");
  (await update({ currency: "JPY" })).problem("invalid_parameter");
  (await update({ ammount: 1 })).problem("unknown_parameter");
  expect((await update({ type: "SUBSCRIPTION_NO_TRIAL", ...RECURRING })).ok()).toMatchObject(RECURRING);
});

test("the price and timing of an active plan never change", async ({ api }) => {
  const plan = await newPlan(api, {
    type: "SUBSCRIPTION_PAID_TRIAL",
    ...TYPES.SUBSCRIPTION_PAID_TRIAL,
    status: "ACTIVE",
  });
  for (const change of [
    { type: "ONE_TIME" },
    { currency: "EUR" },
    { full_price_amount: 1 },
    { billing_frequency_value: 2 },
    { billing_frequency_unit: "DAYS" },
    { trial_period_value: 1 },
    { trial_period_unit: "WEEKS" },
    { trial_price_amount: 2 },
  ]) {
    const refusal = (await api.call(updatePlan, { id: plan.id, body: change })).problem("invalid_state");
    expect(refusal.current_status).toBe("ACTIVE");
  }
  const renamed = (await api.call(updatePlan, { id: plan.id, body: { name: "New name", description: "d" } })).ok();
  expect(renamed).toEqual({ ...plan, name: "New name", description: "d", updated_at: renamed.updated_at });
});

test("DRAFT to ACTIVE, ACTIVE to INACTIVE and back; repeating it changes nothing", async ({ api }) => {
  const draft = await newPlan(api);
  (await api.call(deactivatePlan, { id: draft.id })).problem("invalid_state");
  const active = (await api.call(activatePlan, { id: draft.id })).ok();
  expect(active.status).toBe("ACTIVE");
  expect((await api.call(activatePlan, { id: draft.id })).ok()).toEqual(active);
  const inactive = (await api.call(deactivatePlan, { id: draft.id })).ok();
  expect(inactive.status).toBe("INACTIVE");
  expect((await api.call(deactivatePlan, { id: draft.id })).ok()).toEqual(inactive);
  expect((await api.call(activatePlan, { id: draft.id })).ok().status).toBe("ACTIVE");
  (await api.call(updatePlan, { id: draft.id, body: { status: "DRAFT" } })).problem("invalid_state");
});

test("plans are listed newest first, by status and type, in pages", async ({ api }) => {
  const one = await newPlan(api, { status: "ACTIVE" });
  const two = await newPlan(api, { type: "SUBSCRIPTION_NO_TRIAL", ...RECURRING });
  const three = await newPlan(api, { status: "INACTIVE" });
  const ids = async (query: Record<string, unknown>) =>
    (await api.call(listPlans, { query })).ok().data.map((plan) => plan.id);
  expect((await api.call(listPlans)).ok()).toMatchObject({ data: [three, two, one], total: 3, has_more: false });
  expect(await ids({ status: "ACTIVE" })).toEqual([one.id]);
  expect(await ids({ type: "SUBSCRIPTION_NO_TRIAL" })).toEqual([two.id]);
  expect(await ids({ limit: 2 })).toEqual([three.id, two.id]);
  expect(await ids({ limit: 2, offset: 2 })).toEqual([one.id]);
  expect(await ids({ starting_after: three.id })).toEqual([two.id, one.id]);
  for (const query of ["status=GONE", "type=X", "limit=0", "limit=101", "offset=-1"]) {
    (await api.call(listPlans, { query })).problem("invalid_parameter");
  }
});
