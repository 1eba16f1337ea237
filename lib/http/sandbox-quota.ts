import type { Mode } from "@/lib/contract/transactions/words";
import { env } from "@/lib/env";
import type { Caller } from "./caller";
import { createRateLimiter } from "./rate-limit";
import type { ApiRequest } from "./request-parts";

const DAY_SECONDS = 86_400;
const BYTES_PER_MB = 1_000_000;
const WRITES_PER_MB = 100;
/** Somebody who proved an address can be asked what they are doing. */
const TIMES_WHEN_PROVED = 50;

export type Writer = {
  /** What is counted together. */
  readonly key: string;
  readonly mode: Mode;
  /** Somebody of the merchant proved an e-mail address. */
  readonly verified: boolean;
};

/** A write that was counted. */
export type TakenQuota = {
  /** Counts bytes that it kept: of its body, then of its answer. */
  add(bytes: number): void;
  /** Throws `rate_limited` when the day's bytes are used up meanwhile. */
  check(): void;
};

export type SandboxQuota = {
  /** Counts a write, or throws `rate_limited`; null when nothing of the writer's is counted. Asks no database. */
  take(writer: Writer): TakenQuota | null;
};

/**
 * What a merchant's test mode may write in a day: test data stays for ever, and an account costs nobody anything to open. A
 * day's amount at once, then as much again over each day; per process. Live mode has none, and 0 MB means none at all.
 */
export function createSandboxQuota(mbPerDay: number, now?: () => number): SandboxQuota {
  if (mbPerDay === 0) return { take: () => null };
  const unproved = quotaOf(
    mbPerDay,
    now,
    ` With a confirmed e-mail address, the limit is ${TIMES_WHEN_PROVED} times as high.`,
  );
  const proved = quotaOf(mbPerDay * TIMES_WHEN_PROVED, now, "");
  return { take: ({ key, mode, verified }) => (mode === "live" ? null : (verified ? proved : unproved)(key)) };
}

function quotaOf(mb: number, now: (() => number) | undefined, more: string): (key: string) => TakenQuota {
  const writes = mb * WRITES_PER_MB;
  const limiter = (name: string, perDay: number, unit?: "content-bytes") =>
    createRateLimiter({
      ...{ name, perSecond: perDay / DAY_SECONDS, burst: perDay, ...(unit && { unit }), ...(now && { now }) },
      detail: (seconds) =>
        `Test mode has reached its daily limit: ${amount(mb)} MB of requests and responses, or ${amount(writes)} writes. Try again in ${seconds} s.${more}`,
    });
  const count = limiter("sandbox-writes", writes);
  const bytes = limiter("sandbox-bytes", mb * BYTES_PER_MB, "content-bytes");
  return (key) => {
    bytes.check(key);
    count.take(key);
    return { add: (size) => bytes.charge(key, size), check: () => bytes.check(key) };
  };
}

const amount = (number: number) => number.toLocaleString("en-US");

/** On globalThis: the pages are bundled with a copy of this module, and must count together with the API. */
const holder = globalThis as { [key: symbol]: SandboxQuota | undefined };
const KEY = Symbol.for("cardlane.sandbox-quota");

export function sandboxQuota(): SandboxQuota {
  holder[KEY] ??= createSandboxQuota(env.sandboxQuotaMbPerDay);
  return holder[KEY];
}

/** A merchant's keys count together, and each person apart: a key that got out must not stop who revokes it. */
export function takeSandboxWrite({ actor, environment, limitKey, verified }: Caller): TakenQuota | null {
  if (actor.type === "staff") return null;
  return sandboxQuota().take({
    key: actor.type === "user" ? limitKey : environment.id,
    mode: environment.mode,
    verified,
  });
}

/** How much a request brought, as announced or, when it came in chunks, as understood. */
export function bodySize({ headers }: Pick<ApiRequest, "headers">, body: unknown): number {
  const length = headers.get("content-length");
  if (length !== null) return Number(length);
  return body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body));
}
