/** Parser for typed amounts of any locale, shared by every form, dialog and filter. Without zod. */
import {
  type AmountUnit,
  amountText,
  CURRENCY_DIGITS,
  isAmountUnit,
  isSupportedCurrency,
  MAX_AMOUNT,
  MINOR_UNITS,
} from "./currencies";
import { moneyText } from "./format";
import { withAsciiDigits } from "./payments/words";

/** One reading of an ambiguous text: its label, and the text to put into the field. */
export type AmountChoice = { readonly minor: number; readonly text: string; readonly label: string };

export type TypedAmount =
  | { readonly minor: number }
  | { readonly minor: null; readonly message: string; readonly choices: readonly AmountChoice[] };

/** Signs and names of the most common currencies. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    USD: "$ us$ dollar dollars",
    EUR: "€ euro euros",
    GBP: "£ pound pounds",
    JPY: "¥ yen",
    CHF: "fr sfr",
  }).flatMap(([code, names]) => names.split(" ").map((name) => [name, code] as const)),
);

/** Signs of a currency in English text: "$" and "CA$". */
function signsOf(currency: string): readonly string[] {
  const parts = (["symbol", "narrowSymbol"] as const).map((currencyDisplay) =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay }).formatToParts(0),
  );
  return parts.flatMap((some) => some.flatMap(({ type, value }) => (type === "currency" ? [value.toUpperCase()] : [])));
}

/**
 * The unit that a word or sign names: `eur`, `€`, `dollars`, `minor`; null if it names none. A shared sign
 * means `home` if that has it.
 */
export function unitNamed(word: string, home: AmountUnit): AmountUnit | null {
  const lower = word.toLowerCase();
  if (lower === MINOR_UNITS) return MINOR_UNITS;
  const upper = word.toUpperCase();
  if (isAmountUnit(upper)) return upper;
  if (CURRENCY_DIGITS.has(home) && signsOf(home).includes(upper)) return home;
  return NAMES.get(lower.replaceAll(".", "")) ?? null;
}

/** An unambiguous decimal point, as in Arabic. */
const POINT = "\u2396";

/** Normalizes digits, spaces, apostrophes and minus signs. */
const tidy = (text: string): string =>
  withAsciiDigits(text.normalize("NFKC"))
    .replace(/\p{Cf}/gu, "")
    .replace(/[\u2019\u2018\u02bc\u00b4`\u066c]/g, "'")
    .replaceAll("\u066b", POINT)
    .replaceAll("\u060c", ",")
    .replace(/[\u2212\u2010-\u2015]/g, "-")
    .replace(/\s/g, " ")
    .trim();

const unitDigits = (unit: AmountUnit) => CURRENCY_DIGITS.get(unit) ?? 0;

/**
 * `19,90`, `19.90`, `1 500`, `1'500.00`, `€ 1.500,00`, `20 eur` in minor units of `unit`. Ambiguous amounts
 * are refused: `1,500` is fifteen hundred in some locales and one and a half in others, and so is `1.500`.
 */
export function readTypedAmount(text: string, unit: AmountUnit): TypedAmount {
  const tidied = tidy(text);
  const [, before = "", number = "", after = ""] = /^([^\d]*)(\d(?:[\d.,' \u2396]*\d)?)([^\d]*)$/.exec(tidied) ?? [];
  const example = unitDigits(unit) === 0 ? "1500" : "19.90";
  const refused = (message: string, choices: readonly AmountChoice[] = []) => ({ minor: null, message, choices });
  // `,50` is a half; the point of `Fr.50` isn't a decimal point.
  const starts = /^([^\p{L}\d]*)[.,\u2396]$/u.exec(before);
  const sign = (starts ? (starts[1] ?? "") : before).trim();
  // `19,-` means 19.00 on a price tag.
  const names = [sign.replace(/^[+-]/, "").replace(/[+-]$/, ""), after.replace(/^[.,:]-*/, "")].map((name) =>
    name.trim(),
  );
  if (number === "") return refused(`Enter an amount such as ${example}.`);
  if (sign.startsWith("-") || sign.endsWith("-")) return refused("Enter an amount above zero.");
  for (const name of names) {
    const named = name === "" ? unit : unitNamed(name, unit);
    if (named === null) return refused(`Enter an amount such as ${example}.`);
    if (named !== unit) return refused(`Enter the amount in ${unit === MINOR_UNITS ? "minor units" : unit}.`);
  }
  const readings = readingsOf(starts ? `0${starts[0].slice(-1)}${number}` : number, unit);
  const only = onlyReading(readings);
  if (only !== null) return { minor: only };
  const { values, tooExact, tooLarge } = readings;
  const choices = values.map((minor) => ({ minor, text: plainAmount(minor, unit), label: inWords(minor, unit) }));
  if (tooExact) return refused(decimalsText(unit), choices);
  if (tooLarge) return refused("The amount is above the limit for one payment.");
  if (values.length === 0) return refused(`Enter an amount such as ${example}.`);
  return refused(`${number} can be read in two ways. Choose one.`, choices);
}

type PriceFields = { readonly amount: string; readonly currency: string };

/** Reason why the price in a form is invalid, or null. */
export function amountProblem({ amount, currency }: PriceFields): string | null {
  if (!isSupportedCurrency(currency)) return "Choose a currency.";
  if (amount.trim() === "") return "Enter the amount.";
  const typed = readTypedAmount(amount, currency);
  if (typed.minor === null) return typed.message;
  return typed.minor > 0 ? null : "Enter an amount above zero.";
}

/** The price in a form in minor units; null while it is zero or invalid. */
export function minorTyped({ amount, currency }: PriceFields): number | null {
  const minor = isSupportedCurrency(currency) ? readTypedAmount(amount, currency).minor : null;
  return minor !== null && minor > 0 ? minor : null;
}

function decimalsText(unit: AmountUnit): string {
  const digits = unitDigits(unit);
  if (unit === MINOR_UNITS) return "Minor units have no decimals.";
  return digits === 0 ? `${unit} has no decimals.` : `Use at most ${digits} decimals in ${unit}.`;
}

type Readings = {
  /** Distinct values in minor units. */
  values: number[];
  tooExact: boolean;
  tooLarge: boolean;
  /** Its only separator is a point that may mark thousands or decimals: `1.999`. */
  isPointed: boolean;
};

/** Too many decimals after a point are a typo rather than foreign thousands. */
const onlyReading = ({ values, tooExact, isPointed }: Readings): number | null =>
  values.length === 1 && !(isPointed && tooExact) ? (values[0] as number) : null;

/** The number read with groups of thousands, and read with decimals after its last separator. */
function readingsOf(number: string, unit: AmountUnit): Readings {
  const digits = unitDigits(unit);
  const found: Readings = { values: [], tooExact: false, tooLarge: false, isPointed: /^\d+\.\d{3}$/.test(number) };
  const add = (whole: string | null, fraction: string) => {
    if (whole === null) return;
    const exact = withoutZeros(fraction).padEnd(digits, "0");
    if (exact.length > digits) {
      found.tooExact = true;
      return;
    }
    const minor = Number(whole + exact);
    if (minor > MAX_AMOUNT) found.tooLarge = true;
    else if (!found.values.includes(minor)) found.values.push(minor);
  };
  add(wholeOf(number), "");
  const [, whole = "", mark = "", fraction = ""] = /^(.*)([.,\u2396])(\d+)$/.exec(number) ?? [];
  // Three zeros never follow a whole number as decimals, but do as thousands.
  const isGroup = digits === 0 && fraction.length === 3 && mark === "," && wholeOf(number) !== null;
  if (mark !== "" && !whole.includes(mark) && !isGroup) add(wholeOf(whole), fraction);
  if (digits === 0 && found.isPointed) found.tooExact = true;
  return found;
}

function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === "0") end--;
  return fraction.slice(0, end);
}

/**
 * The digits of a whole number with or without thousands, grouped in threes or as in India; null if it isn't
 * one.
 */
function wholeOf(text: string): string | null {
  if (/^\d+$/.test(text)) return text;
  const mark = /[^\d]/.exec(text)?.[0];
  if (!mark || mark === POINT) return null;
  const [first = "", ...groups] = text.split(mark);
  const last = groups.at(-1) ?? "";
  const isThrees = first.length <= 3 && groups.every((group) => /^\d{3}$/.test(group));
  const isIndian =
    mark === "," &&
    first.length <= 2 &&
    /^\d{3}$/.test(last) &&
    groups.slice(0, -1).every((group) => /^\d{2}$/.test(group));
  return /^[1-9]\d*$/.test(first) && (isThrees || isIndian) ? first + groups.join("") : null;
}

/** 150000 → "1500.00": unambiguous text for a field. KWD 1.500 is "1.5", and KWD 1.234 "1.2340". */
export function plainAmount(minor: number, unit: AmountUnit): string {
  const digits = unitDigits(unit);
  const [whole = "", fraction = ""] = amountText(minor, unit).split(".");
  const decimals = fraction.padEnd(digits, "0");
  const texts = [decimals, withoutZeros(decimals)].map((some) => (some === "" ? whole : `${whole}.${some}`));
  return texts.find((text) => onlyReading(readingsOf(text, unit)) !== null) ?? `${whole}.${decimals}0`;
}

const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALES: readonly [size: number, name: string][] = [
  [1_000_000_000, "billion"],
  [1_000_000, "million"],
  [1_000, "thousand"],
  [100, "hundred"],
];

/** 1500 → "one thousand five hundred". */
function numberWords(value: number): string {
  const scale = SCALES.find(([size]) => value >= size);
  if (scale) {
    const [size, name] = scale;
    const rest = value % size;
    return `${numberWords(Math.floor(value / size))} ${name}${rest > 0 ? ` ${numberWords(rest)}` : ""}`;
  }
  if (value < 20) return ONES[value] as string;
  const tens = TENS[Math.floor(value / 10) - 2] as string;
  return value % 10 === 0 ? tens : `${tens}-${ONES[value % 10]}`;
}

/** "€1.50 (one and 50/100)", as on a check: digits alone look the same for both readings. */
function inWords(minor: number, unit: AmountUnit): string {
  const size = 10 ** unitDigits(unit);
  const part = minor % size;
  const words = `${numberWords(Math.floor(minor / size))}${part > 0 ? ` and ${part}/${size}` : ""}`;
  return `${unit === MINOR_UNITS ? minor : moneyText(minor, unit)} (${words})`;
}
