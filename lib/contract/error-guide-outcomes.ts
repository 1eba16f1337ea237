import type { ErrorGuideEntry } from "./error-guide-entry";
import { CHARGE_ID, PAYMENT_ID } from "./example-objects";

const SAME_KEY = "Yes, the same request with the same idempotency key, after a short pause that grows from try to try.";
const STORED = "The same idempotency key replays this answer. Use a new key once you have changed something.";
const PAYMENTS = "/v1/payments";
const CAPTURE = `/v1/payments/${PAYMENT_ID}/capture`;
const REFUND = `/v1/payments/${PAYMENT_ID}/refund`;

/** Errors of what a well-formed request asks for: declines, refusals, conflicts, outages. */
export const OUTCOME_ERRORS = {
  payment_failed: {
    cause:
      "The processor could not carry out the operation. This is certain: no money moved. A payment whose capture fails stays `AUTHORIZED`.",
    cure: "Try again with a new key, or ask the shopper for another way to pay.",
    retry: "With a new idempotency key. The same key replays this answer.",
    example: {
      detail: "The processor could not complete this. No money moved; try again with a new key.",
      instance: CAPTURE,
    },
  },
  card_declined: {
    cause:
      "The card's issuer, or our fraud rules, refused the payment. `decline_code` says why; the declined payment is kept, and `payment_id` names it.",
    cure: "Ask the shopper for another card, or to call their bank. Show them words of yours, never the code itself.",
    retry: "With a new idempotency key and, as a rule, another card. The same key replays this answer.",
    example: {
      detail: "The card has insufficient funds. Ask for another card.",
      instance: PAYMENTS,
      decline_code: "insufficient_funds",
      payment_id: PAYMENT_ID,
      transaction_id: CHARGE_ID,
    },
  },
  idempotency_key_reused: {
    cause: "This idempotency key was used within 24 hours for another path or with other parameters.",
    cure: "Make a new key for a new request. If you meant to repeat the first one, send exactly its parameters.",
    retry: "With a new key, or with the parameters of the first request.",
    example: {
      detail: "This idempotency key was used with other parameters. Use a new key for a new request.",
      instance: PAYMENTS,
    },
  },
  idempotency_request_in_progress: {
    cause: "The first request with this key is still running. We waited two seconds for it.",
    cure: "Wait as long as `Retry-After` says, then send the same request again: you get the first one's result.",
    retry: "Yes, the same request with the same key, after `Retry-After` seconds.",
    example: { detail: "The first request with this key is still running. Try again in a second.", instance: PAYMENTS },
  },
  invalid_state: {
    cause:
      "The object's status does not allow this: a captured payment cannot be voided, a voided one cannot be captured.",
    cure: "Read `current_status` and `allowed_actions`: they say where it stands and what can be done now.",
    retry: STORED,
    example: {
      detail: "A payment that is CAPTURED cannot be captured.",
      instance: CAPTURE,
      current_status: "CAPTURED",
      allowed_actions: ["refund"],
    },
  },
  outcome_pending: {
    cause:
      "An earlier capture, void or payment on the same object has no known outcome yet, and doing another one now could contradict it.",
    cure: "Wait until the earlier operation is known (seconds, as a rule): get the object until its `available_actions` name this one.",
    retry: SAME_KEY,
    example: {
      detail: "An earlier operation on this payment has no known outcome yet. Try again shortly.",
      instance: CAPTURE,
    },
  },
  amount_exceeds_capturable: {
    cause: "The capture is for more than was authorized.",
    cure: "Capture at most `remaining`. To take more, create another payment.",
    retry: STORED,
    example: {
      detail: "At most 49.99 USD can be captured. Send that amount or less.",
      instance: CAPTURE,
      param: "amount",
      remaining: 4999,
    },
  },
  amount_exceeds_refundable: {
    cause: "The refund is for more than is left of what was captured, counting refunds that are still under way.",
    cure: "Refund at most `remaining`, or leave `amount` out to refund all of it.",
    retry: STORED,
    example: {
      detail: "At most 34.99 USD can be refunded. Send that amount or less.",
      instance: REFUND,
      param: "amount",
      remaining: 3499,
    },
  },
  currency_not_supported: {
    cause: "The code looks like a currency but is not one of ISO 4217 that payments can be taken in.",
    cure: "Check the code: it must be an active ISO 4217 currency such as USD, EUR or JPY.",
    retry: STORED,
    example: { detail: "ABC is not a supported currency.", instance: PAYMENTS, param: "currency" },
  },
  plan_not_active: {
    cause: "The plan is a draft or was deactivated; only an `ACTIVE` plan can be sold.",
    cure: "Activate the plan, or use another one.",
    retry: STORED,
    example: { detail: "This plan is not active. Activate it first.", instance: PAYMENTS, param: "plan_id" },
  },
  processor_not_configured: {
    cause: "Live payments need a live card processor, and this service has none configured.",
    cure: "Use the sandbox with a test key, or have the operator configure a live processor.",
    retry: "With a new idempotency key, once a processor is configured.",
    example: { detail: "No live processor is configured. Use a test key for the sandbox.", instance: PAYMENTS },
  },
  internal_error: {
    cause: "Something broke on our side. The details are in our log under the request id.",
    cure: "Send the same request again with the same idempotency key: it ends with the one true result. If it lasts, contact support with `request_id`.",
    retry: SAME_KEY,
    example: { detail: "Something went wrong on our side. Try again with the same key.", instance: PAYMENTS },
  },
  processor_error: {
    cause: "The card processor could not be reached or gave no usable answer.",
    cure: "Send the same request again with the same idempotency key. It never does the same thing twice.",
    retry: SAME_KEY,
    example: { detail: "The processor could not be reached. Try again with the same key.", instance: PAYMENTS },
  },
  database_unavailable: {
    cause: "The service's database is briefly out of reach, during a restart for example.",
    cure: "Send the same request again with the same idempotency key. Whatever was begun is finished from the records.",
    retry: SAME_KEY,
    example: { detail: "The service is briefly unavailable. Try again with the same key.", instance: PAYMENTS },
  },
  processor_timeout: {
    cause: "The card processor did not answer in time.",
    cure: "Send the same request again with the same idempotency key. It never does the same thing twice.",
    retry: SAME_KEY,
    example: { detail: "The processor did not answer in time. Try again with the same key.", instance: PAYMENTS },
  },
} satisfies Record<string, ErrorGuideEntry>;
