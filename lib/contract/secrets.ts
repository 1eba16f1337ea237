import { maskCardNumbers } from "./card-numbers";
import { isDay } from "./transactions/time-range";

/** Keys, secrets and tokens of ours, wherever they stand. */
export const OWN_SECRETS = /\b(?:(sk_test|sk_live|cst|tok|rcp)_[\w-]+|(whsec)_[\w+/=-]+)/g;
/** Typed or pasted in whatever case; what is shorter gives nothing away. */
const LIKE_A_SECRET = /\b(?:sk_(?:test|live)|cst|tok|rcp|whsec)_[\w+/=-]{4}/i;
const DAY = /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])/g;
const DIGITS = /\d(?:[ -]?\d){10,}/;

/** Why a search is refused. What was typed is never repeated. */
export const HOLDS_SECRET = "This looks like a card number or a secret. Search by the last 4 digits or the key's id.";

/** What is between the days of a text: `4242 2026-11-01..2026-11-20` is no number of twenty digits. */
const withoutDays = (text: string) => text.replace(DAY, (day) => (isDay(day) ? "\n".repeat(40) : day));

/** Whether a text holds a card number or a secret of ours: it must not get into an address, a log or a table. */
export function holdsSecret(text: string): boolean {
  if (LIKE_A_SECRET.test(text)) return true;
  const rest = withoutDays(text);
  return maskCardNumbers(rest) !== rest;
}

/** Whether what is being typed holds one, or so many digits that more would make it a card number. */
export const mayBecomeSecret = (text: string): boolean => DIGITS.test(withoutDays(text)) || holdsSecret(text);
