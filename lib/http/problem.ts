import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import type { Service } from "@/lib/domain/context";
import { problemText } from "./render-answer";

export type ProblemRequest = { id: string; path: string };

/** A refusal as it is sent. */
export function renderProblem(service: Service, error: AppError, request: ProblemRequest): string {
  return problemText(service.baseUrl, error, { path: request.path, requestId: request.id });
}

/** What a caller is told of an error. What is not meant for callers is logged, and told without its inside. */
export function appErrorOf(service: Service, error: unknown, request: ProblemRequest): AppError {
  if (error instanceof AppError) {
    if (error.status >= 500) service.log.error({ err: error.cause ?? error, request_id: request.id }, error.message);
    return error;
  }
  if (isDatabaseUnavailable(error)) {
    service.log.warn({ err: error, request_id: request.id }, "the database is unavailable");
    return briefly();
  }
  // By name: Next has a copy of its class. The process is about to end, and the others can read it.
  if (error instanceof Error && error.name === "UnknownKeyError") {
    service.log.error({ err: error, request_id: request.id }, "a secret is missing here");
    return briefly();
  }
  service.log.error({ err: error, request_id: request.id, path: request.path }, "a request failed");
  return new AppError(
    "internal_error",
    "Something went wrong on our side. Send the request again with the same idempotency key, or contact support with the request id.",
  );
}

const briefly = () =>
  new AppError(
    "database_unavailable",
    "The service is briefly unavailable. Send the request again in a moment, with the same idempotency key.",
    { headers: { "Retry-After": "1" } },
  );
