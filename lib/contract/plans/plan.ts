import { z } from "zod";
import { currencyDigits, formatMinor, isSupportedCurrency, MAX_AMOUNT, majorToMinor } from "@/lib/contract/currencies";
import type { FieldError } from "@/lib/contract/errors";
import { currency, humanText, isPagedOnce, listOf, PAGED_TWICE, pageParams, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

export const PLAN_TYPES = [
  "ONE_TIME",
  "SUBSCRIPTION_NO_TRIAL",
  "SUBSCRIPTION_FREE_TRIAL",
  "SUBSCRIPTION_PAID_TRIAL",
] as const;
const planType = z.enum(PLAN_TYPES);
export type PlanType = z.infer<typeof planType>;

export const PLAN_STATUSES = ["DRAFT", "ACTIVE", "INACTIVE"] as const;
const planStatus = z.enum(PLAN_STATUSES);
export type PlanStatus = z.infer<typeof planStatus>;

export const PERIOD_UNITS = ["DAYS", "WEEKS", "MONTHS"] as const;
const periodUnit = z.enum(PERIOD_UNITS);
export type PeriodUnit = z.infer<typeof periodUnit>;

/** A price in major units: 19.99. Its decimals are checked against the currency. */
const price = z.number().positive().max(9_999_999_999);
const periodValue = z.int().min(1).max(3650);

/** Body of POST /v1/subscription-plans. The plan's rules check combinations of fields. */
export const createPlanBody = z
  .strictObject({
    type: planType.describe("One-time, or a subscription with or without a trial."),
    name: humanText(50).describe("Unique among your plans."),
    currency: currency.describe("ISO 4217 code, upper case."),
    full_price_amount: price.describe("Price in major units, such as 19.99."),
    status: planStatus.default("DRAFT").describe("Only an `ACTIVE` plan can be sold."),
    description: humanText(1000).nullable().default(null).describe("Your own note."),
    billing_frequency_value: periodValue
      .nullable()
      .default(null)
      .describe("Number of units between charges; required for subscriptions."),
    billing_frequency_unit: periodUnit.nullable().default(null).describe("The unit."),
    trial_period_value: periodValue
      .nullable()
      .default(null)
      .describe("Length of the trial; required for plans with a trial."),
    trial_period_unit: periodUnit.nullable().default(null).describe("The unit."),
    trial_price_amount: price.nullable().default(null).describe("Price of a paid trial in major units."),
  })
  .meta({ id: "CreateSubscriptionPlanRequest" });
export type CreatePlanBody = z.infer<typeof createPlanBody>;

/** Body of PATCH /v1/subscription-plans/{id}: absent fields stay. */
export const updatePlanBody = z
  .strictObject({
    type: planType.optional().describe("One-time, or a subscription with or without a trial."),
    name: humanText(50).optional().describe("Unique among your plans."),
    currency: currency.optional().describe("ISO 4217 code, upper case."),
    full_price_amount: price.optional().describe("Price in major units, such as 19.99."),
    status: planStatus.optional().describe("Only an `ACTIVE` plan can be sold."),
    description: humanText(1000).nullable().optional().describe("Your own note."),
    billing_frequency_value: periodValue.nullable().optional().describe("Number of units between charges."),
    billing_frequency_unit: periodUnit.nullable().optional().describe("The unit."),
    trial_period_value: periodValue.nullable().optional().describe("Length of the trial."),
    trial_period_unit: periodUnit.nullable().optional().describe("The unit."),
    trial_price_amount: price.nullable().optional().describe("Price of a paid trial in major units."),
  })
  .meta({ id: "UpdateSubscriptionPlanRequest" });
export type UpdatePlanBody = z.infer<typeof updatePlanBody>;

export const plan = z
  .object({
    id: idOf("plan").describe("Unique id of the plan."),
    object: z.literal("subscription_plan").describe("Always `subscription_plan`."),
    type: planType.describe("One-time, or a subscription with or without a trial."),
    name: z.string().describe("Its name."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    full_price_amount: z.number().describe("Price in major units, such as 19.99."),
    status: planStatus.describe("Only an `ACTIVE` plan can be sold."),
    description: z.string().nullable().describe("Your own note."),
    billing_frequency_value: z.int().nullable().describe("Number of units between charges."),
    billing_frequency_unit: periodUnit.nullable().describe("The unit."),
    trial_period_value: z.int().nullable().describe("Length of the trial."),
    trial_period_unit: periodUnit.nullable().describe("The unit."),
    trial_price_amount: z.number().nullable().describe("Price of a paid trial in major units."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "SubscriptionPlan" });
export type Plan = z.infer<typeof plan>;

export const planList = listOf(plan).meta({ id: "SubscriptionPlanList" });

export const listPlansQuery = z
  .strictObject({
    ...pageParams,
    status: planStatus.optional().describe("Only this status."),
    type: planType.optional().describe("Only this type."),
  })
  .refine(isPagedOnce, PAGED_TWICE);
export type ListPlansQuery = z.infer<typeof listPlansQuery>;

/** Rules for combinations of a plan's fields, shared by the API and the form. */

export type PlanField = keyof CreatePlanBody;
type Group = { fields: readonly PlanField[]; types: readonly PlanType[] };

/** Fields of some plan types only: required there, not allowed elsewhere. */
const GROUPS: readonly Group[] = [
  {
    fields: ["billing_frequency_value", "billing_frequency_unit"],
    types: ["SUBSCRIPTION_NO_TRIAL", "SUBSCRIPTION_FREE_TRIAL", "SUBSCRIPTION_PAID_TRIAL"],
  },
  {
    fields: ["trial_period_value", "trial_period_unit"],
    types: ["SUBSCRIPTION_FREE_TRIAL", "SUBSCRIPTION_PAID_TRIAL"],
  },
  { fields: ["trial_price_amount"], types: ["SUBSCRIPTION_PAID_TRIAL"] },
];

/** Terms that buyers agreed to: fixed while the plan is active. */
export const FIXED_WHILE_ACTIVE = [
  "type",
  "currency",
  "full_price_amount",
  "billing_frequency_value",
  "billing_frequency_unit",
  "trial_period_value",
  "trial_period_unit",
  "trial_price_amount",
] as const satisfies readonly PlanField[];

/** True if a plan of this type has the field. */
export function hasPlanField(type: PlanType, field: PlanField): boolean {
  const group = GROUPS.find(({ fields }) => fields.includes(field));
  return group === undefined || group.types.includes(type);
}

/** All conflicting fields of a well-formed body. Prices are checked once the currency is valid. */
export function planFieldErrors(body: CreatePlanBody): FieldError[] {
  const errors = GROUPS.flatMap((group) => groupErrors(group, body));
  if (!isSupportedCurrency(body.currency)) return errors;
  return [
    ...errors,
    ...priceErrors("full_price_amount", body.full_price_amount, body.currency),
    ...priceErrors("trial_price_amount", body.trial_price_amount, body.currency),
  ];
}

function groupErrors(group: Group, body: CreatePlanBody): FieldError[] {
  const belongs = group.types.includes(body.type);
  return group.fields
    .filter((field) => (body[field] !== null) !== belongs)
    .map((param) =>
      belongs
        ? { param, code: "missing_parameter", message: `A plan of type ${body.type} needs ${param}.` }
        : {
            param,
            code: "invalid_parameter",
            message: `A plan of type ${body.type} has no ${param}. Leave it out, or set it to null.`,
          },
    );
}

function priceErrors(param: string, price: number | null, currency: string): FieldError[] {
  if (price === null) return [];
  const minor = majorToMinor(price, currency);
  if (minor !== null && minor <= MAX_AMOUNT) return [];
  const digits = currencyDigits(currency);
  const message =
    minor === null
      ? `${currency} has ${digits === 0 ? "no decimals" : `at most ${digits} decimals`}. Round ${param} accordingly.`
      : `${param} must not be above ${formatMinor(MAX_AMOUNT, currency)}.`;
  return [{ param, code: "invalid_parameter", message }];
}
