import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { networkOf } from "@/lib/auth/attempt-limits";
import { env } from "@/lib/env";
import { dataHeaders } from "@/lib/http/security-headers";
import { bucketsOf } from "@/lib/limits";
import { isProxied } from "@/lib/mail/mail";
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
/** How often Node checks for slow requests; its default of 30 s would turn a limit of 10 s into 40. */
const LOOK_FOR_LATE_MS = 1_000;
/** A connection on which nothing moves, in either direction, although an answer is due. Longer than any answer takes. */
const STUCK_MS = 120_000;
/**
 * Requests of one connection that wait for their answers. Browsers and proxies wait for each; a packet may hold a thousand,
 * which would all be read before anything else is done.
 */
const MOST_AHEAD = 16;

export type ServerOptions = {
  /** Called for a request that came through a proxy. */
  onProxy?: () => void;
  arrival?: ArrivalLimits;
  /** How long a page may take until its answer begins; null or left out: as long as it takes. */
  pageLimitMs?: number | null;
};

/** One port for everything: the API is answered here, all else by Next. */
export function createHttpServer(
  listeners: Listeners,
  onError: (error: unknown) => void,
  { onProxy, arrival = ARRIVAL, pageLimitMs = null }: ServerOptions = {},
): Server {
  const server = createServer({
    headersTimeout: arrival.headersMs,
    requestTimeout: arrival.requestMs,
    connectionsCheckingInterval: Math.min(LOOK_FOR_LATE_MS, arrival.headersMs),
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
    const answer = () =>
      listener(request, response).catch((error: unknown) => {
        onError(error);
        if (response.headersSent) response.destroy();
        else
          response
            .writeHead(500, { ...dataHeaders(), "content-type": "text/plain" })
            .end("Something went wrong on our side.");
      });
    if (listener !== listeners.pages) {
      void answer();
      return;
    }
    // Next's handlers cannot see the connection, in development the API's among them.
    tidyRequest(request);
    secureResponse(request, response);
    void withOutages(request, response, pageLimitMs, answer);
  });
  return server;
}

/** While developing our own host and Next's side of the process both meet this server. */
const WATCHED = Symbol.for("cardlane.watched-server");

type Pending = { request: IncomingMessage; response: ServerResponse };

/**
 * Answers what is not a valid request, and logs callers that leave or are cut off; work already begun for them runs to its end.
 */
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
    // Within an answer there is no room for another one, and a caller that left reads none.
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
/** Answers of a server that is stopping. */
const notified = new WeakSet<ServerResponse>();

/** Notifies an endless answer when its server is stopping, which may already be the case. */
export function onceStopping(response: ServerResponse, end: () => void): void {
  if (notified.has(response)) end();
  else response.once(STOPPING, end);
}

function notifyStopping(response: ServerResponse): void {
  notified.add(response);
  response.emit(STOPPING);
}

/** Requests under way of a server, and whether it is stopping. */
type Traffic = { readonly running: Set<ServerResponse>; isStopping: boolean };
const traffics = new WeakMap<Server, Traffic>();

function watchTraffic(server: Server): void {
  const traffic: Traffic = { running: new Set(), isStopping: false };
  traffics.set(server, traffic);
  const unanswered = new WeakMap<Duplex, Set<ServerResponse>>();
  const cutOff = bucketsOf("overfullConnections");
  // Behind a proxy every connection is the proxy's, whoever sent the packet.
  const senderOf = ({ remoteAddress }: Socket) => (env.trustedProxies > 0 ? null : networkOf(remoteAddress ?? ""));
  server.on("connection", (socket: Socket) => {
    const sender = senderOf(socket);
    if (sender !== null && cutOff.waitMs(sender) > 0) socket.destroy();
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (socket.destroyed) return;
    // Closes the connection after this answer, so that the caller reconnects to an instance that stays.
    if (traffic.isStopping) {
      response.shouldKeepAlive = false;
      notifyStopping(response);
    }
    const own = unanswered.get(socket) ?? new Set();
    if (!unanswered.has(socket)) {
      unanswered.set(socket, own);
      // Node does not notify an answer that is queued behind another one when the caller leaves.
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
    if (own.size <= MOST_AHEAD) return;
    const sender = senderOf(socket);
    if (sender !== null) cutOff.take(sender);
    socket.destroy();
  });
}

/**
 * Lets the running requests finish while the port stays open, for `drainMs` at least, so that load balancers find out and send
 * nothing more; then closes it. Whatever still runs `graceMs` after the drain is cut off.
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
  // A connection that was busy turns idle with its answer; nothing closes it then but us.
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
