import { formatMinor } from "@/lib/contract/currencies";

/**
 * Adyen counts some currencies in other minor units than ISO 4217 does, by powers of ten: CLP in hundredths though it has
 * none, CVE and IDR in whole units though they have hundredths. ISK became whole in ISO, and Adyen kept its hundredths.
 */
const ADYEN_DECIMALS: Readonly<Record<string, { iso: number; adyen: number }>> = {
  CLP: { iso: 0, adyen: 2 },
  CVE: { iso: 2, adyen: 0 },
  IDR: { iso: 2, adyen: 0 },
  ISK: { iso: 0, adyen: 2 },
};

export type AdyenAmount = { value: number; currency: string };

/** Our minor units in Adyen's; null for a part of what is Adyen's smallest unit, which cannot be moved there. */
export function toAdyenAmount(amount: number, currency: string): AdyenAmount | null {
  const value = scaled(amount, exponent(currency));
  return Number.isSafeInteger(value) ? { value, currency } : null;
}

/** Why Adyen takes no such amount; null: it may. */
export function refusesAmount(amount: number, currency: string): string | null {
  if (toAdyenAmount(amount, currency)) return null;
  const step = 10 ** -exponent(currency);
  return `Adyen takes ${currency} in steps of ${formatMinor(step, currency).split(" ")[0]}. Send a multiple of ${step}: amounts are in minor units.`;
}

/** Adyen's minor units in ours, the nearest: a bank may dispute what it converted, to a hundredth that ISO does not have. */
export function fromAdyenAmount({ value, currency }: AdyenAmount): number {
  return Math.round(scaled(value, -exponent(currency)));
}

function exponent(currency: string): number {
  const known = ADYEN_DECIMALS[currency];
  return known ? known.adyen - known.iso : 0;
}

function scaled(amount: number, exponentOfTen: number): number {
  const factor = 10 ** Math.abs(exponentOfTen);
  return exponentOfTen >= 0 ? amount * factor : amount / factor;
}
