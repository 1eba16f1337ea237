import { env } from "@/lib/env";
import { createTokenBuckets, type TokenBucketOptions, type TokenBuckets } from "@/lib/token-buckets";

/** A row of the table of limits, each with what it counts together and the attack it stops. Limits hold per process. */
export type Limit = {
  /** Number that an operator can change; 0 for a limit without one. */
  readonly setting?: () => number;
  readonly rate: (setting: number) => Rate;
  /** `RateLimit-Policy` calls it by this name, and counts requests unless there is a unit. */
  readonly policy?: { readonly name: string; readonly unit?: "content-bytes" };
  /** Sentence of a refusal; absent where nobody reads one. */
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
/** A form that waits for a payment polls every two seconds. */
const FORMS_PER_PAGE = 3;
const EXPORTS = 20;

/** A network is an IPv4 address or the /64 of an IPv6 address; a site is an IPv4 address or a /48. */
export const LIMITS = {
  /** By API key or user: a client in a loop. */
  requests: {
    rate: () => ({ perSecond: env.rateLimitPerSecond, burst: env.rateLimitBurst }),
    policy: { name: "default" },
    refusal: tooFast,
  },
  /** By environment: a merchant that multiplies its limit by creating keys. */
  merchantRequests: {
    rate: () => ({ perSecond: env.merchantRateLimitPerSecond, burst: env.merchantRateLimitBurst }),
    policy: { name: "merchant" },
    refusal: tooFast,
  },
  /** By user: a password hash takes a core 40 ms, so sixty a second would delay all payments by seconds. */
  costlyRequests: { rate: () => perMinute(20), policy: { name: "costly" }, refusal: tooFast },
  /** By reader: long lists in a loop, which take the process 10 ms for each megabyte. */
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
  /** By network and kind of credential: guessing keys and sessions, each guess a look-up. */
  unauthorized: {
    setting: () => env.unauthorizedLimitPerMinute,
    rate: (count) => perMinute(count),
    policy: { name: "unauthorized" },
    refusal: tooFast,
  },
  /** By environment or user: filling the database by an account that costs nothing to open. */
  sandboxWrites: {
    setting: () => env.sandboxQuotaMbPerDay,
    rate: (mb) => perDay(mb * WRITES_PER_MB),
    policy: { name: "sandbox-writes" },
    refusal: quotaReached,
  },
  /** By environment or user: the same with few, large writes. */
  sandboxBytes: {
    setting: () => env.sandboxQuotaMbPerDay,
    rate: (mb) => perDay(mb * BYTES_PER_MB),
    policy: { name: "sandbox-bytes", unit: "content-bytes" },
    refusal: quotaReached,
  },
  /** By merchant: filling the audit log, where each export leaves a row for good. */
  exports: {
    rate: () => perMinute(1, EXPORTS),
    policy: { name: "exports" },
    refusal: (seconds) =>
      `Your account has made ${EXPORTS} exports in a short time. The next one can begin in ${seconds} s.`,
  },
  /** By network: reloading pages, each of which takes the only rendering process 10 to 100 ms. */
  pages: {
    setting: () => env.pageLimitPerMinute,
    rate: (count) => pagesPerMinute(count),
    refusal: tooManyPages,
  },
  /** By network, and by network and connection for a processor's messages: guessing tokens of payment forms. */
  paymentForms: {
    setting: () => env.pageLimitPerMinute,
    rate: (count) => pagesPerMinute(count * FORMS_PER_PAGE),
    refusal: tooManyPages,
  },
  /** By network: a thousand requests in one packet, which are all parsed before anything else is done. */
  overfullConnections: { rate: () => ({ perSecond: 1 / 10, burst: 1 }) },
  /** By kind of attempt and network: guessing passwords, and making the process hash them. */
  signInAttempts: {
    setting: () => env.signInLimitPerMinute,
    rate: (count) => perMinute(count),
    refusal: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  },
  /** By site: opening accounts in bulk. */
  accounts: {
    setting: () => env.signUpsPerDay,
    rate: (count) => perDay(count),
    refusal: tooManyAccounts,
  },
  /** By site and mailbox: flooding another person's mailbox with sign-up mail. */
  mails: { rate: () => perHour(3) },
  /** By network: testing cards. High, because many shoppers may share an address. */
  cardAttempts: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 10),
    refusal: notCharged,
  },
  /** By network: testing a list of stolen cards, most of which are declined. */
  cardDeclines: { setting: () => env.checkoutLimitPerMinute, rate: (count) => perMinute(count), refusal: notCharged },
  /** By environment and BIN: testing one issuer's numbers from many addresses. Honest shoppers get declined as well. */
  binDeclines: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 2),
    refusal: notCharged,
  },
  /** By network: opening payment links in a loop, each of which may write a row. */
  linkOpeningsOfNetwork: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 10),
    refusal: openedTooOften,
  },
  /** By link: the same from many addresses. */
  linkOpenings: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 60),
    refusal: openedTooOften,
  },
  /** By network: orders in the sample shop in a loop, each of which writes rows. */
  demoCallsOfNetwork: {
    setting: () => env.checkoutLimitPerMinute,
    rate: (count) => perMinute(count * 4),
    refusal: shopIsBusy,
  },
  /** In all: the same from many addresses. */
  demoCalls: { setting: () => env.checkoutLimitPerMinute, rate: (count) => perMinute(count * 40), refusal: shopIsBusy },
  /** By environment: filling the request log with reads and refusals, which change nothing. */
  loggedRequests: { rate: () => ({ perSecond: 20, burst: 200 }) },
  /** By environment: filling the request log by an unverified account; its rows are kept for a month. */
  loggedRequestsOfUnverified: { rate: () => perDay(2_000) },
  /** By kind of line: filling the disk by what unauthenticated callers cause. */
  logLinesOfKind: { rate: () => ({ perSecond: 1, burst: 60 }) },
  /** In all: the same with lines of many kinds. */
  logLines: { rate: () => ({ perSecond: 10, burst: 600 }) },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

export function rateOf(name: LimitName, setting?: number): Rate {
  const limit: Limit = LIMITS[name];
  return limit.rate(setting ?? limit.setting?.() ?? 0);
}

/** Token buckets of a limit, one for each key. */
export function bucketsOf(name: LimitName, { setting, now }: LimitOptions = {}): TokenBuckets {
  return createTokenBuckets({ ...rateOf(name, setting), ...(now && { now }) });
}
