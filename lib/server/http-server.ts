import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { env } from "@/lib/env";
import { dataHeaders } from "@/lib/http/security-headers";
import { isProxied } from "@/lib/mail/mail";
import { networkOf } from "@/lib/network";
import { createBuckets } from "@/lib/rate-limits";
import { createGate, noteGone, refusalOf, refuseOnSocket, refuseRequest } from "./gate";
import { secureResponse, tidyRequest } from "./next-requests";
import { withOutages } from "./outages";

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
export type Listeners = { api: Listener; pages: Listener };

/** Time limits for a request's headers, and for all of it. */
type ArrivalLimits = { readonly headersMs: number; readonly requestMs: number };
export const ARRIVAL: ArrivalLimits = { headersMs: 10_000, requestMs: 30_000 };
/** Unread bytes of a request that are buffered: slightly more than our longest body. */
export const UNREAD_BYTES = 65 * 1_024;

/** Longer than the usual 60 s of load balancers, so that they, not we, close an idle connection. */
export const KEEP_ALIVE_MS = 65_000;
/** Interval of Node's check for slow requests. Its default of 30 s would turn a limit of 10 s into 40. */
const LATE_CHECK_MS = 1_000;
/** Idle timeout of a connection with a pending response. Longer than any response takes. */
const STUCK_MS = 120_000;
/**
 * Max pipelined requests per connection. Browsers and proxies don't pipeline, and Node would parse a packet
 * of a thousand requests before doing anything else.
 */
const MAX_PIPELINED = 16;

export type ServerOptions = {
  /** Called for a request that came through a proxy. */
  onProxy?: () => void;
  arrival?: ArrivalLimits;
  /** Time limit for the first byte of a page; none by default. */
  pageLimitMs?: number | null;
};

/** Serves everything on one port: the API here, the rest through Next. */
export function createHttpServer(
  listeners: Listeners,
  onError: (error: unknown) => void,
  { onProxy, arrival = ARRIVAL, pageLimitMs = null }: ServerOptions = {},
): Server {
  const server = createServer({
    headersTimeout: arrival.headersMs,
    requestTimeout: arrival.requestMs,
    connectionsCheckingInterval: Math.min(LATE_CHECK_MS, arrival.headersMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    highWaterMark: UNREAD_BYTES,
    // The gate refuses requests without a Host header, with its own message.
    requireHostHeader: false,
  });
  server.timeout = STUCK_MS;
  const gate = createGate();
  watchTraffic(server);
  watchCallers(server);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.socket.destroyed) return;
    if (onProxy && isProxied(request.headers)) onProxy();
    const admission = gate(request);
    if ("refusal" in admission) {
      refuseRequest(request, response, admission.refusal);
      return;
    }
    const listener = listeners[admission.destination];
    const serve = () =>
      listener(request, response).catch((error: unknown) => {
        onError(error);
        if (response.headersSent) response.destroy();
        else
          response
            .writeHead(500, { ...dataHeaders(), "content-type": "text/plain" })
            .end("Something went wrong on our side.");
      });
    if (listener !== listeners.pages) {
      void serve();
      return;
    }
    // Next's handlers, and in development the API's, can't see the connection.
    tidyRequest(request);
    secureResponse(request, response);
    void withOutages(request, response, pageLimitMs, serve);
  });
  return server;
}

/** In development, both our own host and Next's part of the process handle this server. */
const WATCHED = Symbol.for("cardlane.watched-server");

type Pending = { request: IncomingMessage; response: ServerResponse };

/** Responds to invalid requests, and logs callers that disconnect or time out. Their work still completes. */
export function watchCallers(server: Server & { [WATCHED]?: true }): void {
  if (server[WATCHED]) return;
  server[WATCHED] = true;
  const pending = new WeakMap<Duplex, Pending>();
  const late = new WeakSet<Duplex>();
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const startedMs = performance.now();
    pending.set(socket, { request, response });
    response.once("close", () => {
      if (!response.writableFinished) noteGone(request, late.has(socket) ? 408 : 499, performance.now() - startedMs);
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (isLate) late.add(socket);
    const { response } = pending.get(socket) ?? {};
    // Don't respond if a response has started or the caller has disconnected.
    if (error.code === "ECONNRESET" || (response && !response.writableFinished && response.headersSent))
      socket.destroy();
    else refuseOnSocket(socket, refusalOf(error));
  });
  server.on("connect", (_request, socket: Duplex) => {
    refuseOnSocket(socket, {
      status: 405,
      sentence: "This service is no proxy.",
      headers: { Allow: "GET, HEAD, POST" },
    });
  });
}

const STOPPING = Symbol("stopping");
/** Responses that were notified of the stop. */
const notified = new WeakSet<ServerResponse>();

/** Calls `end` for an endless response when its server stops, or immediately if it is already stopping. */
export function onceStopping(response: ServerResponse, end: () => void): void {
  if (notified.has(response)) end();
  else response.once(STOPPING, end);
}

function notifyStopping(response: ServerResponse): void {
  notified.add(response);
  response.emit(STOPPING);
}

/** A server's requests in progress, and whether it is stopping. */
type Traffic = { readonly running: Set<ServerResponse>; isStopping: boolean };
const traffics = new WeakMap<Server, Traffic>();

function watchTraffic(server: Server): void {
  const traffic: Traffic = { running: new Set(), isStopping: false };
  traffics.set(server, traffic);
  const unanswered = new WeakMap<Duplex, Set<ServerResponse>>();
  const cutOff = createBuckets("overfullConnections");
  // Behind a proxy, every connection is the proxy's, so the address doesn't identify the caller.
  const senderOf = ({ remoteAddress }: Socket) => (env.trustedProxies > 0 ? null : networkOf(remoteAddress ?? ""));
  server.on("connection", (socket: Socket) => {
    const sender = senderOf(socket);
    if (sender !== null && cutOff.waitMs(sender) > 0) socket.destroy();
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (socket.destroyed) return;
    // Closes the connection after this response, so that the caller reconnects to another instance.
    if (traffic.isStopping) {
      response.shouldKeepAlive = false;
      notifyStopping(response);
    }
    const own = unanswered.get(socket) ?? new Set();
    if (!unanswered.has(socket)) {
      unanswered.set(socket, own);
      // Node emits no "close" for a response that is queued behind another one.
      socket.once("close", () => {
        for (const waiting of own) if (!waiting.socket) waiting.emit("close");
      });
    }
    traffic.running.add(response);
    own.add(response);
    response.once("close", () => {
      traffic.running.delete(response);
      own.delete(response);
    });
    if (own.size <= MAX_PIPELINED) return;
    const sender = senderOf(socket);
    if (sender !== null) cutOff.take(sender);
    socket.destroy();
  });
}

/**
 * Keeps the port open until running requests finish, and for at least `drainMs`, so that load balancers stop
 * sending; then closes it. Requests still running `graceMs` after the drain are aborted.
 */
export async function closeGracefully(server: Server, graceMs: number, drainMs = 0): Promise<void> {
  const deadline = performance.now() + drainMs + graceMs;
  const traffic = traffics.get(server);
  if (traffic) traffic.isStopping = true;
  const ended = [...(traffic?.running ?? [])].map((response) => {
    notifyStopping(response);
    if (!response.headersSent) response.shouldKeepAlive = false;
    return new Promise<void>((resolve) => void response.once("close", resolve));
  });
  await within(drainMs + graceMs, Promise.all([wait(drainMs), ...ended]));
  const closed = new Promise((resolve) => server.close(resolve));
  // Node doesn't close connections that become idle after this.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  server.closeIdleConnections();
  await within(deadline - performance.now(), closed);
  clearInterval(sweep);
  server.closeAllConnections();
  await closed;
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, wait(Math.max(0, limitMs), null, limit).catch(() => {})]);
  limit.abort();
}
