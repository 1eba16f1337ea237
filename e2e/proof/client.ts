import { setTimeout as wait } from "node:timers/promises";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Transaction } from "@/lib/contract/transactions/transaction";

export type MoneyRequest = { key: string; path: string; body: object };

export type Answer = { status: number; text: string; replayed: boolean; code: string | null };

/** Slower requests are retried: a host may have ended without closing its connections. */
export const REQUEST_TIMEOUT_MS = 15_000;

/** Sends requests to any host over real connections, and returns responses uninterpreted. */
export class Client {
  /** Pause before a request without a final response is retried. */
  protected pauseMs = 40;
  /** Timeout of one request. */
  protected timeoutMs = REQUEST_TIMEOUT_MS;
  /** Requests sent, with or without a response. */
  requests = 0;

  constructor(
    readonly apiKey: string,
    readonly baseUrl: () => string,
  ) {}

  /** Sends one request to one host. */
  async send(path: string, init: RequestInit): Promise<Answer> {
    this.requests++;
    const response = await fetch(this.baseUrl() + path, { ...init, signal: AbortSignal.timeout(this.timeoutMs) });
    const text = await response.text();
    const replayed = response.headers.get("idempotent-replayed") === "true";
    const code = response.status >= 400 ? ((JSON.parse(text) as { code: string }).code ?? null) : null;
    return { status: response.status, text, replayed, code };
  }

  post({ key, path, body }: MoneyRequest, apiKey = this.apiKey): Promise<Answer> {
    const headers = { "X-Api-Key": apiKey, "X-Idempotency-Key": key, "Content-Type": "application/json" };
    return this.send(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Retries with the same key until the response is final, which is what a merchant's server does. */
  async until(request: MoneyRequest, giveUpMs = 60_000): Promise<Answer> {
    const deadline = Date.now() + giveUpMs;
    const heard = new Map<string, number>();
    while (Date.now() < deadline) {
      let what: string;
      try {
        const answer = await this.post(request);
        if (isFinal(answer)) return answer;
        what = `${answer.status} ${answer.code ?? ""}`;
      } catch (error) {
        // The host is gone; the next try finds out if it did anything.
        what = String((error as Error).cause ?? error);
      }
      heard.set(what, (heard.get(what) ?? 0) + 1);
      await wait(this.pauseMs);
    }
    const all = [...heard].map(([what, times]) => `${times} × ${what}`).join("; ");
    throw new Error(`no final response for ${request.key} (${request.path}) within ${giveUpMs} ms, but ${all}`);
  }

  async get<T = Payment>(path: string): Promise<T> {
    this.requests++;
    const response = await fetch(this.baseUrl() + path, {
      headers: { "X-Api-Key": this.apiKey },
      signal: AbortSignal.timeout(this.timeoutMs),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  payment(id: string): Promise<Payment> {
    return this.get(`/v1/payments/${id}`);
  }

  transaction(id: string): Promise<Transaction> {
    return this.get(`/v1/transactions/${id}`);
  }
}

/** Responses of a busy service before it reads the request: too slow, or too many requests. */
const TRY_AGAIN = [408, 429];

/** True if the response is stored under the key and will not change. Any other status means to retry. */
export function isFinal({ status, code }: Answer): boolean {
  if (status === 202 || status >= 500 || TRY_AGAIN.includes(status)) return false;
  return code !== "idempotency_request_in_progress" && code !== "outcome_pending";
}

export const paymentOf = ({ text }: Answer): Payment => JSON.parse(text) as Payment;
export const chargeOf = (payment: Payment): string => (payment.transactions[0] as Transaction).id;

export const CARDS = {
  good: "4242424242424242",
  declined: "4000000000000002",
  captureFails: "4000000000000341",
  refundFailsLater: "4000000000005126",
  fraud: "4000000000004954",
  lostAnswer: "4000000000001976",
  refusedOnce: "4000000000001984",
  garbage: "4000000000001968",
  slow: "4000000000001992",
  challenge: "4000000000003220",
  disputed: "4000000000000259",
  notReceived: "4000000000002685",
} as const;
export type CardName = keyof typeof CARDS;

export function paymentBody(
  input: { amount?: number; card?: CardName; manual?: boolean; currency?: string; metadata?: object } = {},
) {
  return {
    amount: input.amount ?? 10_000,
    currency: input.currency ?? "USD",
    card: { number: CARDS[input.card ?? "good"], exp_month: 12, exp_year: 2040, cvv: "123" },
    ...(input.manual && { capture_method: "manual" }),
    ...(input.metadata && { metadata: input.metadata }),
  };
}

/** Runs `work` on every item, at most `width` at a time. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}
