/** The steps of a request to /v1, by API key or from our own pages, and the way to them from a path. */
import { setTimeout as wait } from "node:timers/promises";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError } from "@/lib/contract/errors";
import { REPLAY_ONLY_HEADER } from "@/lib/contract/request-log/requests";
import { countReplay } from "@/lib/counts";
import type { Context } from "@/lib/domain/context";
import { authenticate, type Call, takeLimits } from "./admission";
import { bytesOf, type HttpAnswer, textOf, toResponse } from "./answer";
import { authorize, type Caller, writes } from "./caller";
import { currentService, type HttpService } from "./current-service";
import { live, ready } from "./health";
import { idempotencyOf, readIdempotencyKey } from "./idempotency";
import { metrics } from "./metrics";
import { openApiBytes } from "./openapi";
import { parseBody, parseQuery } from "./parse";
import { type AnswerHeaders, answerRequest, everyMethod, type RequestInfo, refuse } from "./pipeline";
import { recordStaffRequest } from "./record-staff-request";
import { isLogged, mayHold } from "./request-log";
import {
  type ApiRequest,
  addressOf,
  CALLER_GONE,
  type Connection,
  decidingHeader,
  decoded,
  pathOf,
  searchOf,
} from "./request-parts";
import { isAccessOld } from "./revocation";
import { type EndpointReply, runEndpoint } from "./run-endpoint";
import { bodySize, takeSandboxWrite } from "./sandbox-quota";
import { requireProofOfRequest } from "./session-caller";

/** The endpoints of one path, by method. */
type Path = { methods: Map<string, Endpoint>; allowed: string[] };

/** Path with `{id}` for the id → its endpoints. */
const PATHS = new Map<string, Path>();
for (const endpoint of ENDPOINTS) {
  const path: Path = PATHS.get(endpoint.path) ?? { methods: new Map(), allowed: [] };
  path.methods.set(endpoint.method, endpoint);
  if (endpoint.method === "GET") path.methods.set("HEAD", endpoint);
  path.allowed.push(endpoint.method);
  PATHS.set(endpoint.path, path);
}

/**
 * Answers every request to /v1, /health and /metrics, without Next: what its router would do for `app/v1`, from the same table of
 * endpoints.
 */
export async function dispatch(request: ApiRequest, connection: Connection): Promise<HttpAnswer> {
  const pathname = pathOf(request.url);
  const found = find(pathname);
  if (!found && pathname === "/metrics") return metrics(request);
  if (!found) return (await healthOf(pathname, request)) ?? refuse(request, null);
  const endpoint = found.path.methods.get(request.method);
  if (!endpoint) return refuse(request, found.path.allowed);
  return handle({ endpoint, request, id: found.id, connection });
}

/** The same under Next's own server. Only headers say there where a request comes from. */
export const nextRoutes = everyMethod(async (request) => toResponse(await dispatch(request, { ip: null })));

function find(pathname: string): { path: Path; id: string | null } | null {
  const exact = PATHS.get(pathname);
  if (exact) return pathname.includes("{") ? null : { path: exact, id: null };
  // "", v1, collection, id, verb
  const parts = pathname.split("/");
  const id = parts[3];
  if (!id || parts.length > 5) return null;
  parts[3] = "{id}";
  const path = PATHS.get(parts.join("/"));
  return path ? { path, id: decoded(id) } : null;
}

async function healthOf(pathname: string, request: ApiRequest): Promise<HttpAnswer | null> {
  if (pathname !== "/health" && pathname !== "/health/ready" && pathname !== "/health/live") return null;
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(request, ["GET"]);
  return pathname === "/health/live" ? live(request) : ready(request);
}

export const STRANGER_WAITS_MS = 500;

/** Log context, filled while the request is handled. Requests without a caller are not logged. */
type Known = {
  caller: Caller | null;
  key: string | null;
  /** The body as it was sent. */
  sent: unknown;
  /** The object that the response was made from. */
  made: object | null;
};

function handle(call: Call): Promise<HttpAnswer> {
  const http = currentService();
  const { endpoint } = call;
  const known: Known = { caller: null, key: null, sent: undefined, made: null };
  const startedMs = performance.now();
  return answerRequest(call.request, {
    name: endpoint.name,
    async run(info, headers) {
      const { status, body, replayed, sent, stream } = await answer(http, call, info, headers, known);
      if (endpoint.streams) {
        // A proxy that collects an answer would never pass this one on.
        Object.assign(headers, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
        return { status, headers, body, ...(stream && { stream }) };
      }
      headers["Content-Type"] = status >= 400 ? "application/problem+json" : "application/json";
      if (replayed) headers["Idempotent-Replayed"] = "true";
      return { status, headers, body, ...(sent && { sent }) };
    },
    async refused(error) {
      // A stranger who asks too often waits for each refusal: a loop over a few connections ends at a few requests a second.
      if (known.caller === null && error instanceof AppError && error.code === "rate_limited")
        await wait(STRANGER_WAITS_MS);
      return error;
    },
    answered(info, { status, headers, body }) {
      if (headers["Idempotent-Replayed"]) countReplay(endpoint.name);
      if (known.caller === null || status === CALLER_GONE || !isLogged(known.caller, endpoint, status)) return;
      const { method, url, headers: given } = call.request;
      const bytes = bytesOf(body);
      const isLong = endpoint.streams || !mayHold(bytes);
      const made = status < 400 ? known.made : undefined;
      http.requestLog.note({
        id: info.id,
        path: info.path,
        caller: known.caller,
        endpoint,
        method,
        search: searchOf(url),
        pathId: call.id,
        status,
        durationMs: performance.now() - startedMs,
        idempotencyKey: known.key,
        sent: known.sent,
        replayed: headers["Idempotent-Replayed"] !== undefined,
        answer: isLong
          ? endpoint.streams && status < 400
            ? null
            : "left out"
          : made
            ? { value: made }
            : { text: typeof body === "string" ? body : textOf(body) },
        address: addressOf(given, call.connection),
        userAgent: given.get("user-agent"),
        bytes: (isLong ? 0 : bytes) + (known.sent === undefined ? 0 : bodySize(call.request, known.sent)),
      });
    },
  });
}

/** In this order: 401, 403, 429, 400 (key), 413/415/400 (body), then the verb with its 404, its key and its rules. */
async function answer(
  http: HttpService,
  call: Call,
  info: RequestInfo,
  headers: AnswerHeaders,
  known: Known,
): Promise<EndpointReply> {
  const { endpoint, request, id } = call;
  if (endpoint.permissions.length === 0) return openApiDocument(http, call);
  const checkedAtMs = performance.now();
  const caller = await authenticate(http, call);
  known.caller = caller;
  authorize(caller, endpoint);
  const reader = takeLimits(http, call, caller, headers);
  const quota = writes(endpoint) ? takeSandboxWrite(caller) : null;
  const { query, body } = await readInput(call, known);
  const reauthorize = async () => authorize(await authenticate(http, call), endpoint);
  if (isAccessOld(checkedAtMs)) await reauthorize();
  const replayOnly = isReplayOnly(request, endpoint);
  quota?.add(bodySize(request, body));
  await requireProofOfRequest(http.service, caller, { endpoint, id, body });
  await recordStaffRequest(http.service, caller, { headers: request.headers, requestId: info.id, id, endpoint });
  const ctx: Context = {
    service: http.service,
    environment: caller.environment,
    actor: caller.actor,
    request: { endpoint: endpoint.name, ...info },
    idempotency: idempotencyOfRequest(http, call, caller, { path: info.path, key: known.key, body }),
    reauthorize,
  };
  const input = Object.assign({}, body, query, id === null ? null : { id });
  const reply = await runEndpoint({ http, call, caller, reader, ctx, input, checkedAtMs, quota, replayOnly });
  known.made = reply.made ?? null;
  return reply;
}

/** The same bytes for everybody, so a request without a key costs nothing to answer. */
function openApiDocument(http: HttpService, { endpoint, request, connection }: Call): EndpointReply {
  parseQuery(searchOf(request.url), endpoint);
  http.unauthorized.note("nothing", addressOf(request.headers, connection));
  return { status: endpoint.status, body: [openApiBytes(http.service)], replayed: false };
}

/** Throws 400, 413 or 415. */
async function readInput({ endpoint, request }: Call, known: Known): Promise<{ query: unknown; body: unknown }> {
  known.key = readIdempotencyKey(request, endpoint);
  const query = parseQuery(searchOf(request.url), endpoint);
  const body = await parseBody(request, endpoint, (sent) => {
    known.sent = sent;
  });
  return { query, body };
}

function idempotencyOfRequest(
  { service }: HttpService,
  { request }: Call,
  { environment }: Caller,
  { path, key, body }: { path: string; key: string | null; body: unknown },
): Context["idempotency"] {
  if (key === null) return null;
  return idempotencyOf(service.secret, key, { environmentId: environment.id, method: request.method, path, body });
}

/** Whether only a stored response is requested, and no money may move. */
function isReplayOnly({ headers }: ApiRequest, endpoint: Endpoint): boolean {
  if (decidingHeader(headers, REPLAY_ONLY_HEADER) === null) return false;
  if (endpoint.idempotency === "required") return true;
  throw new AppError("invalid_parameter", "Only requests that move money are sent again from here.", {
    param: REPLAY_ONLY_HEADER,
  });
}
