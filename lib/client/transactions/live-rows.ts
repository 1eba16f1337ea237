import type { z } from "zod";
import { callApi } from "@/lib/client/api";
import { type ClientClock, clockMs } from "@/lib/client/test-clock/clock";
import { searchBody, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { ListedTransaction, transactionList } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";

/** Displayed rows of a live list. Ids sort by creation time. */
export type LiveRows<Row extends { id: string }> = {
  /** Query of these rows. */
  readonly key: string;
  readonly rows: readonly Row[];
  /** Rows that arrived while the list was visible, to be highlighted. */
  readonly fresh: ReadonlySet<string>;
  /** The response that these rows were built from. */
  readonly response: readonly Row[];
};

const NONE: ReadonlySet<string> = new Set();

export function firstRows<Row extends { id: string }>(key: string, response: readonly Row[]): LiveRows<Row> {
  return { key, rows: response, fresh: NONE, response };
}

/**
 * Rows to show after a response: its own or, while `hold` is set because the user points at a row, the
 * current rows in place with fresh values. Returns `shown` itself when nothing changed.
 */
export function settleRows<Row extends { id: string }>(
  shown: LiveRows<Row>,
  next: { key: string; response: readonly Row[]; hold: boolean },
): LiveRows<Row> {
  const { key, response, hold } = next;
  if (key !== shown.key) return firstRows(key, response);
  if (hold && shown.rows.length > 0) {
    if (response === shown.response) return shown;
    const now = new Map(response.map((row) => [row.id, row]));
    const rows = shown.rows.map((row) => now.get(row.id) ?? row);
    const same = rows.every((row, index) => row === shown.rows[index]);
    return { key, rows: same ? shown.rows : rows, fresh: shown.fresh, response };
  }
  if (response === shown.rows) return response === shown.response ? shown : { ...shown, response };
  const arrived = response.filter((row) => isNewerThanAll(row, shown.rows)).map((row) => row.id);
  return { key, rows: response, fresh: arrived.length > 0 ? new Set(arrived) : NONE, response };
}

/** Pending changes of the latest response: the number of new rows, and if rows came, went or moved at all. */
export function waitingRows<Row extends { id: string }>(shown: LiveRows<Row>): { added: number; changed: boolean } {
  const { rows, response } = shown;
  const added = response.filter((row) => isNewerThanAll(row, rows)).length;
  const known = response.slice(0, rows.length);
  return { added, changed: rows.length > response.length || known.some((row, index) => row.id !== rows[index]?.id) };
}

function isNewerThanAll(row: { id: string }, rows: readonly { id: string }[]): boolean {
  return rows.every((other) => row.id > other.id);
}

/** The part of the API's response that a table uses. */
export type TransactionList = Omit<z.infer<typeof transactionList>, "data"> & { data: ListedTransaction[] };

type Fetch = {
  query: TransactionQuery;
  mode: Mode;
  /** The business's time zone, which defines days. */
  timeZone: string;
  /** The environment's: "the last 30 days" end at its time. */
  clock: ClientClock;
  /** The current list, if this is a refresh. */
  shown?: TransactionList | undefined;
  /** Additional rows to request: those that arrived above the shown ones. */
  ahead?: number;
  signal?: AbortSignal;
};

const MAX_LIMIT = 100;

/** Loads a page of transactions from POST /v1/transactions/search. */
export async function fetchTransactions(fetch: Fetch): Promise<TransactionList> {
  const { query, mode, timeZone, clock, shown, ahead = 0, signal } = fetch;
  const body = searchBody(query, timeZone, clockMs(clock, Date.now()));
  const first = shown?.data[0];
  const isNewestFirst = query.sort.field === "created_at" && query.sort.order === "desc";
  if (first && query.page > 1 && isNewestFirst) {
    return await refreshPage(body, shown, first, { mode, signal });
  }
  return await search({ ...body, limit: Math.min(MAX_LIMIT, body.limit + ahead) }, { mode, signal });
}

type Call = { mode: Mode; signal: AbortSignal | undefined };
type Body = ReturnType<typeof searchBody>;

/** Refreshes a later page from its first row instead of by offset, which new rows have shifted. */
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
  // Rows of the same millisecond may belong before the page.
  const data = found.data.filter((row) => row.id <= first.id);
  return { ...shown, data, has_more: found.has_more };
}

async function search(body: Body, { mode, signal }: Call): Promise<TransactionList> {
  const response = await callApi("POST /v1/transactions/search", { mode, body, signal });
  return response.data;
}
