import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { PaymentMethod, PaymentMethodStatus } from "@/lib/contract/payment-methods/payment-method";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { idAt, idTime } from "@/lib/ids";
import type { Change, FinalOutcome } from "../payments/outcome";

/** Months since year 0, so that consecutive months differ by one. */
export const monthOf = (time: Date): number => time.getUTCFullYear() * 12 + time.getUTCMonth();

export function paymentMethodStatus(row: PaymentMethodRow, now: Date): PaymentMethodStatus {
  if (row.removed_at !== null) return "REMOVED";
  if (row.card_exp_year === null || row.card_exp_month === null) return "ACTIVE";
  return row.card_exp_year * 12 + row.card_exp_month - 1 < monthOf(now) ? "EXPIRED" : "ACTIVE";
}

/** `now`: the environment's time, which decides whether the card has expired. */
export function presentPaymentMethod(row: PaymentMethodRow, mode: Mode, now: Date): PaymentMethod {
  const { card_brand: brand, card_last4: last4, card_exp_month: exp_month, card_exp_year: exp_year } = row;
  const isKnown = last4 !== null && exp_month !== null && exp_year !== null;
  return {
    id: encodeId("paymentMethod", row.id),
    object: "payment_method",
    customer_id: row.customer_id,
    card: isKnown ? { brand, last4, exp_month, exp_year, bin: row.card_bin } : null,
    status: paymentMethodStatus(row, now),
    consent: row.consent,
    metadata: row.metadata,
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/**
 * The card that an approved payment stored; null if it wasn't requested, or the processor didn't store it.
 */
export function storedByPayment(
  { payment, charge }: Pick<Change, "payment" | "charge">,
  outcome: FinalOutcome,
  consent: PaymentMethodRow["consent"],
): PaymentMethodRow | null {
  if (outcome.kind !== "approved" || outcome.storedToken === undefined) return null;
  if (!payment.saves_card || payment.customer_id === null || payment.payment_method_id !== null) return null;
  const id = idAt(new Date(payment.updated_at));
  return {
    environment_id: payment.environment_id,
    id,
    customer_id: payment.customer_id,
    connection_id: payment.connection_id,
    processor_token: outcome.storedToken,
    card_brand: charge.card_brand,
    card_last4: charge.card_last4,
    card_bin: charge.card_bin,
    card_exp_month: charge.card_exp_month,
    card_exp_year: charge.card_exp_year,
    card_identity: outcome.fingerprint ?? null,
    consent,
    metadata: {},
    payment_id: payment.id,
    client_session_id: charge.client_session_id,
    removed_at: null,
    removal_due_at: null,
    expiry_announced: false,
    created_at: idTime(id),
    updated_at: idTime(id),
  };
}

/** Refuses a payment with a removed card. */
export const cardRemoved = () =>
  new AppError(
    "invalid_state",
    "This payment method was removed, so its card is never charged again. Ask the customer for another card.",
    { param: "payment_method_id", extra: { current_status: "REMOVED", allowed_actions: [] } },
  );

/** Refuses to store a card at a processor that can't. */
export const cannotStoreCards = () =>
  new AppError(
    "processor_refused",
    "The connected processor stores no cards for later payments yet. Charge the customer with a payment token each time.",
  );
