import { isPlaced, type PlacedOrder, readOrder, totalOf } from "@/components/demo/order";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { SessionAnswer } from "@/lib/contract/demo-shop";
import { callDemoApi, demoShopRoute, type ShopRequest } from "@/lib/http/demo";

/**
 * The shop's server, before the form is on the page: the price is worked out here, and one idempotency key per order makes a
 * reload or a double click the same session.
 */
export const POST = demoShopRoute(async ({ shop, origin, values }: ShopRequest): Promise<SessionAnswer> => {
  const order = readOrder(values);
  if (!isPlaced(order)) return { problem: "The order has no number. Start it again.", calls: [] };
  const {
    body: session,
    call,
    problem,
  } = await callDemoApi<ClientSession>(shop, {
    method: "POST",
    path: "/v1/client-sessions",
    idempotencyKey: `order-${order.id}`,
    body: sessionOf(order, origin),
  });
  if (!session?.client_session_token) {
    return { problem: problem?.detail ?? "The payment service did not answer. Try again.", calls: [call] };
  }
  return { token: session.client_session_token, client_session_id: session.id, calls: [call] };
});

const sessionOf = (order: PlacedOrder, origin: string) => ({
  amount: totalOf(order),
  currency: order.currency,
  capture_method: order.capture,
  allowed_origins: [origin],
  return_url: `${origin}/demo/result`,
  metadata: { shop: "demo", order: order.id, print: order.print, quantity: order.quantity },
});
