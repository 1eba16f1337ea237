import type { ListedTransaction } from "./transaction";

type ColumnText = {
  label: string;
  /** Members of the API's object in this column, in the order of an export. */
  members: readonly (keyof ListedTransaction)[];
};

/** Every column that the list of transactions can have. */
export const TABLE_COLUMNS = {
  amount: { label: "Amount", members: ["amount", "currency"] },
  status: { label: "Status", members: ["status", "type", "decline_code"] },
  customer: { label: "Customer", members: ["customer_email", "customer_name"] },
  card: { label: "Card", members: ["card_brand", "card_last4"] },
  created_at: { label: "Created", members: ["created_at"] },
  id: { label: "Transaction id", members: ["id"] },
  payment_id: { label: "Payment id", members: ["payment_id"] },
  description: { label: "Description", members: ["description"] },
  type: { label: "Type", members: ["type"] },
  currency: { label: "Currency", members: ["currency"] },
  amount_captured: { label: "Captured", members: ["amount_captured", "currency"] },
  amount_refunded: { label: "Refunded", members: ["amount_refunded", "currency"] },
  amount_refundable: { label: "Refundable", members: ["amount_refundable", "currency"] },
  customer_id: { label: "Customer id", members: ["customer_id"] },
  customer_email: { label: "E-mail", members: ["customer_email"] },
  customer_name: { label: "Name", members: ["customer_name"] },
  card_expiry: { label: "Card expiry", members: ["card_exp_month", "card_exp_year"] },
  avs_result: { label: "Address check", members: ["avs_result"] },
  cvv_result: { label: "Security code check", members: ["cvv_result"] },
  fraud_score: { label: "Fraud score", members: ["fraud_score"] },
  decline_code: { label: "Decline reason", members: ["decline_code"] },
  refund_reason: { label: "Refund reason", members: ["refund_reason"] },
  plan_id: { label: "Plan", members: ["plan_id"] },
  subscription_id: { label: "Subscription", members: ["subscription_id"] },
  settlement_batch_id: { label: "Settlement batch", members: ["settlement_batch_id"] },
  capture_before: { label: "Capture before", members: ["capture_before"] },
  captured_at: { label: "Captured at", members: ["captured_at"] },
  settled_at: { label: "Settled at", members: ["settled_at"] },
  refunded_at: { label: "Refunded at", members: ["refunded_at"] },
  updated_at: { label: "Updated", members: ["updated_at"] },
} as const satisfies Record<string, ColumnText>;
export type ColumnName = keyof typeof TABLE_COLUMNS;

export const COLUMN_NAMES = Object.keys(TABLE_COLUMNS) as ColumnName[];
export const DEFAULT_COLUMNS: readonly ColumnName[] = ["amount", "status", "customer", "card", "created_at", "id"];

/** Known columns named by a cookie or a saved view; null when none is left. */
export function knownColumns(names: readonly string[] | null | undefined): readonly ColumnName[] | null {
  const known = (names ?? []).filter((name): name is ColumnName => Object.hasOwn(TABLE_COLUMNS, name));
  return known.length > 0 ? [...new Set(known)] : null;
}

/** Members of the API's object behind the columns, each once. */
export function columnMembers(columns: readonly ColumnName[]): (keyof ListedTransaction)[] {
  return [...new Set(columns.flatMap((name) => TABLE_COLUMNS[name].members as readonly (keyof ListedTransaction)[]))];
}

/** Name of the cookie with a user's columns, which lets the server render with them. */
export function columnsCookie(userId: string, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}cardlane-columns-${userId.slice(-8)}`;
}
