import { networkOf } from "@/lib/auth/attempt-limits";
import { holdsCardNumber } from "@/lib/contract/card-numbers";
import { env } from "@/lib/env";
import { createTokenBuckets, secondsToWait, type TokenBuckets } from "@/lib/token-buckets";
import { type DemoShop, findDemoShop } from "./demo-shop";
import { readBody } from "./parse";
import { addressOf } from "./request-parts";
import { requireSameOrigin } from "./same-origin";

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
const holder = globalThis as { [key: symbol]: DemoLimits | undefined };
const KEY = Symbol.for("cardlane.demo-limits");

function demoLimits(): DemoLimits {
  const burst = env.checkoutLimitPerMinute * DEMANDS_PER_DECLINE;
  const bucketsOf = (tokens: number) => createTokenBuckets({ perSecond: tokens / 60, burst: tokens });
  holder[KEY] ??= { ofAddress: bucketsOf(burst), ofAll: bucketsOf(burst * ADDRESSES) };
  return holder[KEY];
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
