import { maskCardNumbers } from "@/lib/contract/card-numbers";
import { CURRENCY_DIGITS, isSupportedCurrency, MAX_AMOUNT } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId, ID_PREFIX, type IdKind } from "@/lib/contract/ids";

/** Minor units, with the currencies in which the text means that many. */
export type AmountMeant = { readonly minor: number; readonly currencies: readonly string[] };

export type SearchTerm =
  | { by: "id"; kind: IdKind; uuid: string }
  /** An id without a prefix: an operation's, which is also the processor's reference. */
  | { by: "operation"; uuid: string }
  | { by: "email"; email: string }
  | { by: "last4"; last4: string }
  | { by: "amount"; amounts: readonly AmountMeant[] }
  /** Idempotency key, the merchant's own id of a customer, or part of a merchant's name. */
  | { by: "text"; text: string };

const MAX_LENGTH = 255;
const API_KEY = /sk_(?:test|live)_[0-9A-Za-z]{8}/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SYMBOLS: Record<string, string> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };
const AMOUNT = /^(?:([a-z]{3})\s*)?(?:([$€£¥])\s*)?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,4}))?(?:\s*([a-z]{3}))?$/i;

/** Everything that a text may mean. Throws `invalid_parameter` for what must not be searched by, or is empty. */
export function readSearch(input: string): SearchTerm[] {
  const text = input.trim();
  if (text === "" || text.length > MAX_LENGTH || text.includes("\u0000") || !text.isWellFormed()) {
    throw refuse(`Type 1 to ${MAX_LENGTH} characters.`);
  }
  const id = readId(text);
  if (id) return [id];
  // Keys of idempotency are often UUIDs.
  if (UUID.test(text)) {
    return [
      { by: "operation", uuid: text.toLowerCase() },
      { by: "text", text },
    ];
  }
  if (maskCardNumbers(text) !== text || API_KEY.test(text)) {
    throw refuse("That looks like a card number or a whole API key. Search by the last 4 digits, or the key's id.");
  }
  const terms: SearchTerm[] = [];
  if (/^[^\s@]+@[^\s@]+$/.test(text)) terms.push({ by: "email", email: text });
  const last4 = /^[•*·\s]*(\d{4})$/.exec(text)?.[1];
  if (last4) terms.push({ by: "last4", last4 });
  const amounts = readAmounts(text);
  if (amounts.length > 0) terms.push({ by: "amount", amounts });
  terms.push({ by: "text", text });
  return terms;
}

function readId(text: string): SearchTerm | null {
  const lower = text.toLowerCase();
  for (const kind of Object.keys(ID_PREFIX) as IdKind[]) {
    const uuid = decodeId(kind, lower);
    if (uuid !== null) return { by: "id", kind, uuid };
  }
  return null;
}

/** "12.34 USD", "$1,234" or "12.34": without a currency it may be any with as many decimals. */
function readAmounts(text: string): AmountMeant[] {
  const match = AMOUNT.exec(text);
  if (!match) return [];
  const [, before, symbol, whole = "", fraction = "", after] = match;
  const codes = [before, after].filter((code) => code !== undefined).map((code) => code.toUpperCase());
  if (symbol) codes.push(SYMBOLS[symbol] as string);
  const [currency] = codes;
  if (codes.some((code) => code !== currency || !isSupportedCurrency(code))) return [];
  const digits = whole.replaceAll(",", "");
  const amounts: AmountMeant[] = [];
  for (const [decimals, currencies] of currenciesByDigits(currency)) {
    const minor = Number(digits + fraction.padEnd(decimals, "0"));
    if (fraction.length <= decimals && minor > 0 && minor <= MAX_AMOUNT) amounts.push({ minor, currencies });
  }
  return amounts;
}

function currenciesByDigits(only: string | undefined): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const [code, digits] of CURRENCY_DIGITS) {
    if (only === undefined || code === only) groups.set(digits, [...(groups.get(digits) ?? []), code]);
  }
  return groups;
}

const refuse = (detail: string) => new AppError("invalid_parameter", detail, { param: "q" });
