import { env } from "@/lib/env";
import { createTokenBuckets, type TokenBucketOptions, type TokenBuckets } from "@/lib/token-buckets";

/**
 * A row of the table of limits. Each row's comment names its key and the attack that it stops. Limits hold
 * per process.
 */
export type Limit = {
  /** The operator's setting; 0 for a limit without one. */
  readonly setting?: () => number;
  readonly rate: (setting: number) => Rate;
  /** Name and unit in `RateLimit-Policy`; the default unit is requests. */
  readonly policy?: { readonly name: string; readonly unit?: "content-bytes" };
  /** Detail of the refusal; absent if it is never shown. */
  readonly refusal?: (seconds: number, setting: number) => string;
};

export type LimitOptions = { readonly setting?: number; readonly now?: () => number };

type Rate = Pick<TokenBucketOptions, "perSecond" | "burst">;

const perMinute = (count: number, burst = count): Rate => ({ perSecond: count / 60, burst });
const pagesPerMinute = (count: number): Rate => perMinute(count, Math.max(1, count / 4));
const perHour = (count: number): Rate => ({ perSecond: count / 3_600, burst: count });
const perDay = (count: number): Rate => ({ perSecond: count / 86_400, burst: count });
const inWords = (count: number) => count.toLocaleString("en-US");

const tooFast = (seconds: number) => `Too many requests. Try again in ${seconds} s, and slow down.`;
const tooManyPages = (seconds: number) =>
  `Too many pages were asked for from your address. Wait ${seconds} s, and load the page again.`;
const tooManyAccounts = (seconds: number) => {
  const minutes = Math.ceil(seconds / 60);
  return `Your network has reached the daily limit of new accounts. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`;
};
const notCharged = (seconds: number) => `Too many attempts. Nothing was charged; try again in ${seconds} s.`;
const openedTooOften = (seconds: number) => `Opened too often. Try again in ${seconds} s.`;
const shopIsBusy = (seconds: number) => `The shop is busy. Nothing was ordered; try again in ${seconds} s.`;
const quotaReached = (seconds: number, mb: number) =>
  `Test mode has reached its daily limit: ${inWords(mb)} MB of requests and responses, or ${inWords(mb * WRITES_PER_MB)} writes. Try again in ${seconds} s.`;

const WRITES_PER_MB = 100;
const BYTES_PER_MB = 1_000_000;
const RESPONSE_BURST_SECONDS = 10;
/** A payment form polls every two seconds while it waits for a payment. */
const FORMS_PER_PAGE = 3;
const EXPORTS = 20;

/** A network is an IPv4 address or the /64 of an IPv6 address; a site is an IPv4 address or a /48. */
export const LIMITS = {
  /** Per API key or user. Stops a client in a loop. */
  requests: {
    rate: () => ({ perSecond: env.rateLimitPerSecond, burst: env.rateLimitBurst }),
    policy: { name: "default" },
    refusal: tooFast,
  },
  /** Per environment. Stops a merchant that multiplies its limit by creating keys. */
  merchantRequests: {
    rate: () => ({ perSecond: env.merchantRateLimitPerSecond, burst: env.merchantRateLimitBurst }),
    policy: { name: "merchant" },
    refusal: tooFast,
  },
  /**
   * Per user. A password hash takes 40 ms of a core, so sixty a second would delay all payments by seconds.
   */
  costlyRequests: { rate: () => perMinute(20), policy: { name: "costly" }, refusal: tooFast },
  /** Per `readerOf`. Stops long lists in a loop, which cost 10 ms of processor time per megabyte. */
  responseBytes: {
    setting: () => env.answerMbPerSecond,
    rate: (mb) => ({
      perSecond: mb * BYTES_PER_MB,
      burst: RESPONSE_BURST_SECONDS * mb * BYTES_PER_MB,
    }),
    policy: { name: "answers", unit: "content-bytes" },
    refusal: (seconds, mb) =>
      `Your responses exceeded ${inWords(mb * BYTES_PER_MB)} bytes per second. Try again in ${seconds} s. A smaller limit makes smaller responses.`,
  },
  /** Per network and kind of credential. Stops guessing of keys and sessions, each guess a look-up. */
  unauthorized: {
    setting: () => env.unauthorizedLimitPerMinute,
    rate: (count) => perMinute(count),
    policy: { name: "unauthorized" },
    refusal: tooFast,
  },
  /** Per environment or user. Stops filling the database from a free account. */
  sandboxWrites: {
    setting: () => env.sandboxQuotaMbPerDay,
    rate: (mb) => perDay(mb * WRITES_PER_MB),
    policy: { name: "sandbox-writes" },
    refusal: quotaReached,
  },
  /** Per environment or user. Stops the same with few, large writes. */
  sandboxBytes: {
    setting: () => env.sandboxQuotaMbPerDay,
    rate: (mb) => perDay(mb * BYTES_PER_MB),
    policy: { name: "sandbox-bytes", unit: "content-bytes" },
    refusal: quotaReached,
  },
  /** Per merchant. Stops filling the audit log, where each export leaves a permanent row. */
  exports: {
    rate: () => perMinute(1, EXPORTS),
    policy: { name: "exports" },
    refusal: (seconds) =>
      `Your account has made ${EXPORTS} exports in a short time. The next one can begin in ${seconds} s.`,
  },
  /** Per network. Stops reloading of pages, each of which takes the only rendering process 10 to 100 ms. */
  pages: {
    setting: () => env.pageLimitPerMinute,
    rate: (count) => pagesPerMinute(count),
    refusal: tooManyPages,
  },
  /**
   * Per network, and for a processor's messages per network and connection. Stops guessing of payment form
   * tokens.
   */
  paymentForms: {
    setting: () => env.pageLimitPerMinute,
    rate: (count) => pagesPerMinute(count * FORMS_PER_PAGE),
    refusal: tooManyPages,
  },
  /** Per network. Stops a thousand requests in one packet, which are all parsed before anything else runs. */
  overfullConnections: { rate: () => ({ perSecond: 1 / 10, burst: 1 }) },
  /** Per kind of attempt and network. Stops guessing of passwords, and password hashing in a loop. */
  signInAttempts: {
    setting: () => env.signInLimitPerMinute,
    rate: (count) => perMinute(count),
    refusal: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  },
  /** Per site. Stops opening of accounts in bulk. */
  accounts: {
    setting: () => env.signUpsPerDay,
    rate: (count) => perDay(count),
    refusal: tooManyAccounts,
  },
  /** Per site and mailbox. Stops flooding of another person's mailbox with sign-up mail. */
  mails: { rate: () => perHour(3) },
  /** Per network. Stops card testing. High, because many shoppers may share an address. */
  cardAttempts: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 10),
    refusal: notCharged,
  },
  /** Per network. Stops testing of a list of stolen cards, most of which are declined. */
  cardDeclines: { setting: () => env.checkoutLimitPerMinute, rate: (count) => perMinute(count), refusal: notCharged },
  /**
   * Per environment and BIN. Stops testing of one issuer's numbers from many addresses. Honest shoppers get
   * declines as well.
   */
  binDeclines: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 2),
    refusal: notCharged,
  },
  /**
   * Per network. Stops opening of payment links, and acting on customers' pages, in a loop: each may write a
   * row.
   */
  linkOpeningsOfNetwork: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 10),
    refusal: openedTooOften,
  },
  /** Per link. Stops the same from many addresses. */
  linkOpenings: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 60),
    refusal: openedTooOften,
  },
  /** Per network. Stops orders in the sample shop in a loop, each of which writes rows. */
  demoCallsOfNetwork: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 4),
    refusal: shopIsBusy,
  },
  /** Global. Stops the same from many addresses. */
  demoCalls: { setting: () => env.checkoutLimitPerMinute, rate: (count) => perMinute(count * 40), refusal: shopIsBusy },
  /** Per environment. Stops filling the request log with reads and refusals, which change nothing. */
  loggedRequests: { rate: () => ({ perSecond: 20, burst: 200 }) },
  /** Per environment. Stops an unverified account from filling the request log, which is kept for a month. */
  loggedRequestsOfUnverified: { rate: () => perDay(2_000) },
  /** Per kind of line. Stops unauthenticated callers from filling the disk. */
  logLinesOfKind: { rate: () => ({ perSecond: 1, burst: 60 }) },
  /** Global. Stops the same with lines of many kinds. */
  logLines: { rate: () => ({ perSecond: 10, burst: 600 }) },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

export function rateOf(name: LimitName, setting?: number): Rate {
  const limit: Limit = LIMITS[name];
  return limit.rate(setting ?? limit.setting?.() ?? 0);
}

/** Token buckets of a limit, one for each key. */
export function createBuckets(name: LimitName, { setting, now }: LimitOptions = {}): TokenBuckets {
  return createTokenBuckets({ ...rateOf(name, setting), ...(now && { now }) });
}
