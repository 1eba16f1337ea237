import { isDatabaseUnavailable } from "@/db/unavailable";
import { createApiKey, rotateApiKey } from "@/lib/contract/api-keys/api-keys";
import { PENDING_STATUS } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError, problemBody } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { RenderReply, Reply, ReplyTarget, Result, Service } from "@/lib/domain/context";
import { presentPayment, presentTransaction } from "@/lib/domain/payments/present";
import type { Stream } from "./event-stream";

/** Text, or its UTF-8 in pieces where it is long. */
export type Body = string | readonly Uint8Array[];

/**
 * A response before it is sent: plain data, because our own server writes it as it is; Next takes a
 * `Response`.
 */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Called once the response is sent, or never will be. */
  readonly sent?: () => void;
  /** Replaces `body`, which is then empty: sent until the client disconnects. */
  readonly stream?: Stream;
};

/** A response that is never long. */
export type TextResponse = HttpResponse & { readonly body: string };

export function toResponse({ status, headers, body, sent, stream }: HttpResponse): Response {
  sent?.();
  if (stream) return new Response(readable(stream), { status, headers });
  return new Response(typeof body === "string" ? body : Buffer.concat(body), { status, headers });
}

function readable(stream: Stream): ReadableStream<Uint8Array> {
  const over = new AbortController();
  const pieces = stream(over);
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      over.signal.addEventListener("abort", () => {
        controller.error(new Error("the stream has ended"));
        void pieces.return();
      });
    },
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (over.signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      // Also returns the generator, which would otherwise stay suspended at its last piece forever.
      over.abort();
    },
  });
}

export function bytesOf(body: Body): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + piece.byteLength, 0);
}

export const textOf = (body: Body): string => (typeof body === "string" ? body : Buffer.concat(body).toString("utf8"));

export type ProblemRequest = { id: string; path: string };

/** The body of a refusal. */
export function renderProblem(service: Service, error: AppError, request: ProblemRequest): string {
  return problemText(service.baseUrl, error, { path: request.path, requestId: request.id });
}

/** The error that a caller sees. Internal errors are logged, and replaced by one without details. */
export function toAppError(service: Service, error: unknown, request: ProblemRequest): AppError {
  if (error instanceof AppError) {
    if (error.status >= 500) service.log.error({ err: error.cause ?? error, request_id: request.id }, error.message);
    return error;
  }
  if (isDatabaseUnavailable(error)) {
    service.log.warn({ err: error, request_id: request.id }, "the database is unavailable");
    return briefly();
  }
  // Compared by name: Next has a copy of the class. This process is about to stop, and others have the key.
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
    { retryAfterSeconds: 1 },
  );

/** Statuses of responses that an idempotency key stores, by endpoint name. */
const STATUSES: ReadonlyMap<string, number> = new Map(
  [...ENDPOINTS, createApiKey, rotateApiKey].map(({ name, status }) => [name, status]),
);
/** The payment form's endpoint is not in the contract. */
const statusOf = (endpoint: string): number => STATUSES.get(endpoint) ?? 200;

/** Renders responses for storage: their status and exact bytes. */
export function createRenderer(baseUrl: string): RenderReply {
  return (request, result) => {
    switch (result.kind) {
      case "made":
        return { status: statusOf(request.endpoint), body: JSON.stringify(result.made), replayed: false };
      case "refused":
        return { status: result.error.status, body: problemText(baseUrl, result.error, request), replayed: false };
      default:
        return shown(request, result);
    }
  };
}

/**
 * The payment, or the transaction if the endpoint returns one; with status PENDING while the outcome is
 * unknown.
 */
function shown(request: ReplyTarget, result: Extract<Result, { kind: "done" | "pending" }>): Reply {
  const { snapshot, transactionId, mode } = result;
  const { payment, transactions } = snapshot;
  const body = request.endpoint.endsWith("Transaction")
    ? presentTransaction(required(transactions, transactionId), payment, mode)
    : presentPayment(payment, transactions, mode);
  if (result.kind === "done") {
    return { status: statusOf(request.endpoint), body: JSON.stringify(body), replayed: false, made: body };
  }
  const pending = { ...body, status: "PENDING", available_actions: [] };
  return { status: PENDING_STATUS, body: JSON.stringify(pending), replayed: false };
}

function required<T extends { id: string }>(rows: readonly T[], id: string): T {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error(`transaction ${id} is not among its payment's`);
  return row;
}

/** A refusal as RFC 9457 has it. All refusals are rendered here. */
function problemText(baseUrl: string, error: AppError, request: Pick<ReplyTarget, "path" | "requestId">): string {
  return JSON.stringify(
    problemBody(error, {
      instance: request.path,
      requestId: encodeId("request", request.requestId),
      docsUrl: `${baseUrl}/docs`,
    }),
  );
}
