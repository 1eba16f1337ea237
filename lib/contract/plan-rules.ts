import { currencyDigits, formatMinor, isSupportedCurrency, MAX_AMOUNT, majorToMinor } from "./currencies";
import type { FieldError } from "./errors";
import type { CreatePlanBody, PlanType } from "./plan";

/** Which fields of a plan go together, without zod: the API and the form ask the same rules. */

export type PlanField = keyof CreatePlanBody;
type Group = { fields: readonly PlanField[]; types: readonly PlanType[] };

/** Fields that belong to some types of plan: required there, not allowed elsewhere. */
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

/** What buyers agreed to: fixed while the plan can be bought. */
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

/** Whether a plan of this type has the field. */
export function hasPlanField(type: PlanType, field: PlanField): boolean {
  const group = GROUPS.find(({ fields }) => fields.includes(field));
  return group === undefined || group.types.includes(type);
}

/** Every field of a well-formed body that does not fit the others. Prices are checked once the currency is a known one. */
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
