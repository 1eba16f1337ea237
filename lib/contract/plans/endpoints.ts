import { z } from "zod";
import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { createPlanBody, listPlansQuery, plan, planList, updatePlanBody } from "./plan";

export const createPlan = endpoint({
  name: "createPlan",
  method: "POST",
  path: "/v1/subscription-plans",
  tag: "Subscription plans",
  summary: "Create a subscription plan",
  description:
    "What a customer pays and when. `ONE_TIME` is a single purchase. `full_price_amount` is in major units: 19.99.",
  permissions: ["subscription_plan.write"],
  idempotency: "optional",
  body: createPlanBody,
  status: 201,
  response: plan,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "already_exists", "currency_not_supported"],
});

export const listPlans = endpoint({
  name: "listPlans",
  list: true,
  method: "GET",
  path: "/v1/subscription-plans",
  tag: "Subscription plans",
  summary: "List subscription plans",
  description: "Newest first.",
  permissions: ["subscription_plan.read"],
  idempotency: "none",
  query: listPlansQuery,
  status: 200,
  response: planList,
  errors: QUERY_ERRORS,
});

export const getPlan = endpoint({
  name: "getPlan",
  method: "GET",
  path: "/v1/subscription-plans/{id}",
  tag: "Subscription plans",
  summary: "Get a subscription plan",
  description: "One plan.",
  permissions: ["subscription_plan.read"],
  idempotency: "none",
  status: 200,
  response: plan,
  errors: ["resource_not_found"],
});

export const updatePlan = endpoint({
  name: "updatePlan",
  method: "PATCH",
  path: "/v1/subscription-plans/{id}",
  tag: "Subscription plans",
  summary: "Update a subscription plan",
  description: "Changes the fields you send. An `ACTIVE` plan's price and timing never change.",
  permissions: ["subscription_plan.write"],
  idempotency: "none",
  body: updatePlanBody,
  status: 200,
  response: plan,
  errors: [...BODY_ERRORS, "resource_not_found", "already_exists", "invalid_state", "currency_not_supported"],
});

export const activatePlan = endpoint({
  name: "activatePlan",
  method: "POST",
  path: "/v1/subscription-plans/{id}/activate",
  tag: "Subscription plans",
  summary: "Activate a subscription plan",
  description: "Makes the plan usable in payments and client sessions. Activating an active plan changes nothing.",
  permissions: ["subscription_plan.write"],
  idempotency: "none",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: plan,
  errors: [...BODY_ERRORS, "resource_not_found"],
});

export const deactivatePlan = endpoint({
  ...activatePlan,
  name: "deactivatePlan",
  path: "/v1/subscription-plans/{id}/deactivate",
  summary: "Deactivate a subscription plan",
  description:
    "Stops new use of the plan. Deactivating an inactive plan changes nothing; a draft cannot be deactivated.",
  errors: [...BODY_ERRORS, "resource_not_found", "invalid_state"],
});
