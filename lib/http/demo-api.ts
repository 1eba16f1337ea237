import { randomUUID } from "node:crypto";
import { type ApiCall, withoutSecrets } from "@/lib/contract/demo-shop";
import type { Problem } from "@/lib/contract/errors";
import type { DemoShop } from "./demo-shop";

/** Longer than the API itself ever takes. */
const TIMEOUT_MS = 30_000;

export type DemoRequest = { method: "GET" | "POST"; path: string; idempotencyKey?: string; body?: unknown };

/** `problem`: the API's refusal, or null with a body; both null when no answer came. */
export type DemoAnswer<T> = { status: number | null; body: T | null; problem: Problem | null; call: ApiCall };

/** A call to the API over HTTP, as the server of any shop makes it; `call` is what may be shown of it. */
export async function callDemoApi<T>(shop: DemoShop, request: DemoRequest): Promise<DemoAnswer<T>> {
  const { method, path, idempotencyKey, body } = request;
  const sentAt = new Date();
  const started = performance.now();
  const { status, requestId, answer } = await send(shop, request);
  const call: ApiCall = {
    id: requestId ?? randomUUID(),
    at: sentAt.toISOString(),
    method,
    path,
    idempotency_key: idempotencyKey ?? null,
    request_body: withoutSecrets(body ?? null),
    status,
    request_id: requestId,
    duration_ms: Math.round(performance.now() - started),
    response_body: withoutSecrets(answer),
  };
  const isFine = status !== null && status < 300;
  return {
    status,
    call,
    body: isFine ? (answer as T) : null,
    problem: isFine || status === null ? null : (answer as Problem),
  };
}

type Sent = { status: number | null; requestId: string | null; answer: unknown };

async function send(shop: DemoShop, { method, path, idempotencyKey, body }: DemoRequest): Promise<Sent> {
  try {
    const response = await fetch(`${shop.apiUrl}${path}`, {
      method,
      headers: {
        "X-Api-Key": shop.key,
        ...(idempotencyKey !== undefined && { "X-Idempotency-Key": idempotencyKey }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const requestId = response.headers.get("x-request-id");
    return { status: response.status, requestId, answer: (await response.json()) as unknown };
  } catch (error) {
    // No answer, or none that can be read. The same request with the same key can be sent again.
    return { status: null, requestId: null, answer: { error: error instanceof Error ? error.message : String(error) } };
  }
}
