import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dispatch } from "@/lib/http/dispatch";
import type { Stream } from "@/lib/http/event-stream";
import { mcp } from "@/lib/http/mcp/server";
import { type ApiRequest, pathOf } from "@/lib/http/request-parts";
import { bytesOf, type HttpResponse } from "@/lib/http/response";
import { dataHeaders } from "@/lib/http/security-headers";
import { respondWithin } from "@/lib/http/unavailable";
import { type Listener, onceStopping } from "./http-server";

/** Time limit of a request, on top of the processor's own. */
export const ANSWER_LIMIT_MS = 22_000;

/** Timeout for a caller that doesn't read its response, which holds a merchant slot and memory. */
const UNREAD_MS = 10_000;

/**
 * Serves the API without Next: same handlers, many times faster. Doesn't use a fetch-style adapter, because
 * creating a `Request` and `Response` with copied headers costs as much as a simple read.
 */
export function apiListener(limitMs: number): Listener {
  return async (incoming, outgoing) => {
    const arrival = { isRead: false };
    const request = apiRequest(incoming, outgoing, arrival);
    const serve = pathOf(request.url) === "/mcp" ? mcp : dispatch;
    const response = await respondWithin(limitMs, request, serve(request, { ip: addressOf(incoming) }), {
      isCallersTurn: () => arrival.isRead && !incoming.complete,
    });
    if (response.stream) await sendStream(response, response.stream, incoming, outgoing);
    else send(response, incoming, outgoing);
  };
}

/** The request, whose body must be read before `outgoing` ends. */
export function apiRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  arrival: { isRead: boolean },
): ApiRequest {
  const { headers, method = "GET" } = incoming;
  return {
    method,
    url: `http://${headers.host ?? "localhost"}${incoming.url ?? "/"}`,
    headers: {
      get(name) {
        const value = headers[name];
        return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
      },
    },
    body: method === "GET" || method === "HEAD" ? null : bodyOf(incoming, outgoing, arrival),
  };
}

const bodyOf = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  arrival: { isRead: boolean },
): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]() {
    // Node discards what is unread after a response. Read as empty, it would mean "refund everything".
    if (outgoing.writableEnded) throw new Error("the response was sent before the body was read");
    arrival.isRead = true;
    // An oversized body isn't read to the end; the connection must stay open for the error response.
    return incoming.iterator({ destroyOnReturn: false });
  },
});

/** Streams until the caller leaves or the service stops. */
async function sendStream(
  { status, headers }: HttpResponse,
  stream: Stream,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  outgoing.once("close", end);
  onceStopping(outgoing, end);
  over.signal.addEventListener("abort", () => {
    // A client that has stopped reading would keep the connection open.
    if (outgoing.writableNeedDrain) outgoing.destroy();
    else outgoing.end();
  });
  if (outgoing.closed || incoming.socket.destroyed) return;
  // Another request on this connection would be queued behind the stream until it ends.
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, { ...dataHeaders(), ...headers });
  for await (const piece of stream(over)) {
    if (over.signal.aborted) break;
    if (outgoing.write(piece)) continue;
    await once(outgoing, "drain", { signal: over.signal }).catch(end);
  }
  outgoing.end();
}

function send(
  { status, headers, body, sent }: HttpResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  // A pipelined response can be created after its connection's "close" event.
  if (sent && (outgoing.closed || incoming.socket.destroyed)) sent();
  else if (sent) {
    outgoing.once("close", sent);
    incoming.socket.setTimeout(UNREAD_MS);
  }
  const length = bytesOf(body);
  outgoing.writeHead(status, { "Content-Length": String(length), ...dataHeaders(), ...headers });
  // One byte per character means ASCII; writing it as latin1 skips UTF-8 encoding.
  if (incoming.method !== "HEAD" && typeof body === "string") {
    outgoing.end(body, length === body.length ? "latin1" : "utf8");
  } else {
    if (incoming.method !== "HEAD") for (const piece of body as readonly Uint8Array[]) outgoing.write(piece);
    outgoing.end();
  }
}

/** The peer's address, with IPv4-mapped IPv6 addresses in IPv4 form. */
const addressOf = (incoming: IncomingMessage) => (incoming.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
