import { formatMinor } from "@/lib/contract/currencies";

/**
 * Currencies whose minor units at Adyen differ from ISO 4217, as powers of ten: CLP uses hundredths, although
 * ISO has none; CVE and IDR use whole units, although ISO has hundredths. ISO dropped ISK's hundredths, Adyen
 * kept them.
 */
const ADYEN_DECIMALS: Readonly<Record<string, { iso: number; adyen: number }>> = {
  CLP: { iso: 0, adyen: 2 },
  CVE: { iso: 2, adyen: 0 },
  IDR: { iso: 2, adyen: 0 },
  ISK: { iso: 0, adyen: 2 },
};

export type AdyenAmount = { value: number; currency: string };

/** Our minor units in Adyen's; null for a fraction of Adyen's smallest unit. */
export function toAdyenAmount(amount: number, currency: string): AdyenAmount | null {
  const value = scaled(amount, exponent(currency));
  return Number.isSafeInteger(value) ? { value, currency } : null;
}

/** The reason why Adyen can't take an amount, or null. */
export function refusesAmount(amount: number, currency: string): string | null {
  if (toAdyenAmount(amount, currency)) return null;
  const step = 10 ** -exponent(currency);
  return `Adyen takes ${currency} in steps of ${formatMinor(step, currency).split(" ")[0]}. Send a multiple of ${step}: amounts are in minor units.`;
}

/**
 * Adyen's minor units in ours, rounded: a bank may dispute a converted amount with hundredths that ISO
 * doesn't have.
 */
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
