/** The dashboard's list of subscriptions: its address, and its rows. Without zod. */
import { CURRENCIES } from "@/lib/contract/currencies";
import type { FilterRow, FilterRows, FilterValues } from "@/lib/contract/lists/filters";
import { firstPlace, formatList, type ListQuery, type ListSpec, parseList } from "@/lib/contract/lists/query";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { SUBSCRIPTION_STATUS_LABELS, SUBSCRIPTION_STATUSES } from "./statuses";
import type { Subscription } from "./subscription";

const FILTERS = {
  status: {
    kind: "words",
    values: SUBSCRIPTION_STATUSES,
    labels: SUBSCRIPTION_STATUS_LABELS,
    param: "status",
    label: "Status",
    form: "Status",
  },
  plan_id: { kind: "text", max: 255, param: "plan", label: "Plan", form: "Plan" },
  q: { kind: "text", max: 200, param: "q", label: "Search", form: "Customer" },
  customer_id: { kind: "text", max: 255, param: "customer", label: "Customer", form: "Customer" },
  created_at: { kind: "times", param: "created", label: "Created", form: "Created" },
  currency: { kind: "words", values: CURRENCIES, param: "currency", label: "Currency", form: "More" },
  ended_at: { kind: "times", param: "ended", label: "Ended", form: "More" },
  stage: {
    kind: "words",
    values: ["trial", "paid"],
    labels: { trial: "In its trial", paid: "After its trial" },
    param: "stage",
    label: "Stage",
    form: "More",
  },
} as const satisfies Record<string, FilterRow>;

export type SubscriptionFilters = FilterValues<typeof FILTERS>;
export const SUBSCRIPTION_FILTER_ROWS: FilterRows = Object.entries(FILTERS);

export type SubscriptionSort = "created_at" | "status" | "customer_id" | "next_at";

export const SUBSCRIPTION_LIST: ListSpec<SubscriptionSort> = {
  rows: SUBSCRIPTION_FILTER_ROWS,
  defaultSort: "created_at",
  sorts: {
    created_at: { first: "desc", desc: "newest first", asc: "oldest first" },
    status: { first: "asc", asc: "by status", desc: "by status, reversed" },
    customer_id: { first: "asc", asc: "by customer", desc: "by customer, reversed" },
    next_at: { first: "asc", asc: "next invoice first", desc: "next invoice last" },
  },
};

export type SubscriptionQuery = ListQuery<SubscriptionFilters, SubscriptionSort>;
export const FIRST_SUBSCRIPTIONS: SubscriptionQuery = firstPlace(SUBSCRIPTION_LIST);

export const parseSubscriptions = (params: Iterable<readonly [string, string]>) =>
  parseList<SubscriptionFilters, SubscriptionSort>(SUBSCRIPTION_LIST, params);
export const formatSubscriptions = (query: SubscriptionQuery): string => formatList(SUBSCRIPTION_LIST, query);

/** Address of the list; any filter may be absent. */
export function subscriptionsHref(mode: string, query: Partial<SubscriptionQuery> = {}): string {
  const text = formatSubscriptions({ ...FIRST_SUBSCRIPTIONS, ...query });
  return `/${mode}/subscriptions${text && `?${text}`}`;
}

/** An unpaid invoice of a subscription. */
export type UnpaidInvoice = {
  id: string;
  number: string | null;
  amount_due: number;
  attempts: number;
  next_attempt_at: string | null;
};

/** A row of the list: the API's object with its customer's name, its card, and its oldest unpaid invoice. */
export type ListedSubscription = Subscription & {
  customer_name: string | null;
  card: { brand: CardBrand | null; last4: string | null } | null;
  unpaid: UnpaidInvoice | null;
};

export type ListedSubscriptions = {
  data: readonly ListedSubscription[];
  /** The page has rows before it, and after it. */
  has_before: boolean;
  has_after: boolean;
  total: number;
  total_capped: boolean;
};
