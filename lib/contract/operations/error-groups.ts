import type { ErrorCode } from "@/lib/contract/errors";

export const IDEMPOTENCY_ERRORS = [
  "idempotency_key_reused",
  "idempotency_request_in_progress",
] as const satisfies readonly ErrorCode[];
export const MONEY_ERRORS = [
  "malformed_json",
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "idempotency_key_missing",
  "idempotency_key_invalid",
  ...IDEMPOTENCY_ERRORS,
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];
export const BODY_ERRORS = [
  "malformed_json",
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];
export const QUERY_ERRORS = ["invalid_parameter", "unknown_parameter"] as const satisfies readonly ErrorCode[];
