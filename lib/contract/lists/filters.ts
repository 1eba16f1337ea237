/**
 * Filters of a list, a row each, without zod. The page's address, chips and forms derive from these rows.
 */
import type { AmountUnit } from "@/lib/contract/currencies";
import type { TimeRange } from "@/lib/contract/transactions/time-range";

type Row = {
  /** Parameter in the page's address, and operator in the search box. */
  param: string;
  /** Start of its chip. */
  label: string;
  /** The form that contains it. */
  form: string;
};
/** Any of several enum values. */
export type WordsRow = Row & {
  kind: "words";
  values: readonly string[];
  /** The list takes one value only. */
  single?: true;
  /** Labels of values whose codes read differently. */
  labels?: Readonly<Record<string, string>>;
};
/** An exact text, an exact number of digits, or up to `words` search terms. */
export type TextRow = Row & { kind: "text"; max: number; digits?: true; words?: number };
/** A range with inclusive ends. */
type RangeRow = Row & { kind: "amount" | "times" };
export type FilterRow = WordsRow | TextRow | RangeRow;
/** By API name, in the order of an address. */
export type FilterRows<Name extends string = string> = readonly (readonly [Name, FilterRow])[];

/** Amounts in minor units; `unit` is the unit of input and display. */
export type AmountFilter = { gte: number | null; lte: number | null; unit: AmountUnit };

type ValueOf<R, Amount, Times> = R extends { kind: "words"; values: readonly (infer Word)[] }
  ? readonly Word[]
  : R extends { kind: "amount" }
    ? Amount
    : R extends { kind: "times" }
      ? Times
      : string;
/** Values by filter name; undefined or an empty list means unused. */
export type FilterValues<Rows extends Record<string, FilterRow>, Amount = AmountFilter, Times = TimeRange> = {
  readonly [Name in keyof Rows]?: ValueOf<Rows[Name], Amount, Times> | undefined;
};

export type UsedFilter<Name extends string = string> = { name: Name; row: FilterRow } & (
  | { kind: "words"; row: WordsRow; value: readonly string[] }
  | { kind: "text"; row: TextRow; value: string }
  | { kind: "amount"; value: AmountFilter }
  | { kind: "times"; value: TimeRange }
);

/** Active filters in order. */
export function usedIn<Name extends string>(rows: FilterRows<Name>, filters: object): UsedFilter<Name>[] {
  return rows.flatMap(([name, row]) => {
    const value = (filters as Readonly<Record<string, unknown>>)[name];
    const isUsed = value !== undefined && !(Array.isArray(value) && value.length === 0);
    return isUsed ? [{ name, row, kind: row.kind, value } as UsedFilter<Name>] : [];
  });
}

/** A filter by any of `values`, in a form of its own. */
export const anyOfRow = (
  name: string,
  label: string,
  values: readonly string[],
  labels?: Readonly<Record<string, string>>,
): [string, WordsRow] => [name, { kind: "words", values, param: name, label, form: label, ...(labels && { labels }) }];

/** A filter by one of `values`, in a form of its own. */
export const oneOfRow = (...given: Parameters<typeof anyOfRow>): FilterRows[number] => {
  const [name, row] = anyOfRow(...given);
  return [name, { ...row, single: true }];
};

/** Forms in the order of their filters. */
export const formsOf = (rows: FilterRows): string[] => [...new Set(rows.map(([, row]) => row.form))];

/** Assigning it clears every filter. */
export const noFilters = (rows: FilterRows): Record<string, undefined> =>
  Object.fromEntries(rows.map(([name]) => [name, undefined]));

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
