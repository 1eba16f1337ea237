import { majorToMinor } from "@/lib/contract/currencies";
import type { PeriodUnit, Plan, PlanStatus, PlanType } from "@/lib/contract/plan";
import { moneyText } from "./money-text";
import type { Period, PlanTerms } from "./plan-schedule";

/** Plans in words. */

export const PLAN_TYPE_LABELS: Record<PlanType, string> = {
  ONE_TIME: "One-time",
  SUBSCRIPTION_NO_TRIAL: "Subscription",
  SUBSCRIPTION_FREE_TRIAL: "Subscription with free trial",
  SUBSCRIPTION_PAID_TRIAL: "Subscription with paid trial",
};

export const PLAN_TYPE_SENTENCES: Record<PlanType, string> = {
  ONE_TIME: "One price, paid once.",
  SUBSCRIPTION_NO_TRIAL: "Paid at once and then every period.",
  SUBSCRIPTION_FREE_TRIAL: "Nothing to pay until the trial ends.",
  SUBSCRIPTION_PAID_TRIAL: "A first price for the trial, then the full one.",
};

export const PLAN_STATUS_SENTENCES: Record<PlanStatus, string> = {
  DRAFT: "Not for sale yet. Everything can still be changed.",
  ACTIVE: "For sale. Its price and timing are fixed.",
  INACTIVE: "No longer for sale. It can be changed, and activated again.",
};

const UNITS: Record<PeriodUnit, string> = { DAYS: "day", WEEKS: "week", MONTHS: "month" };

/** "1 month", "14 days". */
export function lengthText({ value, unit }: Period): string {
  return value === 1 ? `1 ${UNITS[unit]}` : `${value} ${UNITS[unit]}s`;
}

/** "every month", "every 3 months". */
export function everyText(period: Period): string {
  return period.value === 1 ? `every ${UNITS[period.unit]}` : `every ${lengthText(period)}`;
}

/** "€19.99 every month after 14 days free". */
export function priceText({ price, every, trial, trialPrice }: PlanTerms, currency: string): string {
  const full = moneyText(price, currency);
  if (every === null) return `${full} once`;
  const regular = `${full} ${everyText(every)}`;
  if (trial === null) return regular;
  if (trialPrice === null) return `${regular} after ${lengthText(trial)} free`;
  return `${moneyText(trialPrice, currency)} for ${lengthText(trial)}, then ${regular}`;
}

/** What a plan of the API charges, in minor units. */
export function termsOf(plan: Plan): PlanTerms {
  const minor = (price: number) => majorToMinor(price, plan.currency) ?? 0;
  return {
    type: plan.type,
    price: minor(plan.full_price_amount),
    every: periodOf(plan.billing_frequency_value, plan.billing_frequency_unit),
    trial: periodOf(plan.trial_period_value, plan.trial_period_unit),
    trialPrice: plan.trial_price_amount === null ? null : minor(plan.trial_price_amount),
  };
}

const periodOf = (value: number | null, unit: PeriodUnit | null): Period | null =>
  value === null || unit === null ? null : { value, unit };
