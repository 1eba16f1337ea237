import { setTimeout as wait } from "node:timers/promises";
import {
  AbortError,
  AuthenticationError,
  Cardlane,
  CardlaneError,
  PermissionError,
  type RequestOptions,
  type Result,
} from "@/packages/node/src/index";

/** Fault rates of the network between shop and service, from 0 to 1. */
export type Faults = { duplicates: number; drops: number };

export type CallCounts = {
  requests: number;
  duplicates: number;
  drops: number;
  /** Responses with `Idempotent-Replayed: true`. */
  replays: number;
  /** Requests sent again after 202, 409 in progress, 429, 5xx, or no response. */
  retries: number;
};

/** A call of the client for Node with the given options. */
type Send<T> = (cardlane: Cardlane, options: RequestOptions) => Result<T>;

export type Client = {
  readonly counts: CallCounts;
  /**
   * A call with an idempotency key, retried until its outcome is known. Throws the client's errors, and
   * ReplayStopped.
   */
  send<T>(key: string, random: () => number, send: Send<T>): Promise<T>;
  read<T>(send: Send<T>): Promise<T>;
};

/** The run cannot continue: the key is invalid, or the service stays unreachable. */
export class ReplayStopped extends Error {
  override readonly name = "ReplayStopped";
}

const RESPONSE_TIMEOUT_MS = 30_000;
/** Retry limit of one call: longer than a restart of the service. */
const GIVE_UP_AFTER_MS = 120_000;
const PAUSE_MS = 500;

export type ClientOptions = { baseUrl: string; apiKey: string; faults: Faults; giveUpAfterMs?: number };

/** A shop's server behind a faulty network: the client for Node, with duplicated calls and lost responses. */
export function createClient(options: ClientOptions): Client {
  const counts: CallCounts = { requests: 0, duplicates: 0, drops: 0, replays: 0, retries: 0 };
  return {
    counts,
    read: (send) => untilKnown(options, counts, send),
    async send(key, random, send) {
      const withKey: typeof send = (cardlane, more) => send(cardlane, { ...more, idempotencyKey: key });
      if (random() < options.faults.drops) {
        counts.drops += 1;
        await loseResponse(options, counts, withKey, random);
      }
      if (random() >= options.faults.duplicates) return await untilKnown(options, counts, withKey);
      counts.duplicates += 1;
      const twice = [untilKnown(options, counts, withKey), untilKnown(options, counts, withKey)] as const;
      const [one, other] = (await Promise.allSettled(twice)).map(textOf);
      if (one !== other) throw new Error(`two requests with the key ${key} got two answers: ${one} and ${other}`);
      return await twice[0];
    },
  };
}

/**
 * Result of one of two equal calls. An invalid request is compared without its request id, because its
 * response isn't stored.
 */
function textOf(settled: PromiseSettledResult<unknown>): string {
  if (settled.status === "fulfilled") return JSON.stringify(settled.value);
  const { reason } = settled as { reason: unknown };
  if (!(reason instanceof CardlaneError)) throw reason;
  return reason.status === 400 ? `400 ${reason.detail}` : `${reason.status} ${JSON.stringify(reason.raw)}`;
}

/** Result of a call's latest request: a status, an error, or null before there is one. */
type Attempts = { count: number; last: number | Error | null };

function cardlaneFor({ baseUrl, apiKey }: ClientOptions, counts: CallCounts, attempts: Attempts, maxRetries: number) {
  return new Cardlane({
    baseUrl,
    apiKey,
    maxRetries,
    timeoutMs: RESPONSE_TIMEOUT_MS,
    async fetch(input, init) {
      counts.requests += 1;
      if (++attempts.count > 1) counts.retries += 1;
      try {
        const response = await fetch(input, init);
        attempts.last = response.status;
        if (response.headers.get("idempotent-replayed") === "true") counts.replays += 1;
        return response;
      } catch (error) {
        if (!init?.signal?.aborted) attempts.last = error as Error;
        throw error;
      }
    },
  });
}

/**
 * Sends a request whose response is lost: the connection breaks immediately, during the request, or just
 * before the end.
 */
async function loseResponse<T>(
  options: ClientOptions,
  counts: CallCounts,
  send: Send<T>,
  random: () => number,
): Promise<void> {
  const breaksAfterMs = random() < 0.5 ? Math.ceil(random() * 30) : RESPONSE_TIMEOUT_MS;
  const cardlane = cardlaneFor(options, counts, { count: 0, last: null }, 0);
  await send(cardlane, { signal: AbortSignal.timeout(breaksAfterMs) }).catch(() => {});
}

/**
 * Retries beyond the client's own: a 202, and a 409 while an earlier operation is in progress, aren't final.
 */
async function untilKnown<T>(options: ClientOptions, counts: CallCounts, send: Send<T>): Promise<T> {
  const { giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const attempts: Attempts = { count: 0, last: null };
  const cardlane = cardlaneFor(options, counts, attempts, Number.POSITIVE_INFINITY);
  const signal = AbortSignal.timeout(giveUpAfterMs);
  for (;;) {
    try {
      const { data, response } = await send(cardlane, { signal }).withResponse();
      if (response.status !== 202) return data;
      await wait(PAUSE_MS, undefined, { signal });
    } catch (error) {
      if (signal.aborted || error instanceof AbortError) throw givenUp(attempts, giveUpAfterMs);
      if (error instanceof AuthenticationError || error instanceof PermissionError) throw refusal(error);
      if (!(error instanceof CardlaneError && error.code === "outcome_pending")) throw error;
      await wait(PAUSE_MS);
    }
  }
}

function givenUp({ last }: Attempts, afterMs: number): Error {
  const seconds = afterMs / 1_000;
  return typeof last === "number"
    ? new Error(`no final response within ${seconds} s; the last was ${last}`)
    : new ReplayStopped(`The service has not answered for ${seconds} s${last ? `: ${causeOf(last)}` : ""}.`);
}

const refusal = (error: CardlaneError) =>
  new ReplayStopped(
    error instanceof AuthenticationError
      ? `The service rejects this API key (${error.message}). Pass a test key of this service with --key.`
      : `The API key doesn't allow this: ${error.message}`,
  );

/** fetch only reports "fetch failed"; the cause has the reason. */
export function causeOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
