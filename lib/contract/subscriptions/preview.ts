import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { amountOut, timestamp } from "@/lib/contract/fields";
import { createSubscriptionBody } from "./subscription";

/** Preview of a new subscription. Amounts in minor units. */
export const subscriptionPreview = z.object({
  currency: z.string(),
  due_now: amountOut,
  trial_end_at: timestamp.nullable(),
  /** The customer, card or e-mail address had a trial of the plan before. */
  trial_refused: z.boolean(),
  /** The next invoice: after a trial, the first in full. */
  next_at: timestamp,
  next_amount: amountOut,
});
export type SubscriptionPreview = z.infer<typeof subscriptionPreview>;

export const previewNewSubscription = dashboardEndpoint({
  name: "previewNewSubscription",
  method: "POST",
  path: "/api/dashboard/{mode}/subscriptions/preview",
  permission: "subscription.write",
  body: createSubscriptionBody,
  status: 200,
  response: subscriptionPreview,
});
