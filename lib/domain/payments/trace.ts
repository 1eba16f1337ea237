import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { REFUND_REASONS, type RefundReason } from "@/lib/contract/transactions/words";
import { newId } from "@/lib/ids";
import type { Trace } from "@/lib/processor/records";
import type { KeyedRequest } from "../context";
import type { OpenOperation, TracedRequest } from "./operation";

/*
 * Facts that a processor with a list of its own stores with each operation. A database that was restored to an
 * earlier time lacks the latest operations: `adopt.ts` in `processors` writes them again from this, with the ids
 * that the merchant knows and under the same idempotency key, so that a retry of the request moves nothing.
 */

/** Processors take at least this many characters. A longer value is left out. */
const MAX_LENGTH = 400;

/** Processors trim values, and a key may begin with a space. */
const quoted = (text: string) => `:${text}:`;
const unquoted = (text: string | undefined): string | null =>
  text !== undefined && text.length > 2 && text.startsWith(":") && text.endsWith(":") ? text.slice(1, -1) : null;

/** The references of a payment to other rows; null for none. */
const TERMS = ["method", "invoice", "subscription", "plan", "session"] as const;
type Terms = Record<(typeof TERMS)[number], string | null>;

/** An operation's trace. It depends on nothing that changes while the operation is open. */
export function traceOf(operation: OpenOperation, { payment, transactions }: PaymentSnapshot): Trace {
  const { kind, request, detail, transactionId } = operation;
  const parts: Record<string, string | null> = { ...requestParts(request) };
  if (kind === "authorize") {
    const charge = transactions.find(({ id }) => id === payment.charge_id);
    const terms: Terms = {
      method: payment.initiator === null ? null : payment.payment_method_id,
      invoice: payment.invoice_id,
      subscription: charge?.subscription_id ?? null,
      plan: charge?.plan_id ?? null,
      session: charge?.client_session_id ?? null,
    };
    parts.payment = `${payment.id} ${payment.charge_id}`;
    parts.terms = TERMS.map((name) => terms[name] ?? "-").join(" ");
    parts.initiator = payment.initiator ?? (payment.saves_card ? "saves" : null);
    parts.customer_id = payment.customer_id === null ? null : quoted(payment.customer_id);
  }
  if (kind === "refund") {
    parts.transaction = transactionId;
    parts.refund_reason = transactions.find(({ id }) => id === transactionId)?.refund_reason ?? null;
  }
  if (kind === "void") parts.detail = detail === null ? null : quoted(detail);
  const kept = Object.entries(parts).filter((part): part is [string, string] => fits(part[1]));
  return Object.fromEntries(kept);
}

const fits = (value: string | null) => value !== null && value.length <= MAX_LENGTH;

function requestParts(request: TracedRequest | null): Record<string, string> {
  if (!request?.digest) return {};
  const { key, endpoint, path, requestId, digest } = request;
  return { key: quoted(key), request: `${requestId} ${endpoint} ${path}`, digest: digest.toString("base64") };
}

/** A trace as read back. Whoever may sign in at the processor can change it, so each part is checked. */
export type Traced = {
  /** The request and its key; null if there was none, or it is not complete. */
  readonly request: (KeyedRequest & { readonly digest: Buffer }) | null;
  readonly paymentId: string;
  readonly chargeId: string;
  /** The refund. */
  readonly transactionId: string;
  readonly refundReason: RefundReason | null;
  readonly detail: string | null;
  readonly customerId: string | null;
  readonly initiator: "customer" | "merchant" | null;
  readonly savesCard: boolean;
  readonly terms: Terms;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isUuid = (text: string | null | undefined): text is string => text != null && UUID.test(text);

/** Reads a trace; ids that are missing, as in one from before traces, are new. */
export function readTrace(trace: Trace): Traced {
  const [paymentId, chargeId] = (trace.payment ?? "").split(" ");
  const references = (trace.terms ?? "").split(" ");
  const { initiator } = trace;
  return {
    request: readRequest(trace),
    paymentId: isUuid(paymentId) ? paymentId : newId(),
    chargeId: isUuid(chargeId) ? chargeId : newId(),
    transactionId: isUuid(trace.transaction) ? trace.transaction : newId(),
    refundReason: REFUND_REASONS.find((one) => one === trace.refund_reason) ?? null,
    detail: unquoted(trace.detail),
    customerId: unquoted(trace.customer_id),
    initiator: initiator === "customer" || initiator === "merchant" ? initiator : null,
    savesCard: initiator === "saves",
    terms: Object.fromEntries(
      TERMS.map((name, index) => [name, isUuid(references[index]) ? references[index] : null]),
    ) as Terms,
  };
}

function readRequest(trace: Trace): Traced["request"] {
  const key = unquoted(trace.key);
  const [requestId, endpoint, ...path] = (trace.request ?? "").split(" ");
  if (key === null || !isUuid(requestId) || !endpoint || path.length === 0 || !trace.digest) return null;
  return { key, endpoint, path: path.join(" "), requestId, digest: Buffer.from(trace.digest, "base64") };
}
