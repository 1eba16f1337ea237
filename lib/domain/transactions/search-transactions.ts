import type { SearchTransactionsBody } from "@/lib/contract/transaction";
import type { Context } from "../context";
import { findTransactionList, type TransactionList } from "./find-transaction-list";
import { searchFilter } from "./search-filter";

/** Transactions by all filters and sorts. All ranges are inclusive; ties of a sort are in the order of the ids. */
export function searchTransactions(ctx: Context, body: SearchTransactionsBody): Promise<TransactionList> {
  return findTransactionList(ctx, {
    filter: searchFilter(body.filters),
    subscriptionId: body.filters.subscription_id,
    sort: body.sort,
    limit: body.limit,
    offset: body.offset,
    starting_after: body.starting_after,
  });
}
