/** An error response. `stored`: kept under the request's idempotency key. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly error: { type: string; code?: string; message: string; [more: string]: unknown },
    readonly stored = true,
  ) {
    super(error.message);
  }
}

/** Invalid parameters are detected before execution, so the error is never stored. */
export const invalid = (message: string, param?: string, code = "parameter_invalid") =>
  new ApiError(400, { type: "invalid_request_error", code, message, ...(param && { param }) }, false);
export const refuse = (code: string, message: string, more: object = {}) =>
  new ApiError(400, { type: "invalid_request_error", code, message, ...more });
const missing = (what: string, id: string) =>
  new ApiError(404, { type: "invalid_request_error", code: "resource_missing", message: `No such ${what}: '${id}'` });

export function found<T>(one: T | undefined, what: string, id: string): T {
  if (!one) throw missing(what, id);
  return one;
}
