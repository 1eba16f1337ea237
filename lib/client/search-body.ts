import type { CardBrand, SortField, TransactionStatus } from "@/lib/contract/transaction-words";
import { resolveCreated } from "./created-range";
import type { TransactionQuery } from "./transaction-query";

/** Body of POST /v1/transactions/search, as `searchTransactionsBody` of the contract reads it. */
export type SearchBody = {
  filters: {
    status?: TransactionStatus[];
    card_brand?: CardBrand[];
    amount?: { gte?: number; lte?: number };
    created_at?: { gte?: string; lte?: string };
    customer_id?: string;
    customer_email?: string;
    subscription_id?: string;
    card_last4?: string;
  };
  sort: { field: SortField; order: "asc" | "desc" };
  limit: number;
  offset: number;
};

/** The question as the API takes it. Days and presets are those of `timeZone`, as of `now`. */
export function searchBody(query: TransactionQuery, timeZone: string, now: number): SearchBody {
  const { amount, created } = query;
  return {
    filters: {
      ...(query.statuses.length > 0 && { status: [...query.statuses] }),
      ...(query.brands.length > 0 && { card_brand: [...query.brands] }),
      ...(amount && {
        amount: { ...(amount.gte !== null && { gte: amount.gte }), ...(amount.lte !== null && { lte: amount.lte }) },
      }),
      ...(created && { created_at: resolveCreated(created, timeZone, now) }),
      ...(query.customerId !== null && { customer_id: query.customerId }),
      ...(query.customerEmail !== null && { customer_email: query.customerEmail }),
      ...(query.subscriptionId !== null && { subscription_id: query.subscriptionId }),
      ...(query.last4 !== null && { card_last4: query.last4 }),
    },
    sort: query.sort,
    limit: query.perPage,
    offset: (query.page - 1) * query.perPage,
  };
}
