import { randomBytes, randomUUID } from "node:crypto";
import { maskCardNumbers } from "@/lib/contract/card-numbers";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { type ApiCall, withoutSecrets } from "@/lib/contract/demo-shop";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { env } from "@/lib/env";
import { networkOf } from "@/lib/network";
import { createBuckets, LIMITS } from "@/lib/rate-limits";
import { secondsToWait, type TokenBuckets } from "@/lib/token-buckets";
import { Cardlane, CardlaneError } from "@/packages/node/src/index";
import { readBody } from "./parse";
import { addressOf } from "./request-parts";
import { requireSameOrigin } from "./session-caller";

/** The sample shop at /demo belongs to the demo merchant. Its server calls the API as any merchant's does. */
export type DemoShop = {
  /** The demo merchant's test key. It stays on the server. */
  readonly key: string;
  /** Base address of the API, without a trailing slash. */
  readonly apiUrl: string;
};

/** On globalThis: the start-up provides it, and the pages are bundled by Next with a copy of every module. */
const holder = globalThis as { [key: symbol]: DemoShop | undefined };
const KEY = Symbol.for("cardlane.demo-shop");

/** Called once at start-up; null for a database with merchants of its own. */
export function provideDemoShop(shop: DemoShop | null): void {
  holder[KEY] = shop ?? undefined;
}

export function findDemoShop(): DemoShop | null {
  return holder[KEY] ?? null;
}

const ORDER_LETTERS = "abcdefghijklmnop";

/**
 * A number for a new order, of letters only: one in two hundred with digits reads like a card number, which
 * calls may not hold.
 */
export const newOrderId = (): string =>
  Array.from(randomBytes(20), (byte) => ORDER_LETTERS.charAt(byte % ORDER_LETTERS.length)).join("");

/** Longer than the API's own time limit. */
const TIMEOUT_MS = 30_000;
/** Few, because a shopper is waiting. */
const MAX_RETRIES = 2;

/** `refusal`: why there is no body. */
type ShopResponse<T> =
  | { body: T; refusal: null; calls: ApiCall[] }
  | { body: null; refusal: CardlaneError; calls: ApiCall[] };

/**
 * Calls the API through the client for Node, as a shop's server does. `calls`: each attempt, without secrets.
 */
export async function callAsShop<T>(
  shop: DemoShop,
  work: (cardlane: Cardlane) => Promise<T>,
): Promise<ShopResponse<T>> {
  const calls: ApiCall[] = [];
  const cardlane = new Cardlane({
    apiKey: shop.key,
    baseUrl: shop.apiUrl,
    timeoutMs: TIMEOUT_MS,
    maxRetries: MAX_RETRIES,
    fetch: recordingFetch(shop, calls),
  });
  try {
    return { body: await work(cardlane), refusal: null, calls };
  } catch (error) {
    if (!(error instanceof CardlaneError)) throw error;
    return { body: null, refusal: error, calls };
  }
}

/** The API's sentence for shoppers, or ours if it sent none. */
export const sentenceOf = (refusal: CardlaneError): string =>
  refusal.code === null ? "The payment service did not respond. Try again." : refusal.detail;

/** Logs requests and responses, without secrets. */
function recordingFetch({ apiUrl }: DemoShop, calls: ApiCall[]): typeof fetch {
  return async (input, init = {}) => {
    const sentAt = new Date();
    const started = performance.now();
    const headers = new Headers(init.headers);
    const record = (requestId: string | null, status: number | null, jsonResponse: unknown) =>
      calls.push({
        id: requestId ?? randomUUID(),
        at: sentAt.toISOString(),
        method: init.method === "GET" ? "GET" : "POST",
        path: String(input).slice(apiUrl.length),
        idempotency_key: headers.get("x-idempotency-key"),
        request_body: withoutSecrets(typeof init.body === "string" ? JSON.parse(init.body) : null),
        status,
        request_id: requestId,
        duration_ms: Math.round(performance.now() - started),
        response_body: withoutSecrets(jsonResponse),
      });
    try {
      const response = await fetch(input, { ...init, cache: "no-store" });
      const text = await response.text();
      record(response.headers.get("x-request-id"), response.status, readable(text));
      return new Response(text, response);
    } catch (error) {
      record(null, null, { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  };
}

/** JSON, or a gateway's page as text. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { text };
  }
}

type DemoOrder = {
  session: ClientSession | null;
  payment: Payment | null;
  /** The subscription that the session began. */
  subscription: Subscription | null;
  calls: ApiCall[];
  /** Why there is no session. */
  problem: string;
};

/**
 * An order of the sample shop, as the API has it. `paymentId` comes from the address: it counts only for a
 * payment of this session, and the payment that completed the session takes precedence.
 */
export async function readDemoOrder(
  shop: DemoShop,
  { sessionId, paymentId }: { sessionId: string; paymentId: string | null },
): Promise<DemoOrder> {
  const nothing = { session: null, payment: null, subscription: null };
  if (!/^cs_\w+$/.test(sessionId)) {
    return { ...nothing, calls: [], problem: "This address has no order. Buy something first." };
  }
  const {
    body: session,
    refusal,
    calls,
  } = await callAsShop(shop, (cardlane) => cardlane.clientSessions.get(sessionId));
  if (session?.metadata.shop !== "demo") {
    const unknown = refusal === null || refusal.status === 404;
    const problem = unknown
      ? "The shop has no such order."
      : "The shop couldn't reach the payment service. Reload the page in a moment: your payment isn't lost.";
    return { ...nothing, calls, problem };
  }
  const { subscription_id } = session;
  const begun = subscription_id && (await callAsShop(shop, (cardlane) => cardlane.subscriptions.get(subscription_id)));
  const order = { session, subscription: begun ? begun.body : null, problem: "" };
  const known = [...calls, ...(begun ? begun.calls : [])];
  const id = session.payment_id ?? paymentId;
  if (id === null || !/^pay_\w+$/.test(id)) return { ...order, payment: null, calls: known };
  const read = await callAsShop(shop, (cardlane) => cardlane.payments.get(id));
  const isOwn = read.body?.client_session_id === session.id;
  return { ...order, payment: isOwn ? read.body : null, calls: [...known, ...read.calls] };
}

export type ShopRequest = {
  shop: DemoShop;
  /** The origin that the shopper's browser shows. */
  origin: string;
  /** The body's members; the shop checks each. */
  values: Record<string, unknown>;
};

const MAX_BODY_BYTES = 4_096;

type DemoLimits = { ofNetwork: TokenBuckets; ofAll: TokenBuckets };

/** On globalThis: Next bundles a copy of this module into each route. */
const orderHolder = globalThis as { [key: symbol]: DemoLimits | undefined };
const ORDERS_KEY = Symbol.for("cardlane.demo-limits");

function demoLimits(): DemoLimits {
  orderHolder[ORDERS_KEY] ??= { ofNetwork: createBuckets("demoCallsOfNetwork"), ofAll: createBuckets("demoCalls") };
  return orderHolder[ORDERS_KEY];
}

/** Counts a call that the shop's server makes for a visitor. Returns 0, or the whole seconds until it may. */
export function takeDemoCall(headers: { get(name: string): string | null }): number {
  const { ofNetwork, ofAll } = demoLimits();
  const own = ofNetwork.take(networkOf(addressOf(headers, { ip: null }))).waitMs;
  const waitMs = own > 0 ? own : ofAll.take("").waitMs;
  return secondsToWait({ waitMs });
}

/** A POST of the sample shop's own pages to its server, with a JSON response. */
export function demoShopRoute(run: (request: ShopRequest) => Promise<object>) {
  return async (request: Request): Promise<Response> => {
    const shop = findDemoShop();
    if (!shop) return refuse(404, "There is no demo merchant on this machine.");
    const origin = request.headers.get("origin");
    try {
      requireSameOrigin(request.headers, env.baseUrl);
    } catch {
      return refuse(403, "Only the shop's own pages may call this.");
    }
    const waitSeconds = takeDemoCall(request.headers);
    if (waitSeconds > 0) {
      const busy = refuse(429, LIMITS.demoCalls.refusal(waitSeconds));
      busy.headers.set("Retry-After", String(waitSeconds));
      return busy;
    }
    const values = await readValues(request);
    // The order's number becomes an idempotency key and metadata. The shop would choose it; here the caller
    // did.
    if (origin === null || values === null || holdsCard(values))
      return refuse(400, "This is not what the shop's pages send.");
    return jsonResponse(200, await run({ shop, origin, values }));
  };
}

const holdsCard = (values: Record<string, unknown>): boolean =>
  Object.values(values).some((value) => typeof value === "string" && maskCardNumbers(value) !== value);

async function readValues(request: Request): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await readBody(request, MAX_BODY_BYTES));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const jsonResponse = (status: number, body: object) =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

const refuse = (status: number, problem: string) => jsonResponse(status, { problem, calls: [] });
