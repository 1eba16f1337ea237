import { z } from "zod";
import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, MONEY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { invoice } from "@/lib/contract/invoices/invoice";
import {
  cancelSubscriptionBody,
  changePlanBody,
  createSubscriptionBody,
  listSubscriptionsQuery,
  subscription,
  subscriptionList,
  updateSubscriptionBody,
} from "./subscription";

const CHARGING = [
  ...MONEY_ERRORS,
  ...(["resource_not_found", "card_declined", "payment_failed", "processor_refused"] as const),
  ...(["processor_not_configured", "outcome_pending"] as const),
] as const;

export const createSubscription = endpoint({
  name: "createSubscription",
  method: "POST",
  path: "/v1/subscriptions",
  tag: "Subscriptions",
  summary: "Create a subscription",
  description:
    "Charges the first period, or the paid trial, at once; a free trial charges nothing. If the card is declined, the response is 402 and there is no subscription. Each customer, card and e-mail address gets one trial of a plan: after that, a subscription begins with period 1, and `trial_refused` is true.",
  permissions: ["subscription.write"],
  idempotency: "required",
  movesMoney: true,
  body: createSubscriptionBody,
  status: 201,
  response: subscription,
  errors: [...CHARGING, "plan_not_recurring", "plan_not_active"],
});

export const listSubscriptions = endpoint({
  name: "listSubscriptions",
  list: true,
  method: "GET",
  path: "/v1/subscriptions",
  tag: "Subscriptions",
  summary: "List subscriptions",
  description: "Newest first.",
  permissions: ["subscription.read"],
  idempotency: "none",
  query: listSubscriptionsQuery,
  status: 200,
  response: subscriptionList,
  errors: QUERY_ERRORS,
});

export const getSubscription = endpoint({
  name: "getSubscription",
  method: "GET",
  path: "/v1/subscriptions/{id}",
  tag: "Subscriptions",
  summary: "Get a subscription",
  description: "One subscription.",
  permissions: ["subscription.read"],
  idempotency: "none",
  status: 200,
  response: subscription,
  errors: ["resource_not_found"],
});

export const updateSubscription = endpoint({
  name: "updateSubscription",
  method: "PATCH",
  path: "/v1/subscriptions/{id}",
  tag: "Subscriptions",
  summary: "Update a subscription",
  description: "Changes the fields you send. With another card, unpaid invoices are charged at once.",
  permissions: ["subscription.write"],
  idempotency: "optional",
  body: updateSubscriptionBody,
  status: 200,
  response: subscription,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state", "outcome_pending"],
});

export const cancelSubscription = endpoint({
  name: "cancelSubscription",
  method: "POST",
  path: "/v1/subscriptions/{id}/cancel",
  tag: "Subscriptions",
  summary: "Cancel a subscription",
  description:
    "Ends it immediately: unpaid invoices become VOID and nothing is charged anymore. With `refund: prorated` the unused part of the paid period is refunded. To end it with the period, set `cancel_at_period_end`.",
  permissions: ["subscription.write"],
  idempotency: "required",
  movesMoney: true,
  body: cancelSubscriptionBody,
  bodyOptional: true,
  status: 200,
  response: subscription,
  errors: [...MONEY_ERRORS, "resource_not_found", "invalid_state", "limit_exceeded", "outcome_pending"],
});

export const pauseSubscription = endpoint({
  name: "pauseSubscription",
  method: "POST",
  path: "/v1/subscriptions/{id}/pause",
  tag: "Subscriptions",
  summary: "Pause a subscription",
  description: "No invoices and no payment attempts until it is resumed.",
  permissions: ["subscription.write"],
  idempotency: "optional",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: subscription,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state", "outcome_pending"],
});

export const resumeSubscription = endpoint({
  name: "resumeSubscription",
  method: "POST",
  path: "/v1/subscriptions/{id}/resume",
  tag: "Subscriptions",
  summary: "Resume a subscription",
  description:
    "A new period begins and is charged now; later periods are counted from now. If the card is declined, the response is 402 and the subscription stays paused.",
  permissions: ["subscription.write"],
  idempotency: "required",
  movesMoney: true,
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: subscription,
  errors: [...CHARGING, "invalid_state"],
});

export const changeSubscriptionPlan = endpoint({
  name: "changeSubscriptionPlan",
  method: "POST",
  path: "/v1/subscriptions/{id}/change-plan",
  tag: "Subscriptions",
  summary: "Change plan or quantity",
  description:
    "At the end of the period, or now. A change now settles the rest of the period: a positive total is charged, and a negative one becomes credit. If the card is declined, the response is 402 and nothing changes. Changing to another billing interval now begins a new period.",
  permissions: ["subscription.write"],
  idempotency: "required",
  movesMoney: true,
  body: changePlanBody,
  status: 200,
  response: subscription,
  errors: [...CHARGING, "invalid_state", "plan_not_recurring", "plan_not_active"],
});

export const previewSubscriptionChange = endpoint({
  name: "previewSubscriptionChange",
  method: "POST",
  path: "/v1/subscriptions/{id}/preview-change",
  tag: "Subscriptions",
  summary: "Preview a change",
  description: "The invoice that the change would make. Nothing changes.",
  permissions: ["subscription.read"],
  idempotency: "optional",
  reads: true,
  body: changePlanBody,
  status: 200,
  response: invoice,
  errors: [
    ...BODY_ERRORS,
    ...IDEMPOTENCY_ERRORS,
    ...(["resource_not_found", "invalid_state", "plan_not_recurring", "plan_not_active"] as const),
  ],
});

export const retrySubscription = endpoint({
  name: "retrySubscription",
  method: "POST",
  path: "/v1/subscriptions/{id}/retry",
  tag: "Subscriptions",
  summary: "Retry the unpaid invoice",
  description: "Charges the oldest unpaid invoice now. A decline is 402 and uses up none of the planned attempts.",
  permissions: ["subscription.write"],
  idempotency: "required",
  movesMoney: true,
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: subscription,
  errors: [...CHARGING, "invalid_state"],
});
