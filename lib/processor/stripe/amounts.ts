import { CURRENCY_DIGITS, currencyDigits, formatMinor } from "@/lib/contract/currencies";

/**
 * Currencies whose smallest unit at Stripe isn't ISO 4217's minor unit (docs.stripe.com/currencies): most are
 * counted in whole units; ISK and UGX in hundredths that must be zero.
 */
const STRIPE_DIGITS: ReadonlyMap<string, number> = new Map([
  ...["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"].map(
    (code) => [code, 0] as const,
  ),
  ["ISK", 2],
  ["UGX", 2],
]);

/** Three decimals, the last of which must be zero because the networks settle in hundredths. */
const THREE_DIGITS = new Set(["BHD", "JOD", "KWD", "OMR", "TND"]);

export type StripeMoney = { readonly amount: number; readonly currency: string };

/** Minor units → Stripe's units, exactly; or a sentence that explains why Stripe can't take this amount. */
export function toStripe(amount: number, currency: string): StripeMoney | string {
  const isoDigits = CURRENCY_DIGITS.get(currency);
  const stripeDigits = STRIPE_DIGITS.get(currency) ?? (THREE_DIGITS.has(currency) ? 3 : 2);
  if (isoDigits === undefined || (isoDigits > 2 && !THREE_DIGITS.has(currency)))
    return `Stripe takes no payments in ${currency}.`;
  if (THREE_DIGITS.has(currency) && amount % 10 !== 0) return inSteps(10, currency);
  const step = 10 ** Math.max(0, isoDigits - stripeDigits);
  if (amount % step !== 0) return inSteps(step, currency);
  const units = (amount / step) * 10 ** Math.max(0, stripeDigits - isoDigits);
  // Stripe's own limit: eight digits, for most currencies.
  if (!Number.isSafeInteger(units)) return `Stripe takes no amount as large as ${amount} in ${currency}.`;
  return { amount: units, currency: currency.toLowerCase() };
}

const inSteps = (step: number, currency: string) =>
  `Stripe takes ${currency} in steps of ${formatMinor(step, currency).split(" ")[0]}. Send a multiple of ${step}: amounts are in minor units.`;

/** Stripe's units → minor units, and its code → ours. */
export function fromStripe({ amount, currency }: StripeMoney): { amount: number; currency: string } {
  const code = currency.toUpperCase();
  if (!CURRENCY_DIGITS.has(code)) return { amount, currency: code };
  const stripeDigits = STRIPE_DIGITS.get(code) ?? (THREE_DIGITS.has(code) ? 3 : 2);
  const digits = currencyDigits(code) - stripeDigits;
  return { amount: digits >= 0 ? amount * 10 ** digits : Math.round(amount / 10 ** -digits), currency: code };
}
