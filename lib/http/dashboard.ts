/** The steps of a request outside of the API: by users, by staff, and by everybody. */

import type { z } from "zod";
import type { DashboardEndpoint, ParamsOf } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { isMode, type Mode } from "@/lib/contract/transactions/words";
import { requireReauthentication, requireVerifiedEmail } from "@/lib/domain/accounts/reauthentication";
import {
  environmentOf,
  requireOwnRole,
  type SignedInMerchant,
  type SignedInUser,
} from "@/lib/domain/accounts/sessions";
import { type Context, onReplicas, type Service } from "@/lib/domain/context";
import { requireRunningClock } from "@/lib/domain/test-clock/test-clock";
import { membersOf, merchantSuspended, userContext } from "./caller";
import { currentService } from "./current-service";
import { parseBody, parseQuery } from "./parse";
import { handleRequest, type RequestInfo, refuse } from "./pipeline";
import { addressOf, decoded, pathOf, searchOf } from "./request-parts";
import { type HttpResponse, toResponse } from "./response";
import { isAccessOld } from "./revocation";
import { bodySize, sandboxQuota } from "./sandbox-quota";
import { requireSameOrigin, sessionOver, signedIn } from "./session-caller";

type Params = Readonly<Record<string, string>>;

type Call = {
  readonly service: Service;
  readonly request: RequestInfo;
  /** The caller's IP address. */
  readonly address: string;
  /**
   * Throws once the session has ended or its role no longer allows the call; left out if the endpoint needs
   * no session.
   */
  readonly reauthorize?: () => Promise<void>;
};
export type UserCall = Call & {
  readonly ctx: Context;
  readonly user: SignedInUser;
  readonly merchant: SignedInMerchant;
};
export type StaffRequest = Call & { readonly staff: SignedInUser };
/** `cookies`: the Cookie header; some endpoints do more for a signed-in user. */
export type PublicCall = Call & { readonly cookies: string | null };

type CallOf<C> = (endpoint: DashboardEndpoint, request: Request, params: Params, info: RequestInfo) => Promise<C>;
type InputOf<E extends DashboardEndpoint> = (E["body"] extends z.ZodType ? z.infer<E["body"]> : unknown) &
  (E["query"] extends z.ZodType ? z.infer<E["query"]> : unknown);

/** An endpoint with its handler. */
export type ServedRoute = {
  readonly endpoint: DashboardEndpoint;
  answer(request: Request, params: Params): Promise<HttpResponse>;
};

const serveTo =
  <C extends Call>(callOf: CallOf<C>) =>
  <const E extends DashboardEndpoint>(
    endpoint: E,
    run: (call: C & { params: ParamsOf<E["path"]> }, input: InputOf<E>) => Promise<z.input<E["response"]>>,
  ): ServedRoute => ({
    endpoint,
    answer: (request, params) =>
      handleRequest(request, {
        name: endpoint.name,
        async run(info, headers) {
          const { service, responseLimiter } = currentService();
          if (endpoint.method !== "GET") requireSameOrigin(request.headers, service.baseUrl);
          const checkedAtMs = performance.now();
          const call = await callOf(endpoint, request, params, info);
          const query = parseQuery(searchOf(request.url), endpoint);
          const body = await parseBody(request, endpoint);
          if (isAccessOld(checkedAtMs)) await call.reauthorize?.();
          const input = { ...(query as object), ...(body as object) } as InputOf<E>;
          const text = JSON.stringify(await run({ ...call, params: params as ParamsOf<E["path"]> }, input));
          if ("ctx" in call)
            responseLimiter.charge(membersOf((call.ctx as Context).environment), Buffer.byteLength(text));
          return { status: endpoint.status, headers: { ...headers, "Content-Type": "application/json" }, body: text };
        },
        onRefusal: (error) => counted(error, request),
      }),
  });

const callBy = (request: Request, info: RequestInfo): Call => ({
  service: currentService().service,
  request: info,
  address: addressOf(request.headers, { ip: null }),
});

/**
 * Calls by a merchant's users. Checks in this order: origin, session, rate limit, role, re-authentication,
 * parameters.
 */
export const userCall: CallOf<UserCall> = async (endpoint, request, params, info) => {
  const { user, merchant } = await userOf(request);
  limit(user, endpoint);
  const mode = params.mode ?? "test";
  if (!isMode(mode)) throw new AppError("resource_not_found", `There is no mode '${mode}'.`);
  const reauthorize = async () => authorizeUser(await userOf(request), endpoint, mode);
  authorizeUser({ user, merchant }, endpoint, mode);
  if (endpoint.method === "GET") currentService().responseLimiter.check(membersOf({ id: merchant.environments[mode] }));
  // A user's own account is not counted: an attacker who uses up the quota must not keep the owner from
  // securing it.
  if (endpoint.method !== "GET" && endpoint.permission !== null) takeWrite(user, mode, request.headers);
  const called = userContext(currentService().service, {
    environment: environmentOf(merchant, mode),
    actor: { type: "user", id: user.userId },
    request: { ...info, endpoint: endpoint.name },
  });
  // Writes to the account itself name no mode.
  const isInMode = endpoint.method !== "GET" && params.mode !== undefined;
  const running = isInMode ? await requireRunningClock(called) : called;
  const ctx = { ...(endpoint.method === "GET" ? onReplicas(running) : running), reauthorize };
  return { ...callBy(request, info), reauthorize, ctx, user, merchant };
};

async function userOf({ headers }: Request): Promise<{ user: SignedInUser; merchant: SignedInMerchant }> {
  const found = await signedIn(headers.get("cookie"), "merchant");
  if (!found?.merchant) throw sessionOver();
  return { user: found.user, merchant: found.merchant };
}

function authorizeUser(
  { user, merchant }: Awaited<ReturnType<typeof userOf>>,
  endpoint: DashboardEndpoint,
  mode: Mode,
) {
  if (endpoint.method !== "GET") requireOwnRole(user);
  requirePermission(user, endpoint);
  // Users may always change their own password, second factor and sessions: these take no permission.
  if (merchant.suspended && endpoint.method !== "GET" && endpoint.permission !== null) throw merchantSuspended();
  const applies = (gate: DashboardEndpoint["reauthentication"]) =>
    gate === "always" || (gate === "live" && mode === "live");
  if (applies(endpoint.verified)) requireVerifiedEmail(user);
  if (applies(endpoint.reauthentication)) requireReauthentication(user);
}

const staffCall: CallOf<StaffRequest> = async (endpoint, request, _params, info) => {
  const found = await signedIn(request.headers.get("cookie"), "staff");
  if (!found) throw sessionOver();
  limit(found.user, endpoint);
  const authorizeStaff = (user: SignedInUser) => {
    requirePermission(user, endpoint);
    if (endpoint.reauthentication !== undefined) requireReauthentication(user);
  };
  authorizeStaff(found.user);
  const reauthorize = async () => {
    const now = await signedIn(request.headers.get("cookie"), "staff");
    if (!now) throw sessionOver();
    authorizeStaff(now.user);
  };
  const call = callBy(request, info);
  return { ...(endpoint.method === "GET" ? onReplicas(call) : call), reauthorize, staff: found.user };
};

const publicCall: CallOf<PublicCall> = async (_endpoint, request, _params, info) => ({
  ...callBy(request, info),
  cookies: request.headers.get("cookie"),
});

export const forUsers = serveTo(userCall);
export const forStaff = serveTo(staffCall);
/** Sign-up, password reset, shoppers. These endpoints have limits of their own. */
export const forEverybody = serveTo(publicCall);

/** Routes a request to the endpoint with its path and method. */
export function serveAll(served: readonly ServedRoute[]): (request: Request) => Promise<Response> {
  // A brace sorts after every letter, so that `account/sessions` comes before `{mode}/sessions`.
  const paths = [...new Set(served.map(({ endpoint }) => endpoint.path))].sort().map((path) => ({
    pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
    served: served.filter(({ endpoint }) => endpoint.path === path),
  }));
  return async (request) => {
    const method = request.method === "HEAD" ? "GET" : request.method;
    for (const path of paths) {
      const match = path.pattern.exec(pathOf(request.url));
      if (!match) continue;
      const found = path.served.find(({ endpoint }) => endpoint.method === method);
      if (!found)
        return toResponse(
          refuse(
            request,
            path.served.map(({ endpoint }) => endpoint.method),
          ),
        );
      const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
      return toResponse(await found.answer(request, Object.fromEntries(params)));
    }
    return toResponse(refuse(request, null));
  };
}

/** Shares the rate limit of /v1; costly endpoints count once more. */
function limit({ userId }: SignedInUser, { costly }: DashboardEndpoint): void {
  const { rateLimiter, costlyLimiter } = currentService();
  rateLimiter.take(userId);
  if (costly) costlyLimiter.take(userId);
}

/**
 * An unverified account counts as test mode: it has no live business to delay, and its data is kept as test
 * data is.
 */
function takeWrite({ userId, emailVerified }: SignedInUser, mode: Mode, headers: Request["headers"]): void {
  const writer = { key: userId, mode: emailVerified ? mode : "test", verified: emailVerified } as const;
  sandboxQuota().take(writer)?.add(bodySize({ headers }, undefined));
}

function requirePermission(user: SignedInUser, { permission }: DashboardEndpoint): void {
  if (permission === null || user.permissions.has(permission)) return;
  throw new AppError(
    "permission_denied",
    `Your role lacks the permission ${permission}. Ask an owner of the account for it.`,
  );
}

/** The error, or 429 for an address with too many requests without a session. */
function counted(thrown: unknown, { headers }: Request): unknown {
  if (!(thrown instanceof AppError) || thrown.status !== 401) return thrown;
  try {
    currentService().unauthorized.note("session", addressOf(headers, { ip: null }));
    return thrown;
  } catch (limited) {
    return limited;
  }
}
