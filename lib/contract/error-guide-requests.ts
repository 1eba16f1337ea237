import type { ErrorGuideEntry } from "./error-guide-entry";
import { PAYMENT_ID } from "./example-objects";

const AFTER_FIX = "After correcting the request. The idempotency key was not used up: keep it.";
const NEVER = "Not as it is: the same request gets the same answer.";
const PAYMENTS = "/v1/payments";
const REFUND = `/v1/payments/${PAYMENT_ID}/refund`;

/** Errors of the request itself and of who may send it. */
export const REQUEST_ERRORS = {
  malformed_json: {
    cause: "The body could not be read as JSON: a comma or quote is missing, or the body was cut off.",
    cure: "Let a JSON library write the body, and send it as UTF-8 with `Content-Type: application/json`.",
    retry: AFTER_FIX,
    example: { detail: "The body is not valid JSON. Check it for a missing comma or quote.", instance: PAYMENTS },
  },
  invalid_parameter: {
    cause: "A member of the body or the query string has the wrong type, format or range, or is given twice.",
    cure: "Read `errors`: it names every member at fault by its path and says what is expected of it.",
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
    cause: "A member that the operation needs is not there.",
    cure: "Add the member that `param` names. The reference marks required members.",
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
      "The request has a member or query parameter that this operation does not know. Nothing is ignored silently: a mistyped `ammount` on a refund would otherwise refund everything.",
    cure: "Correct the spelling of the member that `param` names, or take it out.",
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
    cure: "Make one key for each thing you want done (a UUID, or your order number and step), and send it with every try of it.",
    retry: "Yes, with the header.",
    example: { detail: "Send an X-Idempotency-Key header: a UUID, for example.", instance: PAYMENTS },
  },
  idempotency_key_invalid: {
    cause: "The header `X-Idempotency-Key` is empty or longer than 255 characters.",
    cure: "Use a key of 1 to 255 characters. A UUID is enough.",
    retry: "Yes, with a key of a valid length.",
    example: { detail: "Use an X-Idempotency-Key of 1 to 255 characters.", instance: PAYMENTS },
  },
  api_key_missing: {
    cause: "The request has no `X-Api-Key` header.",
    cure: "Send your secret key in `X-Api-Key` with every request, from your server only.",
    retry: "Yes, with the header.",
    example: { detail: "Send your API key in the X-Api-Key header.", instance: PAYMENTS },
  },
  api_key_invalid: {
    cause:
      "The key is unknown, mistyped, disabled, revoked or expired, or it belongs to the other environment than the address you called. The answer is the same for all of these, so that it tells nothing to someone who guesses.",
    cure: "Compare the start and last four characters with your key, and use `sk_test_…` for the sandbox and `sk_live_…` for live.",
    retry: "Yes, with a valid key.",
    example: {
      detail: "The API key is not valid here. Check that it is complete, active and of this environment.",
      instance: PAYMENTS,
    },
  },
  permission_denied: {
    cause:
      "The key is valid but lacks the permission that this operation needs; `detail` names it. This is decided before anything is looked up.",
    cure: "Use a key that has the permission, or make one. The reference names the permission of each operation.",
    retry: "Yes, with such a key.",
    example: { detail: "This API key lacks the permission transaction.refund.", instance: REFUND },
  },
  ip_not_allowed: {
    cause: "The key has an allow list of addresses, and the request came from another one.",
    cure: "Send from an allowed address, or use a key whose list has yours. Behind a proxy, check which address it shows to us.",
    retry: "Yes, from an allowed address.",
    example: { detail: "This API key may not be used from your address.", instance: PAYMENTS },
  },
  origin_not_allowed: {
    cause:
      "A web page called from an origin that may not: API keys are for servers, and a client session can name the origins that may use it.",
    cure: "Call from your server, or add the page's origin to `allowed_origins` of the client session.",
    retry: "Yes, from an allowed origin.",
    example: { detail: "Requests from this origin are not allowed.", instance: PAYMENTS },
  },
  merchant_suspended: {
    cause: "The merchant account is suspended, so none of its keys work.",
    cure: "Contact support; your data is kept.",
    retry: "Once the account is open again.",
    example: { detail: "This merchant account is suspended. Contact support.", instance: PAYMENTS },
  },
  resource_not_found: {
    cause:
      "There is no such path, or no such object in the environment of your key. An object of another environment or merchant gets exactly this answer.",
    cure: "Check the id, and that the key is of the same environment: a test key never sees live objects.",
    retry: NEVER,
    example: {
      detail: `There is no payment ${PAYMENT_ID} in this environment.`,
      instance: `/v1/payments/${PAYMENT_ID}`,
    },
  },
  method_not_allowed: {
    cause: "The path exists, but not with this method.",
    cure: "Use a method of the `Allow` header of the answer.",
    retry: NEVER,
    example: { detail: "/v1/payments takes POST, GET.", instance: PAYMENTS },
  },
  body_too_large: {
    cause: "The body is larger than 64 KiB.",
    cure: "Send less: keep long texts and files on your side and only their ids in `metadata`.",
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
      "This key sent more requests than its limit allows, or has read more bytes a second than there are for one merchant.",
    cure: "Wait as long as `Retry-After` says. Watch the `RateLimit` header to slow down in time, and spread bulk work out; a smaller `limit` makes shorter lists.",
    retry: "Yes, the same request with the same key, after `Retry-After` seconds.",
    example: { detail: "Too many requests. Try again in a second.", instance: PAYMENTS },
  },
} satisfies Record<string, ErrorGuideEntry>;
