import type { Service } from "@/lib/domain/context";
import { configure, env } from "@/lib/env";
import { type Authenticator, createAuthenticator } from "./authenticate";
import { createRateLimiter, type RateLimiter } from "./rate-limit";
import { createRequestErrorLog, type RequestErrorLog } from "./request-error-log";

/** The service with what only HTTP needs: who calls, and how often. */
export type HttpService = {
  readonly service: Service;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly requestErrors: RequestErrorLog;
};

/**
 * One per process, on globalThis: the pages are bundled by Next with a copy of every module, and must share the pools and
 * caches with the API.
 */
const holder = globalThis as { [key: symbol]: HttpService | undefined };
const KEY = Symbol.for("cardlane.http-service");

/** Called once, by the start-up. */
export function provideService(service: Service): HttpService {
  const http: HttpService = {
    service,
    authenticator: createAuthenticator(service, { sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl }),
    rateLimiter: createRateLimiter({ perSecond: env.rateLimitPerSecond, burst: env.rateLimitBurst }),
    requestErrors: createRequestErrorLog(service),
  };
  holder[KEY] = http;
  // next-auth reads its own address there.
  configure({ NEXTAUTH_URL: service.baseUrl });
  return http;
}

export function currentService(): HttpService {
  const http = holder[KEY];
  if (!http) throw new Error("the service has not been started");
  return http;
}
