/** Columns of an export, without zod: pages name them, the service writes them. */
import type { Transaction } from "./transaction";

/** A transaction with its fee and net amount, in minor units; null while no money has moved. */
export type ExportedTransaction = Transaction & { fee: number | null; net: number | null };

/** Times, each of which also has a column in the business's time zone. */
export const EXPORT_TIMES = [
  "created_at",
  "updated_at",
  "authorized_at",
  "captured_at",
  "settled_at",
  "voided_at",
  "refunded_at",
  "capture_before",
  "capture_reversed_at",
] as const;
export type ExportTime = (typeof EXPORT_TIMES)[number];

/**
 * All fields, in the order of a full export. Amounts are decimal in major units and, as `…_minor`, integers.
 * They and the status are the API's; `signed_amount` is negative for refunds. New columns go to the end:
 * files are read by position.
 */
export const EXPORT_FIELDS = [
  "id",
  "payment_id",
  "type",
  "status",
  "amount",
  "amount_minor",
  "currency",
  "amount_captured",
  "amount_captured_minor",
  "amount_refunded",
  "amount_refunded_minor",
  "amount_refundable",
  "amount_refundable_minor",
  "created_at",
  "updated_at",
  "authorized_at",
  "captured_at",
  "settled_at",
  "voided_at",
  "refunded_at",
  "capture_before",
  "customer_id",
  "customer_email",
  "customer_name",
  "billing_line1",
  "billing_line2",
  "billing_city",
  "billing_state",
  "billing_postal_code",
  "billing_country",
  "card_brand",
  "card_last4",
  "card_exp_month",
  "card_exp_year",
  "card_bin",
  "avs_result",
  "cvv_result",
  "fraud_score",
  "decline_code",
  "subscription_id",
  "plan_id",
  "client_session_id",
  "refund_of",
  "refund_reason",
  "void_reason",
  "settlement_batch_id",
  "description",
  "metadata",
  "environment",
  "signed_amount",
  "fee",
  "fee_minor",
  "net",
  "net_minor",
  "dispute_id",
  "dispute_status",
  "capture_reversed_at",
  ...EXPORT_TIMES.map((name) => `${name}_local` as const),
] as const;
export type ExportField = (typeof EXPORT_FIELDS)[number];

/** Table columns with several fields. */
const SEVERAL: ReadonlyMap<string, readonly ExportField[]> = new Map<string, ExportField[]>([
  ["amount", ["amount", "amount_minor", "currency", "fee", "net"]],
  ["amount_captured", ["amount_captured", "amount_captured_minor", "currency"]],
  ["amount_refunded", ["amount_refunded", "amount_refunded_minor", "currency"]],
  ["amount_refundable", ["amount_refundable", "amount_refundable_minor", "currency"]],
  ["card", ["card_brand", "card_last4"]],
  ["customer", ["customer_name", "customer_email", "customer_id"]],
  ...EXPORT_TIMES.map((name): [string, ExportField[]] => [name, [name, `${name}_local`]]),
]);

const isField = (name: string): name is ExportField => (EXPORT_FIELDS as readonly string[]).includes(name);

/** Export fields of a table's columns, in order and each once; null for an unknown column. */
export function exportFieldsOf(columns: readonly string[]): ExportField[] | null {
  const fields = new Set<ExportField>();
  for (const column of columns) {
    const shown = SEVERAL.get(column) ?? (isField(column) ? [column] : null);
    if (!shown) return null;
    for (const field of shown) fields.add(field);
  }
  return [...fields];
}
