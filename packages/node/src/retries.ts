import { setTimeout as wait } from "node:timers/promises";
import { AbortError, ConnectionError } from "./errors.ts";

/** Retry rules, and the advice once retries are used up. */

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;
/** A refusal with a longer Retry-After is thrown instead. */
const MAX_RETRY_AFTER_MS = 60_000;

type Refusal = { status: number; code: string | null };
type Failure = Refusal & { headers: Headers };

/**
 * True if a refused request may be sent again: always if it had no effect, and otherwise only if that is
 * safe, because the call only reads or has an idempotency key.
 */
export function mayRetry({ status, code, headers }: Failure, isSafe: boolean): boolean {
  const didNothing = status === 429 || isInProgress({ status, code });
  if (isTooLong(retryAfterMs(headers))) return false;
  return didNothing || (isSafe && status >= 500);
}

/** True for a Retry-After that is too long to wait for. */
export const isTooLong = (requestedMs: number | null): boolean => (requestedMs ?? 0) > MAX_RETRY_AFTER_MS;

const isInProgress = ({ status, code }: Refusal) => status === 409 && code === "idempotency_request_in_progress";

/**
 * True if a call's outcome is unknown after this refusal. A response about the object settles it, because it
 * is the outcome of every attempt under one key. A rate limit, a revoked key or a gateway's page settles
 * nothing.
 */
export function isUnknownAfter({ status, code }: Refusal, wasUnknown: boolean): boolean {
  if (status >= 500 || isInProgress({ status, code })) return true;
  const isOutcome =
    status === 402 || status === 422 || (status === 409 && code !== "outcome_pending" && code !== "clock_advancing");
  return wasUnknown && !(isOutcome && code !== null);
}

/** Advice for an unknown outcome. A new key would do the work a second time. */
export function unknownOutcome(idempotencyKey: string | null): string {
  const advice = idempotencyKey
    ? `Repeat the call with idempotencyKey ${JSON.stringify(idempotencyKey)}.`
    : "Check whether the change was made before you repeat the call.";
  return ` The outcome is unknown. ${advice}`;
}

/** `Retry-After` in milliseconds; the header is in seconds or a date. */
export function retryAfterMs(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Waits as long as the service requests, or else with exponential backoff and jitter. */
export async function pause(attempt: number, requestedMs: number | null, signal?: AbortSignal): Promise<void> {
  const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
  const ownMs = longestMs * (0.5 + Math.random() / 2);
  await wait(requestedMs ?? ownMs, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

type Limits = {
  /** Aborts after the time limit, unless it is restarted, or with the caller's signal. */
  readonly signal: AbortSignal;
  restart(): void;
  /** Call it when the work is done. */
  end(): void;
};

/** AbortSignal.any and timeout don't do: Node 20 may collect their sources, so that they never abort. */
export function limits(limitMs: number, caller: AbortSignal | undefined): Limits {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("Too slow", "TimeoutError")), limitMs);
  const giveUp = () => controller.abort(caller?.reason);
  if (caller?.aborted) giveUp();
  caller?.addEventListener("abort", giveUp, { once: true });
  return {
    signal: controller.signal,
    restart: () => void timer.refresh(),
    end() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", giveUp);
      controller.abort();
    },
  };
}

export function lost(error: Error, idempotencyKey: string | null, advice = ""): ConnectionError {
  const reason = error.name === "TimeoutError" ? "it took too long" : reasonOf(error);
  return new ConnectionError(`No answer came from the service: ${reason}.${advice}`, { idempotencyKey }, error);
}

export function aborted(reason: unknown, idempotencyKey: string | null, advice: string): AbortError {
  // The default reason of abort() says no more than that.
  const isGiven = reason instanceof Error && reason.name !== "AbortError";
  const why = isGiven ? `: ${reason.message.replace(/\.$/, "")}` : "";
  return new AbortError(`The call was aborted${why}.${advice}`, { idempotencyKey }, reason);
}

/** fetch only reports "fetch failed"; the cause has the reason. */
function reasonOf(error: Error): string {
  const cause = (error.cause instanceof Error ? error.cause : error) as Error & { code?: string };
  return cause.code ?? cause.message.replace(/\.$/, "");
}
