import type { z } from "zod";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { DashboardOperation } from "@/lib/contract/operation";
import { isMode, type Mode } from "@/lib/contract/transactions/words";
import { countAnswer, NO_OPERATION } from "@/lib/counts";
import { requireProof, requireVerifiedEmail } from "@/lib/domain/accounts/proof";
import type { Person, SignedInMerchant } from "@/lib/domain/accounts/sessions";
import type { Context, Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { appErrorOf, renderProblem } from "./answer";
import { peopleOf, personContext } from "./caller";
import { currentService } from "./current-service";
import { parseBody, parseQuery } from "./parse";
import { addressOf, keepablePathOf, searchOf } from "./request-parts";
import { bodySize, sandboxQuota } from "./sandbox-quota";
import { merchantSuspended, requireSameOrigin, sessionOver, signedIn } from "./session-caller";

type RequestInfo = {
  readonly id: string;
  readonly path: string;
  readonly address: string;
  readonly userAgent: string | null;
};
type Params = Record<string, string>;

/** `request.id` is a UUID. */
export type DashboardCall = {
  readonly ctx: Context;
  readonly person: Person;
  readonly merchant: SignedInMerchant;
  readonly params: Params;
  readonly request: RequestInfo;
};
export type SupportCall = {
  readonly service: Service;
  readonly staff: Person;
  readonly params: Params;
  readonly request: RequestInfo;
};
export type PublicCall = {
  readonly service: Service;
  readonly params: Params;
  readonly request: RequestInfo;
  /** The Cookie header: some do more for whoever is signed in. */
  readonly cookies: string | null;
};

type InputOf<O extends DashboardOperation> = (O["body"] extends z.ZodType ? z.infer<O["body"]> : unknown) &
  (O["query"] extends z.ZodType ? z.infer<O["query"]> : unknown);
type AnswerOf<O extends DashboardOperation> = z.input<O["response"]>;
type Run<Call, O extends DashboardOperation> = (call: Call, input: InputOf<O>) => Promise<AnswerOf<O>>;

type Handler = (request: Request, context: { params: Promise<Params | undefined> }) => Promise<Response>;
type Handlers = Record<"GET" | "POST" | "PATCH" | "DELETE", Handler>;
type Caller<Call> = (
  operation: DashboardOperation,
  request: Request,
  params: Params,
  info: RequestInfo,
) => Promise<Call>;

/** An operation with what it does, for one of the route makers below. */
export function serve<Call, const O extends DashboardOperation>(
  operation: O,
  run: Run<Call, O>,
): [O, Run<Call, never>] {
  return [operation, run as Run<Call, never>];
}

type Served<Call> = [DashboardOperation, (call: Call, input: never) => Promise<unknown>];

/**
 * Route handlers for a merchant's people: `export const { POST } = dashboardRoutes(serve(createKey, run))`. Checks, in order:
 * our own page, session, rate limit, role, proofs, parameters. Answers errors as /v1 does.
 */
export const dashboardRoutes = (...served: Served<DashboardCall>[]): Handlers => handlers(served, dashboardCall);
/** The same for support staff. */
export const supportRoutes = (...served: Served<SupportCall>[]): Handlers => handlers(served, supportCall);
/** The same for everybody: sign-up, forgotten passwords. What it does must limit itself. */
export const publicRoutes = (...served: Served<PublicCall>[]): Handlers =>
  handlers(served, async (_operation, { headers }, params, request) => ({
    service: currentService().service,
    params,
    request,
    cookies: headers.get("cookie"),
  }));

export const dashboardCall: Caller<DashboardCall> = async (operation, request, params, info) => {
  const found = await signedIn(request.headers.get("cookie"), "merchant");
  if (!found?.merchant) throw sessionOver();
  const { person, merchant } = found;
  limit(person, operation);
  const mode = params.mode ?? "test";
  if (!isMode(mode)) throw new AppError("resource_not_found", `There is no mode '${mode}'.`);
  requirePermission(person, operation);
  // Their own password, second factor and sessions stay theirs to change: those take no permission.
  if (merchant.suspended && operation.method !== "GET" && operation.permission !== null) throw merchantSuspended();
  const applies = (gate: DashboardOperation["proof"]) => gate === "always" || (gate === "live" && mode === "live");
  if (applies(operation.verified)) requireVerifiedEmail(person);
  if (applies(operation.proof)) requireProof(person);
  if (operation.method === "GET") currentService().answerLimits.check(peopleOf({ id: merchant.environments[mode] }));
  // What is everybody's own is not counted: whoever uses an account up must not keep its owner from securing it.
  if (operation.method !== "GET" && operation.permission !== null) takeWrite(person, mode, request.headers);
  const ctx = personContext(currentService().service, {
    environment: { id: merchant.environments[mode], mode, merchantId: merchant.id },
    actor: { type: "user", id: person.userId },
    request: { id: info.id, operation: operation.name, path: info.path },
  });
  return { ctx, person, merchant, params, request: info };
};

const supportCall: Caller<SupportCall> = async (operation, request, params, info) => {
  const found = await signedIn(request.headers.get("cookie"), "staff");
  if (!found) throw sessionOver();
  limit(found.person, operation);
  requirePermission(found.person, operation);
  if (operation.proof !== undefined) requireProof(found.person);
  return { service: currentService().service, staff: found.person, params, request: info };
};

/** Counted together with what the person asks of /v1; what costs much, once more. */
function limit({ userId }: Person, { costly }: DashboardOperation): void {
  const { rateLimiter, costlyLimiter } = currentService();
  rateLimiter.take(userId);
  if (costly) costlyLimiter.take(userId);
}

/** An account that nobody proved an address for has nothing in live mode to hinder, and its history stays as test data does. */
function takeWrite({ userId, emailVerified }: Person, mode: Mode, headers: Request["headers"]): void {
  const writer = { key: userId, mode: emailVerified ? mode : "test", verified: emailVerified } as const;
  sandboxQuota().take(writer)?.add(bodySize({ headers }, undefined));
}

function requirePermission(person: Person, { permission }: DashboardOperation): void {
  if (permission === null || person.permissions.has(permission)) return;
  throw new AppError(
    "permission_denied",
    `Your role lacks the permission ${permission}. Ask an owner of the account for it.`,
  );
}

function handlers<Call>(served: Served<Call>[], callOf: Caller<Call>): Handlers {
  const handlerOf = (method: string): Handler => {
    const found = served.find(([operation]) => operation.method === method);
    return async (request, context) => {
      const startedMs = performance.now();
      const response = await answer(found, callOf, request, context, served);
      countAnswer(found?.[0].name ?? NO_OPERATION, response.status, startedMs);
      return response;
    };
  };
  return { GET: handlerOf("GET"), POST: handlerOf("POST"), PATCH: handlerOf("PATCH"), DELETE: handlerOf("DELETE") };
}

async function answer<Call>(
  found: Served<Call> | undefined,
  callOf: Caller<Call>,
  request: Request,
  context: { params: Promise<Params | undefined> },
  served: Served<Call>[],
): Promise<Response> {
  const { service } = currentService();
  const info = infoOf(request);
  const headers = { "X-Request-Id": encodeId("request", info.id), "Cache-Control": "no-store" };
  try {
    if (!found) throw methodNotAllowed(info.path, served);
    const [operation, run] = found;
    if (operation.method !== "GET") requireSameOrigin(request.headers, service.baseUrl);
    const call = await callOf(operation, request, (await context.params) ?? {}, info);
    const query = parseQuery(searchOf(request.url), operation);
    const body = await parseBody(request, operation);
    const result = await run(call, { ...(query as object), ...(body as object) } as never);
    const text = JSON.stringify(result);
    const reader = isDashboardCall(call) ? peopleOf(call.ctx.environment) : null;
    if (reader !== null) currentService().answerLimits.charge(reader, Buffer.byteLength(text));
    return new Response(text, {
      status: operation.status,
      headers: { ...headers, "Content-Type": "application/json" },
    });
  } catch (thrown) {
    const error = appErrorOf(service, counted(thrown, info), info);
    return new Response(renderProblem(service, error, info), {
      status: error.status,
      headers: { ...headers, ...error.headers, "Content-Type": "application/problem+json" },
    });
  }
}

const isDashboardCall = (call: unknown): call is DashboardCall =>
  typeof call === "object" && call !== null && "merchant" in call;

/** What was thrown, or for an address that comes without a session all the time that it is to wait. */
function counted(thrown: unknown, { address }: RequestInfo): unknown {
  if (!(thrown instanceof AppError) || thrown.status !== 401) return thrown;
  try {
    currentService().unauthorized.note("session", address);
    return thrown;
  } catch (limited) {
    return limited;
  }
}

export const infoOf = (request: Request): RequestInfo => ({
  id: newId(),
  path: withoutSessionToken(keepablePathOf(request.url)),
  address: addressOf(request.headers, { ip: null }),
  userAgent: request.headers.get("user-agent"),
});

/** A client session's token is a secret, and paths are logged. */
const withoutSessionToken = (path: string) => path.replace(/^(\/pay\/)[^/]+/, "$1{token}");

function methodNotAllowed(path: string, served: Served<never>[] | Served<unknown>[]): AppError {
  const allowed = served.map(([operation]) => operation.method).join(", ");
  return new AppError("method_not_allowed", `${path} takes ${allowed}.`, { headers: { Allow: allowed } });
}
