import { MAX_AMOUNT } from "@/lib/contract/currencies";
import { DEFAULT_UNIT, isAmountUnit, MINOR_UNITS, parseAmount } from "./amount-text";
import type { AmountFilter } from "./transaction-query";

const SYMBOLS: Record<string, string> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };
const UNIT_WORDS: Record<string, string> = { dollar: "USD", dollars: "USD", euro: "EUR", euros: "EUR", yen: "JPY" };
const ONE = /^([$€£¥]?)(\d[\d,]*(?:\.\d+)?)([a-z]*)$/i;

/** The unit that a word names: a currency, `minor`, `dollars`; null when it names none. */
export function unitOf(word: string): string | null {
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
export function parseAmountFilter(text: string, unit: string | null = null): AmountFilter | null {
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
