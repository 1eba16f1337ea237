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

/** Limit for a caller that reads nothing of a response: it holds a slot of its merchant, and memory. */
const UNREAD_MS = 10_000;

/**
 * The API without Next around it: the same handlers, many times as fast. Own code and no fetch-style adapter, because a
 * `Request` and a `Response` for each request, with copies of all headers, cost as much as a simple read itself.
 */
export function apiListener(limitMs: number): Listener {
  return async (incoming, outgoing) => {
    const arrival = { isRead: false };
    const request = apiRequest(incoming, arrival);
    const serve = pathOf(request.url) === "/mcp" ? mcp : dispatch;
    const answer = await respondWithin(limitMs, request, serve(request, { ip: addressOf(incoming) }), {
      isCallersTurn: () => arrival.isRead && !incoming.complete,
    });
    if (answer.stream) await sendStream(answer, answer.stream, incoming, outgoing);
    else send(answer, incoming, outgoing);
  };
}

function apiRequest(incoming: IncomingMessage, arrival: { isRead: boolean }): ApiRequest {
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
    body: method === "GET" || method === "HEAD" ? null : bodyOf(incoming, arrival),
  };
}

const bodyOf = (incoming: IncomingMessage, arrival: { isRead: boolean }): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]() {
    arrival.isRead = true;
    // A body that is too large is not read to its end, and the connection must stay open for the answer that says so.
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
  // Another request would wait behind it for as long as it lasts.
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
  // An answer that waited behind another one on its connection was created after the end was announced.
  if (sent && (outgoing.closed || incoming.socket.destroyed)) sent();
  else if (sent) {
    outgoing.once("close", sent);
    incoming.socket.setTimeout(UNREAD_MS);
  }
  const length = bytesOf(body);
  outgoing.writeHead(status, { "Content-Length": String(length), ...dataHeaders(), ...headers });
  // A byte for each character: ASCII, which is written as it is, and faster than text that has to be looked through.
  if (incoming.method !== "HEAD" && typeof body === "string") {
    outgoing.end(body, length === body.length ? "latin1" : "utf8");
  } else {
    if (incoming.method !== "HEAD") for (const piece of body as readonly Uint8Array[]) outgoing.write(piece);
    outgoing.end();
  }
}

/** The peer's address; IPv4 in its own form even when it arrives on an IPv6 socket. */
const addressOf = (incoming: IncomingMessage) => (incoming.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
