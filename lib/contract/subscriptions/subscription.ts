import { z } from "zod";
import { timeZone } from "@/lib/contract/accounts/fields";
import {
  amountOut,
  createdParams,
  customerFields,
  humanText,
  instant,
  isInOrder,
  isPagedOnce,
  listOf,
  metadata,
  OUT_OF_ORDER,
  PAGED_TWICE,
  pageParams,
  text,
  timestamp,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { nextAction } from "@/lib/contract/payments/payment";
import { PERIOD_UNITS, PLAN_TYPES } from "@/lib/contract/plans/plan";
import { SUBSCRIPTION_STATUSES } from "./statuses";

const subscriptionStatus = z.enum(SUBSCRIPTION_STATUSES);

const length = z
  .object({
    value: z.int().describe("Number of units."),
    unit: z.enum(PERIOD_UNITS).describe("The unit."),
  })
  .meta({ id: "Interval" });

/** A plan's price and timing as they were when the customer bought it. */
const boughtPlan = z
  .object({
    type: z.enum(PLAN_TYPES).describe("The plan's type."),
    name: z.string().describe("The plan's name."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    amount: amountOut.describe("Price of one unit for a period, in minor units."),
    trial_amount: amountOut.nullable().describe("Price of a paid trial, in minor units."),
    interval: length.describe("Length of a period."),
    trial: length.nullable().describe("Length of the trial; null without one."),
  })
  .meta({ id: "BoughtPlan" });
export type BoughtPlan = z.infer<typeof boughtPlan>;

/** Max units of a plan in one subscription. */
const MAX_QUANTITY = 10_000;
const quantity = z.int().min(1).max(MAX_QUANTITY);

export const subscription = z
  .object({
    id: idOf("subscription").describe("Unique id of the subscription."),
    object: z.literal("subscription").describe("Always `subscription`."),
    status: subscriptionStatus.describe("Where it is in its life."),
    plan_id: idOf("plan").describe("The plan."),
    plan: boughtPlan.describe("The plan as bought: later changes of its price do not affect this subscription."),
    customer_id: z.string().describe("Your own id for the customer."),
    customer_email: z.string().nullable().describe("The customer's e-mail address."),
    payment_method_id: idOf("paymentMethod")
      .nullable()
      .describe("The card that is charged; null while the first payment, which stores it, is incomplete."),
    quantity: z.int().describe("Units of the plan."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    time_zone: z.string().describe("IANA time zone in which periods are counted."),
    anchor_at: timestamp.describe("Every period is counted from this time."),
    period: z
      .object({
        number: z.int().describe("Counts from 1 at the anchor; 0 is the trial."),
        start_at: timestamp.describe("Its start."),
        end_at: timestamp.describe("Its end, and the start of the next one."),
      })
      .nullable()
      .describe("The current period."),
    trial_end_at: timestamp.nullable().describe("End of the trial; null without one."),
    trial_refused: z
      .boolean()
      .describe("True: the customer, card or e-mail address has already had a trial of this plan."),
    cancel_at_period_end: z.boolean().describe("True: it ends with the current period."),
    cancelled_at: timestamp.nullable().describe("When it was cancelled."),
    ended_at: timestamp.nullable().describe("When it ended."),
    cancel_reason: z.string().nullable().describe("Your reason, or `payment_failed` after the last attempt."),
    paused_at: timestamp.nullable().describe("When it was paused."),
    pending_change: z
      .object({
        plan_id: idOf("plan").describe("The next plan."),
        quantity: z.int().describe("The next quantity."),
        at: timestamp.describe("When it takes effect."),
      })
      .nullable()
      .describe("A change that takes effect at the end of the period."),
    credit: amountOut.describe("Credit that the next invoices use up, in minor units."),
    latest_invoice_id: idOf("invoice").nullable().describe("The newest invoice."),
    next_invoice_at: timestamp.nullable().describe("When the next invoice is made; null if none is planned."),
    next_invoice_amount: amountOut.nullable().describe("Amount due on it after credit, in minor units."),
    next_action: nextAction.nullable().describe("What the customer has to do for the payment in progress."),
    metadata: metadata.describe("Your own keys and values."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "Subscription" });
export type Subscription = z.infer<typeof subscription>;

export const subscriptionList = listOf(subscription).meta({ id: "SubscriptionList" });

export const createSubscriptionBody = z
  .strictObject({
    plan_id: idInput.describe("An active plan of a recurring type."),
    customer_id: text(255).describe("Your own id for the customer."),
    payment_method_id: idInput.describe("A card of this customer."),
    customer_email: customerFields.customer_email,
    quantity: quantity.default(1).describe("Units of the plan, 1 to 10,000."),
    trial_end_at: instant.nullable().default(null).describe("End of the trial, instead of the plan's."),
    time_zone: timeZone
      .nullable()
      .default(null)
      .describe("IANA time zone in which periods are counted; your own by default."),
    metadata: metadata.default({}).describe("Your own keys and values."),
  })
  .meta({ id: "CreateSubscriptionRequest" });
export type CreateSubscriptionBody = z.infer<typeof createSubscriptionBody>;

export const updateSubscriptionBody = z
  .strictObject({
    payment_method_id: idInput
      .optional()
      .describe("Another card of the customer. An unpaid invoice is charged immediately."),
    cancel_at_period_end: z
      .boolean()
      .optional()
      .describe("True ends it with the current period; false keeps it running."),
    trial_end_at: instant.optional().describe("A new end of the trial, later than now, while it is TRIALING."),
    metadata: metadata.optional().describe("Replaces your own keys and values."),
  })
  .meta({ id: "UpdateSubscriptionRequest" });
export type UpdateSubscriptionBody = z.infer<typeof updateSubscriptionBody>;

export const cancelSubscriptionBody = z
  .strictObject({
    reason: humanText(500).nullable().default(null).describe("Why, for your own records."),
    refund: z
      .enum(["none", "prorated"])
      .default("none")
      .describe("`prorated` refunds the unused part of the paid period."),
  })
  .meta({ id: "CancelSubscriptionRequest" });
export type CancelSubscriptionBody = z.infer<typeof cancelSubscriptionBody>;

export const changePlanBody = z
  .strictObject({
    plan_id: idInput.describe("An active plan of a recurring type, in the same currency."),
    quantity: quantity.optional().describe("Units of the plan; the current number by default."),
    when: z.enum(["now", "period_end"]).default("period_end").describe("When the change takes effect."),
    proration: z
      .enum(["credit", "none"])
      .default("credit")
      .describe("Of a change now: `credit` settles the rest of the period, `none` leaves it as paid."),
  })
  .meta({ id: "ChangePlanRequest" });
export type ChangePlanBody = z.infer<typeof changePlanBody>;

export const listSubscriptionsQuery = z
  .strictObject({
    ...pageParams,
    status: subscriptionStatus.optional().describe("Only this status."),
    plan_id: idInput.optional().describe("Only subscriptions to this plan."),
    customer_id: text(255).optional().describe("Only subscriptions of this customer."),
    ...createdParams,
  })
  .refine(isPagedOnce, PAGED_TWICE)
  .refine(isInOrder, OUT_OF_ORDER);
export type ListSubscriptionsQuery = z.infer<typeof listSubscriptionsQuery>;
