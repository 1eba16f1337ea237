import type { TransactionFilters } from "@/lib/contract/transactions/filters";
import type { CardBrand, Mode, SortField } from "@/lib/contract/transactions/words";

/** Groups of support's search results, in display order. */
export const SEARCH_GROUPS = {
  merchant: "Merchants",
  environment: "Environments",
  user: "Users",
  payment: "Payments",
  transaction: "Transactions",
  subscription: "Subscriptions",
  invoice: "Invoices",
  dispute: "Disputes",
  payment_method: "Cards on file",
  operation: "Operations",
  request: "Requests",
  idempotency_key: "Idempotency keys",
  api_key: "API keys",
  plan: "Plans",
  client_session: "Client sessions",
  settlement_batch: "Settlement batches",
  payout: "Payouts",
  event: "Events",
} as const;
export type SearchKind = keyof typeof SEARCH_GROUPS;

/** Max hits of one kind. */
export const SEARCH_LIMIT = 20;
/** Days that search terms without a date look back: each merchant's day costs some microseconds. */
export const RECENT_DAYS = 90;
export type SearchReach = "recent" | "all";
/** Beyond this, a narrower search is better than paging. */
export const MAX_PAGES = 50;

export type SearchHit = {
  /** Public id, or the idempotency key itself. */
  readonly id: string;
  /** Page of the hit, or null. */
  readonly href: string | null;
  readonly title: string;
  readonly card: { readonly brand: CardBrand | null; readonly last4: string } | null;
  /** The customer's. */
  readonly email: string | null;
  readonly merchant: { readonly id: string; readonly name: string } | null;
  readonly mode: Mode | null;
  readonly status: string | null;
  /** Minor units. */
  readonly amount: number | null;
  readonly currency: string | null;
  /** ISO 8601. */
  readonly at: string | null;
};

type SearchGroup = {
  readonly kind: SearchKind;
  readonly hits: readonly SearchHit[];
  /** There are more than are shown. */
  readonly capped: boolean;
};

/** Interpretation of the query for transactions, and the page of the result. */
export type TransactionSearch = {
  readonly filters: TransactionFilters;
  /** Only charges with more than one refund. */
  readonly refundedAgain: boolean;
  /** Terms that weren't understood or took too long, in sentences. */
  readonly problems: readonly string[];
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  /** Days that search terms without a date look back; null if a date or an index limits them. */
  readonly reach: SearchReach | null;
  /** 1-based. */
  readonly page: number;
  readonly hasMore: boolean;
};

export type SearchResponse = {
  readonly text: string;
  /** Interpretation of the text: "last 4 digits", "amount" … */
  readonly readAs: readonly string[];
  readonly groups: readonly SearchGroup[];
  /** Null if the text finds transactions only by id. */
  readonly transactions: TransactionSearch | null;
};
