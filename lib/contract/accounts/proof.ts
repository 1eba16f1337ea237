import { currencyDigits } from "@/lib/contract/currencies";

/** Merchants' users and support staff sign in separately, each with their own cookie. */
export type Audience = "merchant" | "staff";

/** How long a sign-in lasts. Staff see every merchant, so theirs ends with the working day. */
export const SESSION_HOURS = { merchant: 14 * 24, staff: 12 } as const;

/** A session that is not used for this long has ended. */
export const SESSION_IDLE_HOURS = 12;

/** How long a re-authentication counts. */
export const PROOF_MINUTES = 10;

/** What a person proves it with: a code of the second factor, or the password of those who have none. */
export type ProofKind = "code" | "password";

/** Why a sign-in was refused, as the sign-in page gets to know it. `unavailable`: it could not be tried; try again. */
export const SIGN_IN_ERRORS = [
  "wrong",
  "locked",
  "code_required",
  "code_wrong",
  "code_clock",
  "codes_locked",
  "too_many",
  "unavailable",
] as const;
export type SignInError = (typeof SIGN_IN_ERRORS)[number];

/**
 * Major units worth about 1,000 US dollars, rounded down so that a refund counts for no less than it is worth. Others count
 * one for one, as if they were dollars: every currency that is worth more is here.
 */
const WORTH_1000_USD: Record<string, number> = {
  ...{ BHD: 370, CHF: 750, CLF: 20, EUR: 800, FKP: 700, GBP: 700, GIP: 700, JOD: 700, KWD: 300, KYD: 800, OMR: 380 },
  ...{ SHP: 700, CHE: 750, CHW: 750 },
  ...{
    AED: 3_600,
    ARS: 1_000_000,
    BRL: 4_800,
    CNY: 6_800,
    CZK: 20_000,
    DKK: 6_000,
    HKD: 7_700,
    ILS: 3_000,
    INR: 80_000,
  },
  ...{ MXN: 16_500, MYR: 3_900, NOK: 9_500, PHP: 55_000, PLN: 3_400, QAR: 3_600, RON: 4_000, RUB: 70_000, SAR: 3_700 },
  ...{ SEK: 9_000, THB: 30_000, TRY: 30_000, TWD: 29_000, UAH: 40_000, ZAR: 16_000, EGP: 45_000, PKR: 270_000 },
  ...{ CLP: 850_000, COP: 3_600_000, HUF: 320_000, IDR: 15_000_000, ISK: 120_000, JPY: 140_000, KRW: 1_300_000 },
  ...{ NGN: 1_400_000, VND: 24_000_000, XAF: 520_000, XOF: 520_000 },
};

/** US dollars; each merchant sets its own between 0, every refund asks, and the highest. */
export const DEFAULT_REFUND_LIMIT_USD = 1_000;
export const HIGHEST_REFUND_LIMIT_USD = 1_000_000;

/**
 * US cents for which a refund counts against the merchant's limit, at least its value: a user may refund up to the limit
 * within a day, over all currencies together, before they prove again who they are.
 */
export function refundUsdCents(amount: number, currency: string): number {
  const unit = BigInt(WORTH_1000_USD[currency] ?? 1_000) * 10n ** BigInt(currencyDigits(currency));
  return Number((BigInt(amount) * 100_000n + unit - 1n) / unit);
}
