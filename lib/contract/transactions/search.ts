import {
  type AmountUnit,
  DEFAULT_UNIT,
  isAmountUnit,
  MAX_AMOUNT,
  MINOR_UNITS,
  parseAmount,
} from "@/lib/contract/currencies";
import { addDays } from "@/lib/contract/reporting/period";
import { HOLDS_SECRET, holdsSecret, mayBecomeSecret } from "@/lib/contract/secrets";
import { FILTER_DETAILS } from "@/lib/contract/transactions/filter-details";
import {
  type AmountFilter,
  amountIn,
  contradicted,
  FILTER_ROWS,
  FILTERS,
  type FilterName,
  type FilterRow,
  onlyOf,
  problemOfText,
  readWords,
  type TransactionFilters,
  usedFilters,
  wordsText,
} from "@/lib/contract/transactions/filters";
import { isDay, parseMoment, parseTimes, type TimeRange } from "@/lib/contract/transactions/time-range";
import { readTypedAmount } from "@/lib/contract/typed-amount";

/** A word that found nothing to filter by; none where it is about more than one. `incomplete`: it may still become something while it is being typed. */
export type SearchProblem = { word: string; message: string; incomplete: boolean };

export type ParsedSearch = {
  filters: TransactionFilters;
  /** Id of a payment or transaction to open. */
  jump: string | null;
  problems: SearchProblem[];
  /** More could make a card number of it: looked for when nothing more is typed. */
  waits?: true;
};

type Found = TransactionFilters;
/** `words`: to be looked for as they are. */
type Result = Found | { words: string } | { filler: string } | { problem: string; incomplete?: boolean };

const RELATIONS: [words: string, relation: string][] = [
  ["more than", ">"],
  ["less than", "<"],
  ["at least", ">="],
  ["at most", "<="],
  ["over", ">"],
  ["above", ">"],
  ["under", "<"],
  ["below", "<"],
  ["about", "~"],
  ["around", "~"],
];
/** Words of a sentence that ask for nothing by themselves. */
const FILLERS = new Set(
  "payments payment transactions transaction charges cards card from in on of with and the all by".split(" "),
);
const ID = /^(pay|txn|sub|plan)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * Reads the search box: operators (`status:declined amount:>50`) and plain words (`4242`, `anna@example.com`, `over $50`). What means
 * nothing else is text to look for. Amounts without a currency are of the one that the text names apart from them
 * (`currency:eur >50`), else of `currency`.
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
    else if ("words" in result) words.push(result.words as string);
    else if ("filler" in result) fillers.push(result.filler as string);
    else if ("problem" in result) {
      parsed.problems.push({ word, message: result.problem as string, incomplete: result.incomplete === true });
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

/** As many words as can be looked for at once; that there are more is said, and never leaves the list unfiltered. */
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

/** The filters that were there and those of the box; words add up, as long as they can be looked for at once. */
export function withSearch(base: TransactionFilters, { filters }: ParsedSearch): TransactionFilters {
  const q = base.q === undefined ? filters.q : filters.q === undefined ? base.q : `${base.q} ${filters.q}`;
  const isTooMuch = q !== undefined && problemOfText(FILTERS.q, q) !== null;
  const all = { ...base, ...filters, ...(q !== undefined && { q: isTooMuch ? filters.q : q }) };
  const named = contradicted(all);
  if (named === null) return all;
  // What was typed counts: 50 of the one currency becomes 50 of the other, as in the form.
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
  return readAmountPhrase(tokens, at, home) ?? readPhrase(tokens, at) ?? { result: readWord(token.value), used: 1 };
}

/** `over $50`, `at least 20 eur`, `49.90`, `50 dollars`, `about $20`. */
function readAmountPhrase(tokens: SearchToken[], at: number, home: AmountUnit): Read | null {
  const relation = RELATIONS.find(([words]) => plainWords(tokens, at, words.split(" ").length) === words);
  const start = at + (relation ? relation[0].split(" ").length : 0);
  const first = tokens[start];
  // `eur 50` is read as `50 eur`.
  const leads =
    first?.operator === null &&
    !ENGLISH.has(first.value) &&
    isAmountUnit(first.value.toUpperCase()) &&
    /^\d/.test(tokens[start + 1]?.value ?? "");
  const [number, after] = leads ? [tokens[start + 1], first] : [first, tokens[start + 1]];
  if (!number || number.operator !== null) return null;
  const unit = after && after.operator === null && !ENGLISH.has(after.value) ? unitOf(after.value) : null;
  // A bare number of four digits is a card's, unless something says that it is money.
  const isMoney = relation !== undefined || unit !== null || /^[<>=~$€£¥]|\.\d|^[\d,]+[a-z]{3}$/i.test(number.value);
  if (!isMoney || isDay(number.value)) return null;
  const amount = parseAmountFilter(`${relation?.[1] ?? ""}${number.value}`, home, unit);
  if (amount === null && relation === undefined && !/^[<>=~$€£¥]*[\d.,]+[a-z]*$/i.test(number.value)) return null;
  return amount ? { result: { amount }, used: start - at + 1 + (unit ? 1 : 0) } : null;
}

/** Times, statuses and other words of one to three words: `partially refunded`, `american express`, `last 7 days`. */
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
  if (/^\d{4}$/.test(word)) return { card_last4: word };
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
      const amount = parseAmountFilter(value, home);
      return amount ? { [name]: amount } : { problem: AMOUNT_HELP, incomplete: true };
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

/** Days and instants with `>`, `>=`, `<`, `<=`, or what an address may say. After a day means from the next one on. */
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

/** What a word means: `partially-refunded`, `Declined`, `mc`. */
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

/** Adds what one word says: words add up, both ends of a range come together, and of all else there is one. */
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

const SYMBOLS: Record<string, string> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };
const UNIT_WORDS: Record<string, string> = { dollar: "USD", dollars: "USD", euro: "EUR", euros: "EUR", yen: "JPY" };
/** Currencies that are words: apart from their number they count in capitals. */
const ENGLISH: ReadonlySet<string> = new Set("all bob cop cup gel mad mop pen rub sos top try".split(" "));
const ONE = /^([$€£¥]?)(\d[\d,]*(?:\.\d+)?)([a-z]*)$/i;

/** The unit that a word names: a currency, `minor`, `dollars`; null when it names none. */
function unitOf(word: string): string | null {
  const known = UNIT_WORDS[word.toLowerCase()];
  if (known) return known;
  if (word.toLowerCase() === MINOR_UNITS) return MINOR_UNITS;
  return isAmountUnit(word.toUpperCase()) ? word.toUpperCase() : null;
}

type Amount = { minor: number; unit: string };

/** `50`, `$50`, `49.90`, `1,200eur`; `unit` counts where the text names none. */
function oneAmount(text: string, unit: AmountUnit): Amount | null {
  const [, symbol = "", digits = "", word = ""] = ONE.exec(text) ?? [];
  if (digits === "") return null;
  const named = word === "" ? (SYMBOLS[symbol] ?? unit) : unitOf(word);
  if (named === null) return null;
  const minor = parseAmount(digits, named) ?? readTypedAmount(digits, named).minor;
  return minor === null ? null : { minor, unit: named };
}

/**
 * `50` (exactly), `>50`, `<=49.90`, `20..50`, `~20` (a tenth more or less). Over 50 is from the next minor unit on: the search's
 * ranges include their ends. `unit`: of the words around it; `home`: where nothing names one. Null when it is no amount, or
 * nothing can be found by it.
 */
function parseAmountFilter(text: string, home: AmountUnit, unit: AmountUnit | null = null): AmountFilter | null {
  const range = text.split("..");
  if (range.length === 2) return parseRange(range[0] ?? "", range[1] ?? "", home, unit);
  const [, relation = "", rest = ""] = /^(>=|<=|>|<|=|~)?(.+)$/.exec(text) ?? [];
  const amount = oneAmount(rest.trim(), unit ?? home);
  return amount && compared(relation, amount);
}

function compared(relation: string, amount: Amount): AmountFilter | null {
  const { minor, unit } = amount;
  switch (relation) {
    case ">":
      return minor < MAX_AMOUNT ? { gte: minor + 1, lte: null, unit } : null;
    case ">=":
      return { gte: minor, lte: null, unit };
    case "<":
      return minor > 0 ? { gte: null, lte: minor - 1, unit } : null;
    case "<=":
      return { gte: null, lte: minor, unit };
    case "~":
      return { gte: Math.ceil(minor * 0.9), lte: Math.min(Math.floor(minor * 1.1), MAX_AMOUNT), unit };
    default:
      return { gte: minor, lte: minor, unit };
  }
}

function parseRange(from: string, to: string, home: AmountUnit, unit: AmountUnit | null): AmountFilter | null {
  const high = to === "" ? null : oneAmount(to, unit ?? home);
  const low = from === "" ? null : oneAmount(from, unit ?? high?.unit ?? home);
  if ((from !== "" && low === null) || (to !== "" && high === null) || (low === null && high === null)) return null;
  if (low && high && (low.unit !== high.unit || low.minor > high.minor)) return null;
  return { gte: low?.minor ?? null, lte: high?.minor ?? null, unit: low?.unit ?? high?.unit ?? home };
}

/** A word of the search box: `status:declined` has an operator, `"anna smith"` is one word. */
type SearchToken = { raw: string; operator: string | null; value: string };

const TOKEN = /(?:([a-z][a-z0-9_]{0,39}):)?(?:"([^"]*)"?|(\S+))|([a-z][a-z0-9_]{0,39}):/gi;

/** Words apart, without the commas and the full stop of a sentence, quotes kept together; an operator without a value has an empty one. */
function searchTokens(text: string): SearchToken[] {
  return [...text.matchAll(TOKEN)].map(([raw, operator, quoted, plain, bare]) => ({
    raw,
    operator: (operator ?? bare)?.toLowerCase() ?? null,
    value: quoted ?? plain?.replace(/(?<=[^,;])[,;]+$/, "").replace(/(?<=[\p{L}\p{N}])[.!?]$/u, "") ?? "",
  }));
}
