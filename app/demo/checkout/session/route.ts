import { isPlaced, MONTHLY, type PlacedOrder, readOrder, totalOf } from "@/components/demo/order";
import type { SessionResponse } from "@/lib/contract/demo-shop";
import { callAsShop, demoShopRoute, type ShopRequest, sentenceOf } from "@/lib/http/demo";
import type { Cardlane } from "@/packages/node/src/index";

/**
 * The shop's server creates the session: it sets the price, and one idempotency key per order makes a reload
 * or a double click return the same session.
 */
export const POST = demoShopRoute(async ({ shop, origin, values }: ShopRequest): Promise<SessionResponse> => {
  const order = readOrder(values);
  if (!isPlaced(order)) return { problem: "The order has no number. Start again.", calls: [] };
  const idempotencyKey = `order-${order.id}`;
  const {
    body: session,
    refusal,
    calls,
  } = await callAsShop(shop, async (cardlane) =>
    cardlane.clientSessions.create(
      order.product === "monthly" ? await monthlyOf(cardlane, order, origin) : sessionOf(order, origin),
      { idempotencyKey },
    ),
  );
  if (!session?.client_session_token) {
    return { problem: refusal ? sentenceOf(refusal) : "This order has been paid. Start a new one.", calls };
  }
  return { token: session.client_session_token, client_session_id: session.id, calls };
});

/** A session of the plan: its trial and price come from the plan, and paying it makes the subscription. */
async function monthlyOf(cardlane: Cardlane, order: PlacedOrder, origin: string) {
  for await (const plan of cardlane.subscriptionPlans.list({ status: "ACTIVE" })) {
    if (plan.name !== MONTHLY.plan) continue;
    return {
      plan_id: plan.id,
      allowed_origins: [origin],
      return_url: `${origin}/demo/result`,
      metadata: { shop: "demo", order: order.id, product: order.product, print: order.print },
    };
  }
  throw new Error(`the demo merchant has no active plan "${MONTHLY.plan}"`);
}

const sessionOf = (order: PlacedOrder, origin: string) => ({
  amount: totalOf(order),
  currency: order.currency,
  capture_method: order.capture,
  allowed_origins: [origin],
  return_url: `${origin}/demo/result`,
  metadata: { shop: "demo", order: order.id, print: order.print, quantity: order.quantity },
});
