import { currencyDigits } from "@/lib/contract/currencies";

/**
 * Major units worth about 1,000 US dollars, rounded down so that a refund never counts for less than its
 * value. Other currencies count one for one as dollars: every currency worth more is listed.
 */
const WORTH_1000_USD: Record<string, number> = {
  BHD: 370,
  CHF: 750,
  CLF: 20,
  EUR: 800,
  FKP: 700,
  GBP: 700,
  GIP: 700,
  JOD: 700,
  KWD: 300,
  KYD: 800,
  OMR: 380,
  SHP: 700,
  CHE: 750,
  CHW: 750,
  AED: 3_600,
  ARS: 1_000_000,
  BRL: 4_800,
  CNY: 6_800,
  CZK: 20_000,
  DKK: 6_000,
  HKD: 7_700,
  ILS: 3_000,
  INR: 80_000,
  MXN: 16_500,
  MYR: 3_900,
  NOK: 9_500,
  PHP: 55_000,
  PLN: 3_400,
  QAR: 3_600,
  RON: 4_000,
  RUB: 70_000,
  SAR: 3_700,
  SEK: 9_000,
  THB: 30_000,
  TRY: 30_000,
  TWD: 29_000,
  UAH: 40_000,
  ZAR: 16_000,
  EGP: 45_000,
  PKR: 270_000,
  CLP: 850_000,
  COP: 3_600_000,
  HUF: 320_000,
  IDR: 15_000_000,
  ISK: 120_000,
  JPY: 140_000,
  KRW: 1_300_000,
  NGN: 1_400_000,
  VND: 24_000_000,
  XAF: 520_000,
  XOF: 520_000,
};

/**
 * US dollars. Merchants set their own, between 0, which makes every refund require re-authentication, and the
 * highest.
 */
export const DEFAULT_REFUND_LIMIT_USD = 1_000;
export const HIGHEST_REFUND_LIMIT_USD = 1_000_000;

/**
 * Value of a refund in US cents, rounded up, as counted against the merchant's limit: the total that a user
 * may refund within a day, over all currencies, before re-authenticating.
 */
export function refundUsdCents(amount: number, currency: string): number {
  const unit = BigInt(minorWorth1000Usd(currency));
  return Number((BigInt(amount) * 100_000n + unit - 1n) / unit);
}

/** Minor units worth 1,000 US dollars, for statements that count by the same rates. */
export const minorWorth1000Usd = (currency: string): number =>
  (WORTH_1000_USD[currency] ?? 1_000) * 10 ** currencyDigits(currency);
