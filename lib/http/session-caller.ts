import { cookieValue, isSecure, readSessionId } from "@/lib/auth/session-cookie";
import type { Audience } from "@/lib/contract/accounts/sessions";
import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { RefundBody } from "@/lib/contract/payments/payment";
import { merchantRole } from "@/lib/contract/permissions";
import type { CancelSubscriptionBody } from "@/lib/contract/subscriptions/subscription";
import { roleViewCookie } from "@/lib/contract/team/role-view";
import { isMode } from "@/lib/contract/transactions/words";
import {
  requireAllowance,
  requireReauthentication,
  requireRefundReauthentication,
  requireVerifiedEmail,
} from "@/lib/domain/accounts/reauthentication";
import { environmentOf, findSession, requireOwnRole, type SignedIn, viewAsRole } from "@/lib/domain/accounts/sessions";
import type { Service } from "@/lib/domain/context";
import { findProratedRefund } from "@/lib/domain/subscriptions/actions";
import { findEnvironmentForStaff } from "@/lib/domain/support/merchants";
import { type Caller, merchantSuspended } from "./caller";
import { currentService } from "./current-service";
import { decidingHeader } from "./request-parts";

type Headers = { get(name: string): string | null };
type SessionRequest = { headers: Headers; endpoint: Endpoint };

/**
 * True if a request comes from one of our own pages, which name the environment, by mode or, for support
 * staff, by id. A cookie alone is no credential, because other sites cannot add such a header.
 */
export const isFromDashboard = (headers: Headers): boolean =>
  headers.get("x-api-key") === null &&
  (decidingHeader(headers, "X-Cardlane-Mode") !== null || decidingHeader(headers, "X-Cardlane-Environment") !== null);

/**
 * The user behind a request from our own pages. Throws 401 when the session is over, 403 for a foreign page.
 */
export async function authenticateSession(service: Service, request: SessionRequest): Promise<Caller> {
  const { headers } = request;
  if (writes(request.endpoint)) requireSameOrigin(headers, service.baseUrl);
  const isMerchant = decidingHeader(headers, "X-Cardlane-Environment") === null;
  return isMerchant ? merchantCaller(request) : staffCaller(service, request);
}

async function merchantCaller({ headers, endpoint }: SessionRequest): Promise<Caller> {
  const found = await signedIn(headers.get("cookie"), "merchant");
  if (!found?.merchant) throw sessionOver();
  const { user, merchant } = found;
  const mode = headers.get("x-cardlane-mode") ?? "";
  if (!isMode(mode)) throw new AppError("resource_not_found", `There is no mode '${mode}'.`);
  if (writes(endpoint)) requireOwnRole(user);
  if (merchant.suspended && writes(endpoint)) throw merchantSuspended();
  // New business in live mode needs a verified address. Existing payments can still be captured, voided,
  // refunded and defended.
  if (mode === "live" && writes(endpoint) && !isFollowUp(endpoint)) requireVerifiedEmail(user);
  return {
    actor: { type: "user", id: user.userId },
    limitKey: user.userId,
    environment: environmentOf(merchant, mode),
    permissions: user.permissions,
    verified: user.emailVerified,
    user,
  };
}

const FOLLOW_UPS: ReadonlySet<string> = new Set([
  "transaction.capture",
  "transaction.void",
  "transaction.refund",
  "dispute.write",
]);
const isFollowUp = ({ permissions }: Endpoint) => permissions.some((permission) => FOLLOW_UPS.has(permission));

async function staffCaller(service: Service, { headers, endpoint }: SessionRequest): Promise<Caller> {
  const found = await signedIn(headers.get("cookie"), "staff");
  if (!found) throw sessionOver();
  if (writes(endpoint)) requireReauthentication(found.user);
  const id = headers.get("x-cardlane-environment") ?? "";
  const uuid = decodeId("environment", id);
  const environment = uuid && (await findEnvironmentForStaff(service, uuid));
  if (!environment) throw new AppError("resource_not_found", `There is no environment '${id}'.`);
  return {
    actor: { type: "staff", id: found.user.userId },
    limitKey: found.user.userId,
    environment,
    permissions: found.user.permissions,
    verified: true,
    user: found.user,
  };
}

/** Endpoints that send customer data to an address of the caller's choice, or reveal a signing secret. */
export const SENDS_ELSEWHERE: ReadonlySet<string> = new Set([
  "createWebhookEndpoint",
  "updateWebhookEndpoint",
  "rotateWebhookSecret",
]);

/**
 * Throws if a user has to re-authenticate first: for refunds above the daily limit, also of a subscription
 * that is cancelled, and for live webhooks. Runs before the idempotency key is claimed, like every permission check. API keys are exempt.
 */
export async function requireReauthenticationFor(
  service: Service,
  { user, environment }: Caller,
  request: { endpoint: Endpoint; id: string | null; body: unknown },
): Promise<void> {
  const { endpoint, id, body } = request;
  if (user === undefined) return;
  if (environment.mode === "live" && SENDS_ELSEWHERE.has(endpoint.name)) requireReauthentication(user);
  if (id === null) return;
  if (endpoint.name === "cancelSubscription" && (body as CancelSubscriptionBody | undefined)?.refund === "prorated") {
    const refund = await findProratedRefund({ service, environment }, id);
    if (refund) await requireAllowance(service, user, refund);
  }
  if (!endpoint.permissions.includes("transaction.refund")) return;
  const kind = endpoint.path.startsWith("/v1/payments/") ? "payment" : "transaction";
  const uuid = decodeId(kind, id);
  if (uuid === null) return;
  const target = kind === "payment" ? { paymentId: uuid } : { transactionId: uuid };
  const amount = (body as RefundBody | undefined)?.amount ?? null;
  await requireRefundReauthentication(service, user, { environmentId: environment.id, target, amount });
}

/** The sender of a request, by its session cookie; null without a session. */
export async function signedIn(cookies: string | null, audience: Audience): Promise<SignedIn | null> {
  const { service } = currentService();
  const id = await readSessionId(cookies, audience, {
    baseUrl: service.baseUrl,
    sessionKeys: service.secret.sessionKeys,
  });
  const found = id === null ? null : await findSession(service, id);
  if (found === null) return null;
  return (found.user.role === "staff") === (audience === "staff") ? inRoleView(found, cookies) : null;
}

/** An owner may view the dashboard as another role. The cookie raises nobody's rights. */
function inRoleView(found: SignedIn, cookies: string | null): SignedIn {
  if (found.user.role !== "owner") return found;
  const name = roleViewCookie(encodeId("user", found.user.userId), isSecure(currentService().service.baseUrl));
  const role = merchantRole.safeParse(cookieValue(cookies, name)).data;
  return role === undefined || role === "owner" ? found : { ...found, user: viewAsRole(found.user, role) };
}

/** For requests that only a signed-in user may make. */
export const sessionOver = () => new AppError("api_key_missing", "Your session has ended. Sign in again.");

/**
 * Throws unless one of our own pages sent the request. For every write that a cookie authorizes, because
 * browsers attach cookies to other sites' requests as well. `baseUrl` is the public address; behind a proxy
 * the Host header may differ.
 */
export function requireSameOrigin(headers: { get(name: string): string | null }, baseUrl: string): void {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  // Older browsers send no Sec-Fetch-Site, and none do over plain http to another machine.
  if (site === null && isOwn(headers.get("origin"), headers.get("host"), baseUrl)) return;
  throw new AppError(
    "origin_not_allowed",
    "This request did not come from a Cardlane page. Open the dashboard and try again.",
  );
}

function isOwn(origin: string | null, host: string | null, baseUrl: string): boolean {
  if (origin === null || origin === "null" || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  const own = new URL(baseUrl);
  // The same host without TLS may be served by an attacker.
  return url.protocol === own.protocol && (url.host === own.host || url.host === host?.toLowerCase());
}
