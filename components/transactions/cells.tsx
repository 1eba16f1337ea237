import type { ReactNode } from "react";
import { MoneyMarks, TransactionBadge } from "@/components/ui/badge";
import { currencyDigits } from "@/lib/contract/currencies";
import { moneyText, timeText, wordLabel } from "@/lib/contract/format";
import type { ColumnName } from "@/lib/contract/transactions/columns";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { BRAND_NAMES, signedAmount } from "@/lib/contract/transactions/words";

/** Context of a cell: the time zone of displayed times. */
type CellContext = { zone: string };

const NOTHING = <span className="dim">–</span>;

/** Cells are plain markup: the table handles copying and time tooltips for all of them. */
export const CELLS: Record<ColumnName, (row: ListedTransaction, context: CellContext) => ReactNode> = {
  amount: (row) => money(signedAmount(row), row.currency),
  status: (row) => (
    <>
      <TransactionBadge of={row} /> <MoneyMarks transaction={row} />
      {row.type === "REFUND" && <span className="dim"> Refund</span>}
      {row.decline_code !== null && <span className="dim max-lg:hidden"> {wordLabel(row.decline_code)}</span>}
    </>
  ),
  customer: (row) => text(row.customer_name ?? row.customer_email ?? row.customer_id),
  card: (row) =>
    row.card_last4 === null && row.card_brand === null ? (
      NOTHING
    ) : (
      <>
        {row.card_brand === null ? "Card" : BRAND_NAMES[row.card_brand]}
        {row.card_last4 !== null && <span className="figures"> •••• {row.card_last4}</span>}
      </>
    ),
  created_at: (row, context) => time(row.created_at, context),
  id: (row) => id(row.id),
  payment_id: (row) => id(row.payment_id),
  description: (row) => text(row.description),
  type: (row) => wordLabel(row.type),
  currency: (row) => row.currency,
  amount_captured: (row) => money(row.amount_captured, row.currency),
  amount_refunded: (row) => money(row.amount_refunded, row.currency),
  amount_refundable: (row) => money(row.amount_refundable, row.currency),
  customer_id: (row) => text(row.customer_id),
  customer_email: (row) => text(row.customer_email),
  customer_name: (row) => text(row.customer_name),
  card_expiry: (row) =>
    row.card_exp_month === null || row.card_exp_year === null
      ? NOTHING
      : `${String(row.card_exp_month).padStart(2, "0")}/${row.card_exp_year}`,
  avs_result: (row) => text(row.avs_result),
  cvv_result: (row) => text(row.cvv_result),
  fraud_score: (row) => (row.fraud_score === null ? NOTHING : row.fraud_score),
  decline_code: (row) => word(row.decline_code),
  refund_reason: (row) => word(row.refund_reason),
  plan_id: (row) => id(row.plan_id),
  subscription_id: (row) => id(row.subscription_id),
  settlement_batch_id: (row) => id(row.settlement_batch_id),
  capture_before: (row, context) => time(row.capture_before, context),
  captured_at: (row, context) => time(row.captured_at, context),
  settled_at: (row, context) => time(row.settled_at, context),
  refunded_at: (row, context) => time(row.refunded_at, context),
  updated_at: (row, context) => time(row.updated_at, context),
};

/** Right-aligned columns. */
export const NUMBER_COLUMNS: ReadonlySet<ColumnName> = new Set([
  "amount",
  "amount_captured",
  "amount_refunded",
  "amount_refundable",
  "fraud_score",
]);
/** Columns with free text, truncated when long. */
export const TEXT_COLUMNS: ReadonlySet<ColumnName> = new Set([
  "customer",
  "description",
  "customer_id",
  "customer_email",
  "customer_name",
]);

function money(amount: number, currency: string): ReactNode {
  const shown = moneyText(amount, currency);
  return (
    <span className="money">
      {shown}
      {currencyDigits(currency) === 0 && <span className="whole" />}
      <span className="code dim">{shown.includes(currency) ? "" : ` ${currency}`}</span>
    </span>
  );
}

function time(at: string | null, { zone }: CellContext): ReactNode {
  if (at === null) return NOTHING;
  return <time dateTime={at}>{timeText(new Date(at), zone)}</time>;
}

const text = (value: string | null): ReactNode => value ?? NOTHING;
const word = (value: string | null): ReactNode => (value === null ? NOTHING : wordLabel(value));

const HEAD = 4;
const TAIL = 6;

/** Abbreviated id; `data-copy` has the full one. */
function id(value: string | null): ReactNode {
  if (value === null) return NOTHING;
  const head = value.indexOf("_") + 1 + HEAD;
  return (
    <>
      <span className="mono dim" title={value}>{`${value.slice(0, head)}…${value.slice(-TAIL)}`}</span>
      <button type="button" className="copy" data-copy={value} aria-label={`Copy ${value}`}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <use href="#copy-icon" />
        </svg>
      </button>
    </>
  );
}

/** Icons that every row refers to. */
export function RowIcons() {
  return (
    <svg aria-hidden="true" className="hidden">
      <symbol id="copy-icon" viewBox="0 0 16 16">
        <path
          d="M5.5 5.5h7v8h-7zM3.5 10.5v-8h7"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.25"
          strokeLinejoin="round"
        />
      </symbol>
      <symbol id="more-icon" viewBox="0 0 16 16">
        <path d="M3.3 8h.01M8 8h.01M12.7 8h.01" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </symbol>
    </svg>
  );
}
