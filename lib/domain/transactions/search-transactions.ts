import type { ListedTransaction, SearchTransactionsBody } from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import type { ListAnswer } from "../list-answer";
import {
  findTransactionList,
  findTransactionTable,
  type TransactionList,
  type TransactionListRequest,
} from "./find-transaction-list";
import { searchFilter } from "./search-filter";

/** Transactions by all filters and sorts. All ranges are inclusive; ties of a sort are in the order of the ids. */
export function searchTransactions(ctx: Context, body: SearchTransactionsBody): Promise<TransactionList> {
  return findTransactionList(ctx, requestOf(body));
}

/** The same for the dashboard's tables, without what no column of theirs shows: metadata alone can be 25 KB a row. */
export function searchTransactionTable(
  ctx: Context,
  body: SearchTransactionsBody,
): Promise<ListAnswer<ListedTransaction>> {
  return findTransactionTable(ctx, requestOf(body));
}

function requestOf({ filters, sort, limit, offset, starting_after }: SearchTransactionsBody): TransactionListRequest {
  return {
    filter: searchFilter(filters),
    subscriptionId: filters.subscription_id,
    ...{ sort, limit, offset, starting_after },
  };
}
