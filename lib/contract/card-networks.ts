import type { CardBrand } from "./transactions/words";

const lengths = (from: number, to = from) => (1 << (to + 1)) - (1 << from);
const L16 = lengths(16);
const L16_TO_19 = lengths(16, 19);
const MAESTRO = lengths(12, 19);
const DINERS = lengths(14, 19);

/**
 * Ranges of a number's first four digits. Bit n is set for length n: the lengths issued today, and all that
 * the standards allow or that were issued once.
 */
const RANGES: readonly (readonly [first: number, last: number, issued: number, possible: number])[] = [
  [2200, 2204, L16, L16_TO_19], // Mir
  [2221, 2720, L16, L16], // Mastercard
  [3000, 3059, lengths(14), DINERS], // Diners Club
  [3095, 3095, lengths(14), DINERS],
  [3400, 3499, lengths(15), lengths(15)], // American Express
  [3528, 3589, L16, L16_TO_19], // JCB
  [3600, 3699, lengths(14), DINERS], // Diners Club
  [3700, 3799, lengths(15), lengths(15)], // American Express
  [3800, 3899, lengths(14), DINERS], // Diners Club
  [3900, 3999, 0, DINERS],
  [4000, 4999, L16, lengths(13) | L16 | lengths(18, 19)], // Visa
  [5019, 5019, L16, L16 | lengths(18, 19)], // Dankort
  [5060, 5099, L16, L16 | lengths(18, 19)], // Verve, Elo, RuPay
  [5100, 5599, L16, L16], // Mastercard
  [6000, 6099, L16, L16_TO_19], // Discover, RuPay
  [6200, 6299, L16 | lengths(19), L16_TO_19], // UnionPay
  [6360, 6379, L16, L16_TO_19], // InterPayment, InstaPayment
  [6440, 6599, L16, L16_TO_19], // Discover, RuPay, Elo
  [8100, 8299, L16, L16_TO_19], // UnionPay, RuPay
  [9792, 9792, L16, L16], // Troy
  ...[5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763].map((four) => [four, four, MAESTRO, MAESTRO] as const),
];

const ISSUED = new Uint32Array(10_000);
const POSSIBLE = new Uint32Array(10_000);
for (const [first, last, issued, possible] of RANGES) {
  ISSUED.fill(issued, first, last + 1);
  POSSIBLE.fill(possible, first, last + 1);
}

/** True if a card network issues numbers of this prefix and length today. */
export const isIssued = (number: string): boolean => hasLength(ISSUED, number);

/** Like `isIssued`, with every length that the network's numbers may have. */
export const isPossible = (number: string): boolean => hasLength(POSSIBLE, number);

const hasLength = (table: Uint32Array, number: string) =>
  ((table[Number(number.slice(0, 4))] ?? 0) & (1 << number.length)) !== 0;

/** The card network by its issuer number ranges; null for one that the contract does not name. */
export function cardBrand(number: string): CardBrand | null {
  const two = Number(number.slice(0, 2));
  const three = Number(number.slice(0, 3));
  const four = Number(number.slice(0, 4));
  if (number.startsWith("4")) return "visa";
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return "mastercard";
  if (two === 34 || two === 37) return "amex";
  if (four === 6011 || two === 65 || (three >= 644 && three <= 649)) return "discover";
  return null;
}
