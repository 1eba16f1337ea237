import type { TransactionFilters } from "@/lib/contract/transactions/filters";
import type { CardBrand, Mode, SortField } from "@/lib/contract/transactions/words";

/** What support staff can find, in the order in which groups are shown. */
export const SEARCH_GROUPS = {
  merchant: "Merchants",
  environment: "Environments",
  user: "Users",
  payment: "Payments",
  transaction: "Transactions",
  operation: "Operations",
  request: "Requests",
  idempotency_key: "Idempotency keys",
  api_key: "API keys",
  plan: "Plans",
  client_session: "Client sessions",
  settlement_batch: "Settlement batches",
  event: "Events",
} as const;
export type SearchKind = keyof typeof SEARCH_GROUPS;

/** How many hits of one kind a search shows. */
export const SEARCH_LIMIT = 20;
/** How far back words are looked for without a date: each merchant's day costs some microseconds. */
export const RECENT_DAYS = 90;
export type SearchReach = "recent" | "all";
/** Above it nobody pages: a better search is what helps. */
export const MOST_PAGES = 50;

export type SearchHit = {
  /** Public id, or the idempotency key itself. */
  readonly id: string;
  /** The page that shows it; null when there is none. */
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

/** How the transactions of an answer were looked for, and which page of them it has. */
export type TransactionSearch = {
  readonly filters: TransactionFilters;
  /** Only charges with more than one refund. */
  readonly refundedAgain: boolean;
  /** What was not understood, or took too long, in sentences. */
  readonly problems: readonly string[];
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  /** How far back words without a date look; null where a date or an index says so. */
  readonly reach: SearchReach | null;
  /** From 1 on. */
  readonly page: number;
  readonly hasMore: boolean;
};

export type SearchAnswer = {
  readonly text: string;
  /** How the text was read, in words: "last 4 digits", "amount" … */
  readonly readAs: readonly string[];
  readonly groups: readonly SearchGroup[];
  /** Null when the text asks for no transactions but by an id. */
  readonly transactions: TransactionSearch | null;
};
