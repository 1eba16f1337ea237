import type { Sql } from "@/db/client";
import { TOTAL_CAP } from "@/lib/contract/fields";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import { columnList, fetchSize, Parameters, runText, type StatementText } from "../statement-text";
import {
  PAYMENT_COLUMNS,
  paymentReader,
  SHARED_COLUMNS,
  SHARED_TEXT,
  type ShownPaymentRow,
  type ShownTransactionRow,
  shareWithRefunds,
  shownTransactionsOf,
  TRANSACTION_COLUMNS,
} from "../transactions/columns";
import { type FoundPage, foundPage } from "../transactions/transactions";

type PaymentWithTransactions = {
  readonly payment: ShownPaymentRow;
  readonly transactions: ShownTransactionRow[];
};

/** A transaction's row with its payment's columns, prefixed. */
type ShownJoinedRow = ShownTransactionRow & {
  [Column in keyof ShownPaymentRow as `p_${Column}`]: ShownPaymentRow[Column];
};

const OWN_COLUMNS = TRANSACTION_COLUMNS.filter((name) => !(SHARED_COLUMNS as readonly string[]).includes(name));
const COLUMNS = `${columnList("t", OWN_COLUMNS)}, ${SHARED_TEXT}, ${columnList("p", PAYMENT_COLUMNS, "p_")}`;
/** Max. transactions of one page, which bounds the memory that one request takes. */
const MAX_TRANSACTIONS = 2_000;

const GET_TEXT = `
select ${COLUMNS}
from payments p cross join ${shownTransactionsOf("$1")}
where p.environment_id = $1 and p.id = $2
order by t.id`;

/** A payment with its transactions, or null. Indexes: the primary keys, `transactions_refunds`. */
export async function findPaymentWithTransactions(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<PaymentWithTransactions | null> {
  const rows = await sql.unsafe<ShownJoinedRow[]>(GET_TEXT, [environmentId, id], { prepare: true });
  return groupByPayment(rows)[0] ?? null;
}

/** The environment has such a payment. Index: primary key. */
export async function paymentExists(sql: Sql, environmentId: string, id: string): Promise<boolean> {
  const rows = await sql`select from payments where environment_id = ${environmentId} and id = ${id}`;
  return rows.length > 0;
}

/** Filter of payments; times are ranges of ids. */
type PaymentFilter = {
  readonly fromId?: string | undefined;
  /** First id past the range. */
  readonly beforeId?: string | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly customerId?: string | undefined;
};

/** A page of payments. `after`: id of the payment before the page. */
type PaymentPage = { readonly limit: number; readonly offset: number; readonly after?: string | undefined };

/**
 * Payments, newest first. `total`: null if it has to be counted. `rows` is null if the page has more than
 * `MAX_TRANSACTIONS`. Indexes: `payments_status`, `payments_customer`, the primary key.
 */
export async function findPayments(
  sql: Sql,
  environmentId: string,
  filter: PaymentFilter,
  page: PaymentPage,
  total: number | null,
): Promise<Omit<FoundPage<PaymentWithTransactions>, "rows"> & { readonly rows: PaymentWithTransactions[] | null }> {
  const statement = paymentPageText(environmentId, filter, page, { counts: total === null });
  const found = await runText<ShownJoinedRow & { total: number }>(sql, statement);
  // A counted page without payments is one row of nulls with the total.
  const payments = found[0]?.id ? groupByPayment(found) : [];
  const { rows, ...figures } = foundPage(payments, page, total ?? found[0]?.total ?? 0);
  return { ...figures, rows: found.length > MAX_TRANSACTIONS ? null : rows };
}

function paymentPageText(
  environmentId: string,
  filter: PaymentFilter,
  page: PaymentPage,
  { counts }: { counts: boolean },
): StatementText {
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const terms = [`environment_id = ${environment}`];
  if (filter.customerId !== undefined) terms.push(`customer_id = ${parameters.add(filter.customerId)}`);
  if (filter.status !== undefined) terms.push(`status = ${parameters.add(filter.status)}`);
  if (filter.fromId !== undefined) terms.push(`id >= ${parameters.add(filter.fromId)}`);
  if (filter.beforeId !== undefined) terms.push(`id < ${parameters.add(filter.beforeId)}`);
  const where = terms.join(" and ");
  const after = page.after === undefined ? "" : ` and id < ${parameters.add(page.after)}`;
  const counted = `select count(*)::int as total from (select from payments where ${where} order by id limit ${TOTAL_CAP + 1}) hits`;
  const text = `
select ${counts ? "c.total, " : ""}${COLUMNS}
from ${counts ? `(${counted}) c left join ` : ""}(
  select id from payments where ${where}${after} order by id desc limit ${fetchSize(page.limit)} offset ${page.offset}
) page${counts ? " on true" : ""}
left join payments p on p.environment_id = ${environment} and p.id = page.id
left join ${shownTransactionsOf(environment)} on true
order by page.id desc, t.id
limit ${MAX_TRANSACTIONS + 1}`;
  return {
    text,
    parameters,
    prepare: page.offset === 0 && (filter.customerId === undefined || filter.status === undefined),
  };
}

/** Groups rows, in which those of one payment are adjacent. */
function groupByPayment(rows: readonly ShownJoinedRow[]): PaymentWithTransactions[] {
  const payments: PaymentWithTransactions[] = [];
  for (const row of rows) {
    const last = payments.at(-1);
    if (last?.payment.id === row.p_id) last.transactions.push(row);
    else payments.push({ payment: toPayment(row), transactions: [row] });
  }
  for (const { payment, transactions } of payments) shareWithRefunds(payment.charge_id, transactions);
  return payments;
}

const toPayment = paymentReader(PAYMENT_COLUMNS);
