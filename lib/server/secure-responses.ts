import { randomBytes } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { dataHeaders, NONCE_HEADER, pageHeaders, pagePolicy } from "@/lib/http/security-headers";

/**
 * Gives a request the nonce that its page is rendered with, and its answer the headers that browsers obey. What a handler
 * has set itself stays; what nobody thought of, as an error page of Next's, is held to the strictest that fits.
 */
export function secureResponse(request: IncomingMessage, response: ServerResponse): void {
  const nonce = randomBytes(18).toString("base64");
  const policy = pagePolicy(nonce);
  // Next takes the nonce for its own scripts from the policy of the request, so nobody else may write one there.
  delete request.headers["content-security-policy-report-only"];
  request.headers["content-security-policy"] = policy;
  request.headers[NONCE_HEADER] = nonce;
  const writeHead = response.writeHead.bind(response) as (...rest: unknown[]) => ServerResponse;
  response.writeHead = (...rest: unknown[]) => {
    const given = namesOf(rest);
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
