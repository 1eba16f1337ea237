/** Currencies and minor units, without zod, because browser code uses it. */

/** The largest amount of one payment: sums of nine million of these still fit a PostgreSQL bigint. */
export const MAX_AMOUNT = 999_999_999_999;

const TWO_DIGITS =
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG";
const ZERO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF";
const THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND";
const FOUR_DIGITS = "CLF UYW";

/**
 * ISO 4217 code → number of minor-unit digits. Listed here because Intl follows CLDR, which differs from ISO
 * 4217 for a few currencies (IQD, UGX …), and processors settle in the standard's digits.
 */
export const CURRENCY_DIGITS: ReadonlyMap<string, 0 | 2 | 3 | 4> = new Map([
  ...TWO_DIGITS.split(" ").map((code) => [code, 2] as const),
  ...ZERO_DIGITS.split(" ").map((code) => [code, 0] as const),
  ...THREE_DIGITS.split(" ").map((code) => [code, 3] as const),
  ...FOUR_DIGITS.split(" ").map((code) => [code, 4] as const),
]);

/** Currency codes in alphabetical order. */
export const CURRENCIES: readonly string[] = [...CURRENCY_DIGITS.keys()].toSorted();

export function isSupportedCurrency(code: string): boolean {
  return CURRENCY_DIGITS.has(code);
}

/** Minor-unit digits of a supported currency. */
export function currencyDigits(code: string): number {
  const digits = CURRENCY_DIGITS.get(code);
  if (digits === undefined) throw new Error(`no such currency: ${code}`);
  return digits;
}

/**
 * A decimal number in major units → minor units, or null when it has more decimals than the currency. Works
 * on the shortest decimal text of the number, so 19.99 is 1999 and never 1998.
 */
export function majorToMinor(value: number, code: string): number | null {
  const text = String(value);
  if (!/^\d+(\.\d+)?$/.test(text)) return null;
  const [whole = "0", fraction = ""] = text.split(".");
  const digits = currencyDigits(code);
  if (fraction.length > digits) return null;
  const minor = Number(whole + fraction.padEnd(digits, "0"));
  return Number.isSafeInteger(minor) ? minor : null;
}

/** Minor units → decimal number in major units, exact for every amount up to {@link MAX_AMOUNT}. */
export function minorToMajor(minor: number, code: string): number {
  const digits = currencyDigits(code);
  if (digits === 0) return minor;
  const text = String(minor).padStart(digits + 1, "0");
  return Number(`${text.slice(0, -digits)}.${text.slice(-digits)}`);
}

/** "12.34 USD": plain text for messages; screens use Intl. */
export function formatMinor(minor: number, code: string): string {
  const digits = currencyDigits(code);
  if (digits === 0) return `${minor} ${code}`;
  const text = String(minor).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)} ${code}`;
}

/** Unit of a typed amount filter: a currency's major units, or plain minor units in any currency. */
export type AmountUnit = string;
export const MINOR_UNITS = "minor";
export const DEFAULT_UNIT = "USD";

export function isAmountUnit(text: string): boolean {
  return text === MINOR_UNITS || CURRENCY_DIGITS.has(text);
}

function unitDigits(unit: AmountUnit): number {
  return CURRENCY_DIGITS.get(unit) ?? 0;
}

/**
 * "1234.5" → 123450 minor units in USD; null if it isn't a number, has too many decimals or is too large.
 * Reads the output of {@link amountText}; `readTypedAmount` parses user input.
 */
export function parseAmount(text: string, unit: AmountUnit): number | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match?.[1]) return null;
  const fraction = match[2] ?? "";
  const digits = unitDigits(unit);
  if (fraction.length > digits) return null;
  const minor = Number(match[1] + fraction.padEnd(digits, "0"));
  return minor <= MAX_AMOUNT ? minor : null;
}

/** 123450 → "1234.50" in USD, 5000 → "50"; the inverse of {@link parseAmount}. */
export function amountText(minor: number, unit: AmountUnit): string {
  const digits = unitDigits(unit);
  const text = String(minor).padStart(digits + 1, "0");
  const fraction = text.slice(text.length - digits);
  const whole = text.slice(0, text.length - digits);
  return /^0*$/.test(fraction) ? whole : `${whole}.${fraction}`;
}
