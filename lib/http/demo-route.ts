import { env } from "@/lib/env";
import { type DemoShop, findDemoShop } from "./demo-shop";
import { requireSameOrigin } from "./same-origin";

export type ShopRequest = {
  shop: DemoShop;
  /** The origin that the shopper's browser shows. */
  origin: string;
  /** The body's members; the shop checks each. */
  values: Record<string, unknown>;
};

const MAX_BODY_BYTES = 4_096;

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
    const values = await readValues(request);
    if (origin === null || values === null) return refuse(400, "This is not what the shop's pages send.");
    return answer(200, await run({ shop, origin, values }));
  };
}

async function readValues(request: Request): Promise<Record<string, unknown> | null> {
  const text = await request.text();
  if (text.length > MAX_BODY_BYTES) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const answer = (status: number, body: object) =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

const refuse = (status: number, problem: string) => answer(status, { problem, calls: [] });
