import type { ActorNames } from "@/db/queries/payments/payment-detail";
import type { ListedTransactionRow, ShownPaymentRow, ShownTransactionRow } from "@/db/queries/transactions/columns";
import type { ActorRecord } from "@/db/schema/operations";
import type { PaymentRow } from "@/db/schema/payments";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { type Payment, SHOWN_REFUNDS } from "@/lib/contract/payments/payment";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";
import type { ListedTransaction, Transaction } from "@/lib/contract/transactions/transaction";
import { type Action, API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { amountCapturable, amountRefundable, availableActions } from "./states";

/** The payment's columns that are shown with each of its transactions. */
type PaymentMoneyRow = Pick<
  PaymentRow,
  | "status"
  | "amount"
  | "amount_captured"
  | "amount_refunded"
  | "refund_pending"
  | "open_operation_id"
  | "capture_before"
  | "dispute_id"
  | "dispute_status"
  | "capture_reversed_at"
>;

type DisputeColumns = Pick<PaymentRow, "dispute_id" | "dispute_status">;

const NO_ACTIONS: Action[] = [];

/** The dispute that decides whether a payment can be refunded. */
export const disputeOf = ({ dispute_id: id, dispute_status: status }: DisputeColumns): Payment["dispute"] =>
  id === null || status === null ? null : { id: encodeId("dispute", id), status };

/** The transaction as the API returns it. */
export function presentTransaction(row: ShownTransactionRow, payment: PaymentMoneyRow, mode: Mode): Transaction {
  const isCharge = row.type === "CHARGE";
  return {
    id: encodeId("transaction", row.id),
    object: "transaction",
    payment_id: encodeId("payment", row.payment_id),
    type: row.type,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    amount_captured: isCharge ? payment.amount_captured : 0,
    amount_refunded: isCharge ? payment.amount_refunded : 0,
    amount_refundable: isCharge ? amountRefundable(payment) : 0,
    available_actions: isCharge ? availableActions(payment) : NO_ACTIONS,
    customer_id: row.customer_id,
    customer_email: row.customer_email,
    customer_name: row.customer_name,
    billing_address: row.billing_address,
    card_brand: row.card_brand,
    card_last4: row.card_last4,
    card_exp_month: row.card_exp_month,
    card_exp_year: row.card_exp_year,
    card_bin: row.card_bin,
    avs_result: row.avs_result,
    cvv_result: row.cvv_result,
    fraud_score: row.fraud_score,
    decline_code: row.decline_code,
    subscription_id: encodeIdOrNull("subscription", row.subscription_id),
    plan_id: encodeIdOrNull("plan", row.plan_id),
    client_session_id: encodeIdOrNull("clientSession", row.client_session_id),
    refund_of: encodeIdOrNull("transaction", row.refund_of),
    refund_reason: row.refund_reason,
    void_reason: row.void_reason,
    settlement_batch_id: encodeIdOrNull("settlementBatch", row.settlement_batch_id),
    description: row.description,
    metadata: row.metadata,
    environment: API_ENVIRONMENTS[mode],
    capture_before: isCharge ? payment.capture_before : null,
    dispute: isCharge ? disputeOf(payment) : null,
    capture_reversed_at: isCharge ? payment.capture_reversed_at : null,
    authorized_at: row.authorized_at,
    captured_at: row.captured_at,
    settled_at: row.settled_at,
    voided_at: row.voided_at,
    refunded_at: row.refunded_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** The transaction as tables show it. */
export function presentListed(row: ListedTransactionRow, payment: PaymentMoneyRow, mode: Mode): ListedTransaction {
  const whole = presentTransaction({ ...row, metadata: {}, billing_address: null }, payment, mode);
  const { metadata: _metadata, billing_address: _address, ...listed } = whole;
  return listed;
}

/** A payment with its charge and latest refunds, oldest first. */
export function presentPayment(payment: ShownPaymentRow, rows: readonly ShownTransactionRow[], mode: Mode): Payment {
  const charge = rows.find((row) => row.id === payment.charge_id);
  if (!charge) throw new Error(`payment ${payment.id} has no charge`);
  const hasMore = rows.length > SHOWN_REFUNDS + 1;
  const shown = hasMore ? [charge, ...rows.slice(-SHOWN_REFUNDS)] : rows;
  return {
    id: encodeId("payment", payment.id),
    object: "payment",
    status: payment.status,
    amount: payment.amount,
    currency: payment.currency,
    capture_method: payment.capture_method,
    amount_captured: payment.amount_captured,
    amount_capturable: amountCapturable(payment),
    amount_refunded: payment.amount_refunded,
    amount_refundable: amountRefundable(payment),
    available_actions: availableActions(payment),
    customer_id: charge.customer_id,
    customer_email: charge.customer_email,
    customer_name: charge.customer_name,
    billing_address: charge.billing_address,
    card: presentCard(charge),
    payment_method_id: encodeIdOrNull("paymentMethod", payment.payment_method_id),
    initiator: payment.initiator,
    plan_id: encodeIdOrNull("plan", charge.plan_id),
    subscription_id: encodeIdOrNull("subscription", charge.subscription_id),
    invoice_id: encodeIdOrNull("invoice", payment.invoice_id),
    client_session_id: encodeIdOrNull("clientSession", charge.client_session_id),
    description: charge.description,
    metadata: charge.metadata,
    next_action: payment.status === "REQUIRES_ACTION" ? payment.next_action : null,
    transactions: shown.map((row) => presentTransaction(row, payment, mode)),
    transactions_has_more: hasMore,
    dispute: disputeOf(payment),
    amount_disputed: payment.amount_disputed,
    capture_reversed_at: payment.capture_reversed_at,
    environment: API_ENVIRONMENTS[mode],
    created_at: payment.created_at,
    updated_at: payment.updated_at,
  };
}

function presentCard(charge: ShownTransactionRow): Payment["card"] {
  const {
    card_brand: brand,
    card_last4: last4,
    card_exp_month: exp_month,
    card_exp_year: exp_year,
    card_bin: bin,
  } = charge;
  if (!last4 || !exp_month || !exp_year) return null;
  return { brand, last4, exp_month, exp_year, bin };
}

/** An actor with its name. Merchants see that support acted, not which member of staff. */
export function presentActor(actor: ActorRecord, names: ActorNames): ShownActor {
  const { type, id } = actor;
  switch (type) {
    case "api_key": {
      const key = names.keys.find((row) => row.id === id);
      return {
        type,
        id: id && encodeId("apiKey", id),
        name: key?.name ?? "An API key",
        detail: key ? `${key.prefix}…${key.last4}` : null,
      };
    }
    case "user": {
      const user = names.users.find((row) => row.id === id);
      return {
        type,
        id: id && encodeId("user", id),
        name: user?.name ?? user?.email ?? "A former member of the team",
        detail: user?.name ? user.email : null,
      };
    }
    case "staff":
      return { type, id: null, name: "Cardlane support", detail: null };
    case "shopper":
      return { type, id: id && encodeId("clientSession", id), name: "The shopper", detail: "in the payment form" };
    case "customer":
      return { type, id: null, name: "The customer", detail: "in the customer portal" };
    case "system":
      return { type, id: null, name: "Cardlane", detail: null };
    default:
      return type satisfies never;
  }
}
