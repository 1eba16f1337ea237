import { randomBytes } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import { callerAddress } from "@/lib/http/request-parts";
import { dataHeaders, NONCE_HEADER, pageHeaders, pagePolicy } from "@/lib/http/security-headers";
import { isProxied } from "@/lib/mail/mail";

const MENDED = Symbol.for("cardlane.mended-request");
const SUBSCRIBED = Symbol.for("cardlane.mending-requests");
const holder = globalThis as { [key: symbol]: boolean | undefined };

type Started = { request: IncomingMessage; response: ServerResponse; server: Server };
type NextServerCare = {
  /** Called once per Next server, before its first request. */
  onServer(server: Server): void;
  /** Called for a request that came through a proxy. */
  onProxy(): void;
};

/** Corrects requests that Next's own server would misread, and secures the responses. */
export function normalizeRequests({ onServer, onProxy }: NextServerCare): void {
  if (holder[SUBSCRIBED]) return;
  holder[SUBSCRIBED] = true;
  const known = new WeakSet<Server>();
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = message as Started;
    if (!known.has(server)) {
      known.add(server);
      onServer(server);
    }
    if (isProxied(request.headers)) onProxy();
    tidyRequest(request);
    request.url = normalizeEscapes(request.url ?? "/");
    secureResponse(request, response);
  });
}

type Around = (request: IncomingMessage, response: ServerResponse, work: () => void) => void;

/**
 * Runs `first` before a server's other request listeners; if it returns true, they are skipped. The others
 * run within `around`.
 */
export function answerFirst(
  server: Server,
  first: (request: IncomingMessage, response: ServerResponse) => boolean,
  around: Around,
): void {
  const others = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (first(request, response)) return;
    around(request, response, () => {
      for (const other of others) Reflect.apply(other, server, [request, response]);
    });
  });
}

/**
 * Sets X-Forwarded-For to the caller's address, because Next keeps what a caller sent, and removes headers
 * that Next can't handle. Call once per request: it overwrites its own input.
 */
export function tidyRequest(request: IncomingMessage & { [MENDED]?: true }): void {
  if (request[MENDED]) return;
  request[MENDED] = true;
  // Next responds 500 to an invalid range; without one it sends the whole file, as HTTP allows.
  delete request.headers.range;
  // Next prefers this unchecked header to Host, which has been checked.
  delete request.headers["x-forwarded-host"];
  if (!isStateTree(request.headers[STATE_TREE])) delete request.headers[STATE_TREE];
  const forwarded = request.headers["x-forwarded-for"];
  request.headers["x-forwarded-for"] = callerAddress(forwarded?.toString(), request.socket.remoteAddress ?? "");
}

/** Router state of the client. Next responds 500 if it is malformed; without it, it sends the full page. */
const STATE_TREE = "next-router-state-tree";

function isStateTree(header: string | string[] | undefined): boolean {
  try {
    return parseAndValidateFlightRouterState(header) !== undefined;
  } catch {
    return false;
  }
}

/** Escapes percent signs in a path that can't be decoded, so that Next responds 404 instead of 500. */
export function normalizeEscapes(target: string): string {
  const [path = "", ...query] = target.split("?");
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return [path.replaceAll("%", "%25"), ...query].join("?");
  }
}

/**
 * Adds the page's nonce to a request, and security headers to its response unless a handler set them. A
 * response without any, such as Next's error page, gets the strictest. Refusals are not cacheable.
 */
export function secureResponse(request: IncomingMessage, response: ServerResponse): void {
  const nonce = randomBytes(18).toString("base64");
  const policy = pagePolicy(nonce);
  // Next reads the nonce for its scripts from the request's policy, so no caller may send one.
  delete request.headers["content-security-policy-report-only"];
  request.headers["content-security-policy"] = policy;
  request.headers[NONCE_HEADER] = nonce;
  const writeHead = response.writeHead.bind(response) as (...rest: unknown[]) => ServerResponse;
  response.writeHead = (...rest: unknown[]) => {
    const given = namesOf(rest);
    const status = typeof rest[0] === "number" ? rest[0] : response.statusCode;
    // next.config.ts sets headers by path, and Next ignores case: /SDK/v1.js would get the script's headers.
    if (status >= 400 && response.hasHeader("cache-control")) response.setHeader("cache-control", "no-store");
    const type = String(given.get("content-type") ?? response.getHeader("content-type") ?? "");
    const wanted = type.startsWith("text/html")
      ? { ...pageHeaders(), "content-security-policy": policy }
      : dataHeaders();
    for (const [name, value] of Object.entries(wanted)) {
      if (!given.has(name) && !response.hasHeader(name)) response.setHeader(name, value);
    }
    return writeHead(...rest);
  };
}

/** The headers in the arguments of `writeHead(status, message?, headers?)`. */
function namesOf(rest: readonly unknown[]): Map<string, unknown> {
  const headers = rest.find((argument): argument is OutgoingHttpHeaders | unknown[] => typeof argument === "object");
  if (!headers) return new Map();
  if (!Array.isArray(headers)) {
    return new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[String(name).toLowerCase(), headers[at + 1]]] : []));
  return new Map(pairs as [string, unknown][]);
}
