import { writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import type { ApiCall } from "./api-call";
import { authorize, type Caller, readerOf } from "./caller";
import { addressOf, decidingHeader } from "./request-parts";
import { isAccessOld } from "./revocation";
import { type CountedWrite, takeSandboxWrite } from "./sandbox-quota";
import { authenticateSession, isFromDashboard } from "./session-caller";

/** Access of a caller that may call the endpoint. */
export type Access = {
  readonly caller: Caller;
  /** Throws unless the caller still may. */
  reauthorize(): Promise<void>;
  /** The same, if the last check is too old to act on. */
  renew(): Promise<void>;
};

/** Throws 401 or 403, and 429 for an address with too many failures. */
export async function identify(call: ApiCall): Promise<Access> {
  const { endpoint, log } = call;
  const checkedAtMs = performance.now();
  const caller = await authenticate(call);
  log.caller = caller;
  authorize(caller, endpoint);
  const reauthorize = async () => authorize(await authenticate(call), endpoint);
  const renew = async () => {
    if (isAccessOld(checkedAtMs)) await reauthorize();
  };
  return { caller, reauthorize, renew };
}

/** The caller by API key or, for our own pages, by the signed-in user's session. Throws 401. */
function authenticate({ http, endpoint, request, connection }: ApiCall): Promise<Caller> {
  const { headers } = request;
  if (isFromDashboard(headers)) {
    const session = authenticateSession(http.service, { headers, endpoint });
    return session.catch((error: unknown) => {
      if (isUnauthorized(error)) http.unauthorized.note("session", addressOf(headers, connection));
      throw error;
    });
  }
  return http.authenticator.authenticate({
    apiKey: decidingHeader(headers, "X-Api-Key"),
    host: headers.get("host"),
    ip: addressOf(headers, connection),
  });
}

const isUnauthorized = (error: unknown) => error instanceof AppError && error.status === 401;

/** `reader`: whose responses count together. `quota`: what a write takes of the day's sandbox quota. */
export type Limits = { readonly reader: string; readonly quota: CountedWrite | null };

/** Throws 429, and adds the headers of the rate limit. */
export function takeLimits({ http, endpoint, headers }: ApiCall, caller: Caller): Limits {
  Object.assign(headers, http.rateLimiter.take(caller.limitKey));
  // The merchant limit counts API keys only, so dashboard users are unaffected, and live payments are by
  // tests.
  if (caller.actor.type === "api_key") http.merchantLimiter.take(caller.environment.id);
  const reader = readerOf(caller, endpoint);
  http.responseLimiter.check(reader);
  return { reader, quota: writes(endpoint) ? takeSandboxWrite(caller) : null };
}
