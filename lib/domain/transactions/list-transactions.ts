import type { ListTransactionsQuery } from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import { idRange } from "../id-range";
import { findTransactionList, type TransactionList } from "./find-transaction-list";

/** Transactions, newest first. `created_after` and `created_before` are exclusive, the amounts inclusive. */
export function listTransactions(ctx: Context, query: ListTransactionsQuery): Promise<TransactionList> {
  return findTransactionList(ctx, {
    filter: {
      ...idRange(query),
      statuses: query.status && [query.status],
      brands: query.card_brand && [query.card_brand],
      customerId: query.customer_id,
      minAmount: query.min_amount,
      maxAmount: query.max_amount,
    },
    subscriptionId: query.subscription_id,
    sort: { field: "created_at", order: "desc" },
    limit: query.limit ?? 20,
    offset: query.offset ?? 0,
    starting_after: query.starting_after,
  });
}
