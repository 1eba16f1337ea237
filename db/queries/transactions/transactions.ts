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

/** Null: there is none. By primary key. */
export async function findTransaction(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<TransactionWithMoney | null> {
  const found = await sql.unsafe(GET_TEXT, [environmentId, id], { prepare: true }).values();
  const [values] = found as unknown as TransactionValues[];
  return values ? transactionOf(values) : null;
}

/** Where a page that starts after this transaction begins, whatever the sort. By primary key. */
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
  /** Whether there is more after the page. */
  readonly hasMore: boolean;
  /** All that match, counted up to one more than the contract's cap. */
  readonly total: number;
};

/** A page of what the filter matches; the indexes are named at {@link transactionPageText}. `total`: when it is known. */
export async function findTransactions(
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  total: number | null,
): Promise<FoundPage<TransactionWithMoney>> {
  const { text, parameters, prepare } = transactionPageText(environmentId, filter, page, { counts: total === null });
  // Behind those of a transaction stands the total, where it is counted.
  const found = (await sql.unsafe(text, parameters.values, { prepare }).values()) as unknown as TransactionValues[];
  const counted = total ?? (found[0]?.at(-1) as number | undefined) ?? 0;
  // An empty page that was counted still has its total, on a row of nulls.
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

/** `rows`: those of the page and one more, when there is one. `counted` may be a moment old, and less than what is here by now. */
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
