import type { z } from "zod";
import { callApi } from "@/lib/client/api";
import { searchBody, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { ListedTransaction, transactionList } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";

/** What a list shows while its answers keep coming in. Ids sort by the time they were made. */
export type LiveRows<Row extends { id: string }> = {
  /** The question that the rows answer. */
  readonly key: string;
  readonly rows: readonly Row[];
  /** Rows that came in while the list was looked at, to be pointed out. */
  readonly fresh: ReadonlySet<string>;
  /** The answer that this was made from. */
  readonly answer: readonly Row[];
};

const NONE: ReadonlySet<string> = new Set();

export function firstRows<Row extends { id: string }>(key: string, answer: readonly Row[]): LiveRows<Row> {
  return { key, rows: answer, fresh: NONE, answer };
}

/**
 * What to show after an answer: its rows or, while `hold` says that the user points at a row, the current rows in their places
 * with fresh values. Returns `shown` itself when nothing changed.
 */
export function settleRows<Row extends { id: string }>(
  shown: LiveRows<Row>,
  next: { key: string; answer: readonly Row[]; hold: boolean },
): LiveRows<Row> {
  const { key, answer, hold } = next;
  if (key !== shown.key) return firstRows(key, answer);
  if (hold && shown.rows.length > 0) {
    if (answer === shown.answer) return shown;
    const now = new Map(answer.map((row) => [row.id, row]));
    const rows = shown.rows.map((row) => now.get(row.id) ?? row);
    const same = rows.every((row, index) => row === shown.rows[index]);
    return { key, rows: same ? shown.rows : rows, fresh: shown.fresh, answer };
  }
  if (answer === shown.rows) return answer === shown.answer ? shown : { ...shown, answer };
  const arrived = answer.filter((row) => isNewerThanAll(row, shown.rows)).map((row) => row.id);
  return { key, rows: answer, fresh: arrived.length > 0 ? new Set(arrived) : NONE, answer };
}

/** What the answer has that is not shown yet: how many new rows, and whether rows came, went or moved at all. */
export function waitingRows<Row extends { id: string }>(shown: LiveRows<Row>): { added: number; changed: boolean } {
  const { rows, answer } = shown;
  const added = answer.filter((row) => isNewerThanAll(row, rows)).length;
  const known = answer.slice(0, rows.length);
  return { added, changed: rows.length > answer.length || known.some((row, index) => row.id !== rows[index]?.id) };
}

function isNewerThanAll(row: { id: string }, rows: readonly { id: string }[]): boolean {
  return rows.every((other) => row.id > other.id);
}

/** A table uses no more of the API's answer. */
export type TransactionList = Omit<z.infer<typeof transactionList>, "data"> & { data: ListedTransaction[] };

type Fetch = {
  query: TransactionQuery;
  mode: Mode;
  /** Of the business: what its days are. */
  timeZone: string;
  /** Refreshes what is already shown. */
  shown?: TransactionList | undefined;
  /** How many more rows to request: those that arrived above the ones shown. */
  ahead?: number;
  signal?: AbortSignal;
};

const MAX_LIMIT = 100;

/** A page of transactions by POST /v1/transactions/search. */
export async function fetchTransactions(fetch: Fetch): Promise<TransactionList> {
  const { query, mode, timeZone, shown, ahead = 0, signal } = fetch;
  const body = searchBody(query, timeZone, Date.now());
  const first = shown?.data[0];
  const isNewestFirst = query.sort.field === "created_at" && query.sort.order === "desc";
  if (first && query.page > 1 && isNewestFirst) {
    return await refreshPage(body, shown, first, { mode, signal });
  }
  return await search({ ...body, limit: Math.min(MAX_LIMIT, body.limit + ahead) }, { mode, signal });
}

type Call = { mode: Mode; signal: AbortSignal | undefined };
type Body = ReturnType<typeof searchBody>;

/** A later page again: from its first row on instead of by offset, as new rows have moved every offset since. */
async function refreshPage(
  body: Body,
  shown: TransactionList,
  first: ListedTransaction,
  call: Call,
): Promise<TransactionList> {
  const wanted = body.filters.created_at;
  const lte = wanted?.lte !== undefined && wanted.lte < first.created_at ? wanted.lte : first.created_at;
  const filters = { ...body.filters, created_at: { ...wanted, lte } };
  const found = await search({ ...body, filters, offset: 0 }, call);
  // Others of the same millisecond stand before the page.
  const data = found.data.filter((row) => row.id <= first.id);
  return { ...shown, data, has_more: found.has_more };
}

async function search(body: Body, { mode, signal }: Call): Promise<TransactionList> {
  const answer = await callApi("POST /v1/transactions/search", { mode, body, signal });
  return answer.data;
}
