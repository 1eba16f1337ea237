import { formatMinor } from "@/lib/contract/currencies";
import { wordLabel } from "@/lib/contract/format";
import { AVS_RESULTS, CVV_RESULTS, DISPUTE_STATUS_WORDS, REFUND_REASON_WORDS } from "@/lib/contract/payments/words";
import {
  EXPORT_TIMES,
  type ExportedTransaction,
  type ExportField,
  type ExportTime,
} from "@/lib/contract/transactions/export";
import { BRAND_NAMES } from "@/lib/contract/transactions/words";
import type { SheetColumn } from "./spreadsheet";

type Column = Omit<SheetColumn<ExportedTransaction>, "name">;

/** Major units, exact: `1234.50`, `-0.05`. */
export function majorText(amount: number, currency: string): string {
  const [digits = ""] = formatMinor(Math.abs(amount), currency).split(" ");
  return amount < 0 ? `-${digits}` : digits;
}

type Member = keyof ExportedTransaction & ExportField;
type AmountMember = Extract<Member, `amount${string}` | "fee" | "net">;
type TextMember = { [Name in Member]: ExportedTransaction[Name] extends string | null ? Name : never }[Member];

const text = (name: TextMember, heading: string, word?: Column["word"]): Column => ({
  heading,
  kind: "text",
  read: (row) => row[name],
  ...(word && { word }),
});
const number = (name: "card_exp_month" | "card_exp_year" | "fraud_score", heading: string): Column => ({
  heading,
  kind: "number",
  read: (row) => row[name],
});
const amount = (name: AmountMember, heading: string): Column => ({
  heading,
  kind: "amount",
  read: (row) => (row[name] === null ? null : majorText(row[name], row.currency)),
});
const minor = (name: AmountMember, heading: string): Column => ({
  heading: `${heading}, minor units`,
  kind: "number",
  read: (row) => row[name],
});
type AddressMember = keyof NonNullable<ExportedTransaction["billing_address"]>;
const address = (name: AddressMember, heading: string): Column => ({
  heading,
  kind: "text",
  read: (row) => row.billing_address?.[name] ?? null,
});

const TIME_HEADINGS: Record<ExportTime, string> = {
  created_at: "Created",
  updated_at: "Updated",
  authorized_at: "Authorized",
  captured_at: "Captured at",
  settled_at: "Settled at",
  voided_at: "Voided at",
  refunded_at: "Refunded at",
  capture_before: "Capture before",
  capture_reversed_at: "Capture reversed",
};
const inUtc = (name: ExportTime): Column => ({ heading: TIME_HEADINGS[name], kind: "time", read: (row) => row[name] });
const inZone = (name: ExportTime): Column => ({ ...inUtc(name), kind: "local_time" });

/** A file doesn't distinguish captured refunds from settled ones. */
const statusWord = ({ type, status }: ExportedTransaction): string =>
  type === "REFUND" && (status === "CAPTURED" || status === "SETTLED") ? "Refunded" : wordLabel(status);

const voidWord = ({ void_reason }: ExportedTransaction): string | null =>
  void_reason === "expired" ? "Authorization expired" : void_reason;

const COLUMNS: Record<ExportField, Column> = {
  id: text("id", "Transaction id"),
  payment_id: text("payment_id", "Payment id"),
  type: text("type", "Type", ({ type }) => wordLabel(type)),
  status: text("status", "Status", statusWord),
  amount: amount("amount", "Amount"),
  amount_minor: minor("amount", "Amount"),
  currency: text("currency", "Currency"),
  amount_captured: amount("amount_captured", "Captured"),
  amount_captured_minor: minor("amount_captured", "Captured"),
  amount_refunded: amount("amount_refunded", "Refunded"),
  amount_refunded_minor: minor("amount_refunded", "Refunded"),
  amount_refundable: amount("amount_refundable", "Refundable"),
  amount_refundable_minor: minor("amount_refundable", "Refundable"),
  created_at: inUtc("created_at"),
  updated_at: inUtc("updated_at"),
  authorized_at: inUtc("authorized_at"),
  captured_at: inUtc("captured_at"),
  settled_at: inUtc("settled_at"),
  voided_at: inUtc("voided_at"),
  refunded_at: inUtc("refunded_at"),
  capture_before: inUtc("capture_before"),
  customer_id: text("customer_id", "Customer id"),
  customer_email: text("customer_email", "E-mail"),
  customer_name: text("customer_name", "Name"),
  billing_line1: address("line1", "Address"),
  billing_line2: address("line2", "Address, second line"),
  billing_city: address("city", "City"),
  billing_state: address("state", "State"),
  billing_postal_code: address("postal_code", "Postal code"),
  billing_country: address("country", "Country"),
  card_brand: text("card_brand", "Card brand", ({ card_brand }) => card_brand && BRAND_NAMES[card_brand]),
  card_last4: text("card_last4", "Card (last 4)"),
  card_exp_month: number("card_exp_month", "Card expiry month"),
  card_exp_year: number("card_exp_year", "Card expiry year"),
  card_bin: text("card_bin", "Card BIN"),
  avs_result: text("avs_result", "Address check", ({ avs_result }) => avs_result && AVS_RESULTS[avs_result]),
  cvv_result: text("cvv_result", "Security code check", ({ cvv_result }) => cvv_result && CVV_RESULTS[cvv_result]),
  fraud_score: number("fraud_score", "Fraud score"),
  decline_code: text("decline_code", "Decline reason", ({ decline_code }) => decline_code && wordLabel(decline_code)),
  subscription_id: text("subscription_id", "Subscription"),
  plan_id: text("plan_id", "Plan"),
  client_session_id: text("client_session_id", "Client session"),
  refund_of: text("refund_of", "Refund of"),
  refund_reason: text(
    "refund_reason",
    "Refund reason",
    ({ refund_reason }) => refund_reason && REFUND_REASON_WORDS[refund_reason],
  ),
  void_reason: text("void_reason", "Void reason", voidWord),
  settlement_batch_id: text("settlement_batch_id", "Settlement batch"),
  description: text("description", "Description"),
  metadata: {
    heading: "Metadata",
    kind: "text",
    read: ({ metadata }) => (Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)),
  },
  environment: text("environment", "Environment", ({ environment }) => (environment === "live" ? "Live" : "Test")),
  signed_amount: {
    heading: "Signed amount",
    kind: "amount",
    read: (row) => majorText(row.type === "REFUND" ? -row.amount : row.amount, row.currency),
  },
  fee: amount("fee", "Fee"),
  fee_minor: minor("fee", "Fee"),
  net: amount("net", "Net"),
  net_minor: minor("net", "Net"),
  dispute_id: { heading: "Dispute", kind: "text", read: ({ dispute }) => dispute?.id ?? null },
  dispute_status: {
    heading: "Dispute status",
    kind: "text",
    read: ({ dispute }) => dispute?.status ?? null,
    word: ({ dispute }) => dispute && DISPUTE_STATUS_WORDS[dispute.status].title,
  },
  capture_reversed_at: inUtc("capture_reversed_at"),
  created_at_local: inZone("created_at"),
  updated_at_local: inZone("updated_at"),
  authorized_at_local: inZone("authorized_at"),
  captured_at_local: inZone("captured_at"),
  settled_at_local: inZone("settled_at"),
  voided_at_local: inZone("voided_at"),
  refunded_at_local: inZone("refunded_at"),
  capture_before_local: inZone("capture_before"),
  capture_reversed_at_local: inZone("capture_reversed_at"),
};

const named = (name: ExportField): SheetColumn<ExportedTransaction> => ({ name, ...COLUMNS[name] });

/** The fields as columns of a file for programs. */
export const columnsForPrograms = (fields: readonly ExportField[]): SheetColumn<ExportedTransaction>[] =>
  fields.map(named);

const isTime = (name: ExportField): name is ExportTime => (EXPORT_TIMES as readonly string[]).includes(name);
const EARNINGS: readonly ExportField[] = ["signed_amount", "fee", "net"];
const hasOwnPlace = (name: ExportField) =>
  name.endsWith("_minor") || name.endsWith("_local") || EARNINGS.includes(name);

/**
 * The same for people: amounts once, signed amount, fee and net after the currency, and local times before
 * those in UTC.
 */
export function columnsForPeople(fields: readonly ExportField[]): SheetColumn<ExportedTransaction>[] {
  const earnings = EARNINGS.filter((name) => fields.includes(name));
  const ordered = fields
    .filter((name) => !hasOwnPlace(name))
    .flatMap((name): ExportField[] => {
      if (name === "currency") return [name, ...earnings];
      return isTime(name) ? [`${name}_local`, name] : [name];
    });
  return (fields.includes("currency") ? ordered : [...ordered, ...earnings]).map(named);
}
