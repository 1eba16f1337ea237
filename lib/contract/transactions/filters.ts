/**
 * The filters of transactions, one row each, without zod. The API's parameters, the page's address, the
 * search box, chips, forms and SQL conditions derive from these rows; details that only some of them need are
 * in filter-details.
 */
import { type AmountUnit, CURRENCIES, currencyDigits, MAX_AMOUNT, MINOR_UNITS } from "@/lib/contract/currencies";
import {
  type AmountFilter,
  type FilterRow,
  type FilterRows,
  type FilterValues,
  noFilters,
  type UsedFilter,
  usedIn,
} from "@/lib/contract/lists/filters";
import { ATTENTION, BRAND_NAMES, CARD_BRANDS, DECLINE_CODES, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./words";

/**
 * By API name, in the order of an address. A filter has its column's name; see COLUMNS in
 * db/queries/transactions/page.ts for the two exceptions.
 */
export const FILTERS = {
  q: { kind: "text", max: 200, words: 8, param: "q", label: "Search", form: "Customer" },
  status: { kind: "words", values: TRANSACTION_STATUSES, param: "status", label: "Status", form: "Status" },
  card_brand: { kind: "words", values: CARD_BRANDS, labels: BRAND_NAMES, param: "brand", label: "Card", form: "Card" },
  amount: { kind: "amount", param: "amount", label: "Amount", form: "Amount" },
  currency: { kind: "words", values: CURRENCIES, param: "currency", label: "Currency", form: "Amount" },
  created_at: { kind: "times", param: "created", label: "Created", form: "Date" },
  customer_id: { kind: "text", max: 255, param: "customer", label: "Customer", form: "Customer" },
  customer_email: { kind: "text", max: 500, param: "email", label: "E-mail", form: "Customer" },
  subscription_id: { kind: "text", max: 255, param: "subscription", label: "Subscription", form: "Customer" },
  card_last4: { kind: "text", max: 4, digits: true, param: "last4", label: "Card ends in", form: "Customer" },
  plan_id: { kind: "text", max: 255, param: "plan", label: "Plan", form: "Customer" },
  type: { kind: "words", values: TRANSACTION_TYPES, param: "type", label: "Type", form: "More" },
  decline_code: { kind: "words", values: DECLINE_CODES, param: "decline", label: "Decline reason", form: "More" },
  captured_at: { kind: "times", param: "captured", label: "Captured", form: "More" },
  attention: { kind: "words", values: ATTENTION, param: "attention", label: "Needs attention", form: "More" },
} as const satisfies Record<string, FilterRow>;

type Rows = typeof FILTERS;
export type FilterName = keyof Rows;
/** Loosely typed, for code that iterates over all of them. */
export const FILTER_ROWS: FilterRows<FilterName> = Object.entries(FILTERS) as never;

/** The same amounts in another currency, as precisely as it allows; plain minor units stay. */
export function amountIn(unit: AmountUnit, { gte, lte, unit: was }: AmountFilter): AmountFilter {
  const isMinor = was === MINOR_UNITS || unit === MINOR_UNITS;
  const factor = isMinor ? 1 : 10 ** (currencyDigits(unit) - currencyDigits(was));
  // Divide by an integer: multiplying by a fraction of ten introduces rounding errors.
  const scaled = (minor: number) => (factor < 1 ? minor / Math.round(1 / factor) : minor * factor);
  const end = (minor: number | null, round: (value: number) => number) =>
    minor === null ? null : Math.min(round(scaled(minor)), MAX_AMOUNT);
  const [low, high] = [end(gte, Math.ceil), end(lte, Math.floor)];
  return { gte: low, lte: low !== null && high !== null && high < low ? low : high, unit };
}

/** The amount's currency, if it conflicts with the currency filter; otherwise null. */
export function contradicted({ amount, currency = [] }: TransactionFilters): AmountUnit | null {
  if (!amount || amount.unit === MINOR_UNITS || currency.length === 0) return null;
  return currency.length === 1 && currency[0] === amount.unit ? null : amount.unit;
}

/** Shown when amount and currency conflict: the amount takes precedence. */
export const onlyOf = (currency: string) => `The amount is in ${currency}, so only ${currency} is shown.`;

/** The filters of the page. */
export type TransactionFilters = FilterValues<Rows>;

export type Range<End> = { gte?: End | undefined; lte?: End | undefined };
/** Filters in the format of the API's search. */
export type SearchFilters = FilterValues<Rows, Range<number>, Range<string>>;

/** Assigning it clears every filter. */
export const NO_FILTERS: TransactionFilters = noFilters(FILTER_ROWS);

/** Active filters in order. */
export const usedFilters = (filters: TransactionFilters): UsedFilter<FilterName>[] => usedIn(FILTER_ROWS, filters);

/** Parameters for the two ends of a range in the API's list. */
export function endsOf(name: FilterName, { kind }: FilterRow): [low: string, high: string] {
  const moment = name.replace(/_at$/, "");
  return kind === "amount" ? [`min_${name}`, `max_${name}`] : [`${moment}_after`, `${moment}_before`];
}
