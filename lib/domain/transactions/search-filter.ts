import type { TransactionFilter } from "@/db/queries/transaction-page";
import type { SearchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { TRANSACTION_STATUSES } from "@/lib/contract/transactions/words";
import { idSince, idUntil } from "../id-range";

/** The filters of a search as the queries take them; the subscription is still as the caller sent it. */
export function searchFilter(filters: SearchTransactionsBody["filters"]): Omit<TransactionFilter, "subscriptionId"> {
  const statuses = filters.status && [...new Set(filters.status)];
  return {
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
  };
}
