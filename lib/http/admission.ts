import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { type Caller, readerOf } from "./caller";
import type { HttpService } from "./current-service";
import type { AnswerHeaders } from "./pipeline";
import { type ApiRequest, addressOf, type Connection, decidingHeader } from "./request-parts";
import { authenticateSession, isFromDashboard } from "./session-caller";

/** A request to an endpoint of /v1. `id`: from its path. */
export type Call = {
  readonly endpoint: Endpoint;
  readonly request: ApiRequest;
  readonly id: string | null;
  readonly connection: Connection;
};

/** Throws 429, and adds the headers of the rate limit. Returns whose responses count together. */
export function takeLimits(http: HttpService, { endpoint }: Call, caller: Caller, headers: AnswerHeaders): string {
  Object.assign(headers, http.rateLimiter.take(caller.limitKey));
  // The merchant limit counts API keys only, so dashboard users are unaffected, and live payments are by tests.
  if (caller.actor.type === "api_key") http.merchantLimiter.take(caller.environment.id);
  const reader = readerOf(caller, endpoint);
  http.responseLimiter.check(reader);
  return reader;
}

/** By API key; from our own pages by the session of the signed-in user. Throws 401. */
export function authenticate(http: HttpService, call: Call): Promise<Caller> {
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
