import type { ApiCall } from "./api-call";
import { isLogged, mayHold } from "./request-log";
import { addressOf, CALLER_GONE, searchOf } from "./request-parts";
import { bytesOf, type HttpResponse, textOf } from "./response";
import { bodySize } from "./sandbox-quota";

/** Adds a request to its merchant's request log, unless its caller is unknown or has disconnected. */
export function noteRequest(call: Omit<ApiCall, "headers">, response: HttpResponse, durationMs: number): void {
  const { http, endpoint, request, log } = call;
  const { status, headers, body } = response;
  const { caller, sent } = log;
  if (caller === null || status === CALLER_GONE || !isLogged(caller, endpoint, status)) return;
  const bytes = bytesOf(body);
  const isLeftOut = endpoint.streams || !mayHold(bytes);
  http.requestLog.note({
    id: call.info.id,
    path: call.info.path,
    caller,
    endpoint,
    method: request.method,
    search: searchOf(request.url),
    pathId: call.id,
    status,
    durationMs,
    idempotencyKey: log.key,
    sent,
    replayed: headers["Idempotent-Replayed"] !== undefined,
    response: isLeftOut ? leftOut(call, status) : shownIn(call, response),
    address: addressOf(request.headers, call.connection),
    userAgent: request.headers.get("user-agent"),
    bytes: (isLeftOut ? 0 : bytes) + (sent === undefined ? 0 : bodySize(request, sent)),
  });
}

/** A stream has no response to log. */
const leftOut = ({ endpoint }: Pick<ApiCall, "endpoint">, status: number) =>
  endpoint.streams && status < 400 ? null : ("left out" as const);

function shownIn({ log }: Pick<ApiCall, "log">, { status, body }: HttpResponse) {
  if (log.object && status < 400) return { value: log.object };
  return { text: typeof body === "string" ? body : textOf(body) };
}
