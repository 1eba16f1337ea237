import { CURRENCY_DIGITS, MAX_AMOUNT } from "@/lib/contract/currencies";

/**
 * How amounts of a filter are typed: in a currency's major units, or in plain minor units. It only places the decimal
 * point; the search compares minor units, whatever the currency.
 */
export type AmountUnit = string;
export const MINOR_UNITS = "minor";
export const DEFAULT_UNIT = "USD";

export function isAmountUnit(text: string): boolean {
  return text === MINOR_UNITS || CURRENCY_DIGITS.has(text);
}

export function unitDigits(unit: AmountUnit): number {
  return CURRENCY_DIGITS.get(unit) ?? 0;
}

/** "1,234.5" → 123450 minor units in USD; null when it is no number, too exact for the unit, or too large. */
export function parseAmount(text: string, unit: AmountUnit): number | null {
  const match = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/.exec(text.trim());
  if (!match?.[1]) return null;
  const fraction = match[2] ?? "";
  const digits = unitDigits(unit);
  if (fraction.length > digits) return null;
  const minor = Number(match[1].replaceAll(",", "") + fraction.padEnd(digits, "0"));
  return minor <= MAX_AMOUNT ? minor : null;
}

/** 123450 → "1234.50" in USD, 5000 → "50": what {@link parseAmount} reads back. */
export function amountText(minor: number, unit: AmountUnit): string {
  const digits = unitDigits(unit);
  const text = String(minor).padStart(digits + 1, "0");
  const fraction = text.slice(text.length - digits);
  const whole = text.slice(0, text.length - digits);
  return /^0*$/.test(fraction) ? whole : `${whole}.${fraction}`;
}
