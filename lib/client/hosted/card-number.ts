import valid from "card-validator";
import type { CardBrandName } from "./checkout-view";

const BRAND_NAMES: Record<string, CardBrandName> = { "american-express": "amex", "diners-club": "diners" };

/** How numbers that begin like this one are written. */
export type NumberShape = {
  brand: CardBrandName | null;
  lengths: readonly number[];
  /** Counts of digits that a space follows. */
  gaps: readonly number[];
};

const UNKNOWN_LENGTHS = [12, 13, 14, 15, 16, 17, 18, 19];
const FOURS = [4, 8, 12, 16];

/** What can be told of a card number from its first digits. */
export function numberShape(digits: string): NumberShape {
  const kinds = digits === "" ? [] : valid.creditCardType.default(digits);
  const certain = kinds.filter((kind) => kind.matchStrength);
  const strongest = certain.sort((a, b) => Number(b.matchStrength) - Number(a.matchStrength))[0];
  // Maestro has every number that begins with 6 and that nobody else has, which takes some digits to know.
  const known = strongest?.type === "maestro" && kinds.length > 1 ? undefined : strongest;
  if (!known) {
    const lengths = [...new Set(kinds.flatMap((kind) => kind.lengths))];
    return { brand: null, lengths: lengths.length ? lengths : UNKNOWN_LENGTHS, gaps: FOURS };
  }
  return {
    brand: BRAND_NAMES[known.type] ?? (known.type as CardBrandName),
    lengths: known.lengths,
    gaps: known.gaps.length === 3 ? FOURS : known.gaps,
  };
}

/** How the digits stand with a number's check digit and its brand's lengths. */
export function numberVerdict(digits: string): "incomplete" | "invalid" | "valid" {
  const { lengths } = numberShape(digits);
  const usual = lengths.includes(16) ? 16 : Math.max(...lengths);
  if (lengths.includes(digits.length) && passesLuhn(digits)) return "valid";
  return digits.length < usual ? "incomplete" : "invalid";
}

/** Digits of the security code, as the server has them; null while the number does not tell. */
export function cvvLength(digits: string): 3 | 4 | null {
  if (digits.length < 2) return null;
  return /^3[47]/.test(digits) ? 4 : 3;
}

/** The check digit that every card number ends in. */
function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, at) => {
      const counted = at % 2 === 1 ? Number(digit) * 2 : Number(digit);
      return total + (counted > 9 ? counted - 9 : counted);
    }, 0);
  return sum % 10 === 0;
}
