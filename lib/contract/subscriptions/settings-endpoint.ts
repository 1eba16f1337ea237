import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import {
  AFTER_LAST_ATTEMPT,
  MAX_DUNNING_DAYS,
  MAX_DUNNING_STEPS,
  type SubscriptionSettings,
} from "@/lib/contract/subscriptions/settings";

const STEPS = `Plan 1 to ${MAX_DUNNING_STEPS} retries.`;
const DAYS = `Enter 1 to ${MAX_DUNNING_DAYS} days.`;
const isOn = z.boolean().optional();

/** Changes settings of one mode's subscriptions; absent members stay. */
export const updateSubscriptionSettings = dashboardEndpoint({
  name: "updateSubscriptionSettings",
  method: "PATCH",
  path: "/api/dashboard/{mode}/subscription-settings",
  permission: "settings.manage",
  body: z.strictObject({
    dunning_steps: z
      .array(z.int(DAYS).min(1, DAYS).max(MAX_DUNNING_DAYS, DAYS))
      .min(1, STEPS)
      .max(MAX_DUNNING_STEPS, STEPS)
      .optional(),
    after_last_attempt: z.enum(AFTER_LAST_ATTEMPT).optional(),
    mail_trial_ending: isOn,
    mail_receipt: isOn,
    mail_payment_failed: isOn,
    mail_card_expiring: isOn,
    mail_cancelled: isOn,
    portal_change_card: isOn,
    portal_cancel: isOn,
    portal_invoices: isOn,
  }),
  status: 200,
  response: z.custom<SubscriptionSettings>(),
});
