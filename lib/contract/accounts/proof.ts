import { currencyDigits } from "@/lib/contract/currencies";

/** Merchants' users and support staff sign in separately, each with their own cookie. */
export type Audience = "merchant" | "staff";

/** For how long a person who proved who they are is not asked again. */
export const PROOF_MINUTES = 10;

/** What a person proves it with: a code of the second factor, or the password of those who have none. */
export type ProofKind = "code" | "password";

/** Why a sign-in was refused, as the sign-in page gets to know it. `unavailable`: it could not be tried; try again. */
export const SIGN_IN_ERRORS = [
  "wrong",
  "locked",
  "code_required",
  "code_wrong",
  "codes_locked",
  "too_many",
  "unavailable",
] as const;
export type SignInError = (typeof SIGN_IN_ERRORS)[number];

/** Major units that are worth about 1,000 US dollars, for currencies of which 1,000 would be far more, or far less. */
const WORTH_1000_USD: Record<string, number> = {
  ...{ BHD: 400, JOD: 700, KWD: 300, OMR: 400 },
  ...{
    AED: 4_000,
    ARS: 1_000_000,
    BRL: 5_000,
    CNY: 7_000,
    CZK: 20_000,
    DKK: 7_000,
    HKD: 8_000,
    ILS: 4_000,
    INR: 80_000,
  },
  ...{ MXN: 18_000, MYR: 4_500, NOK: 10_000, PHP: 55_000, PLN: 4_000, QAR: 4_000, RON: 4_500, RUB: 80_000, SAR: 4_000 },
  ...{ SEK: 10_000, THB: 35_000, TRY: 30_000, TWD: 30_000, UAH: 40_000, ZAR: 18_000, EGP: 48_000, PKR: 280_000 },
  ...{ CLP: 900_000, COP: 4_000_000, HUF: 350_000, IDR: 16_000_000, ISK: 140_000, JPY: 150_000, KRW: 1_400_000 },
  ...{ NGN: 1_500_000, VND: 25_000_000, XAF: 600_000, XOF: 600_000 },
};

/** US dollars; each merchant sets its own between 0, every refund asks, and the highest. */
export const DEFAULT_REFUND_LIMIT_USD = 1_000;
export const HIGHEST_REFUND_LIMIT_USD = 1_000_000;

/**
 * Minor units that a person may refund from the dashboard before they prove again who they are: of one refund, and of the
 * sum of them within a day. What the merchant's limit, in US dollars, is about worth in this currency.
 */
export const refundLimit = (currency: string, limitUsd: number): number =>
  Math.floor(((WORTH_1000_USD[currency] ?? 1_000) * limitUsd * 10 ** currencyDigits(currency)) / 1_000);
