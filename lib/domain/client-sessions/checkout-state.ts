import type { CheckoutRow } from "@/db/queries/checkout";
import type { CheckoutFailure, CheckoutState, CheckoutStatus } from "@/lib/contract/checkout/checkout";
import { CLIENT_SESSION_ATTEMPTS } from "@/lib/contract/checkout/client-session";
import type { DeclineCode } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Service } from "../context";
import { clientSessionStatus } from "./present-client-session";
import { withSessionIds } from "./return-address";

/** Where a session stands, as its shopper may know it. */
export function checkoutState(service: Service, row: CheckoutRow): CheckoutState {
  const status = statusOf(service, row);
  const current = row.payment_id ?? row.open_payment_id;
  const session = { clientSessionId: row.id, paymentId: current };
  const { last_next_action: action } = row;
  return {
    status,
    client_session_id: encodeId("clientSession", row.id),
    attempts_left: Math.max(0, CLIENT_SESSION_ATTEMPTS - row.attempts),
    expires_at: row.expires_at,
    payment:
      current === null ? null : { id: encodeId("payment", current), status: row.last_payment_status ?? "PENDING" },
    action:
      status === "REQUIRES_ACTION" && action
        ? { url: onThisHost(service, action.redirect_to_url.url), expires_at: action.expires_at }
        : null,
    failure: current === null ? failureOf(row) : null,
    return_url: row.return_url && withSessionIds(row.return_url, session),
  };
}

function statusOf(service: Service, row: CheckoutRow): CheckoutStatus {
  if (row.open_payment_id !== null)
    return row.last_payment_status === "REQUIRES_ACTION" ? "REQUIRES_ACTION" : "PROCESSING";
  const status = clientSessionStatus(row, service.clock.now());
  // A card that was tokenized with the last attempt may still pay it, but the form takes no more.
  return status === "OPEN" && row.attempts >= CLIENT_SESSION_ATTEMPTS ? "EXPIRED" : status;
}

/** Codes that a shopper may know; any other is a decline like any other. */
const TOLD: Partial<Record<DeclineCode, CheckoutFailure>> = {
  insufficient_funds: "insufficient_funds",
  expired_card: "expired_card",
  incorrect_cvv: "incorrect_cvv",
  incorrect_number: "incorrect_number",
  authentication_failed: "authentication_failed",
  processing_error: "processing_error",
};

function failureOf({ last_payment_status: status, last_decline_code: code }: CheckoutRow): CheckoutFailure | null {
  if (status === "FAILED") return "processing_error";
  if (status !== "DECLINED") return null;
  return (code && TOLD[code]) ?? "card_declined";
}

/** Our own pages by their path: the form may be open under another name of this host, and frames its own origin alone. */
function onThisHost(service: Service, url: string): string {
  return url.startsWith(`${service.baseUrl}/`) ? url.slice(service.baseUrl.length) : url;
}
