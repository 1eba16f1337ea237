import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { ConfigurationError } from "@/lib/env";
import { forwardAddress } from "./next-requests";
import { destinationOf } from "./request-target";

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Longer than the usual 60 s of load balancers, so that they, not we, close an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** One port for everything: the API is answered here, all else by Next. */
export function createHttpServer(
  listeners: { api: Listener; pages: Listener },
  onError: (error: unknown) => void,
): Server {
  const server = createServer((request, response) => {
    const destination = destinationOf(request.url ?? "");
    if (destination === "nowhere") {
      response.writeHead(400, { "content-type": "text/plain", connection: "close" }).end("This address is malformed.");
      return;
    }
    const listener = listeners[destination];
    // Next's handlers cannot see the connection, in development the API's among them.
    if (listener === listeners.pages) forwardAddress(request);
    listener(request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("Something went wrong on our side.");
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server;
}

export function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, port)));
    server.listen(port, () => resolve());
  });
}

/** Finds out early, before anything is started for nothing. */
export async function checkPort(port: number): Promise<void> {
  const probe = createServer();
  await listen(probe, port);
  await new Promise((resolve) => probe.close(resolve));
}

function explain(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new ConfigurationError(`Port ${port} is already in use: stop what uses it, or choose another with PORT.`);
  }
  if (error.code === "EACCES") {
    return new ConfigurationError(`This user may not listen on port ${port}: choose one above 1023 with PORT.`);
  }
  return error;
}

/** Takes no new requests and lets the running ones finish, for at most `graceMs`. */
export async function closeGracefully(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection that was busy turns idle with its answer; nothing closes it then but us.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const limit = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
