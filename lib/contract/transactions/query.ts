/** What is asked of the list of transactions: as its address says it, and as the API takes it. */
import { type AmountUnit, amountText, DEFAULT_UNIT, isAmountUnit, parseAmount } from "@/lib/contract/currencies";
import { type CreatedRange, formatCreated, parseCreated, resolveCreated } from "./created-range";
import {
  CARD_BRANDS,
  type CardBrand,
  SORT_FIELDS,
  type SortField,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "./words";

/** Amounts in minor units, both ends inclusive; `unit` is how they are typed and shown. */
export type AmountFilter = { gte: number | null; lte: number | null; unit: AmountUnit };

/** What the list of transactions is asked for: all that its address says, but for what lies open beside it. */
export type TransactionQuery = {
  statuses: readonly TransactionStatus[];
  brands: readonly CardBrand[];
  amount: AmountFilter | null;
  created: CreatedRange | null;
  customerId: string | null;
  customerEmail: string | null;
  subscriptionId: string | null;
  last4: string | null;
  sort: { field: SortField; order: "asc" | "desc" };
  /** From 1 on. */
  page: number;
  perPage: PerPage;
};
export type TransactionFilters = Omit<TransactionQuery, "sort" | "page" | "perPage">;

export const PER_PAGE = [20, 50, 100] as const;
export type PerPage = (typeof PER_PAGE)[number];
/** The API skips no more than a billion. */
export const MAX_PAGE = 10_000_000;

export const NO_FILTERS: TransactionFilters = {
  statuses: [],
  brands: [],
  amount: null,
  created: null,
  customerId: null,
  customerEmail: null,
  subscriptionId: null,
  last4: null,
};

export const FIRST_QUERY: TransactionQuery = {
  ...NO_FILTERS,
  sort: { field: "created_at", order: "desc" },
  page: 1,
  perPage: 20,
};

/** A parameter of an address that means nothing here, told to the person instead of being dropped silently. */
export type QueryProblem = { param: string; value: string; message: string };

/** Parameters of the same address that are not part of the question: an open side panel, the saved view it came from. */
const BESIDE_PARAMS = ["panel", "view"] as const;

type Reader = (value: string, all: ReadonlyMap<string, string>) => Partial<TransactionQuery> | string;

const READERS: Record<string, Reader> = {
  status: (value) => {
    const found = words(value.toUpperCase(), TRANSACTION_STATUSES);
    return found ? { statuses: found } : `Statuses are ${TRANSACTION_STATUSES.join(", ")}.`;
  },
  brand: (value) => {
    const found = words(value.toLowerCase(), CARD_BRANDS);
    return found ? { brands: found } : `Card brands are ${CARD_BRANDS.join(", ")}.`;
  },
  // Read with the unit, in readAmount; here only so that they are known.
  min: () => ({}),
  max: () => ({}),
  unit: () => ({}),
  created: (value) => {
    const created = parseCreated(value);
    return created
      ? { created }
      : "Write a day such as 2026-11-20, a range such as 2026-11-01..2026-11-20, or last-week.";
  },
  customer: (value) => boundedText("customerId", value, 255),
  email: (value) => boundedText("customerEmail", value, 254),
  subscription: (value) => boundedText("subscriptionId", value, 255),
  last4: (value) => (/^\d{4}$/.test(value) ? { last4: value } : "Write the last four digits of a card."),
  sort: (value) => {
    const field = SORT_FIELDS.find((known) => known === value.replace(/^-/, ""));
    return field
      ? { sort: { field, order: value.startsWith("-") ? "desc" : "asc" } }
      : `Sort by ${SORT_FIELDS.join(", ")}; with a minus for the other direction.`;
  },
  page: (value) => {
    const page = /^\d{1,8}$/.test(value) ? Number(value) : 0;
    return page >= 1 && page <= MAX_PAGE ? { page } : "Pages are numbered from 1.";
  },
  per: (value) => {
    const perPage = PER_PAGE.find((size) => String(size) === value);
    return perPage ? { perPage } : `A page has ${PER_PAGE.join(", ")} rows.`;
  },
};

/** Reads an address's parameters. What cannot be read is left out and named in `problems`. */
export function parseQuery(params: Iterable<readonly [string, string]>): {
  query: TransactionQuery;
  problems: QueryProblem[];
} {
  const problems: QueryProblem[] = [];
  const all = new Map<string, string>();
  for (const [param, value] of params) {
    if (all.has(param)) problems.push({ param, value, message: "Given more than once; the first one counts." });
    else all.set(param, value);
  }
  const query = { ...FIRST_QUERY };
  for (const [param, value] of all) {
    if (BESIDE_PARAMS.some((beside) => beside === param)) continue;
    const read = Object.hasOwn(READERS, param) ? READERS[param] : undefined;
    const result = read ? read(value, all) : "There is no such filter.";
    if (typeof result === "string") problems.push({ param, value, message: result });
    else Object.assign(query, result);
  }
  query.amount = readAmount(all, problems);
  return { query, problems };
}

function words<Word extends string>(value: string, known: readonly Word[]): Word[] | null {
  const given = value.split(",");
  // In the contract's order, so that one question has one address.
  return given.every((word) => known.some((other) => other === word))
    ? known.filter((word) => given.includes(word))
    : null;
}

function boundedText(member: "customerId" | "customerEmail" | "subscriptionId", value: string, max: number) {
  if (value === "") return "It is empty.";
  if (value.length > max) return `It is longer than ${max} characters.`;
  return isText(value) ? { [member]: value } : "It holds characters that no text has.";
}

/** Half a surrogate pair cannot be sent, and U+0000 cannot be stored. */
export function isText(value: string): boolean {
  return !value.includes("\u0000") && value.isWellFormed();
}

function readAmount(all: ReadonlyMap<string, string>, problems: QueryProblem[]): AmountFilter | null {
  const min = all.get("min");
  const max = all.get("max");
  const unit = all.get("unit") ?? DEFAULT_UNIT;
  if (!isAmountUnit(unit)) {
    problems.push({
      param: "unit",
      value: unit,
      message: "Write a currency such as USD, or minor. The amounts cannot be read without it.",
    });
    return null;
  }
  if (min === undefined && max === undefined) return null;
  const read = (param: string, value: string | undefined) => {
    if (value === undefined) return null;
    const amount = parseAmount(value, unit);
    if (amount === null) problems.push({ param, value, message: "Write an amount such as 50 or 49.90." });
    return amount;
  };
  const gte = read("min", min);
  const lte = read("max", max);
  if (gte !== null && lte !== null && gte > lte) {
    problems.push({ param: "min", value: min ?? "", message: "The smallest amount is above the largest." });
    return null;
  }
  return gte === null && lte === null ? null : { gte, lte, unit };
}

/** The parameters in their one order and spelling: equal questions have equal addresses. Empty for {@link FIRST_QUERY}. */
export function formatQuery(query: TransactionQuery): string {
  const { amount, created, sort } = query;
  const isNewestFirst = sort.field === "created_at" && sort.order === "desc";
  const params: [string, string | null][] = [
    ["status", query.statuses.join(",") || null],
    ["brand", query.brands.join(",") || null],
    ["min", amount?.gte == null ? null : amountText(amount.gte, amount.unit)],
    ["max", amount?.lte == null ? null : amountText(amount.lte, amount.unit)],
    ["unit", amount === null || amount.unit === DEFAULT_UNIT ? null : amount.unit],
    ["created", created && formatCreated(created)],
    ["customer", query.customerId],
    ["email", query.customerEmail],
    ["subscription", query.subscriptionId],
    ["last4", query.last4],
    ["sort", isNewestFirst ? null : `${sort.order === "desc" ? "-" : ""}${sort.field}`],
    ["page", query.page === 1 ? null : String(query.page)],
    ["per", query.perPage === FIRST_QUERY.perPage ? null : String(query.perPage)],
  ];
  return params.flatMap(([name, value]) => (value === null ? [] : [`${name}=${readable(value)}`])).join("&");
}

/** Escaped as a query string must be, and no more: a comma and a colon say more than %2C and %3A. */
function readable(value: string): string {
  return encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%40", "@");
}

/** The page of transactions that this asks for; any filter may be left out. */
export function transactionsHref(mode: string, query: Partial<TransactionQuery> = {}): string {
  const text = formatQuery({ ...FIRST_QUERY, ...query });
  return `/${mode}/transactions${text && `?${text}`}`;
}

/** How many kinds of filter are in use. */
export function filterCount(query: TransactionFilters): number {
  const used = Object.keys(NO_FILTERS) as (keyof TransactionFilters)[];
  return used.filter((name) => {
    const value = query[name];
    return Array.isArray(value) ? value.length > 0 : value !== null;
  }).length;
}

/** Body of POST /v1/transactions/search, as `searchTransactionsBody` of the contract reads it. */
type SearchBody = {
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
