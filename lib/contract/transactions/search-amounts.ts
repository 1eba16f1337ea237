/**
 * Amounts in the search box: `$50`, `> 50 dollars`, `49,90`, `between 50 and 60 euros`, and values of
 * `amount:`.
 */
import { type AmountUnit, isAmountUnit, MAX_AMOUNT } from "@/lib/contract/currencies";
import type { AmountFilter } from "@/lib/contract/lists/filters";
import { readTypedAmount, unitNamed } from "@/lib/contract/typed-amount";
import { isDay } from "./time-range";

/** A token of the search box: `status:declined` has an operator, `"anna smith"` is one token. */
export type SearchToken = { raw: string; operator: string | null; value: string };

/** One meaning of an ambiguous term, and the text that expresses it. */
export type SearchChoice = { readonly label: string; readonly text: string };

export type AmountSearch = { amount: AmountFilter } | { problem: string; choices: SearchChoice[] };

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
  ["between", ".."],
  ...[">=", "<=", ">", "<", "=", "~"].map((sign): [string, string] => [sign, sign]),
];
/** Currency codes that are English words: without an adjacent number they count only in capitals. */
const ENGLISH: ReadonlySet<string> = new Set("all bob cop cup gel mad mop pen rub sos top try".split(" "));
const ONE = /^(\p{Sc}|[a-z]{3}(?=\d))?(\d(?:[\d.,'’]*\d)?)(\p{Sc}|[a-z]+)?$/iu;
/** One or two decimals mark a number without a currency as an amount. */
const DECIMALS = /^\d+[.,]\d{1,2}$/;

/** A number as typed, and the unit named beside it. */
type Written = { digits: string; unit: AmountUnit | null; raw: string };
type Amount = { minor: number; unit: AmountUnit };
type Question = { number: string; message: string; choices: SearchChoice[] };

function writtenIn(text: string, home: AmountUnit): Written | null {
  const [, sign = "", digits = "", word = ""] = ONE.exec(text) ?? [];
  const name = sign || word;
  const unit = name === "" ? null : unitNamed(name, home);
  return digits === "" || (name !== "" && unit === null) || (sign !== "" && word !== "")
    ? null
    : { digits, unit, raw: text };
}

/** The amount, or its possible meanings; null if it isn't one. */
function amountOf({ digits, raw }: Written, unit: AmountUnit): Amount | Question | null {
  const read = readTypedAmount(digits, unit);
  if (read.minor !== null) return { minor: read.minor, unit };
  if (read.choices.length < 2) return null;
  const choices = read.choices.map(({ label, text }) => ({ label, text: raw.replace(digits, text) }));
  return { number: raw, message: `${digits} can be read in two ways.`, choices };
}

/** Filter for a relation with one amount or two; null if it can't match anything. */
function filterOf(relation: string, low: Amount | null, high: Amount | null): AmountFilter | null {
  const unit = low?.unit ?? high?.unit;
  if (unit === undefined) return null;
  if (relation === "..") {
    if (low && high && (low.unit !== high.unit || low.minor > high.minor)) return null;
    return { gte: low?.minor ?? null, lte: high?.minor ?? null, unit };
  }
  return low && compared(relation, low);
}

/** "Over 50" starts at the next minor unit, because the search's ranges are inclusive. `~20` is ±10 %. */
function compared(relation: string, { minor, unit }: Amount): AmountFilter | null {
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

/**
 * `low` and `high` in the unit that either names, or else in `home`. `raw` is the text that a choice
 * replaces.
 */
function readEnds(
  relation: string,
  low: Written | null,
  high: Written | null,
  { home, raw }: { home: AmountUnit; raw: string },
): AmountSearch | null {
  const unit = low?.unit ?? high?.unit ?? home;
  const [from, to] = [low && amountOf(low, unit), high && amountOf(high, high.unit ?? unit)];
  for (const end of [from, to]) {
    if (!end || !("message" in end)) continue;
    const choices = end.choices.map(({ label, text }) => ({ label, text: raw.replace(end.number, text) }));
    return { problem: end.message, choices };
  }
  if ((low && !from) || (high && !to)) return null;
  const amount = filterOf(relation, from as Amount | null, to as Amount | null);
  return amount && { amount };
}

/**
 * The value of `amount:`: `50` (exactly), `>50`, `<=49.90`, `20..50`, `20..`, `~20`. Null if it isn't an
 * amount.
 */
export function readAmountValue(text: string, home: AmountUnit): AmountSearch | null {
  const ends = text.split("..");
  const [, relation = "", rest = ""] = /^(>=|<=|>|<|=|~)?(.+)$/.exec(text) ?? [];
  const [from = "", to = ""] = ends.length === 2 ? ends : [rest.trim()];
  const [low, high] = [writtenIn(from, home), writtenIn(to, home)];
  if ((from !== "" && !low) || (to !== "" && !high)) return null;
  return readEnds(ends.length === 2 ? ".." : relation, low, high, { home, raw: text });
}

type Read = { result: AmountSearch; used: number };
type Term = Written & { used: number };

/** `over $50`, `> 50 dollars`, `49,90`, `50 €`, `€50 to €60`, `50-60 usd`; null if no amount starts here. */
export function readAmountPhrase(tokens: readonly SearchToken[], at: number, home: AmountUnit): Read | null {
  const plain = (from: number, count: number) => {
    const some = tokens.slice(from, from + count);
    return some.length === count && some.every(({ operator }) => operator === null)
      ? some.map(({ value }) => value.toLowerCase()).join(" ")
      : null;
  };
  const relation = RELATIONS.find(([words]) => plain(at, words.split(" ").length) === words);
  const start = at + (relation ? relation[0].split(" ").length : 0);
  const value = plain(start, 1) ?? "";
  const [, attached = ""] = /^(>=|<=|>|<|=|~)/.exec(value) ?? [];
  if (isDay(value)) return null;
  const isMoney = (some: Written) => some.unit !== null || DECIMALS.test(some.digits);
  const raw = (used: number) =>
    tokens
      .slice(at, at + used)
      .map((token) => token.raw)
      .join(" ");
  const within = rangeWithin(value, home);
  if (within) {
    const after = unitAt(tokens, start + 1, home);
    const used = start - at + (after ? 2 : 1);
    const [low, high] = [within.low, { ...within.high, unit: within.high.unit ?? after }];
    const isRange = value.includes("..") || relation !== undefined || isMoney(low) || isMoney(high);
    const result = isRange && readEnds("..", low, high, { home, raw: raw(used) });
    return result ? { result, used } : null;
  }
  const first = termAt(tokens, start, home, attached.length);
  if (!first) return null;
  const joins = relation?.[0] === "between" ? /^(?:and|to|-|–|—)$/ : /^(?:to|-|–|—|\.\.)$/;
  const join = start + first.used;
  const second = joins.test(plain(join, 1) ?? "") ? termAt(tokens, join + 1, home, 0) : null;
  if (second && (relation === undefined || relation[1] === "..") && (relation || isMoney(first) || isMoney(second))) {
    const used = join + 1 + second.used - at;
    const result = readEnds("..", first, second, { home, raw: raw(used) });
    if (result) return { result, used };
  }
  if (relation?.[1] === ".." || !(relation || attached || isMoney(first))) return null;
  const used = join - at;
  const result = readEnds(attached || relation?.[1] || "", first, null, { home, raw: raw(used) });
  return result && { result, used };
}

/** `€50-€60`, `20..50` in one token. */
function rangeWithin(value: string, home: AmountUnit): { low: Written; high: Written } | null {
  const [from = "", to = "", ...more] = value.split(/\.\.|[-–—]/);
  const [low, high] = [writtenIn(from, home), writtenIn(to, home)];
  return low && high && more.length === 0 ? { low, high } : null;
}

function unitAt(tokens: readonly SearchToken[], at: number, home: AmountUnit): AmountUnit | null {
  const token = tokens[at];
  if (!token || token.operator !== null || ENGLISH.has(token.value)) return null;
  return unitNamed(token.value, home);
}

/**
 * An amount of one to four tokens: `50`, `50 eur`, `eur 50`, `1 500,00 €`. `skip`: characters already
 * consumed.
 */
function termAt(tokens: readonly SearchToken[], at: number, home: AmountUnit, skip: number): Term | null {
  const valueAt = (index: number) => (tokens[index]?.operator === null ? tokens[index].value : "");
  const first = valueAt(at).slice(skip);
  const leads =
    skip === 0 && /^\d/.test(valueAt(at + 1)) && (/^\p{Sc}$/u.test(first) || isAmountUnit(first.toUpperCase()));
  const leading = leads ? unitAt(tokens, at, home) : null;
  const from = leading ? at + 1 : at;
  const head = leading ? valueAt(from) : first;
  // Groups of digits form one number only if a currency marks them as such.
  let groups = 0;
  while (/^\d{1,3}$/.test(head) && groups < 3 && /^\d{3}(?:[.,]\d{1,2})?$/.test(valueAt(from + 1 + groups))) groups++;
  for (; groups >= 0; groups--) {
    const parts = Array.from({ length: groups }, (_, i) => valueAt(from + 1 + i));
    const after = from + 1 + groups;
    const unit = leading ?? unitAt(tokens, after, home);
    const written = writtenIn([head, ...parts].join("'"), home);
    if (!written || (groups > 0 && unit === null)) continue;
    const isNamed = leading === null && unit !== null && written.unit === null;
    return { ...written, unit: written.unit ?? unit, used: after - at + (isNamed ? 1 : 0) };
  }
  return null;
}
