import type { Service } from "@/lib/domain/context";
import { configure, env } from "@/lib/env";
import { type Authenticator, createAuthenticator } from "./authenticate";
import { createLimiter, createUnauthorizedLimiter, type RateLimiter, type UnauthorizedLimiter } from "./rate-limit";
import { createRequestLog, type RequestLog } from "./request-log";
import { createRequestSlots, type RequestSlots } from "./request-slots";

/** The service with what only HTTP needs: authentication and limits. */
export type HttpService = {
  readonly service: Service;
  readonly authenticator: Authenticator;
  /** Per API key and per user. */
  readonly rateLimiter: RateLimiter;
  /** Per environment: all its keys together. */
  readonly merchantLimiter: RateLimiter;
  /** Per user, for expensive requests. */
  readonly costlyLimiter: RateLimiter;
  /** Bytes per reader. */
  readonly responseLimiter: RateLimiter;
  readonly slots: RequestSlots;
  readonly unauthorized: UnauthorizedLimiter;
  readonly requestLog: RequestLog;
};

/**
 * One per process, on globalThis: the pages are bundled by Next with a copy of every module, and must share
 * the pools and caches with the API.
 */
const holder = globalThis as { [key: symbol]: HttpService | undefined };
const KEY = Symbol.for("cardlane.http-service");

/** Called once, by the start-up. */
export function provideService(service: Service): HttpService {
  const { sandboxBaseUrl, liveBaseUrl } = env;
  const unauthorized = createUnauthorizedLimiter();
  const http: HttpService = {
    service,
    unauthorized,
    authenticator: createAuthenticator(service, { sandboxBaseUrl, liveBaseUrl, unauthorized }),
    rateLimiter: createLimiter("requests"),
    merchantLimiter: createLimiter("merchantRequests"),
    costlyLimiter: createLimiter("costlyRequests"),
    responseLimiter: createLimiter("responseBytes"),
    slots: createRequestSlots(readsAtOnce(service)),
    requestLog: createRequestLog(service),
  };
  holder[KEY] = http;
  // next-auth reads its address from this variable.
  configure({ NEXTAUTH_URL: service.baseUrl });
  return http;
}

export function currentService(): HttpService {
  const http = holder[KEY];
  if (!http) throw new Error("the service has not been started");
  return http;
}

/** Three in four connections of the smaller pool: reads that may be long never hold the last one. */
function readsAtOnce({ db }: Service): number {
  const sizes = db.pools().flatMap(({ name, max }) => (name.startsWith("environment_") ? [max] : []));
  return Math.max(1, Math.floor((Math.min(...(sizes.length > 0 ? sizes : [3])) * 3) / 4));
}
