import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { formatMinor } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Result } from "../context";
import type { OperationSubject } from "./operation";
import type { Change } from "./outcome";

/** The caller's result once the outcome is known. `transactions`: all of the payment's after it, oldest first. */
export function resultOf(
  change: Change,
  transactions: PaymentSnapshot["transactions"],
  operation: OperationSubject,
  mode: Mode,
): Result {
  if (change.result.kind !== "ok") return { kind: "refused", error: refusalOf(change) };
  return {
    kind: "done",
    snapshot: { payment: change.payment, transactions },
    transactionId: operation.transactionId,
    mode,
  };
}

const DECLINE_DETAIL: Partial<Record<string, string>> = {
  insufficient_funds: "The card has insufficient funds. Ask the customer for another card.",
  expired_card: "The card has expired. Ask the customer for another card.",
  incorrect_cvv: "The security code is wrong. Ask the customer to check it and try again.",
  incorrect_number: "The card number is wrong. Ask the customer to check it and try again.",
  authentication_failed:
    "The customer did not pass the issuer's authentication. Let them try again or use another card.",
  fraud_suspected: "The payment was refused because of its fraud score. Review it yourself before you retry.",
  processing_error: "The issuer could not process the card. Try again later with a new idempotency key.",
};

const NOTHING_MOVED = "The processor could not complete this and no money moved. Try again with a new idempotency key.";
const ONLY_AUTHORIZED =
  "The processor authorized the payment but could not capture it; no money moved. Capture it again later, or void it.";

function refundedElsewhere(
  { elsewhere, remaining }: { elsewhere: number; remaining: number },
  currency: string,
  ids: object,
): AppError {
  const rest =
    remaining > 0
      ? `At most ${formatMinor(remaining, currency)} can be refunded. Send that amount or less, with a new idempotency key.`
      : "Nothing is left to refund.";
  const detail = `${formatMinor(elsewhere, currency)} was refunded at the processor, outside of this API. ${rest}`;
  return new AppError("amount_exceeds_refundable", detail, { param: "amount", extra: { remaining, ...ids } });
}

function refusalOf({ result, payment, charge, refund }: Change): AppError {
  const ids = {
    payment_id: encodeId("payment", payment.id),
    transaction_id: encodeId("transaction", refund?.id ?? charge.id),
  };
  if (result.kind === "refunded_elsewhere") return refundedElsewhere(result, payment.currency, ids);
  if (result.kind === "processor_refused") return new AppError("processor_refused", result.reason, { extra: ids });
  if (result.kind !== "card_declined") {
    const detail = result.kind === "only_authorized" ? ONLY_AUTHORIZED : NOTHING_MOVED;
    return new AppError("payment_failed", detail, { extra: ids });
  }
  const detail =
    DECLINE_DETAIL[result.declineCode] ?? "The issuer declined the card. Ask the customer for another card.";
  return new AppError("card_declined", detail, { extra: { decline_code: result.declineCode, ...ids } });
}
