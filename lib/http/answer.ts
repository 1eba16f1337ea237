import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError, problemBody } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Answer, AnsweredRequest, RenderAnswer, Result, Service } from "@/lib/domain/context";
import { presentPayment, presentTransaction } from "@/lib/domain/payments/present";

/** Text, or its UTF-8 in pieces where it is long. */
export type Body = string | readonly Uint8Array[];

/** An answer before it is sent. Plain, because our own host writes it as it is; Next takes a `Response`. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** To be called when it was sent, or is not to be. */
  readonly sent?: () => void;
};

/** One that is never long. */
export type TextAnswer = HttpAnswer & { readonly body: string };

export function toResponse({ status, headers, body, sent }: HttpAnswer): Response {
  sent?.();
  return new Response(typeof body === "string" ? body : Buffer.concat(body), { status, headers });
}

export function bytesOf(body: Body): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + piece.byteLength, 0);
}

export const textOf = (body: Body): string => (typeof body === "string" ? body : Buffer.concat(body).toString("utf8"));

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

const CREATES: ReadonlySet<string> = new Set(["createPayment", "refundPayment", "refundTransaction"]);

/** Makes the answers to money requests: their status and exact bytes, as they are sent and stored. */
export function answerRenderer(baseUrl: string): RenderAnswer {
  return (request, result) =>
    result.kind === "refused"
      ? { status: result.error.status, body: problemText(baseUrl, result.error, request) }
      : shown(request, result);
}

/** The payment, or the transaction where the endpoint answers one; 202 with status PENDING while the outcome is unknown. */
function shown(request: AnsweredRequest, result: Exclude<Result, { kind: "refused" }>): Answer {
  const { snapshot, transactionId, mode } = result;
  const { payment, transactions } = snapshot;
  const body = request.operationName.endsWith("Transaction")
    ? presentTransaction(required(transactions, transactionId), payment, mode)
    : presentPayment(payment, transactions, mode);
  if (result.kind === "done") {
    return { status: CREATES.has(request.operationName) ? 201 : 200, body: JSON.stringify(body) };
  }
  return { status: 202, body: JSON.stringify({ ...body, status: "PENDING", available_actions: [] }) };
}

function required<T extends { id: string }>(rows: readonly T[], id: string): T {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error(`transaction ${id} is not among its payment's`);
  return row;
}

/** A refusal as it is sent: RFC 9457, made here and nowhere else. */
function problemText(baseUrl: string, error: AppError, request: Pick<AnsweredRequest, "path" | "requestId">): string {
  return JSON.stringify(
    problemBody(error, {
      instance: request.path,
      requestId: encodeId("request", request.requestId),
      docsUrl: `${baseUrl}/docs`,
    }),
  );
}
