import type { SearchTransactionsBody } from "@/lib/contract/transaction";
import { TRANSACTION_STATUSES } from "@/lib/contract/transaction-words";
import type { Context } from "../context";
import { idSince, idUntil } from "../id-range";
import { findTransactionList, type TransactionList } from "./find-transaction-list";

/** Transactions by all filters and sorts. All ranges are inclusive; ties of a sort are in the order of the ids. */
export function searchTransactions(ctx: Context, body: SearchTransactionsBody): Promise<TransactionList> {
  const { filters } = body;
  const statuses = filters.status && [...new Set(filters.status)];
  return findTransactionList(ctx, {
    filter: {
      fromId: filters.created_at?.gte === undefined ? undefined : idSince(filters.created_at.gte),
      beforeId: filters.created_at?.lte === undefined ? undefined : idUntil(filters.created_at.lte),
      // Every status is no filter.
      statuses: statuses?.length === TRANSACTION_STATUSES.length ? undefined : statuses,
      brands: filters.card_brand && [...new Set(filters.card_brand)],
      customerId: filters.customer_id,
      customerEmail: filters.customer_email,
      cardLast4: filters.card_last4,
      minAmount: filters.amount?.gte,
      maxAmount: filters.amount?.lte,
    },
    subscriptionId: filters.subscription_id,
    sort: body.sort,
    limit: body.limit,
    offset: body.offset,
    starting_after: body.starting_after,
  });
}
