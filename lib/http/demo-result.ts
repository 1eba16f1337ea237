import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { ApiCall } from "@/lib/contract/demo-shop";
import type { Payment } from "@/lib/contract/payments/payment";
import { callDemoApi } from "./demo-api";
import type { DemoShop } from "./demo-shop";

export type DemoOrder = {
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
