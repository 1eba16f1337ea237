import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { keepableText } from "@/lib/contract/card-numbers";
import { encodeId } from "@/lib/contract/ids";
import { env } from "@/lib/env";
import { noteRepeatedHeaders } from "@/lib/http/request-parts";
import { dataHeaders } from "@/lib/http/security-headers";
import { newId } from "@/lib/ids";
import { log } from "@/lib/log";
import { hostNameOf, isHost, isLoopbackHost } from "@/lib/loopback";

/** Refusal of a request before any route sees it. */
export type ServerRefusal = {
  readonly status: number;
  readonly sentence: string;
  readonly headers?: Record<string, string>;
};

/** Methods that Next supports. All others are refused, including TRACE, which `Request` does not allow. */
export const PAGE_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Files that Next serves from `public` and from its build. */
export const FILES = /^\/(?:_next\/static|sdk|screenshots|favicon\.svg)(?:\/|$)/;
const READING = new Set(["GET", "HEAD"]);
/** Paths that accept a body, each with its own limit; everything else is read-only. */
export const WRITTEN_TO =
  /^\/(?:api\/(?:(?:support-)?auth\/.|dashboard\/.|support\/.|(?:sign-up|verify-email|forgot-password|reset-password|stop-report-mails)$)|webhooks\/[^/]+(?:\/[^/]+)?$|pay\/[^/]+\/attempts$|link\/[^/]+\/open$|invoice\/[^/]+\/pay$|portal\/[^/]+\/(?:card|pay|cancel|continue)$|challenge\/[^/]+\/result$|demo\/checkout\/(?:payment|session)$)/;
/**
 * More than any of our URLs uses. Next's parsing is quadratic in the number of parameters: one request with
 * 16 KB of them blocks the process for three seconds.
 */
const MAX_PARAMETERS = 100;
const MAX_PATH_LENGTH = 1_000;
/** Paths that probes request by address. */
const WATCHED = /^\/(?:health(?:\/(?:live|ready))?|metrics)(?:\?|$)/;

const REFUSALS = {
  target: { status: 400, sentence: "This address is malformed." },
  long: { status: 414, sentence: "This address is longer than any that this service has." },
  body: { status: 413, sentence: "This address takes no body. Nothing was done." },
  hosts: { status: 400, sentence: "The request has more than one Host header." },
  noHost: { status: 400, sentence: "The request names no host." },
  badHost: { status: 400, sentence: "The Host header is not the name or address of a host." },
  host: {
    status: 421,
    sentence:
      "This service does not answer under the name in the Host header. Use its own address; a proxy in front of it has to " +
      "pass the Host header on, and BASE_URL has to be the address that people use.",
  },
  method: {
    status: 405,
    sentence: "This page can't be used that way.",
    headers: { Allow: [...PAGE_METHODS].join(", ") },
  },
  reading: {
    status: 405,
    sentence: "This address is read-only.",
    headers: { Allow: [...READING].join(", ") },
  },
} as const satisfies Record<string, ServerRefusal>;

type Admission = { readonly destination: Exclude<Destination, "nowhere"> } | { readonly refusal: ServerRefusal };

/**
 * Decides whether a request may reach our routes, on either host, and records repeated headers. Unknown host
 * names are refused: another site could point its name at this machine and count as same-origin. Load
 * balancers and Prometheus use the address.
 */
export function createGate(): (request: IncomingMessage) => Admission {
  const names = new Set(
    [env.baseUrl, env.sandboxBaseUrl, env.liveBaseUrl].flatMap((url) => (url ? [new URL(url).hostname] : [])),
  );
  const sandbox = !env.isProduction;
  if (sandbox) names.add(hostNameOf(env.listenAddress.includes(":") ? `[${env.listenAddress}]` : env.listenAddress));
  const known = new Map<string | undefined, boolean>();

  function isOwnHost(host: string | undefined): boolean {
    const name = hostNameOf(host ?? null);
    return names.has(name) || (sandbox && isLoopbackHost(host ?? null));
  }

  return (request) => {
    const repeated = noteRepeatedHeaders(request);
    const { url = "", method = "GET" } = request;
    const destination = destinationOf(url);
    if (destination === "nowhere") return { refusal: REFUSALS.target };
    const { host } = request.headers;
    if (repeated.has("host")) return { refusal: REFUSALS.hosts };
    let isOwn = known.get(host);
    if (isOwn === undefined) {
      isOwn = isOwnHost(host);
      // Cache only accepted host names: a service has few, and made-up ones must not accumulate.
      if (isOwn && known.size < 100) known.set(host, true);
    }
    if (!isOwn) {
      if (host !== undefined && !isHost(host)) return { refusal: REFUSALS.badHost };
      if (!WATCHED.test(url)) return { refusal: host === undefined ? REFUSALS.noHost : REFUSALS.host };
    }
    const refusal = destination === "pages" ? refusalOfPage(request, url, method) : null;
    return refusal ? { refusal } : { destination };
  };
}

/** True if Next must not see this target. */
export const hasTooManyParameters = (url: string): boolean =>
  url.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS;

/** Refuses requests on which Next fails, or spends too much time or memory. */
function refusalOfPage(request: IncomingMessage, url: string, method: string): ServerRefusal | null {
  if (!PAGE_METHODS.has(method)) return REFUSALS.method;
  const path = pathOf(url);
  if (path.length > MAX_PATH_LENGTH || hasTooManyParameters(url)) return REFUSALS.long;
  if (WRITTEN_TO.test(path)) return null;
  if (!READING.has(method)) return REFUSALS.reading;
  return hasBody(request) ? REFUSALS.body : null;
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** The path as Next reads it. The caller has checked that it can be decoded. */
const pathOf = (url: string) => decodeURIComponent(url.split("?", 1)[0] ?? "");

/** Responds with a refusal and closes the connection. */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, refusal: ServerRefusal): void {
  const { status, sentence, headers } = refusal;
  response.writeHead(status, { ...headersOf(sentence), ...headers });
  response.end(request.method === "HEAD" ? undefined : sentence);
}

const headersOf = (sentence: string) => ({
  ...dataHeaders(),
  "Content-Type": "text/plain; charset=utf-8",
  "Content-Length": String(Buffer.byteLength(sentence)),
  "Cache-Control": "no-store",
  "X-Request-Id": encodeId("request", newId()),
  Connection: "close",
});

const REASONS: Record<number, string> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Payload Too Large",
  414: "URI Too Long",
  431: "Request Header Fields Too Large",
};

/** The same without a response object: for unparsable requests and CONNECT. */
export function refuseOnSocket(socket: Duplex, refusal: ServerRefusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, sentence } = refusal;
  const lines = Object.entries({ ...headersOf(sentence), ...refusal.headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end([`HTTP/1.1 ${status} ${REASONS[status] ?? "Refused"}`, ...lines, "", sentence].join("\r\n"), () =>
    socket.destroy(),
  );
}

/** Refusals by Node's parser and its timeouts. */
export function refusalOf(error: NodeJS.ErrnoException): ServerRefusal {
  switch (error.code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, sentence: "The request took too long to arrive. Nothing was done; send it again." };
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, sentence: "The headers are too large." };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, sentence: "The chunk extensions are too large." };
    case "HPE_INVALID_URL":
      return {
        status: 400,
        sentence: "This address is malformed. Percent-encode characters such as é (%C3%A9).",
      };
    default:
      return { status: 400, sentence: "This is not a valid HTTP request." };
  }
}

/** Logs a caller that disconnected (499) or timed out (408) before its response. */
export function noteGone(request: IncomingMessage, status: 408 | 499, ms: number): void {
  // The rest of the path may contain a token.
  const path = keepableText(`/${(request.url ?? "").split(/[/?#]/, 2)[1] ?? ""}`, 40);
  const message = status === 408 ? "the caller was too slow" : "the caller hung up";
  log.info({ status, method: request.method?.slice(0, 20), path, ms: Math.round(ms) }, message);
}

/** The handler for a request target: the API, Next, or none for targets that no browser or client sends. */
type Destination = "api" | "pages" | "nowhere";

const PLAIN = /^\/(?!\/)[\w/-]*(?:\?|$)/;
const API = /^\/(?:v1|mcp|health|metrics)(?:[/?]|$)/;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

/**
 * Routes by the decoded path, as Next does, so that no other spelling of /v1 reaches the handlers through
 * Next. Paths that Next would rewrite (dot segments, `//`, backslashes) or can't decode are refused.
 */
export function destinationOf(target: string): Destination {
  if (PLAIN.test(target)) return API.test(target) ? "api" : "pages";
  const [raw = ""] = target.split("?", 1);
  const decoded = decode(raw);
  const path = decoded ?? raw.replace(/%2e/gi, ".");
  if (!path.startsWith("/") || path.startsWith("//") || /[\\#]/.test(raw) || DOT_SEGMENT.test(path)) return "nowhere";
  // The API treats a broken escape as an unknown id.
  if (API.test(path)) return "api";
  return decoded === null ? "nowhere" : "pages";
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
