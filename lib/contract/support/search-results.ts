import type { CardBrand, Mode } from "@/lib/contract/transactions/words";

/** What support staff can find, in the order in which groups are shown. */
export const SEARCH_GROUPS = {
  merchant: "Merchants",
  environment: "Environments",
  person: "People",
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

export type SearchAnswer = {
  readonly text: string;
  /** How the text was read, in words: "last 4 digits", "amount" … */
  readonly readAs: readonly string[];
  readonly groups: readonly SearchGroup[];
};
