import { DEFAULT_UNIT, isAmountUnit, MAX_AMOUNT, MINOR_UNITS, parseAmount } from "@/lib/contract/currencies";
import { addDays } from "@/lib/contract/reporting/period";
import { type CreatedRange, isDay, parseCreated, parseMoment } from "@/lib/contract/transactions/created-range";
import { type AmountFilter, isText, type TransactionFilters } from "@/lib/contract/transactions/query";
import {
  CARD_BRANDS,
  type CardBrand,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "@/lib/contract/transactions/words";

/** A word that found nothing to filter by. `incomplete`: it may still become something while it is being typed. */
export type SearchProblem = { word: string; message: string; incomplete: boolean };

export type ParsedSearch = {
  filters: Partial<TransactionFilters>;
  /** Id of a payment or transaction to open. */
  jump: string | null;
  problems: SearchProblem[];
};

type Found = Partial<TransactionFilters>;
type Result = Found | { problem: string; incomplete?: boolean };

const STATUS_ALIASES: Record<string, readonly TransactionStatus[]> = {
  AUTHORISED: ["AUTHORIZED"],
  UNCAPTURED: ["AUTHORIZED"],
  CANCELED: ["VOIDED"],
  CANCELLED: ["VOIDED"],
  REFUNDS: ["REFUNDED", "PARTIALLY_REFUNDED"],
};
const BRAND_ALIASES: Record<string, CardBrand> = {
  "american-express": "amex",
  mc: "mastercard",
  "master-card": "mastercard",
};
const RELATIONS: [words: string, relation: string][] = [
  ["more than", ">"],
  ["less than", "<"],
  ["at least", ">="],
  ["at most", "<="],
  ["over", ">"],
  ["above", ">"],
  ["under", "<"],
  ["below", "<"],
];
/** Words of a sentence that ask for nothing by themselves. */
const FILLERS = new Set(
  "payments payment transactions transaction charges cards card from in on of with and the all by".split(" "),
);
const ID = /^(pay|txn|sub)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const OTHER_IDS = /^(plan|cs|tok|key|env|mer|usr|evt|we|whd|req|batch|aud)_[0-9a-z]+$/;

/** Reads the search box: operators (`status:declined amount:>50`) and plain words (`4242`, `anna@example.com`, `over $50`). */
export function parseSearch(text: string): ParsedSearch {
  const tokens = searchTokens(text.trim());
  const parsed: ParsedSearch = { filters: {}, jump: null, problems: [] };
  for (let at = 0; at < tokens.length; ) {
    const { result, used } = readAt(tokens, at);
    const word = tokens
      .slice(at, at + used)
      .map((token) => token.raw)
      .join(" ");
    if (typeof result === "string") parsed.jump ??= result;
    else if ("problem" in result) {
      parsed.problems.push({ word, message: result.problem as string, incomplete: result.incomplete === true });
    } else {
      const message = merge(parsed.filters, result as Found);
      if (message) parsed.problems.push({ word, message, incomplete: false });
    }
    at += used;
  }
  return parsed;
}

type Read = { result: Result | string; used: number };

function readAt(tokens: SearchToken[], at: number): Read {
  const token = tokens[at] as SearchToken;
  if (token.operator !== null) {
    const operator = OPERATORS[token.operator];
    if (!operator) return { result: { problem: unknownOperator(token.operator) }, used: 1 };
    if (token.value === "")
      return { result: { problem: `What follows ${token.operator}: is missing.`, incomplete: true }, used: 1 };
    return { result: operator(token.value), used: 1 };
  }
  return readAmountPhrase(tokens, at) ?? readPhrase(tokens, at) ?? { result: readWord(token.value), used: 1 };
}

/** `over $50`, `at least 20 eur`, `49.90`, `50 dollars`. */
function readAmountPhrase(tokens: SearchToken[], at: number): Read | null {
  const relation = RELATIONS.find(([words]) => plainWords(tokens, at, words.split(" ").length) === words);
  const start = at + (relation ? relation[0].split(" ").length : 0);
  const number = tokens[start];
  if (!number || number.operator !== null) {
    return relation ? { result: { problem: "An amount is missing.", incomplete: true }, used: start - at } : null;
  }
  const after = tokens[start + 1];
  const unit = after && after.operator === null ? unitOf(after.value) : null;
  // A bare number of four digits is a card's, unless something says that it is money.
  const isMoney = relation !== undefined || unit !== null || /^[<>=$€£¥]|\.\d|^[\d,]+[a-z]{3}$/i.test(number.value);
  if (!isMoney || isDay(number.value)) return null;
  const amount = parseAmountFilter(`${relation?.[1] ?? ""}${number.value}`, unit);
  if (amount === null && relation === undefined && !/^[<>=$€£¥]*[\d.,]+[a-z]*$/i.test(number.value)) return null;
  return { result: amount ? { amount } : { problem: AMOUNT_HELP }, used: start - at + 1 + (unit ? 1 : 0) };
}

/** Statuses, brands and times of one to three words: `partially refunded`, `american express`, `last 7 days`. */
function readPhrase(tokens: SearchToken[], at: number): Read | null {
  for (const used of [3, 2, 1]) {
    const words = plainWords(tokens, at, used)?.replace(/['’]s$/, "");
    if (!words) continue;
    const created = parseCreated(words.replaceAll(" ", "-"));
    if (created) return { result: { created }, used };
    const statuses = statusesOf(words);
    if (statuses) return { result: { statuses }, used };
    const brand = brandOf(words);
    if (brand) return { result: { brands: [brand] }, used };
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
  if (ID.test(lower)) return lower.startsWith("sub_") ? { subscriptionId: lower } : lower;
  if (/^(pay|txn|sub)_/.test(lower)) return { problem: "An id has 26 characters after its prefix.", incomplete: true };
  if (OTHER_IDS.test(lower)) return { problem: "Only payments and transactions are found here. Ctrl K opens any id." };
  if (/^\d{4}$/.test(word)) return { last4: word };
  if (/^\d+$/.test(word)) {
    return { problem: `For an amount write $${word}, for a card its last four digits.`, incomplete: word.length < 4 };
  }
  if (/^[^\s@]+@\S+$/.test(word)) return checkedText("customerEmail", word, 254);
  if (FILLERS.has(lower)) return {};
  return { problem: "Not understood. Try 4242, anna@example.com, $50 or status:declined.", incomplete: true };
}

const AMOUNT_HELP = "Write an amount such as amount:>50, amount:49.90 or amount:20..50.";
const CREATED_HELP = "Write created:>2026-11-01, created:2026-11-01..2026-11-20 or created:last-week.";

const OPERATORS: Record<string, (value: string) => Result> = {
  status: (value) => {
    const found = value.split(",").map(statusesOf);
    return found.every((some) => some !== null)
      ? { statuses: inOrder(found.flat(), TRANSACTION_STATUSES) }
      : { problem: `Statuses: ${TRANSACTION_STATUSES.join(", ").toLowerCase()}.`, incomplete: true };
  },
  brand: (value) => {
    const found = value.split(",").map(brandOf);
    return found.every((brand) => brand !== null)
      ? { brands: inOrder(found, CARD_BRANDS) }
      : { problem: `Brands: ${CARD_BRANDS.join(", ")}.`, incomplete: true };
  },
  amount: (value) => {
    const amount = parseAmountFilter(value);
    return amount ? { amount } : { problem: AMOUNT_HELP, incomplete: true };
  },
  created: (value) => {
    const created = parseCreatedOperator(value.toLowerCase().replaceAll("_", "-"));
    return created ? { created } : { problem: CREATED_HELP, incomplete: true };
  },
  email: (value) => checkedText("customerEmail", value, 254),
  customer: (value) => checkedText("customerId", value, 255),
  subscription: (value) => checkedText("subscriptionId", value, 255),
  last4: (value) =>
    /^\d{4}$/.test(value) ? { last4: value } : { problem: "Write four digits: last4:4242.", incomplete: true },
};

const SEARCHED_ELSEWHERE = new Set(["plan", "currency", "id", "type", "description", "metadata"]);

function unknownOperator(operator: string): string {
  return SEARCHED_ELSEWHERE.has(operator)
    ? `Transactions cannot be searched by ${operator}.`
    : `There is no ${operator}:. Known are ${Object.keys(OPERATORS).join(", ")}.`;
}

function checkedText(member: "customerEmail" | "customerId" | "subscriptionId", value: string, max: number): Result {
  return value.length <= max && isText(value)
    ? { [member]: value }
    : { problem: `It is longer than ${max} characters.` };
}

/** Days and instants with `>`, `>=`, `<`, `<=`, or what an address may say. After a day means from the next one on. */
function parseCreatedOperator(value: string): CreatedRange | null {
  const [, relation, rest = ""] = /^(>=|<=|>|<)(.+)$/.exec(value) ?? [];
  if (!relation) return parseCreated(value);
  const moment = parseMoment(isDay(rest) ? rest : rest.toUpperCase());
  if (moment === null) return null;
  const next = (step: 1 | -1) =>
    parseMoment(isDay(moment) ? addDays(moment, step) : new Date(new Date(moment).getTime() + step).toISOString());
  const end = relation === ">" ? next(1) : relation === "<" ? next(-1) : moment;
  if (end === null) return null;
  return relation.startsWith(">") ? { from: end, to: null } : { from: null, to: end };
}

function statusesOf(word: string): readonly TransactionStatus[] | null {
  const name = word.toUpperCase().replace(/[\s-]/g, "_");
  const known = TRANSACTION_STATUSES.find((status) => status === name);
  return known ? [known] : Object.hasOwn(STATUS_ALIASES, name) ? (STATUS_ALIASES[name] ?? null) : null;
}

function brandOf(word: string): CardBrand | null {
  const name = word.toLowerCase().replace(/[\s_]/g, "-");
  return (
    CARD_BRANDS.find((brand) => brand === name) ??
    (Object.hasOwn(BRAND_ALIASES, name) ? (BRAND_ALIASES[name] ?? null) : null)
  );
}

function inOrder<Word>(given: readonly Word[], known: readonly Word[]): Word[] {
  return known.filter((word) => given.includes(word));
}

/** Adds what one word says: statuses and brands add up, both ends of a range come together, the last one counts else. */
function merge(filters: Found, found: Found): string | null {
  if (found.statuses)
    found = { ...found, statuses: inOrder([...(filters.statuses ?? []), ...found.statuses], TRANSACTION_STATUSES) };
  if (found.brands) found = { ...found, brands: inOrder([...(filters.brands ?? []), ...found.brands], CARD_BRANDS) };
  if (found.amount && filters.amount) {
    const { gte, lte } = { gte: found.amount.gte ?? filters.amount.gte, lte: found.amount.lte ?? filters.amount.lte };
    if (gte !== null && lte !== null && gte > lte) return "The smallest amount is above the largest.";
    found = { ...found, amount: { gte, lte, unit: found.amount.unit } };
  }
  if (found.created && filters.created && !("preset" in found.created) && !("preset" in filters.created)) {
    const range = { from: found.created.from ?? filters.created.from, to: found.created.to ?? filters.created.to };
    if (range.from !== null && range.to !== null && parseCreated(`${range.from}..${range.to}`) === null) {
      return "The first day is after the last.";
    }
    found = { ...found, created: range };
  }
  Object.assign(filters, found);
  return null;
}

const SYMBOLS: Record<string, string> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };
const UNIT_WORDS: Record<string, string> = { dollar: "USD", dollars: "USD", euro: "EUR", euros: "EUR", yen: "JPY" };
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
function oneAmount(text: string, unit: string | null): Amount | null {
  const [, symbol = "", digits = "", word = ""] = ONE.exec(text) ?? [];
  if (digits === "") return null;
  const named = word === "" ? (SYMBOLS[symbol] ?? unit ?? DEFAULT_UNIT) : unitOf(word);
  if (named === null) return null;
  const minor = parseAmount(digits, named);
  return minor === null ? null : { minor, unit: named };
}

/**
 * `50` (exactly), `>50`, `<=49.90`, `20..50`. Over 50 is from the next minor unit on: the search's ranges include their
 * ends. Null when it is no amount, or nothing can be found by it.
 */
function parseAmountFilter(text: string, unit: string | null = null): AmountFilter | null {
  const range = text.split("..");
  if (range.length === 2) return parseRange(range[0] ?? "", range[1] ?? "", unit);
  const [, relation = "", rest = ""] = /^(>=|<=|>|<|=)?(.+)$/.exec(text) ?? [];
  const amount = oneAmount(rest.trim(), unit);
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
    default:
      return { gte: minor, lte: minor, unit };
  }
}

function parseRange(from: string, to: string, unit: string | null): AmountFilter | null {
  const high = to === "" ? null : oneAmount(to, unit);
  const low = from === "" ? null : oneAmount(from, unit ?? high?.unit ?? null);
  if ((from !== "" && low === null) || (to !== "" && high === null) || (low === null && high === null)) return null;
  if (low && high && low.minor > high.minor) return null;
  return { gte: low?.minor ?? null, lte: high?.minor ?? null, unit: low?.unit ?? high?.unit ?? DEFAULT_UNIT };
}

/** A word of the search box: `status:declined` has an operator, `"anna smith"` is one word. */
type SearchToken = { raw: string; operator: string | null; value: string };

const TOKEN = /(?:([a-z][a-z0-9_]{0,39}):)?(?:"([^"]*)"?|(\S+))|([a-z][a-z0-9_]{0,39}):/gi;

/** Words apart, quotes kept together; an operator without a value has an empty one. */
function searchTokens(text: string): SearchToken[] {
  return [...text.matchAll(TOKEN)].map(([raw, operator, quoted, plain, bare]) => ({
    raw,
    operator: (operator ?? bare)?.toLowerCase() ?? null,
    value: quoted ?? plain ?? "",
  }));
}
