import type { Mode } from "@/lib/contract/transactions/words";
import { env } from "@/lib/env";
import type { Caller } from "./caller";
import { createLimiter } from "./rate-limit";
import type { ApiRequest } from "./request-parts";

/** Operators can contact the people behind a verified account. */
const VERIFIED_FACTOR = 50;

export type Writer = {
  /** Writers with the same key are counted together. */
  readonly key: string;
  readonly mode: Mode;
  /** True if a user of the merchant has a verified e-mail address. */
  readonly verified: boolean;
};

/** A write that was counted. */
export type CountedWrite = {
  /** Counts stored bytes, of the request and then of the response. */
  add(bytes: number): void;
  /** Throws `rate_limited` when the day's bytes have been used up since. */
  check(): void;
};

export type SandboxQuota = {
  /** Counts a write, or throws `rate_limited`; null when the writer has no quota. Needs no database. */
  take(writer: Writer): CountedWrite | null;
};

/**
 * Daily quota of test-mode writes, which are kept permanently. Live mode has no limit, and 0 MB turns the
 * limit off.
 */
export function createSandboxQuota(mbPerDay: number, now?: () => number): SandboxQuota {
  if (mbPerDay === 0) return { take: () => null };
  const hint = ` With a confirmed e-mail address, the limit is ${VERIFIED_FACTOR} times as high.`;
  const unverifiedQuota = quotaOf({ setting: mbPerDay, hint, ...(now && { now }) });
  const verifiedQuota = quotaOf({ setting: mbPerDay * VERIFIED_FACTOR, ...(now && { now }) });
  return {
    take: ({ key, mode, verified }) => (mode === "live" ? null : (verified ? verifiedQuota : unverifiedQuota)(key)),
  };
}

function quotaOf(options: Parameters<typeof createLimiter>[1]): (key: string) => CountedWrite {
  const [count, bytes] = [createLimiter("sandboxWrites", options), createLimiter("sandboxBytes", options)];
  return (key) => {
    bytes.check(key);
    count.take(key);
    return { add: (size) => bytes.charge(key, size), check: () => bytes.check(key) };
  };
}

/**
 * On globalThis: the pages are bundled with a copy of this module, and must share its counts with the API.
 */
const holder = globalThis as { [key: symbol]: SandboxQuota | undefined };
const KEY = Symbol.for("cardlane.sandbox-quota");

export function sandboxQuota(): SandboxQuota {
  holder[KEY] ??= createSandboxQuota(env.sandboxQuotaMbPerDay);
  return holder[KEY];
}

/**
 * A merchant's keys share a quota and each user has another, so that a leaked key cannot block the user who
 * revokes it.
 */
export function takeSandboxWrite({ actor, environment, limitKey, verified }: Caller): CountedWrite | null {
  if (actor.type === "staff") return null;
  return sandboxQuota().take({
    key: actor.type === "user" ? limitKey : environment.id,
    mode: environment.mode,
    verified,
  });
}

/** Size of a request's body: its Content-Length, or of its JSON when it came in chunks. */
export function bodySize({ headers }: Pick<ApiRequest, "headers">, body: unknown): number {
  const length = headers.get("content-length");
  if (length !== null) return Number(length);
  return body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body));
}
