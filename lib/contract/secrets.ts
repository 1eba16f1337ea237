import { maskCardNumbers } from "./card-numbers";
import { isDay } from "./transactions/time-range";

/** Our own keys, secrets and tokens, anywhere in a text. */
export const OWN_SECRETS = /\b(?:(sk_test|sk_live|cst|tok|rcp|prt)_[\w-]+|(whsec)_[\w+/=-]+)/g;
/** Typed or pasted in any case; shorter texts reveal nothing. */
const LIKE_A_SECRET = /\b(?:sk_(?:test|live)|cst|tok|rcp|prt|whsec)_[\w+/=-]{4}/i;
const DAY = /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])/g;
const DIGITS = /\d(?:[ -]?\d){10,}/;

/** Error for a refused search. The typed text is never repeated. */
export const HOLDS_SECRET = "This looks like a card number or a secret. Search by the last 4 digits or the key's id.";

/** Separates days from other digits: `4242 2026-11-01..2026-11-20` isn't a number of twenty digits. */
const withoutDays = (text: string) => text.replace(DAY, (day) => (isDay(day) ? "\n".repeat(40) : day));

/**
 * True if a text holds a card number or a secret of ours, which must not get into an address, a log or a
 * table.
 */
export function holdsSecret(text: string): boolean {
  if (LIKE_A_SECRET.test(text)) return true;
  const rest = withoutDays(text);
  return maskCardNumbers(rest) !== rest;
}

/** True if text being typed holds one, or enough digits to become a card number. */
export const mayBecomeSecret = (text: string): boolean => DIGITS.test(withoutDays(text)) || holdsSecret(text);
