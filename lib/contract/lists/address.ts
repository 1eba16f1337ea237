/**
 * Parts of a list's address. Separate from the rest of lists, to keep that out of the transactions' first
 * load.
 */
import { parseTimes } from "@/lib/contract/transactions/time-range";
import { type FilterRow, problemOfText, readWords, wordsText } from "./filters";

/** An invalid parameter of an address, shown to the user instead of being dropped silently. */
export type QueryProblem = { param: string; value: string; message: string };

/** The value of a filter in an address, or what is wrong with it. */
export function readFilter(row: FilterRow, value: string): { value: unknown } | string {
  if (row.kind === "words") {
    const words = readWords(row, value.split(","));
    return words ? { value: words } : `Use any of ${wordsText(row)}.`;
  }
  if (row.kind === "text") return problemOfText(row, value) ?? { value };
  const times = parseTimes(value);
  return times
    ? { value: times }
    : "Use a day such as 2026-11-20, a range such as 2026-11-01..2026-11-20, or last-week.";
}

/**
 * Escapes only what a query string requires, because commas and colons are more readable than %2C and %3A.
 */
export function readable(value: string): string {
  return encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%40", "@");
}
