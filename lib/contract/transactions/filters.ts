/**
 * The filters of transactions, one row each, without zod. The API's parameters, the page's address, the
 * search box, chips, forms and SQL conditions derive from these rows; details that only some of them need are
 * in filter-details.
 */
import { type AmountUnit, CURRENCIES, currencyDigits, MAX_AMOUNT, MINOR_UNITS } from "@/lib/contract/currencies";
import type { TimeRange } from "./time-range";
import { ATTENTION, CARD_BRANDS, DECLINE_CODES, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./words";

type Row = {
  /** Parameter in the page's address, and operator in the search box. */
  param: string;
  /** Start of its chip. */
  label: string;
  /** The form that contains it. */
  form: string;
};
/** Any of several enum values. */
type WordsRow = Row & { kind: "words"; values: readonly string[] };
/** An exact text, an exact number of digits, or up to `words` search terms. */
type TextRow = Row & { kind: "text"; max: number; digits?: true; words?: number };
/** A range with inclusive ends. */
type RangeRow = Row & { kind: "amount" | "times" };
export type FilterRow = WordsRow | TextRow | RangeRow;

/**
 * By API name, in the order of an address. A filter has its column's name; see COLUMNS in
 * db/queries/transactions/page.ts for the two exceptions.
 */
export const FILTERS = {
  q: { kind: "text", max: 200, words: 8, param: "q", label: "Words", form: "Customer" },
  status: { kind: "words", values: TRANSACTION_STATUSES, param: "status", label: "Status", form: "Status" },
  card_brand: { kind: "words", values: CARD_BRANDS, param: "brand", label: "Card", form: "Card" },
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
export const FILTER_ROWS: readonly (readonly [FilterName, FilterRow])[] = Object.entries(FILTERS) as never;

/** Forms in the order of their filters. */
export const FILTER_FORMS = [...new Set(FILTER_ROWS.map(([, row]) => row.form))];

/** Amounts in minor units; `unit` is the unit of input and display. */
export type AmountFilter = { gte: number | null; lte: number | null; unit: AmountUnit };

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

type ValueOf<R, Amount, Times> = R extends { kind: "words"; values: readonly (infer Word)[] }
  ? readonly Word[]
  : R extends { kind: "amount" }
    ? Amount
    : R extends { kind: "times" }
      ? Times
      : string;
/** Values by filter name; undefined or an empty list means unused. */
export type FilterValues<Amount, Times> = {
  readonly [Name in FilterName]?: ValueOf<Rows[Name], Amount, Times> | undefined;
};

/** The filters of the page. */
export type TransactionFilters = FilterValues<AmountFilter, TimeRange>;

export type Range<End> = { gte?: End | undefined; lte?: End | undefined };
/** Filters in the format of the API's search. */
export type SearchFilters = FilterValues<Range<number>, Range<string>>;

/** Assigning it clears every filter. */
export const NO_FILTERS: TransactionFilters = Object.fromEntries(FILTER_ROWS.map(([name]) => [name, undefined]));

export type UsedFilter = { name: FilterName; row: FilterRow } & (
  | { kind: "words"; row: WordsRow; value: readonly string[] }
  | { kind: "text"; row: TextRow; value: string }
  | { kind: "amount"; value: AmountFilter }
  | { kind: "times"; value: TimeRange }
);

/** Active filters in order. */
export function usedFilters(filters: TransactionFilters): UsedFilter[] {
  return FILTER_ROWS.flatMap(([name, row]) => {
    const value = filters[name];
    const isUsed = value !== undefined && !(Array.isArray(value) && value.length === 0);
    return isUsed ? [{ name, row, kind: row.kind, value } as UsedFilter] : [];
  });
}

/** Parameters for the two ends of a range in the API's list. */
export function endsOf(name: FilterName, { kind }: FilterRow): [low: string, high: string] {
  const moment = name.replace(/_at$/, "");
  return kind === "amount" ? [`min_${name}`, `max_${name}`] : [`${moment}_after`, `${moment}_before`];
}

/** The values in the contract's order, so that equal queries have equal addresses; null if one is unknown. */
export function readWords(row: WordsRow, given: readonly string[]): string[] | null {
  const lower = new Set(given.map((word) => word.toLowerCase()));
  const found = row.values.filter((word) => lower.delete(word.toLowerCase()));
  return lower.size === 0 ? found : null;
}

/** The possible values, or the first of many. */
export function wordsText({ values }: WordsRow): string {
  return `${values.slice(0, 12).join(", ")}${values.length > 12 ? " …" : ""}`;
}

/** Reason why a text can't be searched for, or null. */
export function problemOfText({ max, digits, words }: TextRow, value: string): string | null {
  if (value === "" || (words && value.trim() === "")) return "This is empty.";
  if (digits && (value.length !== max || /\D/.test(value))) return `Use exactly ${max} digits.`;
  if (value.length > max) return `It is longer than ${max} characters.`;
  if (words && value.trim().split(/\s+/).length > words) return `Use at most ${words} words.`;
  return isText(value) ? null : "It contains characters that are not allowed.";
}

/** A lone surrogate can't be sent, and U+0000 can't be stored. */
export function isText(value: string): boolean {
  return !value.includes("\u0000") && value.isWellFormed();
}
