import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { callerAddress, PROXIED_HEADER } from "@/lib/http/request-parts";

const MENDED = Symbol.for("cardlane.mended-request");
/** What proxies add. That of one on this machine arrives from this machine, whoever sent it there. */
const BY_PROXIES = /^(x-forwarded-.*|forwarded|via|x-real-ip)$/;
const SUBSCRIBED = Symbol.for("cardlane.mending-requests");
const holder = globalThis as { [key: symbol]: boolean | undefined };

/** Mends what Next's own server would get wrong about a request, before it sees it. */
export function mendRequests(): void {
  if (holder[SUBSCRIBED]) return;
  holder[SUBSCRIBED] = true;
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    forwardAddress(request);
    request.url = mendEscapes(request.url ?? "/");
  });
}

/**
 * Leaves the caller's address, and nothing that a caller wrote, where a handler under Next finds it: Next itself fills in
 * X-Forwarded-For only when it is absent. Marks what came through a proxy. Once per request, as it replaces what it reads.
 */
export function forwardAddress(request: IncomingMessage & { [MENDED]?: true }): void {
  if (request[MENDED]) return;
  request[MENDED] = true;
  const isProxied = Object.keys(request.headers).some((name) => BY_PROXIES.test(name));
  delete request.headers[PROXIED_HEADER];
  if (isProxied) request.headers[PROXIED_HEADER] = "1";
  const forwarded = request.headers["x-forwarded-for"];
  request.headers["x-forwarded-for"] = callerAddress(forwarded?.toString(), request.socket.remoteAddress ?? "");
}

/** Next answers 500 to a path it cannot decode; with its percent signs escaped it is one that does not exist. */
export function mendEscapes(target: string): string {
  const [path = "", ...query] = target.split("?");
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return [path.replaceAll("%", "%25"), ...query].join("?");
  }
}
