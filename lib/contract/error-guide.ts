import { dispute } from "./disputes/example-objects";
import type { ErrorCode, Problem } from "./errors";
import { CHARGE_ID, PAYMENT_ID } from "./example-objects";

type ErrorGuideEntry = {
  /** Cause of the error. */
  cause: string;
  /** Remedy. */
  cure: string;
  /** Retry advice: if and how to send the request again. */
  retry: string;
  /** Example response: its `detail`, the path, and the members that this code adds. */
  example: { detail: string; instance: string } & Partial<Problem>;
};

const AFTER_FIX = "After correcting the request. The idempotency key was not used up: keep it.";
const NEVER = "Not as it is: the same request gets the same response.";
const PAYMENTS = "/v1/payments";
const REFUND = `/v1/payments/${PAYMENT_ID}/refund`;

/** Errors of the request itself or of the caller's credentials. */
const REQUEST_ERRORS = {
  malformed_json: {
    cause: "The body could not be read as JSON: a comma or quote is missing, or the body was cut off.",
    cure: "Use a JSON library to write the body, and send it as UTF-8 with `Content-Type: application/json`.",
    retry: AFTER_FIX,
    example: { detail: "The body is not valid JSON. Check it for a missing comma or quote.", instance: PAYMENTS },
  },
  invalid_parameter: {
    cause: "A field of the body or the query string has the wrong type, format or range, or is given twice.",
    cure: "Read `errors`: it lists every invalid field by path and says what is expected.",
    retry: AFTER_FIX,
    example: {
      detail: "currency: Use a three-letter ISO 4217 code in capitals, such as USD.",
      instance: PAYMENTS,
      param: "currency",
      errors: [
        {
          param: "currency",
          code: "invalid_parameter",
          message: "Use a three-letter ISO 4217 code in capitals, such as USD.",
        },
      ],
    },
  },
  missing_parameter: {
    cause: "A required field is missing.",
    cure: "Add the field that `param` names. The reference marks required fields.",
    retry: AFTER_FIX,
    example: {
      detail: "payment_token: Send a payment_token, or in test mode a card.",
      instance: PAYMENTS,
      param: "payment_token",
      errors: [
        { param: "payment_token", code: "missing_parameter", message: "Send a payment_token, or in test mode a card." },
      ],
    },
  },
  unknown_parameter: {
    cause:
      "The request has a field or query parameter that this endpoint does not accept. Unknown fields are never ignored: a mistyped `ammount` on a refund would otherwise refund everything.",
    cure: "Correct the spelling of the field that `param` names, or remove it.",
    retry: AFTER_FIX,
    example: {
      detail: "ammount: There is no such parameter. Check the spelling.",
      instance: REFUND,
      param: "ammount",
      errors: [
        {
          param: "ammount",
          code: "unknown_parameter",
          message: "There is no such parameter. Check the spelling.",
        },
      ],
    },
  },
  idempotency_key_missing: {
    cause:
      "Operations that move money need the header `X-Idempotency-Key`, so that a repeated request never moves it twice.",
    cure: "Create one key per operation (a UUID, or your order number and step), and send it with every attempt.",
    retry: "Yes, with the header.",
    example: { detail: "Send an X-Idempotency-Key header: a UUID, for example.", instance: PAYMENTS },
  },
  idempotency_key_invalid: {
    cause:
      "The header `X-Idempotency-Key` is empty, longer than 255 characters or sent more than once, differs from `Idempotency-Key`, or holds a template such as `{{$guid}}` that your client did not fill in.",
    cure: "Send one key of 1 to 255 characters. A UUID is enough.",
    retry: "Yes, with one valid key.",
    example: { detail: "The X-Idempotency-Key must have 1 to 255 characters.", instance: PAYMENTS },
  },
  api_key_missing: {
    cause: "The request has no `X-Api-Key` header.",
    cure: "Send your secret key in `X-Api-Key` with every request, from your server only.",
    retry: "Yes, with the header.",
    example: { detail: "Send your API key in the X-Api-Key header.", instance: PAYMENTS },
  },
  api_key_invalid: {
    cause:
      "The key is unknown, mistyped, disabled, revoked or expired, or it belongs to a different environment than the address you called. The response is the same in all of these cases, so that guessing reveals nothing.",
    cure: "Compare the start and last four characters with your key, and use `sk_test_…` in test mode and `sk_live_…` in live mode.",
    retry: "Yes, with a valid key.",
    example: {
      detail: "The API key is not valid here. Check that it is complete, active and for this environment.",
      instance: PAYMENTS,
    },
  },
  permission_denied: {
    cause:
      "The key is valid but lacks the permission that this endpoint needs; `detail` names it. Permissions are checked before anything is looked up.",
    cure: "Use a key that has the permission, or create one. The reference names the permission of each endpoint.",
    retry: "Yes, with such a key.",
    example: { detail: "This API key lacks the permission transaction.refund.", instance: REFUND },
  },
  limit_exceeded: {
    cause:
      "The key has limits on refunds, and this one exceeds the limit that `limit` names. Every refund that a key begins counts for its day (UTC), even one that fails later.",
    cure: "Refund at most what `remaining` says: minor units, or a number of refunds. For more, use the dashboard, or raise the key's limits there.",
    retry: "Yes: from `resets_at` on, or at once with a smaller amount. The idempotency key was not used up.",
    example: {
      detail: "This key may refund 20.00 USD more today. Its limit is free again at 2026-11-21T00:00:00.000Z.",
      instance: REFUND,
      limit: "refund_amount_per_day",
      remaining: 2_000,
      resets_at: "2026-11-21T00:00:00.000Z",
    },
  },
  ip_not_allowed: {
    cause: "The key has an IP allow list, and the request came from an address that is not on it.",
    cure: "Send from an allowed address, or add yours to the key's list. Behind a proxy, check which address it forwards.",
    retry: "Yes, from an allowed address.",
    example: { detail: "This API key may not be used from your address.", instance: PAYMENTS },
  },
  origin_not_allowed: {
    cause:
      "A web page called from an origin that is not allowed: API keys are for servers, and a client session can name the origins that may use it.",
    cure: "Call from your server, or add the page's origin to `allowed_origins` of the client session.",
    retry: "Yes, from an allowed origin.",
    example: { detail: "Requests from this origin are not allowed.", instance: PAYMENTS },
  },
  merchant_suspended: {
    cause: "The merchant account is suspended, so none of its keys work.",
    cure: "Contact support; your data is kept.",
    retry: "After the account is reinstated.",
    example: { detail: "This merchant account is suspended. Contact support.", instance: PAYMENTS },
  },
  resource_not_found: {
    cause:
      "The path does not exist, or the object does not exist in your key's environment. Objects of other environments or merchants get exactly this response.",
    cure: "Check the id, and check that your key belongs to the same environment: a test key never sees live objects.",
    retry: NEVER,
    example: {
      detail: `There is no payment ${PAYMENT_ID} in this environment.`,
      instance: `/v1/payments/${PAYMENT_ID}`,
    },
  },
  method_not_allowed: {
    cause: "The path exists, but not with this method.",
    cure: "Use one of the methods in the response's `Allow` header.",
    retry: NEVER,
    example: { detail: "/v1/payments takes POST, GET.", instance: PAYMENTS },
  },
  body_too_large: {
    cause: "The body is larger than 64 KiB.",
    cure: "Send less: store long texts and files on your side, and only their ids in `metadata`.",
    retry: AFTER_FIX,
    example: { detail: "The body is larger than 64 KiB.", instance: PAYMENTS },
  },
  unsupported_media_type: {
    cause: "A body was sent with a content type other than JSON.",
    cure: "Send `Content-Type: application/json`.",
    retry: AFTER_FIX,
    example: { detail: "Send the body as application/json.", instance: PAYMENTS },
  },
  rate_limited: {
    cause:
      "This key sent more requests than its limit allows, or your keys read more bytes per second than one merchant may.",
    cure: "Wait for the time in `Retry-After`. Watch the `RateLimit` header to slow down in time, and spread out bulk work. A smaller `limit` makes shorter lists.",
    retry: "Yes, the same request with the same key, after `Retry-After` seconds.",
    example: { detail: "Too many requests. Try again in a second.", instance: PAYMENTS },
  },
} satisfies Record<string, ErrorGuideEntry>;

const SAME_KEY =
  "Yes, the same request with the same idempotency key, after a short pause that grows with each attempt.";
const STORED = "The same idempotency key replays this response. Use a new key once you've changed something.";
const CAPTURE = `/v1/payments/${PAYMENT_ID}/capture`;

/** Errors of well-formed requests: declines, refusals, conflicts, outages. */
const OUTCOME_ERRORS = {
  payment_failed: {
    cause:
      "The processor could not carry out the operation. This is certain: no money moved. A payment whose capture fails stays `AUTHORIZED`.",
    cure: "Try again with a new key, or ask the shopper for another way to pay.",
    retry: "With a new idempotency key. The same key replays this response.",
    example: {
      detail: "The processor could not complete this. No money moved; try again with a new key.",
      instance: CAPTURE,
    },
  },
  card_declined: {
    cause:
      "The card's issuer, or our fraud rules, refused the payment. `decline_code` says why; the declined payment is kept, and `payment_id` names it.",
    cure: "Ask the shopper for another card, or to call their bank. Use your own words, and never show the code itself.",
    retry: "With a new idempotency key and, as a rule, another card. The same key replays this response.",
    example: {
      detail: "The card has insufficient funds. Ask for another card.",
      instance: PAYMENTS,
      decline_code: "insufficient_funds",
      payment_id: PAYMENT_ID,
      transaction_id: CHARGE_ID,
    },
  },
  idempotency_key_reused: {
    cause: "This idempotency key was used in the last 24 hours for another path or with other parameters.",
    cure: "Use a new key for a new request. To repeat the first one, send exactly the same parameters.",
    retry: "With a new key, or with the parameters of the first request.",
    example: {
      detail: "This idempotency key was used with other parameters. Use a new key for a new request.",
      instance: PAYMENTS,
    },
  },
  idempotency_request_in_progress: {
    cause: "The first request with this key is still running. We waited two seconds for it.",
    cure: "Wait for the time in `Retry-After`, then send the same request again: you get the first one's result.",
    retry: "Yes, the same request with the same key, after `Retry-After` seconds.",
    example: { detail: "The first request with this key is still running. Try again in a second.", instance: PAYMENTS },
  },
  already_exists: {
    cause:
      "Another object in this environment already has this name or address, which must be unique: a plan's name or a webhook's url.",
    cure: "Choose another value for `param`, or change the existing object.",
    retry: AFTER_FIX,
    example: {
      detail: "There is already a plan named 'Gold' in this environment. Choose another name.",
      instance: "/v1/subscription-plans",
      param: "name",
      errors: [
        {
          param: "name",
          code: "already_exists",
          message: "There is already a plan named 'Gold' in this environment. Choose another name.",
        },
      ],
    },
  },
  invalid_state: {
    cause:
      "The object's status does not allow this: a captured payment cannot be voided, a voided one cannot be captured.",
    cure: "Read `current_status` and `allowed_actions`: they give its status and what can be done now.",
    retry: STORED,
    example: {
      detail: "A payment that is CAPTURED cannot be captured.",
      instance: CAPTURE,
      current_status: "CAPTURED",
      allowed_actions: ["refund"],
    },
  },
  payment_disputed: {
    cause:
      "A refund of a payment whose cardholder disputes it at their bank, or of one whose dispute was lost or accepted. If the bank decides for the cardholder, a refund pays them a second time.",
    cure: "Respond to the dispute. To refund anyway while it is open, send `acknowledge_dispute: true`; after a lost or accepted dispute there is no refund. `dispute` has its id and status.",
    retry: AFTER_FIX,
    example: {
      detail:
        "The cardholder's bank disputes this payment. If it decides for the cardholder, a refund pays them twice. Respond to the dispute instead, or send acknowledge_dispute: true to refund anyway.",
      instance: REFUND,
      dispute: { id: dispute.id, status: "NEEDS_RESPONSE" },
    },
  },
  outcome_pending: {
    cause:
      "The outcome of an earlier capture, void or payment on the same object is not known yet, and another operation now could contradict it.",
    cure: "Wait until the earlier outcome is known, usually within seconds: get the object until its `available_actions` include this one.",
    retry: SAME_KEY,
    example: {
      detail: "An earlier operation on this payment has no known outcome yet. Try again shortly.",
      instance: CAPTURE,
    },
  },
  clock_advancing: {
    cause: "The sandbox's test clock is advancing. Until it is `READY`, everything but reading is refused.",
    cure: "Poll the test clock until its status is `READY`, or wait for `Retry-After`, and send the request again.",
    retry: SAME_KEY,
    example: {
      detail: "The test clock is advancing. Send the request again once it is READY.",
      instance: "/v1/payments",
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
    cause: "The refund is for more than is left of what was captured, counting refunds still in progress.",
    cure: "Refund at most `remaining`, or omit `amount` to refund all of it.",
    retry: STORED,
    example: {
      detail: "At most 34.99 USD can be refunded. Send that amount or less.",
      instance: REFUND,
      param: "amount",
      remaining: 3499,
    },
  },
  currency_not_supported: {
    cause: "The code looks like a currency but is not a supported ISO 4217 currency.",
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
  plan_not_recurring: {
    cause: "The plan is `ONE_TIME`: it has no billing interval, so nothing would be charged again.",
    cure: "Use a plan of a recurring type, or create a payment.",
    retry: STORED,
    example: {
      detail: "The plan is ONE_TIME. Use a plan of a recurring type.",
      instance: "/v1/subscriptions",
      param: "plan_id",
    },
  },
  processor_not_configured: {
    cause: "No connected card processor can take the payment, or the one that holds it is no longer connected.",
    cure: "Connect one in the dashboard under Settings → Processors, or use a test key.",
    retry: "With a new idempotency key, once a processor is connected.",
    example: {
      detail:
        "No processor is connected for live payments yet. Connect one in the dashboard under Settings → Processors, or use a test key.",
      instance: PAYMENTS,
    },
  },
  processor_refused: {
    cause:
      "The connected processor does not take the request as it is, with any card: an amount in steps that it doesn't support, for example, or a token of another account. No issuer saw it, no card was declined, and nothing is held.",
    cure: "Change what `detail` names.",
    retry: STORED,
    example: {
      detail: "Stripe takes KWD in steps of 0.010. Send a multiple of 10: amounts are in minor units.",
      instance: PAYMENTS,
      param: "amount",
    },
  },
  internal_error: {
    cause: "Something broke on our side. Our log has the details under the request id.",
    cure: "Send the same request again with the same idempotency key: you get the one true result. If the error persists, contact support with `request_id`.",
    retry: SAME_KEY,
    example: { detail: "Something went wrong on our side. Try again with the same key.", instance: PAYMENTS },
  },
  processor_error: {
    cause: "The card processor could not be reached or gave no usable response.",
    cure: "Send the same request again with the same idempotency key. It never does the same thing twice.",
    retry: SAME_KEY,
    example: { detail: "The processor could not be reached. Try again with the same key.", instance: PAYMENTS },
  },
  database_unavailable: {
    cause: "The service's database is briefly unavailable, during a restart for example.",
    cure: "Send the same request again with the same idempotency key. Anything already started is completed automatically.",
    retry: SAME_KEY,
    example: { detail: "The service is briefly unavailable. Try again with the same key.", instance: PAYMENTS },
  },
  processor_timeout: {
    cause: "The card processor did not respond in time.",
    cure: "Send the same request again with the same idempotency key. It never does the same thing twice.",
    retry: SAME_KEY,
    example: { detail: "The processor did not respond in time. Try again with the same key.", instance: PAYMENTS },
  },
} satisfies Record<string, ErrorGuideEntry>;

/**
 * Every error code explained: a code without its text doesn't compile. Shown on the pages that `type` links
 * to.
 */
export const ERROR_GUIDE: Record<ErrorCode, ErrorGuideEntry> = { ...REQUEST_ERRORS, ...OUTCOME_ERRORS };
