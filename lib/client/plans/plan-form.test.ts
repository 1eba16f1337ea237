import { expect, test } from "vitest";
import type { Plan } from "@/lib/contract/plans/plan";
import { priceText, termsOf } from "@/lib/contract/plans/schedule";
import { fieldWords, type PlanFormValues, planChanges, planFormValues, readPlan, termsTyped } from "./plan-form";

const typed = (values: Partial<PlanFormValues> = {}): PlanFormValues => ({
  ...planFormValues(null, "USD"),
  name: "Pro",
  full_price_amount: "19.99",
  ...values,
});
const errorsOf = (values: PlanFormValues) => readPlan(values).errors;
function bodyOf(values: PlanFormValues) {
  const { body, errors } = readPlan(values);
  if (body === null) throw new Error(JSON.stringify(errors));
  return body;
}

test("each type sends its own fields, and null for the others", () => {
  const trial = { trial_period_value: "7", trial_price_amount: "1" };
  expect(bodyOf(typed({ type: "ONE_TIME", ...trial }))).toEqual({
    type: "ONE_TIME",
    name: "Pro",
    currency: "USD",
    full_price_amount: 19.99,
    status: "DRAFT",
    description: null,
    billing_frequency_value: null,
    billing_frequency_unit: null,
    trial_period_value: null,
    trial_period_unit: null,
    trial_price_amount: null,
  });
  expect(bodyOf(typed({ type: "SUBSCRIPTION_PAID_TRIAL", ...trial }))).toMatchObject({
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    trial_period_value: 7,
    trial_period_unit: "DAYS",
    trial_price_amount: 1,
  });
});

test("each problem is reported at its own field", () => {
  const empty = typed({ type: "SUBSCRIPTION_PAID_TRIAL", name: " ", full_price_amount: "", trial_period_value: "" });
  expect(Object.keys(errorsOf(empty)).toSorted()).toEqual([
    ...["full_price_amount", "name", "trial_period_value", "trial_price_amount"],
  ]);
  expect(errorsOf(typed({ full_price_amount: "19.999" }))).toEqual({
    full_price_amount: "Use at most 2 decimals in USD.",
  });
  expect(errorsOf(typed({ currency: "JPY" })).full_price_amount).toContain("no decimals");
  expect(errorsOf(typed({ full_price_amount: "0" })).full_price_amount).toContain("above zero");
  expect(errorsOf(typed({ full_price_amount: "1,500" })).full_price_amount).toContain("two ways");
  expect(bodyOf(typed({ full_price_amount: "19,99" })).full_price_amount).toBe(19.99);
  expect(errorsOf(typed({ full_price_amount: "99999999999" })).full_price_amount).toContain("limit");
  expect(errorsOf(typed({ billing_frequency_value: "1.5" })).billing_frequency_value).toContain("whole number");
  expect(errorsOf(typed({ name: "x".repeat(51) })).name).toContain("50");
  expect(errorsOf(typed())).toEqual({});
});

test("the API's sentences name fields in words", () => {
  const message = "full_price_amount must not be above 9999999999.99 USD.";
  expect(fieldWords({ param: "full_price_amount", message })).toBe("The price must not be above 9999999999.99 USD.");
});

test("a saved plan is shown unchanged, and only changed members are sent", () => {
  const plan: Plan = {
    id: "plan_01h455vb4pex5vsknk084sn02q",
    object: "subscription_plan",
    environment: "sandbox",
    ...bodyOf(typed({ type: "SUBSCRIPTION_FREE_TRIAL", full_price_amount: "20" })),
    created_at: "2026-11-21T00:00:00.000Z",
    updated_at: "2026-11-21T00:00:00.000Z",
  };
  const values = planFormValues(plan, "EUR");
  expect(values.full_price_amount).toBe("20.00");
  expect(planChanges(plan, bodyOf(values))).toEqual({});
  expect(planChanges(plan, bodyOf({ ...values, type: "SUBSCRIPTION_NO_TRIAL" }))).toEqual({
    type: "SUBSCRIPTION_NO_TRIAL",
    trial_period_value: null,
    trial_period_unit: null,
  });
  expect(termsTyped(values)).toEqual(termsOf(plan));
});

test("prices are formatted in words", () => {
  const words = (values: Partial<PlanFormValues>) => {
    const terms = termsTyped(typed({ currency: "EUR", ...values }));
    return terms && priceText(terms, values.currency ?? "EUR");
  };
  expect(words({ type: "ONE_TIME" })).toBe("€19.99 once");
  expect(words({ type: "SUBSCRIPTION_NO_TRIAL", billing_frequency_value: "3" })).toBe("€19.99 every 3 months");
  expect(words({ type: "SUBSCRIPTION_FREE_TRIAL" })).toBe("14 days free, then €19.99 every month");
  expect(words({ type: "SUBSCRIPTION_PAID_TRIAL", trial_price_amount: "1" })).toBe(
    "€1.00 for 14 days, then €19.99 every month",
  );
  expect(words({ type: "ONE_TIME", currency: "JPY", full_price_amount: "500" })).toBe("¥500 once");
  expect(words({ full_price_amount: "" })).toBeNull();
  expect(words({ type: "SUBSCRIPTION_PAID_TRIAL" })).toBeNull();
});
