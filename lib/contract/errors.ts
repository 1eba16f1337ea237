import { z } from "zod";
import { DECLINE_CODES } from "./transactions/words";

/**
 * The one table of error codes: status and title. A verb throws `new AppError(code)`, and nothing else
 * decides a status. `stored` marks responses that an idempotency key keeps and replays; all others leave the
 * key reusable.
 */
export const ERRORS = {
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  invalid_parameter: { status: 400, title: "A parameter is invalid" },
  missing_parameter: { status: 400, title: "A required parameter is missing" },
  unknown_parameter: { status: 400, title: "A parameter is unknown" },
  idempotency_key_missing: { status: 400, title: "The X-Idempotency-Key header is required" },
  idempotency_key_invalid: { status: 400, title: "The X-Idempotency-Key header is invalid" },
  api_key_missing: { status: 401, title: "No API key was sent" },
  api_key_invalid: { status: 401, title: "The API key is not valid" },
  payment_failed: { status: 402, title: "The payment could not be completed", stored: true },
  card_declined: { status: 402, title: "The card was declined", stored: true },
  permission_denied: { status: 403, title: "A permission is missing" },
  limit_exceeded: { status: 403, title: "The API key's limit does not allow this refund" },
  ip_not_allowed: { status: 403, title: "The address is not on the key's allow list" },
  origin_not_allowed: { status: 403, title: "The origin is not allowed" },
  merchant_suspended: { status: 403, title: "The merchant account is suspended" },
  resource_not_found: { status: 404, title: "The resource does not exist" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  already_exists: { status: 409, title: "One like this already exists" },
  idempotency_key_reused: { status: 409, title: "The idempotency key was used with other parameters" },
  idempotency_request_in_progress: { status: 409, title: "The first request with this key is still running" },
  invalid_state: { status: 409, title: "The current status does not allow this", stored: true },
  payment_disputed: { status: 409, title: "The payment is disputed" },
  outcome_pending: { status: 409, title: "An earlier operation has no known outcome yet" },
  clock_advancing: { status: 409, title: "The test clock is advancing" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The content type is not supported" },
  amount_exceeds_capturable: { status: 422, title: "The amount exceeds what can be captured", stored: true },
  amount_exceeds_refundable: { status: 422, title: "The amount exceeds what can be refunded", stored: true },
  currency_not_supported: { status: 422, title: "The currency is not supported", stored: true },
  plan_not_active: { status: 422, title: "The plan is not active", stored: true },
  plan_not_recurring: { status: 422, title: "The plan has no billing interval", stored: true },
  processor_not_configured: { status: 422, title: "No processor is connected", stored: true },
  processor_refused: { status: 422, title: "The processor does not take this request", stored: true },
  rate_limited: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  processor_error: { status: 502, title: "The processor could not be reached" },
  database_unavailable: { status: 503, title: "The service is briefly unavailable" },
  processor_timeout: { status: 504, title: "The processor did not respond in time" },
} as const satisfies Record<string, { status: number; title: string; stored?: true }>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

export const declineCode = z.enum(DECLINE_CODES);
export type DeclineCode = z.infer<typeof declineCode>;

export type FieldError = { param: string; code: ErrorCode; message: string };

type AppErrorOptions = {
  /** Path of the invalid member: `filters.amount.gte`. */
  param?: string | null;
  /** Every invalid field, the first one first. */
  errors?: FieldError[];
  /** Members that this code adds: `remaining`, `current_status`, `decline_code` … */
  extra?: Record<string, unknown>;
  /** Seconds until the same request makes sense again. */
  retryAfterSeconds?: number;
  /** Additional response headers. */
  headers?: Record<string, string>;
  cause?: unknown;
  readBytes?: number;
  /** False: no key keeps this response, although it keeps others of the code. */
  stored?: false;
};

/** A refusal that the caller can act on. `detail` is a sentence: what is wrong and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly errors: FieldError[];
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;
  /** Bytes read to find this out, if many; counted like a response of that size. */
  readonly readBytes: number;
  /** True if an idempotency key keeps this response and replays it. */
  readonly stored: boolean;

  /**
   * Next bundles this module more than once into one process; an error of any copy is an AppError to all of
   * them.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "AppError";
  }

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.param = options.param || options.errors?.[0]?.param || null;
    this.errors = options.errors ?? [];
    this.extra = options.extra ?? {};
    const { headers, retryAfterSeconds: seconds } = options;
    this.headers = { ...headers, ...(seconds !== undefined && { "Retry-After": String(seconds) }) };
    this.readBytes = options.readBytes ?? 0;
    this.stored = options.stored ?? "stored" in ERRORS[code];
  }

  get status(): number {
    return statusOfError(this.code);
  }
}

/** HTTP status of an error code. */
export const statusOfError = (code: ErrorCode): number => ERRORS[code].status;

/** True for statuses whose body is a problem. */
export const isRefusal = (status: number): boolean => status >= 400;

/** RFC 9457 body of every error response. */
export const problem = z
  .object({
    type: z.string().describe("Address of the page about this code."),
    title: z.string().describe("The error in words."),
    status: z.int().describe("The HTTP status."),
    detail: z.string().describe("What is wrong with this request and what to do next."),
    instance: z.string().describe("The path of the request."),
    code: z.enum(ERROR_CODES).describe("The code to branch on."),
    param: z.string().nullable().describe("The first invalid field, as a path."),
    errors: z
      .array(z.object({ param: z.string(), code: z.enum(ERROR_CODES), message: z.string() }))
      .describe("Every invalid field."),
    request_id: z.string().describe("Id of the request; quote it to support."),
    decline_code: declineCode.optional().describe("`card_declined`: the issuer's reason."),
    payment_id: z.string().optional().describe("`card_declined`: the payment that was declined."),
    transaction_id: z.string().optional().describe("`card_declined`: its charge."),
    next_action: z
      .null()
      .optional()
      .describe(
        "`card_declined` with `authentication_failed`, when you charged a stored card: null, as nothing can continue this payment. Charge the card again with the customer.",
      ),
    current_status: z.string().optional().describe("`invalid_state`: the status that prevents it."),
    allowed_actions: z.array(z.string()).optional().describe("`invalid_state`: what you can do instead."),
    dispute: z
      .object({ id: z.string().describe("The dispute's id."), status: z.string().describe("Its status.") })
      .optional()
      .describe("`payment_disputed`: the dispute."),
    remaining: z
      .int()
      .optional()
      .describe("Amount errors: what is left, in minor units. `limit_exceeded`: what the limit leaves now."),
    limit: z
      .enum(["refund_max", "refunds_per_day", "refund_amount_per_day", "currency"])
      .optional()
      .describe("`limit_exceeded`: the limit of the key that the refund exceeds."),
    resets_at: z
      .string()
      .nullable()
      .optional()
      .describe("`limit_exceeded`: when all of a limit per day is free again; null: waiting doesn't help."),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof problem>;

/** The error body of a request; `instance` is the request's path, `docsUrl` the address of the API docs. */
export function problemBody(error: AppError, request: { instance: string; requestId: string; docsUrl: string }) {
  const { status, title } = ERRORS[error.code];
  return {
    type: `${request.docsUrl}/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    instance: request.instance,
    code: error.code,
    param: error.param,
    errors: error.errors,
    request_id: request.requestId,
    ...error.extra,
  };
}
