import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { env } from "@/lib/env";

/** Mends what Next's own server would get wrong about a request, before it sees it. */
export function mendRequests(): void {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    // Next writes the peer's address there only when the header is absent, so a caller could choose its own.
    if (env.trustedProxies === 0) delete request.headers["x-forwarded-for"];
    request.url = mendEscapes(request.url ?? "/");
  });
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
