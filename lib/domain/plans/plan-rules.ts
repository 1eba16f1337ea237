import type { PlanValues } from "@/db/queries/plans";
import { currencyDigits, formatMinor, isSupportedCurrency, MAX_AMOUNT, majorToMinor } from "@/lib/contract/currencies";
import { AppError, type FieldError } from "@/lib/contract/errors";
import type { CreatePlanBody, PlanStatus, PlanType } from "@/lib/contract/plan";

type Group = { fields: readonly (keyof CreatePlanBody)[]; types: readonly PlanType[] };

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

/** The body as it is stored, or every field at fault (400), or a currency that no money is taken in (422). */
export function checkPlan(body: CreatePlanBody): PlanValues {
  const errors = GROUPS.flatMap((group) => checkGroup(group, body));
  const supported = isSupportedCurrency(body.currency);
  if (supported) {
    errors.push(...checkPrice("full_price_amount", body.full_price_amount, body.currency));
    errors.push(...checkPrice("trial_price_amount", body.trial_price_amount, body.currency));
  }
  if (errors[0] !== undefined) throw new AppError(errors[0].code, errors[0].message, { errors });
  if (!supported) throw currencyNotSupported(body.currency);
  return {
    type: body.type,
    name: body.name,
    currency: body.currency,
    full_price: majorToMinor(body.full_price_amount, body.currency) as number,
    status: body.status,
    description: body.description,
    billing_frequency_value: body.billing_frequency_value,
    billing_frequency_unit: body.billing_frequency_unit,
    trial_period_value: body.trial_period_value,
    trial_period_unit: body.trial_period_unit,
    trial_price: body.trial_price_amount === null ? null : majorToMinor(body.trial_price_amount, body.currency),
  };
}

function checkGroup(group: Group, body: CreatePlanBody): FieldError[] {
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

function checkPrice(param: string, price: number | null, currency: string): FieldError[] {
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

export function currencyNotSupported(currency: string): AppError {
  return new AppError(
    "currency_not_supported",
    `Money cannot be taken in '${currency}'. Use a current ISO 4217 currency.`,
    {
      param: "currency",
    },
  );
}

export function nameTaken(name: string): AppError {
  const message = `There is already a plan named '${name}' in this environment. Choose another name.`;
  return new AppError("invalid_parameter", message, {
    errors: [{ param: "name", code: "invalid_parameter", message }],
  });
}

/** The statuses that each status can change to. A plan that was ever usable never goes back to being a draft. */
const NEXT: Record<PlanStatus, readonly PlanStatus[]> = {
  DRAFT: ["ACTIVE"],
  ACTIVE: ["INACTIVE"],
  INACTIVE: ["ACTIVE"],
};

export function checkStatusChange(from: PlanStatus, to: PlanStatus): void {
  if (from !== to && !NEXT[from].includes(to)) {
    throw invalidPlanState(from, `A plan that is ${from} cannot become ${to}.`);
  }
}

export function invalidPlanState(status: PlanStatus, detail: string): AppError {
  const allowed_actions = status === "ACTIVE" ? ["deactivate"] : ["activate"];
  return new AppError("invalid_state", detail, { extra: { current_status: status, allowed_actions } });
}
