import type { z } from "zod";
import type { ListedTransaction, transactionList } from "@/lib/contract/transaction";
import type { Mode } from "@/lib/contract/transaction-words";
import { callApi } from "./api";
import { searchBody } from "./search-body";
import type { TransactionQuery } from "./transaction-query";

/** Of an answer of the API, too, a table uses no more. */
export type TransactionList = Omit<z.infer<typeof transactionList>, "data"> & { data: ListedTransaction[] };

type Fetch = {
  query: TransactionQuery;
  mode: Mode;
  /** Of the business: what its days are. */
  timeZone: string;
  /** What is shown already, when it is only brought up to date. */
  shown?: TransactionList | undefined;
  /** Rows beyond the page to ask for: what came in before those that are shown. */
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
  const asked = body.filters.created_at;
  const lte = asked?.lte !== undefined && asked.lte < first.created_at ? asked.lte : first.created_at;
  const filters = { ...body.filters, created_at: { ...asked, lte } };
  const found = await search({ ...body, filters, offset: 0 }, call);
  // Others of the same millisecond stand before the page.
  const data = found.data.filter((row) => row.id <= first.id);
  return { ...shown, data, has_more: found.has_more };
}

async function search(body: Body, { mode, signal }: Call): Promise<TransactionList> {
  const answer = await callApi<TransactionList>({
    method: "POST",
    path: "/v1/transactions/search",
    mode,
    body,
    ...(signal && { signal }),
  });
  return answer.data;
}
