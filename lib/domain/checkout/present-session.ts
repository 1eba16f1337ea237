import type { CardCheck, ClientSessionRow } from "@/db/schema/checkout";
import { attemptsLeft } from "@/lib/contract/checkout/attempts";
import type { ClientSession, ClientSessionStatus } from "@/lib/contract/checkout/client-session";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";

/** Fields shown only in the response that creates a session. */
type ShownOnce = Pick<ClientSession, "client_session_token" | "iframe_url">;

const NOT_SHOWN: ShownOnce = { client_session_token: null, iframe_url: null };

/**
 * Status at `now`: expiry follows from the time and is not stored. A session
 * with a payment in progress has not expired, as it may still be paid.
 */
export function clientSessionStatus(
  row: Pick<ClientSessionRow, "status" | "expires_at" | "open_payment_id">,
  now: Date,
): ClientSessionStatus {
  if (row.open_payment_id !== null) return row.status;
  return row.status === "OPEN" && Date.parse(row.expires_at) <= now.getTime() ? "EXPIRED" : row.status;
}

/** The session's check of a card in progress; null without one. Times are real, and the environment's. */
export function checkInProgress(
  { card_check: check }: Pick<ClientSessionRow, "card_check">,
  { real, environment }: { real: Date; environment: Date },
): CardCheck | null {
  if (check === null || check.state === "declined") return null;
  const now = check.state === "running" ? real : environment;
  return Date.parse(check.until) > now.getTime() ? check : null;
}

/** Converts a session to the format of the API and its events. */
export function presentClientSession(
  row: ClientSessionRow,
  { mode, now }: { mode: Mode; now: Date },
  once: ShownOnce = NOT_SHOWN,
): ClientSession {
  return {
    id: encodeId("clientSession", row.id),
    object: "client_session",
    client_session_token: once.client_session_token,
    status: clientSessionStatus(row, now),
    mode: row.mode,
    amount: row.amount,
    currency: row.currency,
    plan_id: encodeIdOrNull("plan", row.plan_id),
    payment_id: encodeIdOrNull("payment", row.payment_id),
    payment_method_id: encodeIdOrNull("paymentMethod", row.payment_method_id),
    subscription_id: row.status === "COMPLETED" ? encodeIdOrNull("subscription", row.subscription_id) : null,
    capture_method: row.capture_method,
    customer_id: row.customer_id,
    customer_email: row.customer_email,
    customer_name: row.customer_name,
    billing_address: row.billing_address,
    allowed_origins: row.allowed_origins,
    // The form of an invoice may lead back to the invoice's page, whose address is its customer's secret.
    return_url: row.invoice_id === null ? row.return_url : null,
    appearance: row.appearance,
    metadata: row.metadata,
    attempts_left: attemptsLeft(row.attempts),
    iframe_url: once.iframe_url,
    environment: API_ENVIRONMENTS[mode],
    expires_at: row.expires_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
