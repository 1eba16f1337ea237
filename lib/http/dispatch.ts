/** The steps of a request to /v1, by API key or from our own pages, and the way to them from a path. */
import { setTimeout as wait } from "node:timers/promises";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError } from "@/lib/contract/errors";
import { REPLAY_ONLY_HEADER } from "@/lib/contract/request-log/requests";
import { countReplay } from "@/lib/counts";
import type { Context, Reply as VerbReply } from "@/lib/domain/context";
import { replayStored } from "@/lib/domain/idempotency/used-key";
import { readInTime } from "@/lib/domain/lists";
import { bytesOf, type HttpAnswer, textOf, toResponse } from "./answer";
import type { Turn } from "./answer-limits";
import { authorize, type Caller, isLongWrite, mayBeLong, movesMoneyOf, readerOf, turnOf, writes } from "./caller";
import { currentService, type HttpService } from "./current-service";
import { findServed } from "./endpoints";
import { openEventStream, type Stream } from "./event-stream";
import { live, ready } from "./health";
import { idempotencyOf, readIdempotencyKey } from "./idempotency";
import { metrics } from "./metrics";
import { openApiBytes } from "./openapi";
import { jsonBody, parseBody, parseQuery } from "./parse";
import { type AnswerHeaders, answerRequest, everyMethod, type RequestInfo, refuse } from "./pipeline";
import { type Answered, questionOf } from "./reads";
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
import { isAccessOld, whileAllowed } from "./revocation";
import { bodySize, takeSandboxWrite } from "./sandbox-quota";
import { authenticateSession, isFromDashboard, requireProofOfRequest } from "./session-caller";

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

type Call = { endpoint: Endpoint; request: ApiRequest; id: string | null; connection: Connection };

export const STRANGER_WAITS_MS = 500;

/** What is known of a request while it is answered, for the log. Who calls comes first: strangers' requests are not written down. */
type Known = {
  caller: Caller | null;
  key: string | null;
  /** The body as it was sent. */
  sent: unknown;
  /** What the answer is made from, where that is not its text. */
  made: object | null;
};
type Reply = Answered & { readonly turn?: Turn; readonly stream?: Stream };

function handle(call: Call): Promise<HttpAnswer> {
  const http = currentService();
  const { endpoint } = call;
  const known: Known = { caller: null, key: null, sent: undefined, made: null };
  const startedMs = performance.now();
  return answerRequest(call.request, {
    name: endpoint.name,
    async run(info, headers) {
      const { status, body, replayed, turn, stream } = await answer(http, call, info, headers, known);
      if (endpoint.streams) {
        // A proxy that collects an answer would never pass this one on.
        Object.assign(headers, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
        return { status, headers, body, ...(stream && { stream }) };
      }
      headers["Content-Type"] = status >= 400 ? "application/problem+json" : "application/json";
      if (replayed) headers["Idempotent-Replayed"] = "true";
      return { status, headers, body, ...(turn && { sent: turn.sent }) };
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
): Promise<Reply> {
  const {
    endpoint,
    request: { method, url },
  } = call;
  if (endpoint.permissions.length === 0) {
    parseQuery(searchOf(url), endpoint);
    http.unauthorized.note("nothing", addressOf(call.request.headers, call.connection));
    // The same for everybody: strangers get no answers made for them.
    return { status: endpoint.status, body: [openApiBytes(http.service)], replayed: false };
  }
  const checkedAtMs = performance.now();
  const caller = await callerOf(http, call);
  known.caller = caller;
  authorize(caller, endpoint);
  Object.assign(headers, http.rateLimiter.take(caller.limitKey));
  // A merchant's own people keep working while its servers ask too much, and its live payments while its tests do.
  if (caller.actor.type === "api_key") http.merchantLimiter.take(caller.environment.id);
  const reader = readerOf(caller, endpoint);
  http.answerLimits.check(reader);
  const charge = writes(endpoint) ? takeSandboxWrite(caller) : null;
  const key = readIdempotencyKey(call.request, endpoint);
  known.key = key;
  const query = parseQuery(searchOf(url), endpoint);
  const body = await parseBody(call.request, endpoint, (sent) => {
    known.sent = sent;
  });
  const reauthorize = async () => authorize(await callerOf(http, call), endpoint);
  if (isAccessOld(checkedAtMs)) await reauthorize();
  const replayOnly = isReplayOnly(call.request, endpoint);
  charge?.add(bodySize(call.request, body));
  await requireProofOfRequest(http.service, caller, { endpoint, id: call.id, body });
  await recordStaffRequest(http.service, caller, {
    headers: call.request.headers,
    requestId: info.id,
    id: call.id,
    endpoint,
  });

  const ctx: Context = {
    service: http.service,
    environment: caller.environment,
    actor: caller.actor,
    request: { endpoint: endpoint.name, ...info },
    idempotency:
      key === null
        ? null
        : idempotencyOf(http.service.secret, key, {
            environmentId: caller.environment.id,
            method,
            path: info.path,
            body,
          }),
    reauthorize,
  };
  if (endpoint.streams) {
    const stream = await openEventStream(ctx, reader, call.request.headers.get("last-event-id"));
    const sent = method !== "HEAD" && { stream: whileAllowed(ctx, stream) };
    return { status: endpoint.status, body: "", replayed: false, ...sent };
  }
  const served = findServed(endpoint);
  if (!served) throw new Error(`${endpoint.name} has no verb`);
  const input = Object.assign({}, body, query, call.id === null ? null : { id: call.id });
  if (mayBeLong(endpoint)) {
    const read = async () => {
      if (isAccessOld(checkedAtMs)) await reauthorize();
      return replyOf(endpoint, await readInTime(input, async () => served.run(ctx, input as never)));
    };
    const reply = await http.reads.inTurn(reader, questionOf(caller, endpoint, input), read, turnOf(caller, endpoint));
    known.made = reply.made ?? null;
    return reply;
  }
  const lines = {
    payment: movesMoneyOf(endpoint) ? `${caller.environment.id} ${call.id}` : null,
    merchant: writes(endpoint) ? reader : null,
  };
  const work = async (waited: boolean) => {
    if (waited) {
      // Those before it in the line may have used up what there was.
      http.answerLimits.check(reader);
      charge?.check();
      await ctx.reauthorize();
    }
    const result = replayOnly ? await replayStored(ctx) : await served.run(ctx, input as never);
    const made = await replyOf(endpoint, result);
    known.made = made.made ?? null;
    const bytes = made.long?.bytes ?? bytesOf(made.body);
    http.answerLimits.charge(reader, bytes);
    // The answer holds what the write kept, and is kept with it; a repeat's is there already.
    if (!made.replayed) charge?.add(bytes + (made.keptBytes ?? 0));
    return made;
  };
  const longWork = async () => {
    const own = await http.answerLimits.turn(reader, turnOf(caller, endpoint));
    return work(true).finally(own.sent);
  };
  let turn: Turn | null = null;
  try {
    const { status, replayed, body, long } = await http.writeLines.inTurn(
      lines,
      isLongWrite(endpoint) ? longWork : work,
    );
    if (!long) return { status, replayed, body };
    // What was done is done and kept: a caller who is refused here gets it with the same key.
    turn = await http.answerLimits.turn(reader, turnOf(caller, endpoint));
    const text = await long.read();
    turn.made();
    return { status, replayed, body: text, turn };
  } catch (error) {
    if (error instanceof AppError) http.answerLimits.charge(reader, error.readBytes);
    turn?.sent();
    throw error;
  }
}

async function replyOf(
  endpoint: Endpoint,
  result: VerbReply | object,
): Promise<Reply & Pick<VerbReply, "long" | "keptBytes">> {
  if ("replayed" in result) return result;
  return { status: endpoint.status, body: await jsonBody(result), replayed: false, made: result };
}

/** Whether a stored answer is wanted again, and no money to move. */
function isReplayOnly({ headers }: ApiRequest, endpoint: Endpoint): boolean {
  if (decidingHeader(headers, REPLAY_ONLY_HEADER) === null) return false;
  if (endpoint.idempotency === "required") return true;
  throw new AppError("invalid_parameter", "Only requests that move money are sent again from here.", {
    param: REPLAY_ONLY_HEADER,
  });
}

/** By API key; from our own pages by the session of the person who is signed in. */
function callerOf(http: HttpService, call: Call): Promise<Caller> {
  const { headers } = call.request;
  if (isFromDashboard(headers)) {
    const session = authenticateSession(http.service, { headers, endpoint: call.endpoint });
    return session.catch((error: unknown) => {
      if (isUnauthorized(error)) http.unauthorized.note("session", addressOf(headers, call.connection));
      throw error;
    });
  }
  return http.authenticator.authenticate({
    apiKey: decidingHeader(headers, "X-Api-Key"),
    host: headers.get("host"),
    ip: addressOf(headers, call.connection),
  });
}

const isUnauthorized = (error: unknown) => error instanceof AppError && error.status === 401;
