import type { CheckoutErrorCode } from "@/lib/contract/checkout-messages";
import type { CheckoutView, FieldName, FieldProblem, NoticeKey } from "./checkout-view";

/** What a refused attempt means for the form and for the page around it. */
export type RefusalMeaning = { notice: NoticeKey; code: CheckoutErrorCode; errors: CheckoutView["errors"] };

/** The server's word against a field that looked right here. */
const PROBLEM_OF_FIELD: Record<FieldName, FieldProblem> = {
  number: "number_invalid",
  expiry: "expiry_invalid",
  cvv: "cvv_invalid",
  name: "name_invalid",
  postal_code: "postal_code_invalid",
};

const MERCHANT_CANNOT_SELL: ReadonlySet<string> = new Set([
  "processor_not_configured",
  "merchant_suspended",
  "currency_not_supported",
  "plan_not_active",
]);

export function refusalMeaning(
  code: string,
  fields: readonly FieldName[],
  shown: readonly FieldName[],
): RefusalMeaning {
  const wrong = fields.filter((field) => shown.includes(field));
  if (wrong.length > 0) {
    const errors = Object.fromEntries(wrong.map((field) => [field, PROBLEM_OF_FIELD[field]]));
    return { notice: "invalid_card_data", code: "invalid_card_data", errors };
  }
  if (MERCHANT_CANNOT_SELL.has(code))
    return { notice: "processor_unavailable", code: "processor_unavailable", errors: {} };
  if (code === "origin_not_allowed") return { notice: "not_sent", code: "origin_not_allowed", errors: {} };
  return { notice: "not_sent", code: "processing_error", errors: {} };
}
