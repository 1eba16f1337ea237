import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "./random";

/** How unkind the network between shop and service is: shares from 0 to 1. */
export type Faults = { duplicates: number; drops: number };

export type Counts = {
  requests: number;
  duplicates: number;
  drops: number;
  /** Answers that carried `Idempotent-Replayed: true`. */
  replays: number;
  /** Sent again because the answer was 202, 409 in progress, 429, 5xx, or did not come. */
  retries: number;
};

export type Answer = { status: number; text: string; body: Record<string, unknown> };

export type Client = {
  readonly counts: Counts;
  /** A POST with an idempotency key, sent until its one answer is known. */
  post(path: string, key: string, body: object, random: Random): Promise<Answer>;
  get(path: string): Promise<Answer>;
};

/** The run cannot go on: wrong key, or the service stays away. */
export class ReplayStopped extends Error {
  override readonly name = "ReplayStopped";
}

const ANSWER_TIMEOUT_MS = 30_000;
/** How long one call is tried before the run gives up: longer than a restart of the service. */
const GIVE_UP_AFTER_MS = 120_000;
const MAX_PAUSE_MS = 2_000;

export type ClientOptions = { baseUrl: string; apiKey: string; faults: Faults; giveUpAfterMs?: number };

export function createClient(options: ClientOptions): Client {
  const counts: Counts = { requests: 0, duplicates: 0, drops: 0, replays: 0, retries: 0 };
  const send = (request: Sent, abortAfterMs?: number) => sendOnce(options, counts, request, abortAfterMs);
  const settle = (request: Sent) => sendUntilKnown(send, counts, request, options.giveUpAfterMs ?? GIVE_UP_AFTER_MS);
  return {
    counts,
    get: (path) => settle({ method: "GET", path }),
    async post(path, key, body, random) {
      const request: Sent = { method: "POST", path, key, body: JSON.stringify(body) };
      if (random() < options.faults.drops) {
        counts.drops += 1;
        await dropAnswer(send, request, random);
      }
      if (random() >= options.faults.duplicates) return await settle(request);
      counts.duplicates += 1;
      const [one, other] = await Promise.all([settle(request), settle(request)]);
      if (one.status !== other.status || one.text !== other.text) {
        throw new Error(`two requests with the key ${key} got two answers: ${describe(one)} and ${describe(other)}`);
      }
      return one;
    },
  };
}

export const describe = (answer: Answer): string => {
  const detail = answer.body.detail ?? answer.body.status ?? answer.text.slice(0, 200);
  return `${answer.status} ${String(answer.body.code ?? "")} ${String(detail)}`.replace(/\s+/g, " ").trim();
};

type Sent = { method: "GET" | "POST"; path: string; key?: string; body?: string };
type Received = Answer & { retryAfterMs: number | null };
type Send = (request: Sent, abortAfterMs?: number) => Promise<Received>;

async function sendOnce(
  options: ClientOptions,
  counts: Counts,
  request: Sent,
  abortAfterMs?: number,
): Promise<Received> {
  counts.requests += 1;
  const response = await fetch(`${options.baseUrl}${request.path}`, {
    method: request.method,
    headers: {
      "x-api-key": options.apiKey,
      ...(request.body !== undefined && { "content-type": "application/json" }),
      ...(request.key !== undefined && { "x-idempotency-key": request.key }),
    },
    body: request.body ?? null,
    signal: AbortSignal.timeout(abortAfterMs ?? ANSWER_TIMEOUT_MS),
  });
  const text = await response.text();
  if (response.headers.get("idempotent-replayed") === "true") counts.replays += 1;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    status: response.status,
    text,
    body: parseObject(text),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
  };
}

/** The shop sends a request and never sees the answer: the line breaks at once, while it runs, or just before the end. */
async function dropAnswer(send: Send, request: Sent, random: Random): Promise<void> {
  const breaksAfterMs = random() < 0.5 ? Math.ceil(random() * 30) : ANSWER_TIMEOUT_MS;
  await send(request, breaksAfterMs).catch(() => {});
}

async function sendUntilKnown(send: Send, counts: Counts, request: Sent, giveUpAfterMs: number): Promise<Answer> {
  const started = performance.now();
  for (let attempt = 1; ; attempt++) {
    const result: Received | Error = await send(request).catch((error: Error) => error);
    if (!(result instanceof Error)) {
      if (result.status === 401 || result.status === 403) throw new ReplayStopped(refusal(result));
      if (!mustRetry(result)) return result;
    }
    if (performance.now() - started > giveUpAfterMs) {
      const seconds = giveUpAfterMs / 1_000;
      if (result instanceof Error)
        throw new ReplayStopped(`The service has not answered for ${seconds} s: ${causeOf(result)}.`);
      throw new Error(`no final answer within ${seconds} s; the last was ${describe(result)}`);
    }
    counts.retries += 1;
    const asked = result instanceof Error ? null : result.retryAfterMs;
    await wait(asked ?? Math.min(100 * 2 ** Math.min(attempt, 6), MAX_PAUSE_MS));
  }
}

function mustRetry(answer: Answer): boolean {
  if (answer.status === 202 || answer.status === 429 || answer.status >= 500) return true;
  const { code } = answer.body;
  return answer.status === 409 && (code === "idempotency_request_in_progress" || code === "outcome_pending");
}

function refusal(answer: Answer): string {
  return answer.status === 401
    ? `The service does not know this API key (${describe(answer)}). Pass a sandbox key of this service with --key.`
    : `The API key may not do this: ${describe(answer)}`;
}

/** fetch says only "fetch failed"; the reason is one level down. */
function causeOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // A gateway's HTML page, or an answer cut short: the status still says whether to try again.
    return {};
  }
}
