import type { PlanRow } from "@/db/schema/plans";
import { minorToMajor } from "@/lib/contract/currencies";
import { encodeId } from "@/lib/contract/ids";
import type { Plan } from "@/lib/contract/plans/plan";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";

/** The row as the API shows it: prices in major units. */
export function presentPlan(row: PlanRow, mode: Mode): Plan {
  return {
    id: encodeId("plan", row.id),
    object: "subscription_plan",
    type: row.type,
    name: row.name,
    currency: row.currency,
    full_price_amount: minorToMajor(row.full_price, row.currency),
    status: row.status,
    description: row.description,
    billing_frequency_value: row.billing_frequency_value,
    billing_frequency_unit: row.billing_frequency_unit,
    trial_period_value: row.trial_period_value,
    trial_period_unit: row.trial_period_unit,
    trial_price_amount: row.trial_price === null ? null : minorToMajor(row.trial_price, row.currency),
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
