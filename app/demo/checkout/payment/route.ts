import { createHash } from "node:crypto";
import { isPlaced, PRINTS, readOrder, totalOf } from "@/components/demo/order";
import type { PaymentResponse } from "@/lib/contract/demo-shop";
import { callAsShop, demoShopRoute, type ShopRequest, sentenceOf } from "@/lib/http/demo";

/**
 * The shop's server creates the payment itself from the form's card token (mode `tokenize`). The idempotency
 * key combines order and token: the same card sent twice is one payment, another card after a decline is a
 * new attempt.
 */
export const POST = demoShopRoute(async ({ shop, origin, values }: ShopRequest): Promise<PaymentResponse> => {
  const order = readOrder(values);
  const { payment_token: token, client_session_id: session } = values;
  if (!isPlaced(order) || typeof token !== "string" || typeof session !== "string") {
    return { problem: "The order has no number or card. Start again.", calls: [] };
  }
  const { title } = PRINTS[order.print];
  const idempotencyKey = `order-${order.id}-${createHash("sha256").update(token).digest("hex").slice(0, 16)}`;
  const {
    body: payment,
    refusal,
    calls,
  } = await callAsShop(shop, (cardlane) =>
    cardlane.payments.create(
      {
        amount: totalOf(order),
        currency: order.currency,
        payment_token: token,
        capture_method: order.capture,
        description: `${order.quantity} × ${title}`,
        return_url: `${origin}/demo/result`,
        metadata: { shop: "demo", order: order.id },
      },
      { idempotencyKey },
    ),
  );
  if (refusal) return { problem: sentenceOf(refusal), calls };
  const result = `${origin}/demo/result?${new URLSearchParams({ client_session_id: session, payment_id: payment.id })}`;
  return { next: payment.next_action?.redirect_to_url.url ?? result, calls };
});
