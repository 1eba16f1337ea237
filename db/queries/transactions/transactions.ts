import type { Sql } from "@/db/client";
import { columnList, runText } from "../statement-text";
import {
  LISTED_COLUMNS,
  type ListedWithMoney,
  MONEY_COLUMNS,
  TRANSACTION_COLUMNS,
  type TransactionValues,
  type TransactionWithMoney,
  transactionOf,
} from "./columns";
import { type TransactionCursor, type TransactionFilter, type TransactionPage, transactionPageText } from "./page";

const GET_TEXT = `
select ${columnList("t", TRANSACTION_COLUMNS)}, ${columnList("p", MONEY_COLUMNS, "p_")}
from transactions t join payments p on p.environment_id = $1 and p.id = t.payment_id
where t.environment_id = $1 and t.id = $2`;

/** Null if there is none. By primary key. */
export async function findTransaction(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<TransactionWithMoney | null> {
  const found = await sql.unsafe(GET_TEXT, [environmentId, id], { prepare: true }).values();
  const [values] = found as unknown as TransactionValues[];
  return values ? transactionOf(values) : null;
}

/** Start of a page after this transaction, for any sort. By primary key. */
export async function findTransactionCursor(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<TransactionCursor | null> {
  const rows = await sql<TransactionCursor[]>`
    select id, currency, amount, status from transactions where environment_id = ${environmentId} and id = ${id}`;
  return rows[0] ?? null;
}

export type FoundPage<Row> = {
  /** At most the page's limit. */
  readonly rows: Row[];
  /** True if there are more rows after the page. */
  readonly hasMore: boolean;
  /** All matches, counted up to one more than the contract's cap. */
  readonly total: number;
};

/** A page of matches; for indexes see {@link transactionPageText}. `total` is set if already known. */
export async function findTransactions(
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  total: number | null,
): Promise<FoundPage<TransactionWithMoney>> {
  const { text, parameters, prepare } = transactionPageText(environmentId, filter, page, { counts: total === null });
  // If counted, the total follows a transaction's values.
  const found = (await sql.unsafe(text, parameters.values, { prepare }).values()) as unknown as TransactionValues[];
  const counted = total ?? (found[0]?.at(-1) as number | undefined) ?? 0;
  // An empty page that was counted still returns its total, on a row of nulls.
  return foundPage(found[0]?.[0] ? found.map(transactionOf) : [], page, counted);
}

const LISTED = columnList("t", LISTED_COLUMNS);

/** The same with the columns of tables. */
export async function findListedTransactions(
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  total: number | null,
): Promise<FoundPage<ListedWithMoney>> {
  const statement = transactionPageText(environmentId, filter, page, {
    counts: total === null,
    columns: LISTED,
  });
  const found = await runText<ListedWithMoney & { total: number }>(sql, statement);
  return foundPage(found[0]?.id ? found : [], page, total ?? found[0]?.total ?? 0);
}

/**
 * `rows`: the page's, plus one if there are more. `counted` may be slightly stale, and lower than what is
 * found here.
 */
export function foundPage<Row>(
  rows: readonly Row[],
  { limit, offset }: Pick<TransactionPage, "limit" | "offset">,
  counted: number,
): FoundPage<Row> {
  const shown = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const total = Math.max(counted, shown.length && offset + shown.length + Number(hasMore));
  return { rows: shown, hasMore, total };
}
