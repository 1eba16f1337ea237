import { isSupportedCurrency, majorToMinor, minorToMajor } from "@/lib/contract/currencies";
import type { FieldError } from "@/lib/contract/errors";
import {
  type CreatePlanBody,
  createPlanBody,
  FIXED_WHILE_ACTIVE,
  hasPlanField,
  type Plan,
  type PlanField,
  planFieldErrors,
  type UpdatePlanBody,
} from "@/lib/contract/plans/plan";
import type { PlanTerms } from "@/lib/contract/plans/schedule";
import { amountProblem, minorTyped, plainAmount } from "@/lib/contract/typed-amount";

/** Form values of a plan; numbers as typed. */
export type PlanFormValues = Omit<CreatePlanBody, NumberField | "billing_frequency_unit" | "trial_period_unit"> &
  Record<NumberField | "description", string> & {
    billing_frequency_unit: NonNullable<CreatePlanBody["billing_frequency_unit"]>;
    trial_period_unit: NonNullable<CreatePlanBody["trial_period_unit"]>;
  };

const NUMBER_FIELDS = [
  "full_price_amount",
  "billing_frequency_value",
  "trial_period_value",
  "trial_price_amount",
] as const;
type NumberField = (typeof NUMBER_FIELDS)[number];
const PRICE_FIELDS = ["full_price_amount", "trial_price_amount"] as const satisfies readonly NumberField[];

const EDITABLE_FIELDS = ["name", "description", ...FIXED_WHILE_ACTIVE] as const;

export function planFormValues(plan: Plan | null, currency: string): PlanFormValues {
  return {
    type: plan?.type ?? "SUBSCRIPTION_NO_TRIAL",
    name: plan?.name ?? "",
    currency: plan?.currency ?? currency,
    full_price_amount: plan ? priceInput(plan.full_price_amount, plan.currency) : "",
    status: plan?.status ?? "DRAFT",
    description: plan?.description ?? "",
    billing_frequency_value: String(plan?.billing_frequency_value ?? 1),
    billing_frequency_unit: plan?.billing_frequency_unit ?? "MONTHS",
    trial_period_value: String(plan?.trial_period_value ?? 14),
    trial_period_unit: plan?.trial_period_unit ?? "DAYS",
    trial_price_amount: plan?.trial_price_amount == null ? "" : priceInput(plan.trial_price_amount, plan.currency),
  };
}

/** 20 → "20.00" in USD, "20" in JPY. */
function priceInput(price: number, currency: string): string {
  const minor = isSupportedCurrency(currency) ? majorToMinor(price, currency) : null;
  return minor === null ? String(price) : plainAmount(minor, currency);
}

/** The typed values in the API's format: null for fields that the type lacks, empty ones omitted. */
function bodyOf(values: PlanFormValues): Record<string, unknown> {
  const body: Record<string, unknown> = {
    ...values,
    name: values.name.trim() || undefined,
    description: values.description.trim() || null,
  };
  for (const field of NUMBER_FIELDS) {
    const text = values[field].trim();
    body[field] = text === "" ? undefined : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  }
  for (const field of PRICE_FIELDS) {
    const minor = minorOf(values[field], values.currency);
    if (minor !== null) body[field] = minorToMajor(minor, values.currency);
  }
  for (const field of Object.keys(values) as PlanField[]) if (!hasPlanField(values.type, field)) body[field] = null;
  return body;
}

/**
 * The request body, checked by the API's own schema and rules; null while invalid, with `errors` by field.
 */
export function readPlan(values: PlanFormValues): { body: CreatePlanBody | null; errors: Record<string, string> } {
  const given = bodyOf(values);
  const parsed = createPlanBody.safeParse(given);
  const refused: [string, string][] = parsed.success
    ? planFieldErrors(parsed.data).map((error) => [error.param, fieldWords(error)])
    : parsed.error.issues.map(({ path: [field] }) => [
        String(field),
        WRONG[field as PlanField] ?? "This is not valid.",
      ]);
  for (const field of PRICE_FIELDS) {
    const problem = amountProblem({ amount: values[field], currency: values.currency });
    if (problem !== null && hasPlanField(values.type, field)) refused.push([field, problem]);
  }
  const missing = EDITABLE_FIELDS.filter((field) => given[field] === undefined);
  const errors = Object.fromEntries([
    ...refused,
    ...missing.map((field) => [field, MISSING[field] ?? "Fill this in."] as const),
  ]);
  return { body: parsed.success && Object.keys(errors).length === 0 ? parsed.data : null, errors };
}

const MISSING: Partial<Record<PlanField, string>> = {
  name: "Give the plan a name.",
  full_price_amount: "Enter the price.",
  billing_frequency_value: "Enter how often it is paid.",
  trial_period_value: "Enter how long the trial lasts.",
  trial_price_amount: "Enter the price of the trial.",
};

const WHOLE = "Enter a whole number from 1 to 3650.";
const WRONG: Partial<Record<PlanField, string>> = {
  name: "Use at most 50 characters.",
  description: "Use at most 1,000 characters.",
  billing_frequency_value: WHOLE,
  trial_period_value: WHOLE,
  currency: "Choose a currency.",
};

const FIELD_WORDS: Partial<Record<string, string>> = {
  full_price_amount: "the price",
  trial_price_amount: "the trial’s price",
};

/** The API's refusal as a sentence, with field labels instead of names. */
export function fieldWords({ param, message }: Pick<FieldError, "param" | "message">): string {
  const words = FIELD_WORDS[param];
  if (!words) return message;
  const text = message.replaceAll(param, words);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The field for a refusal of the API. */
export const placePlanRefusal = (refusal: Pick<FieldError, "param" | "message">) =>
  (EDITABLE_FIELDS as readonly string[]).includes(refusal.param)
    ? ([refusal.param, fieldWords(refusal)] as const)
    : null;

/** Body for PATCH: the changed fields. */
export function planChanges(plan: Plan, body: CreatePlanBody): UpdatePlanBody {
  const changed = EDITABLE_FIELDS.filter((field) => body[field] !== plan[field]);
  return Object.fromEntries(changed.map((field) => [field, body[field]]));
}

/** Terms for the preview; null while something it needs is missing or invalid. */
export function termsTyped(values: PlanFormValues): PlanTerms | null {
  const { type, currency } = values;
  if (!isSupportedCurrency(currency)) return null;
  const price = minorOf(values.full_price_amount, currency);
  const every = { value: countOf(values.billing_frequency_value), unit: values.billing_frequency_unit };
  const trial = { value: countOf(values.trial_period_value), unit: values.trial_period_unit };
  const trialPrice = minorOf(values.trial_price_amount, currency);
  if (!price) return null;
  const single = { type, price, every: null, trial: null, trialPrice: null };
  switch (type) {
    case "ONE_TIME":
      return single;
    case "SUBSCRIPTION_NO_TRIAL":
      return every.value ? { ...single, every } : null;
    case "SUBSCRIPTION_FREE_TRIAL":
      return every.value && trial.value ? { ...single, every, trial } : null;
    case "SUBSCRIPTION_PAID_TRIAL":
      return every.value && trial.value && trialPrice ? { ...single, every, trial, trialPrice } : null;
    default:
      return type satisfies never;
  }
}

const minorOf = (amount: string, currency: string) => minorTyped({ amount, currency });

/** 0 if it isn't a number of periods. */
function countOf(text: string): number {
  const value = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return value <= 3650 ? value : 0;
}
