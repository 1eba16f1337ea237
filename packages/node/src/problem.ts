// Made by `npm run client:generate` from the registry of endpoints. Don't edit it.

export interface Problem {
  /** Address of the page about this code. */
  type: string;
  /** The error in words. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What is wrong with this request and what to do next. */
  detail: string;
  /** The path of the request. */
  instance: string;
  /** The code to branch on. */
  code: ErrorCode;
  /** The first invalid field, as a path. */
  param: string | null;
  /** Every invalid field. */
  errors: ({
    param: string;
    code: ErrorCode;
    message: string;
  })[];
  /** Id of the request; quote it to support. */
  request_id: string;
  /** `card_declined`: the issuer's reason. */
  decline_code?: DeclineCode;
  /** `card_declined`: the payment that was declined. */
  payment_id?: string;
  /** `card_declined`: its charge. */
  transaction_id?: string;
  /** `invalid_state`: the status that prevents it. */
  current_status?: string;
  /** `invalid_state`: what you can do instead. */
  allowed_actions?: string[];
  /** `payment_disputed`: the dispute. */
  dispute?: {
    /** The dispute's id. */
    id: string;
    /** Its status. */
    status: string;
  };
  /** Amount errors: what is left, in minor units. */
  remaining?: number;
}

/** What to branch on when a request fails. */
export type ErrorCode =
  | "malformed_json"
  | "invalid_parameter"
  | "missing_parameter"
  | "unknown_parameter"
  | "idempotency_key_missing"
  | "idempotency_key_invalid"
  | "api_key_missing"
  | "api_key_invalid"
  | "payment_failed"
  | "card_declined"
  | "permission_denied"
  | "ip_not_allowed"
  | "origin_not_allowed"
  | "merchant_suspended"
  | "resource_not_found"
  | "method_not_allowed"
  | "already_exists"
  | "idempotency_key_reused"
  | "idempotency_request_in_progress"
  | "invalid_state"
  | "payment_disputed"
  | "outcome_pending"
  | "body_too_large"
  | "unsupported_media_type"
  | "amount_exceeds_capturable"
  | "amount_exceeds_refundable"
  | "currency_not_supported"
  | "plan_not_active"
  | "processor_not_configured"
  | "processor_refused"
  | "rate_limited"
  | "internal_error"
  | "processor_error"
  | "database_unavailable"
  | "processor_timeout";

/** Why a card was declined. */
export type DeclineCode =
  | "generic_decline"
  | "insufficient_funds"
  | "lost_card"
  | "stolen_card"
  | "expired_card"
  | "incorrect_cvv"
  | "incorrect_number"
  | "authentication_failed"
  | "fraud_suspected"
  | "processing_error";
