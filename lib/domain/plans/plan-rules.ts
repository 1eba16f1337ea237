import type { PlanValues } from "@/db/queries/plans";
import { isSupportedCurrency, majorToMinor } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import type { CreatePlanBody, PlanStatus } from "@/lib/contract/plans/plan";
import { planFieldErrors } from "@/lib/contract/plans/plan";

/** The body as it is stored, or every field at fault (400), or a currency that no money is taken in (422). */
export function checkPlan(body: CreatePlanBody): PlanValues {
  const errors = planFieldErrors(body);
  if (errors[0] !== undefined) throw new AppError(errors[0].code, errors[0].message, { errors });
  if (!isSupportedCurrency(body.currency)) throw currencyNotSupported(body.currency);
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
