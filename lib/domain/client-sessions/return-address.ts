import { encodeId } from "@/lib/contract/ids";

/**
 * The merchant's return URL, telling which session and payment the shopper comes back from. They are for looking up: what
 * became of the payment is asked of the API, for anybody can type an address.
 */
export function withSessionIds(
  returnUrl: string,
  /** UUIDs. */
  { clientSessionId, paymentId }: { clientSessionId: string | null; paymentId: string | null },
): string {
  const url = new URL(returnUrl);
  if (clientSessionId) url.searchParams.set("client_session_id", encodeId("clientSession", clientSessionId));
  if (paymentId) url.searchParams.set("payment_id", encodeId("payment", paymentId));
  return url.href;
}
