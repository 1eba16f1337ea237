import { type AmountUnit, DEFAULT_UNIT } from "@/lib/contract/currencies";
import { type AmountFilter, type FilterRow, problemOfText, readWords, wordsText } from "@/lib/contract/lists/filters";
import { addDays } from "@/lib/contract/reporting/period";
import { HOLDS_SECRET, holdsSecret, mayBecomeSecret } from "@/lib/contract/secrets";
import { FILTER_DETAILS } from "@/lib/contract/transactions/filter-details";
import {
  amountIn,
  contradicted,
  FILTER_ROWS,
  FILTERS,
  type FilterName,
  onlyOf,
  type TransactionFilters,
  usedFilters,
} from "@/lib/contract/transactions/filters";
import { isDay, parseMoment, parseTimes, type TimeRange } from "@/lib/contract/transactions/time-range";
import { readAmountPhrase, readAmountValue, type SearchChoice, type SearchToken } from "./search-amounts";

/** A term without a meaning, or none if it concerns several. `incomplete`: further typing may complete it. */
export type SearchProblem = { word: string; message: string; incomplete: boolean; choices?: readonly SearchChoice[] };

export type ParsedSearch = {
  filters: TransactionFilters;
  /** Id of a payment or transaction to open. */
  jump: string | null;
  problems: SearchProblem[];
  /** The only possible meaning of a term, as a suggestion. */
  hint?: { word: string; message: string; choices: readonly SearchChoice[] };
  /** Further digits could make it a card number, so it is searched for only once typing ends. */
  waits?: true;
};

type Found = TransactionFilters;
/** `words`: terms to search for literally. */
type Result =
  | Found
  | { words: string }
  | { filler: string }
  | { problem: string; incomplete?: boolean; choices?: readonly SearchChoice[] };

/** Filler words of a sentence. */
const FILLERS = new Set(
  "payments payment transactions transaction charges cards card from to for in on of with and the all by".split(" "),
);
const ID = /^(pay|txn|inv|pm|sub|plan)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * Parses the search box: operators (`status:declined amount:>50`) and plain terms (`4242`,
 * `anna@example.com`, `over $50`). Anything else is a text search. Amounts without a currency take the one
 * named elsewhere in the text (`currency:eur >50`), or else `currency`.
 */
export function parseSearch(text: string, currency: AmountUnit = DEFAULT_UNIT): ParsedSearch {
  if (holdsSecret(text))
    return { filters: {}, jump: null, problems: [{ word: "", message: HOLDS_SECRET, incomplete: false }] };
  const parsed = readTokens(text, currency);
  const [only, ...more] = parsed.filters.currency ?? [];
  const read = only === undefined || more.length > 0 || only === currency ? parsed : readTokens(text, only);
  return { ...inOneCurrency(read), ...(mayBecomeSecret(text) && { waits: true }) };
}

function inOneCurrency(parsed: ParsedSearch): ParsedSearch {
  const currency = contradicted(parsed.filters);
  if (currency === null) return parsed;
  return {
    ...parsed,
    filters: { ...parsed.filters, currency: readWords(FILTERS.currency, [currency]) as never },
    problems: [...parsed.problems, { word: "", message: onlyOf(currency), incomplete: false }],
  };
}

function readTokens(text: string, home: AmountUnit): ParsedSearch {
  const tokens = searchTokens(text.trim());
  const parsed: ParsedSearch = { filters: {}, jump: null, problems: [] };
  const words: string[] = [];
  const fillers: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { result, used } = readAt(tokens, at, home);
    const word = tokens
      .slice(at, at + used)
      .map((token) => token.raw)
      .join(" ");
    if (typeof result === "string") parsed.jump ??= result;
    else if ("words" in result) {
      const plain = result.words as string;
      words.push(plain);
      if (CARD_END.test(plain)) parsed.hint ??= fourDigits(plain);
    } else if ("filler" in result) fillers.push(result.filler as string);
    else if ("problem" in result) {
      const { problem, incomplete, choices } = result as { problem: string; incomplete?: boolean; choices?: [] };
      parsed.problems.push({ word, message: problem, incomplete: incomplete === true, ...(choices && { choices }) });
    } else {
      const merged = merge(parsed.filters, result as Found);
      if (typeof merged === "string") parsed.problems.push({ word, message: merged, incomplete: false });
      else parsed.filters = merged;
    }
    at += used;
  }
  const isNothingElse =
    usedFilters(parsed.filters).length === 0 && parsed.jump === null && parsed.problems.length === 0;
  if (words.length === 0 && isNothingElse) words.push(...fillers);
  return words.length > 0 ? withWords(parsed, words.join(" ")) : parsed;
}

/** Limits the number of search terms; excess ones are reported, and never leave the list unfiltered. */
function withWords(parsed: ParsedSearch, text: string): ParsedSearch {
  const row = FILTERS.q;
  const words = [parsed.filters.q ?? "", text.toWellFormed().replaceAll("\u0000", "")].join(" ").trim().split(/\s+/);
  const q = words.slice(0, row.words).join(" ").slice(0, row.max).toWellFormed().trim();
  if (q === "") return parsed;
  const isCut = words.join(" ") !== q;
  const problem = {
    word: words.join(" "),
    message: `Only the first ${row.words} words are searched for.`,
    incomplete: false,
  };
  return {
    ...parsed,
    filters: { ...parsed.filters, q },
    problems: isCut ? [...parsed.problems, problem] : parsed.problems,
  };
}

/** Merges the box's filters into existing ones; search terms accumulate up to their limit. */
export function withSearch(base: TransactionFilters, { filters }: ParsedSearch): TransactionFilters {
  const q = base.q === undefined ? filters.q : filters.q === undefined ? base.q : `${base.q} ${filters.q}`;
  const isTooMuch = q !== undefined && problemOfText(FILTERS.q, q) !== null;
  const all = { ...base, ...filters, ...(q !== undefined && { q: isTooMuch ? filters.q : q }) };
  const named = contradicted(all);
  if (named === null) return all;
  // A typed number stays: 50 of one currency becomes 50 of the other, as in the form.
  const [typed] = filters.amount ? [] : (filters.currency ?? []);
  return typed === undefined
    ? { ...all, currency: readWords(FILTERS.currency, [named]) as never }
    : { ...all, currency: [typed], amount: all.amount && amountIn(typed, all.amount) };
}

type Read = { result: Result | string; used: number };

function readAt(tokens: SearchToken[], at: number, home: AmountUnit): Read {
  const token = tokens[at] as SearchToken;
  if (token.operator !== null) {
    const operator = OPERATORS.get(token.operator);
    if (!operator)
      return { result: { words: token.value === "" ? token.raw : `${token.raw.replaceAll('"', "")}` }, used: 1 };
    if (token.value === "") return { result: { problem: missing(`${token.operator}:`), incomplete: true }, used: 1 };
    return { result: operator(token.value, home), used: 1 };
  }
  return (
    readAmountPhrase(tokens, at, home) ??
    readCardEnd(tokens, at) ??
    readPhrase(tokens, at) ?? { result: readWord(token.value), used: 1 }
  );
}

const CARD_END = /^\d{4}$/;

/** `card 4242`, `ending in 4242`, `•••• 4242`: four digits alone may also be an order number. */
function readCardEnd(tokens: SearchToken[], at: number): Read | null {
  for (const used of [4, 3, 2, 1]) {
    const words = plainWords(tokens, at, used);
    const digits = words && /^(?:(?:cards? )?(?:ending|ends)(?: in| with)? |cards? |[•*·]+ ?)(\d{4})$/.exec(words)?.[1];
    if (digits) return { result: { card_last4: digits }, used };
  }
  return null;
}

const fourDigits = (word: string) => ({
  word,
  message: `${word} is looked for in orders, names and amounts, and as the last four digits of a card.`,
  choices: [{ label: `Only cards ending in ${word}`, text: `last4:${word}` }],
});

/**
 * Times, statuses and other enums of one to three tokens: `partially refunded`, `american express`, `last 7
 * days`.
 */
function readPhrase(tokens: SearchToken[], at: number): Read | null {
  for (const used of [3, 2, 1]) {
    const words = plainWords(tokens, at, used)?.replace(/['’]s$/, "");
    if (!words) continue;
    const created = parseTimes(words.replaceAll(" ", "-"));
    if (created) return { result: { created_at: created }, used };
    for (const [name, row] of FILTER_ROWS) {
      const found = row.kind === "words" && FILTER_DETAILS[name].plain ? wordsOf(name, row, words) : null;
      if (found) return { result: { [name]: found }, used };
    }
  }
  return null;
}

function plainWords(tokens: SearchToken[], at: number, count: number): string | null {
  const some = tokens.slice(at, at + count);
  if (some.length < count || some.some((token) => token.operator !== null)) return null;
  return some.map((token) => token.value.toLowerCase()).join(" ");
}

function readWord(word: string): Result | string {
  const lower = word.toLowerCase();
  if (ID.test(lower)) {
    if (lower.startsWith("plan_")) return { plan_id: lower };
    return lower.startsWith("sub_") ? { subscription_id: lower } : lower;
  }
  if (/^[^\s@]+@\S+$/.test(word)) return checkedText("customer_email", FILTERS.customer_email, word);
  if (word.endsWith(":") && OPERATORS.has(lower.slice(0, -1))) return { problem: missing(word), incomplete: true };
  return FILLERS.has(lower) || /^[,;]+$/.test(word) ? { filler: word } : { words: word };
}

const missing = (operator: string) => `Enter a value after ${operator}.`;
const AMOUNT_HELP = "Enter an amount such as amount:>50, amount:49.90, amount:20..50 or amount:~20.";
const TIMES_HELP = "Enter created:>2026-11-01, created:2026-11-01..2026-11-20 or created:last-week.";

const OPERATORS: ReadonlyMap<string, (value: string, home: AmountUnit) => Result> = new Map(
  FILTER_ROWS.map(([name, row]) => [
    row.param,
    (value: string, home: AmountUnit) => readOperator(name, row, value, home),
  ]),
);

function readOperator(name: FilterName, row: FilterRow, value: string, home: AmountUnit): Result {
  switch (row.kind) {
    case "words": {
      const found = value.split(",").map((word) => wordsOf(name, row, word));
      return found.every((words) => words !== null)
        ? { [name]: readWords(row, found.flat()) }
        : { problem: `${row.label}: ${wordsText(row).toLowerCase()}.`, incomplete: true };
    }
    case "amount": {
      const read = readAmountValue(value, home);
      if (read === null) return { problem: AMOUNT_HELP, incomplete: true };
      if ("amount" in read) return { [name]: read.amount };
      return { ...read, choices: read.choices.map((choice) => ({ ...choice, text: `${row.param}:${choice.text}` })) };
    }
    case "times": {
      const times = parseTimesOperator(value.toLowerCase().replaceAll("_", "-"));
      return times ? { [name]: times } : { problem: TIMES_HELP, incomplete: true };
    }
    case "text":
      return name === "q" ? { words: value } : checkedText(name, row, value);
    default:
      return row satisfies never;
  }
}

function checkedText(name: string, row: FilterRow & { kind: "text" }, value: string): Result {
  const problem = problemOfText(row, value);
  return problem === null ? { [name]: value } : { problem, incomplete: row.digits === true };
}

/**
 * Days and instants with `>`, `>=`, `<`, `<=`, or the address's format. After a day means from the next day
 * on.
 */
function parseTimesOperator(value: string): TimeRange | null {
  const [, relation, rest = ""] = /^(>=|<=|>|<)(.+)$/.exec(value) ?? [];
  if (!relation) return parseTimes(value);
  const moment = parseMoment(isDay(rest) ? rest : rest.toUpperCase());
  if (moment === null) return null;
  const next = (step: 1 | -1) =>
    parseMoment(isDay(moment) ? addDays(moment, step) : new Date(new Date(moment).getTime() + step).toISOString());
  const end = relation === ">" ? next(1) : relation === "<" ? next(-1) : moment;
  if (end === null) return null;
  return relation.startsWith(">") ? { from: end, to: null } : { from: null, to: end };
}

/** Enum value of a term: `partially-refunded`, `Declined`, `mc`. */
function wordsOf(
  filter: FilterName,
  { values }: FilterRow & { kind: "words" },
  word: string,
): readonly string[] | null {
  const { aliases = {} } = FILTER_DETAILS[filter];
  const name = word.toLowerCase().replace(/[\s-]/g, "_");
  const known = values.find((value) => value.toLowerCase() === name);
  return known ? [known] : Object.hasOwn(aliases, name) ? (aliases[name] ?? null) : null;
}

/**
 * Adds a term's filter: search terms accumulate, both ends of a range combine, and anything else may occur
 * once.
 */
function merge(filters: Found, found: Found): Found | string {
  const merged: Record<string, unknown> = { ...filters, ...found };
  for (const { name, kind, row, value } of usedFilters(found)) {
    const before = filters[name];
    if (before === undefined) continue;
    if (kind === "words") merged[name] = readWords(row, [...(before as readonly string[]), ...value]);
    if (kind === "text" && name !== "q" && before !== value)
      return `Search for one at a time: “${before}” or “${value}”.`;
    if (kind === "amount") {
      const other = before as AmountFilter;
      if (differ(value.gte, other.gte) || differ(value.lte, other.lte))
        return "Search for one amount at a time, or for a range such as 20..50.";
      if (value.unit !== other.unit) return "Use one currency for both ends of an amount.";
      const { gte, lte } = { gte: value.gte ?? other.gte, lte: value.lte ?? other.lte };
      if (gte !== null && lte !== null && gte > lte) return "The smallest amount is above the largest.";
      merged[name] = { gte, lte, unit: value.unit };
    }
    if (kind === "times") {
      const other = before as TimeRange;
      if ("preset" in value || "preset" in other) continue;
      const range = { from: value.from ?? other.from, to: value.to ?? other.to };
      if (range.from !== null && range.to !== null && parseTimes(`${range.from}..${range.to}`) === null) {
        return "The first day is after the last.";
      }
      merged[name] = range;
    }
  }
  return merged;
}

const differ = (one: number | null, other: number | null) => one !== null && other !== null && one !== other;

const TOKEN = /(?:([a-z][a-z0-9_]{0,39}):)?(?:"([^"]*)"?|(\S+))|([a-z][a-z0-9_]{0,39}):/gi;

/**
 * Splits into tokens without commas and a final period, keeping quotes together; an operator may have an
 * empty value.
 */
function searchTokens(text: string): SearchToken[] {
  return [...text.matchAll(TOKEN)].map(([raw, operator, quoted, plain, bare]) => ({
    raw,
    operator: (operator ?? bare)?.toLowerCase() ?? null,
    value: quoted ?? plain?.replace(/(?<=[^,;])[,;]+$/, "").replace(/(?<=[\p{L}\p{N}])[.!?]$/u, "") ?? "",
  }));
}
