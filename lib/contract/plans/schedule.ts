/** Schedule of a plan's charges, as data and as text. */
import { majorToMinor } from "@/lib/contract/currencies";
import { moneyText } from "@/lib/contract/format";
import type { PeriodUnit, Plan, PlanStatus, PlanType } from "./plan";

export type Period = { value: number; unit: PeriodUnit };

/** Terms of a schedule; amounts in minor units. */
export type PlanTerms = {
  type: PlanType;
  price: number;
  /** Null for a single purchase. */
  every: Period | null;
  /** Null without a trial. */
  trial: Period | null;
  /** Null when the trial is free, or there is none. */
  trialPrice: number | null;
};

/** An active plan in a form's list, with the amount due at purchase in minor units. */
export type PlanOption = { id: string; name: string; amount: number; currency: string; terms: PlanTerms };

export type ScheduledCharge = {
  /** Calendar date, `2026-11-21`. */
  on: string;
  kind: "single" | "free_trial" | "paid_trial" | "full";
  /** Minor units; 0 on the first day of a free trial. */
  amount: number;
};

/**
 * The first `count` charges for a customer who buys on `startOn` (a calendar date). Billing starts when the
 * trial ends, and every later date is counted from that day: 31 Jan, 28 Feb, 31 Mar.
 */
export function planSchedule(terms: PlanTerms, startOn: string, count = 6): ScheduledCharge[] {
  const { type, price, every, trial, trialPrice } = terms;
  if (type === "ONE_TIME" || every === null) return [{ on: startOn, kind: "single", amount: price }];
  const charges: ScheduledCharge[] = [];
  let anchor = startOn;
  if (trial !== null) {
    const paid = trialPrice !== null;
    charges.push({ on: startOn, kind: paid ? "paid_trial" : "free_trial", amount: trialPrice ?? 0 });
    anchor = addPeriods(startOn, trial, 1);
  }
  for (let i = 0; charges.length < count; i++) {
    charges.push({ on: addPeriods(anchor, every, i), kind: "full", amount: price });
  }
  return charges;
}

/** Amount due on the day of purchase, in minor units; 0 with a free trial. */
export const dueAtOnce = ({ price, trial, trialPrice }: PlanTerms): number =>
  trial === null ? price : (trialPrice ?? 0);

/** Sum and number of charges within a year of `startOn`, excluding the anniversary. */
export function firstYear(terms: PlanTerms, startOn: string): { amount: number; charges: number } {
  const end = addPeriods(startOn, { value: 12, unit: "MONTHS" }, 1);
  // Double the steps until one is beyond the year, so that far dates of long periods are never computed.
  let steps = planSchedule(terms, startOn, 2);
  while (steps.length > 1 && (steps.at(-1)?.on ?? end) < end) steps = planSchedule(terms, startOn, steps.length * 2);
  const due = steps.filter((charge) => charge.on < end && charge.amount > 0);
  return { amount: due.reduce((sum, charge) => sum + charge.amount, 0), charges: due.length };
}

/** A date `times` periods later; a shorter month ends on its last day. */
export function addPeriods(date: string, { value, unit }: Period, times: number): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  if (unit !== "MONTHS") return isoDate(new Date(Date.UTC(year, month - 1, day + value * times * DAYS[unit])));
  const first = new Date(Date.UTC(year, month - 1 + value * times, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day, last));
  return isoDate(first);
}

const DAYS = { DAYS: 1, WEEKS: 7 } as const;
const isoDate = (date: Date): string => date.toISOString().slice(0, 10);

/** The calendar date of a moment in a time zone. */
export function dateIn(timeZone: string, moment: Date): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  return parts.format(moment);
}

/** Plans as text. */

export const PLAN_TYPE_LABELS: Record<PlanType, string> = {
  ONE_TIME: "One-time",
  SUBSCRIPTION_NO_TRIAL: "Subscription",
  SUBSCRIPTION_FREE_TRIAL: "Subscription with free trial",
  SUBSCRIPTION_PAID_TRIAL: "Subscription with paid trial",
};

export const PLAN_TYPE_SENTENCES: Record<PlanType, string> = {
  ONE_TIME: "One price, paid once.",
  SUBSCRIPTION_NO_TRIAL: "Paid right away, then every period.",
  SUBSCRIPTION_FREE_TRIAL: "Nothing to pay until the trial ends.",
  SUBSCRIPTION_PAID_TRIAL: "A reduced price for the trial, then the full price.",
};

export const PLAN_STATUS_SENTENCES: Record<PlanStatus, string> = {
  DRAFT: "Not for sale yet. Everything can still be changed.",
  ACTIVE: "For sale through payment links, client sessions and the API.",
  INACTIVE: "No longer for sale. You can change it and activate it again.",
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

/**
 * "14 days free, then €19.99 every month"; `text` formats amounts, with their code if several currencies are
 * shown.
 */
export function priceText({ price, every, trial, trialPrice }: PlanTerms, currency: string, text = moneyText): string {
  const full = text(price, currency);
  if (every === null) return `${full} once`;
  const regular = `${full} ${everyText(every)}`;
  if (trial === null) return regular;
  const first =
    trialPrice === null ? `${lengthText(trial)} free` : `${text(trialPrice, currency)} for ${lengthText(trial)}`;
  return `${first}, then ${regular}`;
}

/** The terms of an API plan, in minor units. */
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

export const periodOf = (value: number | null, unit: PeriodUnit | null): Period | null =>
  value === null || unit === null ? null : { value, unit };
