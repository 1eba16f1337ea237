import { getTableColumns } from "drizzle-orm";
import type { Sql, Transaction as SqlTransaction } from "@/db/client";
import { type PaymentRow, payments } from "@/db/schema/payments";
import { type TransactionRow, transactions } from "@/db/schema/transactions";
import { columnList } from "../statement-text";
import { paymentReader, SHARED_TEXT, shareWithRefunds, transactionsOf } from "../transactions/columns";

export type PaymentSnapshot = { payment: PaymentRow; transactions: TransactionRow[] };

type JoinedRow = TransactionRow & { [K in keyof PaymentRow as `p_${K}`]: PaymentRow[K] };

/**
 * A payment with its transactions, oldest first, or null. One statement, so one snapshot. Refunds share the
 * charge's metadata and address objects, although each row has a copy. Indexes: the primary keys,
 * `transactions_refunds`.
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
  return toSnapshot(rows);
}

/** Snapshots of several payments, by id. */
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
  return new Map([...rowsOf].map(([id, own]) => [id, toSnapshot(own) as PaymentSnapshot]));
}

function toSnapshot(rows: JoinedRow[]): PaymentSnapshot | null {
  const [first] = rows;
  if (!first) return null;
  const payment = toPayment(first);
  shareWithRefunds(payment.charge_id, rows);
  return { payment, transactions: rows };
}

const PAYMENT_COLUMNS = Object.keys(getTableColumns(payments)) as (keyof PaymentRow)[];
const toPayment = paymentReader(PAYMENT_COLUMNS);

const { metadata: _metadata, billing_address: _address, ...SHORT_COLUMNS } = getTableColumns(transactions);
const SHORT_NAMES = Object.keys(SHORT_COLUMNS).map((name) => `t.${name}`);
const COLUMNS = `${SHORT_NAMES.join(", ")}, ${SHARED_TEXT}, ${columnList("p", PAYMENT_COLUMNS, "p_")}`;
const columns = (sql: Sql | SqlTransaction) => sql.unsafe(COLUMNS);

/** A payment with its charge and its latest refunds only. */
export async function findLatestOfPayment(
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
  return toSnapshot(rows);
}

/** The payment of a transaction, or null. Index: primary key of transactions. */
export async function findPaymentOfTransaction(sql: Sql, environmentId: string, transactionId: string) {
  const [row] = await sql<Pick<TransactionRow, "payment_id" | "type" | "status">[]>`
    select payment_id, type, status from transactions
    where environment_id = ${environmentId}::uuid and id = ${transactionId}::uuid`;
  return row ?? null;
}
