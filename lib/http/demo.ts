import { randomUUID } from "node:crypto";
import { networkOf } from "@/lib/auth/attempt-limits";
import { holdsCardNumber } from "@/lib/contract/card-numbers";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { type ApiCall, withoutSecrets } from "@/lib/contract/demo-shop";
import type { Problem } from "@/lib/contract/errors";
import type { Payment } from "@/lib/contract/payments/payment";
import { env } from "@/lib/env";
import { createTokenBuckets, secondsToWait, type TokenBuckets } from "@/lib/token-buckets";
import { readBody } from "./parse";
import { addressOf } from "./request-parts";
import { requireSameOrigin } from "./session-caller";

/** The sample shop at /demo is the demo merchant's: what its server side needs to call the API as any merchant would. */
export type DemoShop = {
  /** The demo merchant's sandbox key. It stays on the server. */
  readonly key: string;
  /** Where the API answers, without a slash at the end. */
  readonly apiUrl: string;
};

/** On globalThis: the start-up provides it, and the pages are bundled by Next with a copy of every module. */
const holder = globalThis as { [key: symbol]: DemoShop | undefined };
const KEY = Symbol.for("cardlane.demo-shop");

/** Called once, by the start-up; null for a database that has merchants of its own. */
export function provideDemoShop(shop: DemoShop | null): void {
  holder[KEY] = shop ?? undefined;
}

export function findDemoShop(): DemoShop | null {
  return holder[KEY] ?? null;
}

/** Longer than the API itself ever takes. */
const TIMEOUT_MS = 30_000;

type DemoRequest = { method: "GET" | "POST"; path: string; idempotencyKey?: string; body?: unknown };

/** `problem`: the API's refusal, or null with a body; both null when no answer came. */
type DemoAnswer<T> = { status: number | null; body: T | null; problem: Problem | null; call: ApiCall };

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

type DemoOrder = {
  session: ClientSession | null;
  payment: Payment | null;
  calls: ApiCall[];
  /** Why there is no session. */
  problem: string;
};

/**
 * The truth about an order of the sample shop, from the API. `paymentId` is what the address says: it counts only for a
 * payment of this very session, and the payment that completed the session goes before it.
 */
export async function readDemoOrder(
  shop: DemoShop,
  { sessionId, paymentId }: { sessionId: string; paymentId: string | null },
): Promise<DemoOrder> {
  const nothing = { session: null, payment: null };
  if (!/^cs_\w+$/.test(sessionId)) {
    return { ...nothing, calls: [], problem: "The address names no order. Buy something first." };
  }
  const read = await callDemoApi<ClientSession>(shop, { method: "GET", path: `/v1/client-sessions/${sessionId}` });
  const session = read.body;
  if (session?.metadata.shop !== "demo") {
    const unknown = read.status === 404 || session !== null;
    const problem = unknown
      ? "The shop knows no such order."
      : "The shop could not ask the payment service. Reload the page in a moment: your payment is not lost.";
    return { ...nothing, calls: [read.call], problem };
  }
  const id = session.payment_id ?? paymentId;
  if (id === null || !/^pay_\w+$/.test(id)) return { session, payment: null, calls: [read.call], problem: "" };
  const { body: payment, call } = await callDemoApi<Payment>(shop, { method: "GET", path: `/v1/payments/${id}` });
  const isOwn = payment?.client_session_id === session.id;
  return { session, payment: isOwn ? payment : null, calls: [read.call, call], problem: "" };
}

export type ShopRequest = {
  shop: DemoShop;
  /** The origin that the shopper's browser shows. */
  origin: string;
  /** The body's members; the shop checks each. */
  values: Record<string, unknown>;
};

const MAX_BODY_BYTES = 4_096;

/** What a shopper needs, and what all of them together get: each order is rows in the database, made by strangers. */
const DEMANDS_PER_DECLINE = 4;
const ADDRESSES = 10;

type DemoLimits = { ofAddress: TokenBuckets; ofAll: TokenBuckets };

/** On globalThis: Next bundles a copy of this module into each route. */
const orderHolder = globalThis as { [key: symbol]: DemoLimits | undefined };
const ORDERS_KEY = Symbol.for("cardlane.demo-limits");

function demoLimits(): DemoLimits {
  const burst = env.checkoutLimitPerMinute * DEMANDS_PER_DECLINE;
  const bucketsOf = (tokens: number) => createTokenBuckets({ perSecond: tokens / 60, burst: tokens });
  orderHolder[ORDERS_KEY] ??= { ofAddress: bucketsOf(burst), ofAll: bucketsOf(burst * ADDRESSES) };
  return orderHolder[ORDERS_KEY];
}

/** Counts a call that the shop's server is to make for somebody. Answers 0, or in how many whole seconds it would. */
export function takeDemoCall(headers: { get(name: string): string | null }): number {
  const { ofAddress, ofAll } = demoLimits();
  const own = ofAddress.take(networkOf(addressOf(headers, { ip: null }))).waitMs;
  const waitMs = own > 0 ? own : ofAll.take("").waitMs;
  return secondsToWait({ waitMs });
}

/** A POST of the sample shop's own pages to its server, answered as JSON. */
export function demoShopRoute(run: (request: ShopRequest) => Promise<object>) {
  return async (request: Request): Promise<Response> => {
    const shop = findDemoShop();
    if (!shop) return refuse(404, "There is no demo merchant on this machine.");
    const origin = request.headers.get("origin");
    try {
      requireSameOrigin(request.headers, env.baseUrl);
    } catch {
      return refuse(403, "Only the shop's own pages may ask this.");
    }
    const waitSeconds = takeDemoCall(request.headers);
    if (waitSeconds > 0) {
      const busy = refuse(429, `The shop is busy. Nothing was ordered; try again in ${waitSeconds} s.`);
      busy.headers.set("Retry-After", String(waitSeconds));
      return busy;
    }
    const values = await readValues(request);
    // The order's number becomes a key and metadata, which the API takes for the shop's own; here a stranger chose it.
    if (origin === null || values === null || holdsCard(values))
      return refuse(400, "This is not what the shop's pages send.");
    return answer(200, await run({ shop, origin, values }));
  };
}

const holdsCard = (values: Record<string, unknown>): boolean =>
  Object.values(values).some((value) => typeof value === "string" && holdsCardNumber(value));

async function readValues(request: Request): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await readBody(request, MAX_BODY_BYTES));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const answer = (status: number, body: object) =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

const refuse = (status: number, problem: string) => answer(status, { problem, calls: [] });
