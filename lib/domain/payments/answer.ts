import type { TransactionRow } from "@/db/schema/transactions";
import { AppError, problemBody } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Mode } from "@/lib/contract/transaction-words";
import type { Service } from "../context";
import type { AskedBy } from "./operation";
import type { Change, Picture } from "./outcome";
import { presentPayment, presentTransaction } from "./present";

/** A status and the exact bytes, as they are sent and stored. */
export type Answer = { readonly status: number; readonly body: string };

const CREATES: ReadonlySet<string> = new Set(["createPayment", "refundPayment", "refundTransaction"]);

/** The answer to the request that asked, once the outcome is known. `transactions`: all of the payment's, oldest first. */
export function answerOf(
  service: Service,
  asked: AskedBy,
  change: Change,
  transactions: readonly TransactionRow[],
  mode: Mode,
): Answer {
  if (change.result.kind !== "ok") return refusalOf(service, asked, change);
  const shown = asked.operationName.endsWith("Transaction")
    ? presentTransaction(change.refund ?? change.charge, change.payment, mode)
    : presentPayment(change.payment, transactions, mode);
  return { status: CREATES.has(asked.operationName) ? 201 : 200, body: JSON.stringify(shown) };
}

/** The answer while the outcome is unknown: 202 with status PENDING, never stored. */
export function pendingAnswer(
  asked: AskedBy,
  picture: Picture,
  transactions: readonly TransactionRow[],
  mode: Mode,
): Answer {
  const shown = asked.operationName.endsWith("Transaction")
    ? presentTransaction(picture.refund ?? picture.charge, picture.payment, mode)
    : presentPayment(picture.payment, transactions, mode);
  return { status: 202, body: JSON.stringify({ ...shown, status: "PENDING", available_actions: [] }) };
}

const DECLINE_DETAIL: Partial<Record<string, string>> = {
  insufficient_funds: "The card has insufficient funds. Ask the customer for another card.",
  expired_card: "The card has expired. Ask the customer for another card.",
  incorrect_cvv: "The security code is wrong. Ask the customer to check it and try again.",
  incorrect_number: "The card number is wrong. Ask the customer to check it and try again.",
  authentication_failed:
    "The customer did not pass the issuer's authentication. Let them try again or use another card.",
  fraud_suspected: "The payment was refused because of its fraud score. Do not retry it without a check of your own.",
  processing_error: "The issuer could not process the card. Try again later with a new idempotency key.",
};

const NOTHING_MOVED = "The processor could not complete this and no money moved. Try again with a new idempotency key.";
const ONLY_AUTHORIZED =
  "The processor authorized the payment but could not capture it; no money moved. Capture it again later, or void it.";

function refusalOf(service: Service, asked: AskedBy, { result, payment, charge, refund }: Change): Answer {
  const ids = {
    payment_id: encodeId("payment", payment.id),
    transaction_id: encodeId("transaction", refund?.id ?? charge.id),
  };
  const error =
    result.kind === "card_declined"
      ? new AppError(
          "card_declined",
          DECLINE_DETAIL[result.declineCode] ?? "The issuer declined the card. Ask the customer for another card.",
          { extra: { decline_code: result.declineCode, ...ids } },
        )
      : new AppError("payment_failed", result.kind === "only_authorized" ? ONLY_AUTHORIZED : NOTHING_MOVED, {
          extra: ids,
        });
  const body = problemBody(error, {
    instance: asked.path,
    requestId: encodeId("request", asked.requestId),
    docsUrl: `${service.baseUrl}/docs`,
  });
  return { status: error.status, body: JSON.stringify(body) };
}
