/** Kinds of report and their columns, without zod: pages name them, the service writes them. */
import type { IdKind } from "@/lib/contract/ids";
import { DISPUTE_REASON_WORDS, DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/words";
import { STATEMENT_LINES } from "@/lib/contract/settlement/statement";
import { SUBSCRIPTION_STATUS_LABELS } from "@/lib/contract/subscriptions/statuses";

export const REPORT_TYPES = [
  "activity",
  "balance",
  "payouts",
  "fees",
  "disputes",
  "subscriptions",
  "transactions",
] as const;
export type ReportType = (typeof REPORT_TYPES)[number];
export const REPORT_STATUSES = ["PENDING", "READY", "FAILED"] as const;
/** Frequency of a report's mails. */
export const REPORT_INTERVALS = ["WEEK", "MONTH"] as const;
export type ReportInterval = (typeof REPORT_INTERVALS)[number];
export const isReportType = (text: string): text is ReportType => (REPORT_TYPES as readonly string[]).includes(text);

/** A value of a row: ids are UUIDs until shown, times ISO 8601 in UTC, amounts minor units. */
export type ReportRow = { readonly currency: string } & Readonly<Record<string, string | number | null>>;

export type ReportColumn = {
  /** Member of the row, and heading in the plain CSV. */
  readonly name: string;
  readonly heading: string;
  /** `percent`: basis points. */
  readonly kind: "day" | "time" | "text" | "id" | "amount" | "count" | "percent";
  readonly id?: IdKind;
  /** Text shown in place of a code. */
  readonly words?: Readonly<Record<string, string>>;
  /** Summed by currency. */
  readonly total?: true;
  /** In the file only: the preview has no space for it. */
  readonly fileOnly?: true;
};

const CURRENCY: ReportColumn = { name: "currency", heading: "Currency", kind: "text" };
const total = (name: string, heading: string): ReportColumn => ({ name, heading, kind: "amount", total: true });
const count = (name: string, heading: string): ReportColumn => ({ name, heading, kind: "count", total: true });
const text = (name: string, heading: string): ReportColumn => ({ name, heading, kind: "text", fileOnly: true });
const BOOKED: ReportColumn = { name: "booked_at", heading: "Booked", kind: "time" };
const TRANSACTION: ReportColumn = { name: "transaction_id", heading: "Transaction id", kind: "id", id: "transaction" };
const PAYMENT: ReportColumn = {
  name: "payment_id",
  heading: "Payment id",
  kind: "id",
  id: "payment",
  fileOnly: true,
};

const DISPUTE_STATUSES = Object.fromEntries(
  Object.entries(DISPUTE_STATUS_WORDS).map(([status, { title }]) => [status, title]),
);
const MOVED = { capture: "Capture", refund: "Refund", refund_reversal: "Refund reversal" };
const DISPUTED = { dispute: "Dispute", dispute_return: "Dispute returned" };
const ITEMS = { charge: "Charge", refund: "Refund", reversal: "Refund reversal", ...DISPUTED };

/** Columns in the file's order. Files are read by position: new columns go to the end. */
export const REPORT_COLUMNS: Record<ReportType, readonly ReportColumn[]> = {
  activity: [
    { name: "day", heading: "Day", kind: "day" },
    CURRENCY,
    count("captures", "Captures"),
    total("gross", "Gross"),
    count("refund_count", "Refund count"),
    total("refunds", "Refunds"),
    total("fees", "Fees"),
    total("net", "Net"),
    total("disputes", "Disputes"),
    total("dispute_fees", "Dispute fees"),
  ],
  balance: [
    CURRENCY,
    { name: "line", heading: "Movement", kind: "text", words: STATEMENT_LINES },
    total("pending", "Pending"),
    total("available", "Available"),
    total("in_payout", "In payout"),
    total("balance", "Balance"),
    total("in_dispute", "In dispute"),
  ],
  payouts: [
    { ...BOOKED, heading: "Paid out" },
    { name: "payout_id", heading: "Payout id", kind: "id", id: "payout" },
    {
      name: "movement",
      heading: "Movement",
      kind: "text",
      words: { payout: "Payout", payout_failure: "Failed payout" },
    },
    { name: "arrival_date", heading: "Arrival", kind: "day" },
    { name: "settlement_batch_id", heading: "Batch id", kind: "id", id: "settlementBatch", fileOnly: true },
    { name: "type", heading: "Type", kind: "text", words: ITEMS },
    TRANSACTION,
    PAYMENT,
    CURRENCY,
    total("amount", "Amount"),
    total("fee", "Fee"),
    total("net", "Net"),
    { name: "dispute_id", heading: "Dispute id", kind: "id", id: "dispute", fileOnly: true },
  ],
  fees: [
    BOOKED,
    TRANSACTION,
    PAYMENT,
    CURRENCY,
    total("captured", "Captured"),
    { name: "rate", heading: "Rate (%)", kind: "percent" },
    total("fee", "Fee"),
  ],
  disputes: [
    { name: "opened_at", heading: "Opened", kind: "time" },
    { name: "dispute_id", heading: "Dispute id", kind: "id", id: "dispute" },
    { name: "status", heading: "Status", kind: "text", words: DISPUTE_STATUSES },
    { name: "reason", heading: "Reason", kind: "text", words: DISPUTE_REASON_WORDS },
    TRANSACTION,
    PAYMENT,
    CURRENCY,
    total("amount", "Disputed"),
    total("lost", "Lost"),
    total("fee", "Processor’s fee"),
    { name: "respond_by", heading: "Respond by", kind: "time" },
    text("network_reason_code", "Network’s reason code"),
    text("customer_id", "Customer id"),
  ],
  subscriptions: [
    { name: "subscription_id", heading: "Subscription id", kind: "id", id: "subscription" },
    text("customer_id", "Customer id"),
    { name: "customer_email", heading: "E-mail", kind: "text" },
    { name: "plan_name", heading: "Plan", kind: "text" },
    { name: "status", heading: "Status", kind: "text", words: SUBSCRIPTION_STATUS_LABELS },
    CURRENCY,
    { name: "quantity", heading: "Quantity", kind: "count" },
    { name: "amount", heading: "Price", kind: "amount" },
    { name: "every", heading: "Every", kind: "text" },
    count("paying", "Paying"),
    total("mrr", "MRR"),
    { ...count("churned", "Churned"), fileOnly: true },
    total("churned_mrr", "Churned MRR"),
    { name: "started_at", heading: "Created", kind: "time", fileOnly: true },
    { name: "ended_at", heading: "Ended", kind: "time", fileOnly: true },
  ],
  transactions: [
    BOOKED,
    { name: "type", heading: "Type", kind: "text", words: { ...MOVED, ...DISPUTED, dispute_fee: "Dispute fee" } },
    TRANSACTION,
    PAYMENT,
    CURRENCY,
    total("amount", "Amount"),
    total("fee", "Fee"),
    total("net", "Net"),
    text("customer_id", "Customer id"),
    text("customer_email", "E-mail"),
    text("customer_name", "Customer"),
    text("description", "Description"),
  ],
};

export const totalColumns = (type: ReportType): readonly ReportColumn[] =>
  REPORT_COLUMNS[type].filter((column) => column.total);

/** Row count and sums of one currency; for a balance, those of its closing line. */
export type ReportTotals = { currency: string; rows: number; amounts: Record<string, number> };

type ReportWords = {
  label: string;
  sentence: string;
  /** Title of the empty state, for figures that don't follow from moved money. */
  empty?: string;
  /** Explains the computation of each figure. */
  method: string;
};

export const REPORT_WORDS: Record<ReportType, ReportWords> = {
  activity: {
    label: "Activity",
    sentence: "Gross, refunds, disputes, fees and net of each day.",
    method:
      "Sums the ledger’s lines by day and currency. Gross: captures. Refunds: refunds less those that failed later, which count on the day they fail. Fees: Cardlane’s fees on captures. Disputes: amounts withdrawn for disputes, less amounts returned when disputes were won, each on the day it was booked; dispute fees are your processor’s. Net: gross less refunds, fees, disputes and dispute fees. Your processor’s other fees are not included.",
  },
  balance: {
    label: "Balance",
    sentence: "A statement: opening balance, movements and closing balance.",
    method:
      "The opening balance is the sum of all ledger lines before the first day, and the closing balance is the sum of all lines up to the end of the last day. Each line in between is one kind of movement, so every column adds up.",
  },
  payouts: {
    label: "Payouts",
    sentence: "What each payout contains, down to its transactions.",
    method:
      "Lists the payouts booked on these days and, for each, the transactions of its settlement batches (captures less refunds and fees) and the disputes it accounts for, with the processor’s fee. A payout’s rows add up to its amount. A payout that fails is listed again on the day it fails, with the signs reversed.",
  },
  fees: {
    label: "Fees",
    sentence: "Cardlane’s fee on each capture.",
    method:
      "Lists the ledger’s fee lines with the captured amount and the rate. The fee is the captured amount times the rate, rounded half up, and is booked with the capture. Your processor’s own fees are not included.",
  },
  disputes: {
    label: "Disputes",
    sentence: "Disputes opened on these days, with their current status.",
    empty: "No disputes were opened on these days",
    method:
      "Lists the disputes that banks opened on these days, as your processor last reported them, so a later report may show another status or fee. Lost: the amount of disputes that were lost or accepted. The ledger books a dispute on the day your processor reports it, so the activity report of these days may differ.",
  },
  subscriptions: {
    label: "Subscriptions",
    sentence: "Monthly recurring revenue at the end of these days, and the churn during them.",
    empty: "No subscription was paying or ended on these days",
    method:
      "Uses each subscription as of its last event before the end of the last day. MRR: of active and past-due subscriptions, price × quantity per month (n months ÷ n, n weeks × 52 ÷ 12 ÷ n, n days × 365 ÷ 12 ÷ n), rounded for each; the overview rounds the sum once, so cents may differ. Churned: subscriptions cancelled on these days after their trial. Churn is churned ÷ (churned + paying). Trials, credit and later changes of a plan’s price don’t count.",
  },
  transactions: {
    label: "Money movements",
    sentence: "Each capture, refund, failed refund and dispute, with fee and net.",
    method:
      "Lists the ledger’s captures, refunds, refunds that failed later and disputes, each at the time it was booked. Net: amount less fee; a dispute’s fee is a line of its own. Authorizations that were not captured moved no money and are not included.",
  },
};
