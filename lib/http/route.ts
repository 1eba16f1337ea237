import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Operation } from "@/lib/contract/operation";
import { countAnswer, countReplay, NO_OPERATION } from "@/lib/counts";
import type { Context, Reply as VerbReply } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { appErrorOf, type Body, bytesOf, type HttpAnswer, renderProblem, toResponse } from "./answer";
import type { Turn } from "./answer-limits";
import { authorize, type Caller, mayBeLong, movesMoneyOf, readerOf, writes } from "./caller";
import { currentService, type HttpService } from "./current-service";
import { findEndpoint } from "./endpoints";
import { idempotencyOf, readIdempotencyKey } from "./idempotency";
import { openApiBytes } from "./openapi";
import { jsonBody, parseBody, parseQuery } from "./parse";
import { recordStaffRequest } from "./record-staff-request";
import {
  type ApiRequest,
  addressOf,
  CALLER_GONE,
  type Connection,
  keepablePathOf,
  pathOf,
  searchOf,
} from "./request-parts";
import { bodySize, takeSandboxWrite } from "./sandbox-quota";
import { authenticateSession, isFromDashboard, requireProofOfRefund } from "./session-caller";

export type Headers = Record<string, string>;
export type Call = { operation: Operation; request: ApiRequest; id: string | null; connection: Connection };

const CACHE_CONTROL = "no-store";
const STRANGER_WAITS_MS = 500;

/** Who calls, once that is known: errors are written down for those alone. */
type Known = { caller: Caller | null };
type Reply = { readonly status: number; readonly body: Body; readonly replayed: boolean; readonly turn?: Turn | null };

/** Answers one request to one operation: every check in the contract's order, then the verb. Never throws. */
export async function handle(call: Call): Promise<HttpAnswer> {
  const startedMs = performance.now();
  const http = currentService();
  const request = { id: newId(), path: keepablePathOf(call.request.url) };
  const headers: Headers = { "X-Request-Id": encodeId("request", request.id), "Cache-Control": CACHE_CONTROL };
  const known: Known = { caller: null };
  const answered = await answerOrProblem(http, call, request, headers, known);
  const { status, body } = answered;
  countAnswer(call.operation.name, status, startedMs);
  if (headers["Idempotent-Replayed"]) countReplay(call.operation.name);
  if (status >= 400 && status !== CALLER_GONE && typeof body === "string")
    http.requestErrors.note({ ...request, ...known, operation: call.operation, status, body });
  return answered;
}

async function answerOrProblem(
  http: HttpService,
  call: Call,
  request: { id: string; path: string },
  headers: Headers,
  known: Known,
): Promise<HttpAnswer> {
  try {
    const { status, body, replayed, turn } = await answer(http, call, request, headers, known);
    headers["Content-Type"] = status >= 400 ? "application/problem+json" : "application/json";
    if (replayed) headers["Idempotent-Replayed"] = "true";
    return { status, headers, body, ...(turn && { sent: turn.sent }) };
  } catch (error) {
    // A stranger who asks too often waits for each refusal: a loop over a few connections ends at a few requests a second.
    if (known.caller === null && error instanceof AppError && error.code === "rate_limited")
      await wait(STRANGER_WAITS_MS);
    return problemResponse(http, error, request, headers);
  }
}

/** The pipeline: 401, 403, 429, 400 (key), 413/415/400 (body), then the verb with its 404, its key and its rules. */
async function answer(
  http: HttpService,
  call: Call,
  request: { id: string; path: string },
  headers: Headers,
  known: Known,
): Promise<Reply> {
  const {
    operation,
    request: { method, url },
  } = call;
  if (operation.permissions.length === 0) {
    parseQuery(searchOf(url), operation);
    http.unauthorized.note("nothing", addressOf(call.request.headers, call.connection));
    // The same for everybody: strangers get no answers made for them.
    return { status: operation.status, body: [openApiBytes(http.service)], replayed: false };
  }
  const caller = await callerOf(http, call);
  known.caller = caller;
  authorize(caller, operation);
  Object.assign(headers, http.rateLimiter.take(caller.limitKey));
  // A merchant's own people keep working while its servers ask too much, and its live payments while its tests do.
  if (caller.actor.type === "api_key") http.merchantLimiter.take(caller.environment.id);
  const reader = readerOf(caller, operation);
  http.answerLimits.check(reader);
  const charge = writes(operation) ? takeSandboxWrite(caller) : null;
  const key = readIdempotencyKey(call.request, operation);
  const query = parseQuery(searchOf(url), operation);
  const body = await parseBody(call.request, operation);
  charge?.add(bodySize(call.request, body));
  await requireProofOfRefund(http.service, caller, { operation, id: call.id, body });
  await recordStaffRequest(http.service, caller, {
    headers: call.request.headers,
    requestId: request.id,
    id: call.id,
    operation,
  });

  const endpoint = findEndpoint(operation);
  if (!endpoint) throw new Error(`${operation.name} has no verb`);
  const ctx: Context = {
    service: http.service,
    environment: caller.environment,
    actor: caller.actor,
    request: { ...request, operation: operation.name },
    idempotency:
      key === null
        ? null
        : idempotencyOf(http.service.secret, key, {
            environmentId: caller.environment.id,
            method,
            path: request.path,
            body,
          }),
    reauthorize: async () => authorize(await callerOf(http, call), operation),
  };
  const input = {
    ...(body as object | undefined),
    ...(query as object | undefined),
    ...(call.id !== null && { id: call.id }),
  };
  let turn = mayBeLong(operation) ? await http.answerLimits.turn(reader) : null;
  const lines = {
    payment: movesMoneyOf(operation) ? `${caller.environment.id} ${call.id}` : null,
    merchant: writes(operation) ? reader : null,
  };
  try {
    const reply = await http.writeLines.inTurn(lines, async (waited) => {
      if (waited) {
        // Those before it in the line may have used up what there was.
        http.answerLimits.check(reader);
        charge?.check();
        await ctx.reauthorize();
      }
      const made = await replyOf(operation, await endpoint.run(ctx, input as never));
      const bytes = made.long?.bytes ?? bytesOf(made.body);
      http.answerLimits.charge(reader, bytes);
      // The answer holds what the write kept, and is kept with it; a repeat's is there already.
      if (!made.replayed) charge?.add(bytes);
      return made;
    });
    const { status, replayed, long } = reply;
    // What was done is done and kept: a caller who is refused here gets it with the same key.
    if (long) turn ??= await http.answerLimits.turn(reader);
    const body = long ? await long.read() : reply.body;
    turn?.made();
    return { status, body, replayed, turn };
  } catch (error) {
    if (error instanceof AppError) http.answerLimits.charge(reader, error.readBytes);
    turn?.sent();
    throw error;
  }
}

async function replyOf(operation: Operation, result: VerbReply | object): Promise<Reply & Pick<VerbReply, "long">> {
  if ("replayed" in result) return result;
  return { status: operation.status, body: await jsonBody(result), replayed: false };
}

/** By API key; from our own pages by the session of the person who is signed in. */
function callerOf(http: HttpService, call: Call): Promise<Caller> {
  const { headers } = call.request;
  if (isFromDashboard(headers)) {
    const session = authenticateSession(http.service, { headers, operation: call.operation });
    return session.catch((error: unknown) => {
      if (isUnauthorized(error)) http.unauthorized.note("session", addressOf(headers, call.connection));
      throw error;
    });
  }
  return http.authenticator.authenticate({
    apiKey: headers.get("x-api-key"),
    host: headers.get("host"),
    ip: addressOf(headers, call.connection),
  });
}

const isUnauthorized = (error: unknown) => error instanceof AppError && error.status === 401;

function problemResponse(
  http: HttpService,
  thrown: unknown,
  request: { id: string; path: string },
  headers: Headers,
): HttpAnswer {
  const error = appErrorOf(http.service, thrown, request);
  return {
    status: error.status,
    headers: { ...headers, ...error.headers, "Content-Type": "application/problem+json" },
    body: renderProblem(http.service, error, request),
  };
}

/** An error answer for a request that reaches no operation: 404 for an unknown path, 405 for a method it lacks. */
export function refuse(request: ApiRequest, allowed: readonly string[] | null): HttpAnswer {
  const startedMs = performance.now();
  const id = newId();
  const path = keepablePathOf(request.url);
  const error = allowed
    ? new AppError("method_not_allowed", `${path} takes ${allowed.join(", ")}.`, {
        headers: { Allow: allowed.join(", ") },
      })
    : new AppError("resource_not_found", `There is nothing at ${path}. See the API reference for the paths.`);
  const headers = { "X-Request-Id": encodeId("request", id), "Cache-Control": CACHE_CONTROL };
  const answered = problemResponse(currentService(), error, { id, path }, headers);
  countAnswer(NO_OPERATION, answered.status, startedMs);
  return answered;
}

/** Next finds /v1/payments/ where our own server finds nothing. */
export const endsWithSlash = (request: ApiRequest): boolean => pathOf(request.url).endsWith("/");

type NextHandler = (request: Request, context: { params: Promise<{ id?: string } | undefined> }) => Promise<Response>;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/**
 * The handlers of one path for a Next route file: `export const { GET, POST, … } = route(listPayments, createPayment)`. Each
 * method that the path lacks answers 405.
 */
export function route(...operations: readonly Operation[]): Record<(typeof METHODS)[number], NextHandler> {
  const allowed = operations.map((operation) => operation.method);
  const handlers = METHODS.map((method): [string, NextHandler] => {
    const operation = operations.find((candidate) => candidate.method === (method === "HEAD" ? "GET" : method));
    if (!operation) return [method, async (request) => toResponse(refuse(request, allowed))];
    return [
      method,
      async (request, { params }) =>
        toResponse(
          endsWithSlash(request)
            ? refuse(request, null)
            : await handle({ operation, request, id: (await params)?.id ?? null, connection: { ip: null } }),
        ),
    ];
  });
  return Object.fromEntries(handlers) as Record<(typeof METHODS)[number], NextHandler>;
}
