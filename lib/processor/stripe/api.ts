import { setTimeout as wait } from "node:timers/promises";
import Stripe from "stripe";
import type { Inquiry } from "../port";

/**
 * The API version that this code was written for. A library for another version fails to compile until it is
 * reviewed.
 */
const API_VERSION: typeof Stripe.API_VERSION = "2026-10-28.endive";

/** API client for a secret key. `endpoint`: a host other than Stripe's. */
export function createClient(secretKey: string, timeoutMs: number, endpoint: string | undefined): Stripe {
  const url = endpoint === undefined ? null : new URL(endpoint);
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: clientReportingResets(),
    ...(url && {
      host: url.hostname,
      protocol: url.protocol === "http:" ? ("http" as const) : ("https" as const),
      port: url.port || (url.protocol === "http:" ? "80" : "443"),
    }),
  });
}

/** Error code for a connection reset after sending, because the library would silently retry ECONNRESET. */
const RESET = "CARDLANE_RESET";

/**
 * The library's client, except that writes are only retried by {@link post}, which then knows of the earlier
 * attempt.
 */
function clientReportingResets(): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (host, port, path, method, ...more) => {
    try {
      return await send(host, port, path, method, ...more);
    } catch (error) {
      const isReset = error instanceof Error && "code" in error && CLOSED.has(String(error.code));
      throw isReset && method !== "GET" ? Object.assign(new Error("reset", { cause: error }), { code: RESET }) : error;
    }
  };
  return client;
}
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

function isReset(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeConnectionError)) return false;
  const { detail } = error;
  return typeof detail === "object" && detail !== null && "code" in detail && detail.code === RESET;
}

/** Time limit of one call of ours, across all its requests. */
export class Budget {
  readonly #endsAtMs: number;
  constructor(timeoutMs: number) {
    this.#endsAtMs = performance.now() + timeoutMs;
  }

  /**
   * Options of a request with a key. The library retries after a connection reset, and a generated key would
   * make the retry a second request. Throws when no time is left, so that a delayed request isn't sent after
   * its deadline.
   */
  options(idempotencyKey?: string): Stripe.RequestOptions {
    const timeout = Math.floor(this.#endsAtMs - performance.now());
    if (timeout < 1) throw new TooLateError();
    return { timeout, maxNetworkRetries: 0, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  }

  has(ms: number): boolean {
    return this.#endsAtMs - performance.now() > ms;
  }
}

class TooLateError extends Error {}

/**
 * The result of a request that may have been executed could not be read. A refused read proves nothing about
 * the request.
 */
class UnsureError extends Error {}

/** Marks errors in `call` as following a request that may have been executed. */
export async function afterSending<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const failure = toRequestFailure(error);
    if (failure.kind !== "not_sent") throw error;
    throw new UnsureError(`an earlier request may have been executed, and ${failure.reason}`, { cause: error });
  }
}

/** The outcome of a request that returned no object. */
export type RequestFailure =
  /**
   * Refused after validation; nothing was executed. `note`: the codes, for support staff; `refusal`: for the
   * caller.
   */
  | { kind: "refused"; note: string; refusal: string }
  | { kind: "card"; note: string; code: string; declineCode: string | null }
  /** Failed before the idempotency layer, or was never sent; nothing was executed. */
  | { kind: "not_sent"; reason: string }
  /** May have been executed. `isOver`: the key is settled, and returns the same response from now on. */
  | { kind: "unknown"; reason: string; isOver: boolean };

/** Rethrows errors that are not about a request. */
export function toRequestFailure(error: unknown): RequestFailure {
  if (error instanceof TooLateError) return { kind: "not_sent", reason: "it was too late to send the request" };
  if (error instanceof UnsureError) return { kind: "unknown", reason: error.message, isOver: false };
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { statusCode: status, code = "", requestId } = error;
  const unknown = (reason: string, isOver = false): RequestFailure => ({ kind: "unknown", reason, isOver });
  const where = requestId ? ` (request ${requestId})` : "";
  switch (status) {
    case 401:
      return { kind: "not_sent", reason: `Stripe does not accept the secret key${where}` };
    case 403:
      return { kind: "not_sent", reason: `the key lacks a permission that Stripe asks for${where}` };
    case 429:
      return { kind: "not_sent", reason: `Stripe takes no more requests for the moment${where}` };
    case 402:
      return { kind: "card", note: noteOf(error), code, declineCode: error.decline_code ?? null };
    case 409:
      return unknown(`another request uses the idempotency key${where}`);
    case 400:
    case 404:
      // Our keys are derived from references, so a key with other parameters is a bug of ours and proves
      // nothing.
      if (error instanceof Stripe.errors.StripeIdempotencyError)
        return unknown(`Stripe knows the idempotency key with other parameters${where}`, true);
      return { kind: "refused", note: noteOf(error), refusal: `Stripe refused the request: ${error.message}` };
    default: {
      const isReplay = error.headers?.["idempotent-replayed"] === "true";
      return unknown(
        status === undefined ? "no readable answer came from Stripe" : `Stripe answered ${status}${where}`,
        isReplay,
      );
    }
  }
}

export const isMismatch = (error: unknown) => error instanceof Stripe.errors.StripeIdempotencyError;

function noteOf(error: InstanceType<typeof Stripe.errors.StripeError>): string {
  const { code, decline_code, message, network_decline_code, requestId } = error;
  const words = [
    code ?? error.rawType ?? "refused",
    decline_code,
    network_decline_code && `network ${network_decline_code}`,
  ];
  return `${words.filter(Boolean).join(", ")}: ${message}${requestId ? ` (request ${requestId})` : ""}`;
}

/** Result of a call that learned nothing. */
export function failedInquiry(failure: RequestFailure): Extract<Inquiry, { kind: "not_sent" | "unknown" }> {
  switch (failure.kind) {
    case "not_sent":
      return failure;
    case "unknown":
      return { kind: "unknown", reason: failure.reason };
    case "card":
    case "refused":
      return { kind: "unknown", reason: failure.note };
    default:
      return failure satisfies never;
  }
}

const FIRST_PAUSE_MS = 40;
const MAX_PAUSE_MS = 800;

/**
 * Sends with a key. Retries while another request with the key is in progress and time is left, and once
 * after a connection reset. After a reset, a refusal no longer proves that nothing was executed.
 */
export async function post<T>(
  budget: Budget,
  key: string,
  send: (options: Stripe.RequestOptions) => Promise<T>,
): Promise<T> {
  const sendOnce = () => send(budget.options(key));
  let [wasSent, wasReset] = [false, false];
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await (wasSent ? afterSending(sendOnce) : sendOnce());
    } catch (error) {
      const isInUse = error instanceof Stripe.errors.StripeError && error.statusCode === 409;
      const isFirstReset = isReset(error) && !wasReset;
      if (!(isInUse || isFirstReset) || !budget.has(pauseMs)) throw error;
      wasSent = true;
      wasReset ||= isFirstReset;
      await wait(pauseMs);
    }
  }
}

/**
 * For a change that the payment's own state allows only once, whatever the key. An error that Stripe stored
 * under the key is avoided with another key. Never use it for a refund, which has no such state.
 */
export async function postOnceByState<T>(
  budget: Budget,
  key: string,
  send: (options: Stripe.RequestOptions) => Promise<T>,
): Promise<T> {
  try {
    return await post(budget, key, send);
  } catch (error) {
    const isStored = error instanceof Stripe.errors.StripeError && (error.statusCode ?? 0) >= 500;
    const failure = isStored ? toRequestFailure(error) : null;
    if (failure?.kind !== "unknown" || !failure.isOver) throw error;
    return await afterSending(() => post(budget, `${key}:again`, send));
  }
}
