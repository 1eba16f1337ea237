import { getTableColumns } from "drizzle-orm";
import type { Sql, Transaction as SqlTransaction } from "@/db/client";
import type { PaymentRow } from "@/db/schema/payments";
import { type TransactionRow, transactions } from "@/db/schema/transactions";
import { SHARED_TEXT, shareWithRefunds, transactionsOf } from "../transactions/columns";

export type PaymentSnapshot = { payment: PaymentRow; transactions: TransactionRow[] };

type JoinedRow = TransactionRow & { [K in keyof PaymentRow as `p_${K}`]: PaymentRow[K] };

/**
 * A payment with its transactions as they stood at one moment (one statement, hence one snapshot), oldest first; null when
 * there is none. Its refunds share the charge's metadata and address, of which each has a copy in its row. Index: the primary
 * keys, `transactions_refunds`.
 */
export async function findPayment(
  sql: Sql | SqlTransaction,
  environmentId: string,
  paymentId: string,
): Promise<PaymentSnapshot | null> {
  const rows = await sql<JoinedRow[]>`
    select ${columns(sql)}
    from payments p
    cross join ${sql.unsafe(transactionsOf("p.environment_id"))}
    where p.environment_id = ${environmentId}::uuid and p.id = ${paymentId}::uuid
    order by t.id`;
  return snapshotOf(rows);
}

/** The same of several payments, by id. */
export async function findPaymentsById(
  sql: Sql | SqlTransaction,
  environmentId: string,
  paymentIds: readonly string[],
): Promise<Map<string, PaymentSnapshot>> {
  const rows = await sql<JoinedRow[]>`
    select ${columns(sql)}
    from payments p
    cross join ${sql.unsafe(transactionsOf("p.environment_id"))}
    where p.environment_id = ${environmentId}::uuid and p.id = any(${paymentIds}::uuid[])
    order by t.id`;
  const rowsOf = new Map<string, JoinedRow[]>();
  for (const row of rows) {
    const own = rowsOf.get(row.p_id);
    if (own) own.push(row);
    else rowsOf.set(row.p_id, [row]);
  }
  return new Map([...rowsOf].map(([id, own]) => [id, snapshotOf(own) as PaymentSnapshot]));
}

function snapshotOf(rows: JoinedRow[]): PaymentSnapshot | null {
  const [first] = rows;
  if (!first) return null;
  const payment = paymentOf(first);
  shareWithRefunds(payment.charge_id, rows);
  return { payment, transactions: rows };
}

const paymentColumns = (sql: Sql | SqlTransaction) => sql`
  p.id as p_id, p.charge_id as p_charge_id, p.authorization_id as p_authorization_id, p.status as p_status,
  p.currency as p_currency, p.amount as p_amount, p.capture_method as p_capture_method,
  p.amount_captured as p_amount_captured, p.amount_refunded as p_amount_refunded, p.refund_pending as p_refund_pending,
  p.open_operation_id as p_open_operation_id, p.version as p_version, p.event_sequence as p_event_sequence,
  p.capture_before as p_capture_before,
  p.customer_id as p_customer_id, p.return_url as p_return_url, p.next_action as p_next_action,
  p.created_at as p_created_at, p.updated_at as p_updated_at`;

const { metadata: _metadata, billing_address: _address, ...SHORT_COLUMNS } = getTableColumns(transactions);
const SHORT_NAMES = Object.keys(SHORT_COLUMNS).map((name) => `t.${name}`);
const columns = (sql: Sql | SqlTransaction) =>
  sql`${sql(SHORT_NAMES)}, ${sql.unsafe(SHARED_TEXT)}, ${paymentColumns(sql)}`;

/** The same with its charge and the latest refunds. */
export async function findShortPayment(
  sql: Sql | SqlTransaction,
  environmentId: string,
  paymentId: string,
  refunds: number,
): Promise<PaymentSnapshot | null> {
  const rows = await sql<JoinedRow[]>`
    select ${columns(sql)}
    from payments p
    join transactions t on t.environment_id = p.environment_id and t.payment_id = p.id
    where p.environment_id = ${environmentId}::uuid and p.id = ${paymentId}::uuid
      and (t.id = p.charge_id or t.id in (
        select id from transactions where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
        order by id desc limit ${refunds}::int))
    order by t.id`;
  return snapshotOf(rows);
}

function paymentOf(row: JoinedRow): PaymentRow {
  return {
    environment_id: row.environment_id,
    id: row.p_id,
    charge_id: row.p_charge_id,
    authorization_id: row.p_authorization_id,
    status: row.p_status,
    currency: row.p_currency,
    amount: row.p_amount,
    capture_method: row.p_capture_method,
    amount_captured: row.p_amount_captured,
    amount_refunded: row.p_amount_refunded,
    refund_pending: row.p_refund_pending,
    open_operation_id: row.p_open_operation_id,
    version: row.p_version,
    event_sequence: row.p_event_sequence,
    capture_before: row.p_capture_before,
    customer_id: row.p_customer_id,
    return_url: row.p_return_url,
    next_action: row.p_next_action,
    created_at: row.p_created_at,
    updated_at: row.p_updated_at,
  };
}

/** The payment behind a transaction; null when there is no such transaction. Index: primary key of transactions. */
export async function findPaymentOfTransaction(sql: Sql, environmentId: string, transactionId: string) {
  const [row] = await sql<Pick<TransactionRow, "payment_id" | "type" | "status">[]>`
    select payment_id, type, status from transactions
    where environment_id = ${environmentId}::uuid and id = ${transactionId}::uuid`;
  return row ?? null;
}
