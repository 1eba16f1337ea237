import type { DeclineCode, ErrorCode, Problem } from "./problem.ts";

/** A failed request. Branch on `code`; `message` says what to do next. */
export class CardlaneError extends Error {
  override readonly name: string = "CardlaneError";
  /** The service's own sentence: what is wrong and what to do next. */
  readonly detail: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Null without a response, or for a response that isn't Cardlane's, such as a gateway's page. */
  readonly code: ErrorCode | null;
  /** Mention it to support. */
  readonly requestId: string | null;
  /** All invalid fields. */
  readonly errors: Problem["errors"];
  /** Body of the response: an object if it is JSON, or else its text. */
  readonly raw: unknown;
  /** Idempotency key of the call, yours or generated: repeat the call with it. Null for calls without one. */
  readonly idempotencyKey: string | null;

  constructor(message: string, answer: Partial<ErrorResponse> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    const body = problemIn(answer.raw);
    this.detail = body?.detail ?? message;
    this.status = answer.status ?? null;
    this.code = body?.code ?? null;
    this.requestId = body?.request_id ?? answer.requestId ?? null;
    this.errors = body?.errors ?? [];
    this.raw = answer.raw ?? null;
    this.idempotencyKey = answer.idempotencyKey ?? null;
  }
}

type ErrorResponse = { status: number; requestId: string | null; raw: unknown; idempotencyKey: string | null };

/** The key is missing, wrong, revoked, expired, or for the other environment. */
export class AuthenticationError extends CardlaneError {
  override readonly name = "AuthenticationError";
}

/** The key lacks the permission. */
export class PermissionError extends CardlaneError {
  override readonly name = "PermissionError";
}

/** Too many requests, even after the client's retries. */
export class RateLimitError extends CardlaneError {
  override readonly name = "RateLimitError";
}

/**
 * The idempotency key is invalid, was used with other parameters, or its first request is still in progress.
 */
export class IdempotencyError extends CardlaneError {
  override readonly name = "IdempotencyError";
}

/** The request is invalid; `errors` names the members. */
export class InvalidRequestError extends CardlaneError {
  override readonly name = "InvalidRequestError";
  /** For amounts that are too high: what is left, in minor units. */
  readonly remaining: number | null;

  constructor(...parameters: ConstructorParameters<typeof CardlaneError>) {
    super(...parameters);
    this.remaining = problemIn(this.raw)?.remaining ?? null;
  }
}

/** The environment of this key has no such object. */
export class NotFoundError extends CardlaneError {
  override readonly name = "NotFoundError";
}

/** The object's status doesn't allow this now, or there is already one like it. */
export class ConflictError extends CardlaneError {
  override readonly name = "ConflictError";
  readonly currentStatus: string | null;
  readonly allowedActions: readonly string[];

  constructor(...parameters: ConstructorParameters<typeof CardlaneError>) {
    super(...parameters);
    const body = problemIn(this.raw);
    this.currentStatus = body?.current_status ?? null;
    this.allowedActions = body?.allowed_actions ?? [];
  }
}

/** No money moved, for certain. Try again with a new key. */
export class PaymentFailedError extends CardlaneError {
  override readonly name: string = "PaymentFailedError";
}

/** The issuer or the fraud rules declined the card. */
export class CardDeclinedError extends PaymentFailedError {
  override readonly name = "CardDeclinedError";
  readonly declineCode: DeclineCode | null;
  /** The declined payment. */
  readonly paymentId: string | null;
  /** Its charge. */
  readonly transactionId: string | null;

  constructor(...parameters: ConstructorParameters<typeof CardlaneError>) {
    super(...parameters);
    const body = problemIn(this.raw);
    this.declineCode = body?.decline_code ?? null;
    this.paymentId = body?.payment_id ?? null;
    this.transactionId = body?.transaction_id ?? null;
  }
}

/**
 * No response, so the outcome is unknown. Repeat a call that moves money with the same `idempotencyKey` to
 * learn its outcome.
 */
export class ConnectionError extends CardlaneError {
  override readonly name = "ConnectionError";
}

/** The call was aborted; `cause` is your signal's reason. */
export class AbortError extends CardlaneError {
  override readonly name = "AbortError";
}

/** The service failed, or its response is unexpected. */
export class ApiError extends CardlaneError {
  override readonly name = "ApiError";
}

type ErrorClass = new (...parameters: ConstructorParameters<typeof CardlaneError>) => CardlaneError;

const CLASSES: Record<ErrorCode, ErrorClass> = {
  malformed_json: InvalidRequestError,
  invalid_parameter: InvalidRequestError,
  missing_parameter: InvalidRequestError,
  unknown_parameter: InvalidRequestError,
  idempotency_key_missing: IdempotencyError,
  idempotency_key_invalid: IdempotencyError,
  api_key_missing: AuthenticationError,
  api_key_invalid: AuthenticationError,
  payment_failed: PaymentFailedError,
  card_declined: CardDeclinedError,
  permission_denied: PermissionError,
  limit_exceeded: PermissionError,
  ip_not_allowed: PermissionError,
  origin_not_allowed: PermissionError,
  merchant_suspended: PermissionError,
  resource_not_found: NotFoundError,
  method_not_allowed: InvalidRequestError,
  already_exists: ConflictError,
  idempotency_key_reused: IdempotencyError,
  idempotency_request_in_progress: IdempotencyError,
  invalid_state: ConflictError,
  payment_disputed: ConflictError,
  outcome_pending: ConflictError,
  clock_advancing: ConflictError,
  body_too_large: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  amount_exceeds_capturable: InvalidRequestError,
  amount_exceeds_refundable: InvalidRequestError,
  currency_not_supported: InvalidRequestError,
  plan_not_active: InvalidRequestError,
  plan_not_recurring: InvalidRequestError,
  processor_not_configured: InvalidRequestError,
  processor_refused: InvalidRequestError,
  rate_limited: RateLimitError,
  internal_error: ApiError,
  processor_error: ApiError,
  database_unavailable: ApiError,
  processor_timeout: ApiError,
};

/** The error for a response. A code that is unknown to this version maps by its status. */
export function errorOf(response: ErrorResponse, advice = ""): CardlaneError {
  const body = problemIn(response.raw);
  const message = body ? `${body.detail} (${body.code})` : `The service answered ${response.status}.`;
  return new (classOf(body?.code, response.status))(message + advice, response);
}

function classOf(code: ErrorCode | undefined, status: number): ErrorClass {
  if (code !== undefined && Object.hasOwn(CLASSES, code)) return CLASSES[code];
  if (status === 401) return AuthenticationError;
  if (status === 403) return PermissionError;
  if (status === 404) return NotFoundError;
  if (status === 409) return ConflictError;
  if (status === 429) return RateLimitError;
  return status >= 400 && status < 500 && code !== undefined ? InvalidRequestError : ApiError;
}

/** The body, if it is in Cardlane's error format; otherwise null. */
function problemIn(raw: unknown): Problem | null {
  if (typeof raw !== "object" || raw === null) return null;
  const { code, detail } = raw as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string" ? (raw as Problem) : null;
}
