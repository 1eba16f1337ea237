/** Routing from a path of /v1, /health or /metrics to its endpoint. */
import { setTimeout as wait } from "node:timers/promises";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError } from "@/lib/contract/errors";
import { countReplay } from "@/lib/counts";
import type { LogContext, Route } from "./api-call";
import { currentService } from "./current-service";
import { live, ready } from "./health";
import { metrics } from "./metrics";
import { noteRequest } from "./note-request";
import { everyMethod, handleRequest, type ResponseHeaders, refuse } from "./pipeline";
import { type ApiRequest, type Connection, decoded, pathOf } from "./request-parts";
import { respond } from "./respond";
import { type HttpResponse, toResponse } from "./response";
import type { EndpointReply } from "./run-endpoint";

/** The endpoints of one path, by method. */
type Path = { methods: Map<string, Endpoint>; allowed: string[] };

/** Path with `{id}` for the id → its endpoints. */
const PATHS = new Map<string, Path>();
for (const endpoint of ENDPOINTS) {
  const path: Path = PATHS.get(endpoint.path) ?? { methods: new Map(), allowed: [] };
  path.methods.set(endpoint.method, endpoint);
  if (endpoint.method === "GET") path.methods.set("HEAD", endpoint);
  path.allowed.push(endpoint.method);
  PATHS.set(endpoint.path, path);
}

/**
 * Handles every request to /v1, /health and /metrics without Next, from the same table of endpoints as the
 * routes in `app/v1`.
 */
export async function dispatch(request: ApiRequest, connection: Connection): Promise<HttpResponse> {
  const pathname = pathOf(request.url);
  const found = find(pathname);
  if (!found && pathname === "/metrics") return metrics(request);
  if (!found) return (await healthOf(pathname, request)) ?? refuse(request, null);
  const endpoint = found.path.methods.get(request.method);
  if (!endpoint) return refuse(request, found.path.allowed);
  return handle({ endpoint, request, id: found.id, connection });
}

/** The same under Next's own server, where only headers have the caller's address. */
export const nextRoutes = everyMethod(async (request) => toResponse(await dispatch(request, { ip: null })));

function find(pathname: string): { path: Path; id: string | null } | null {
  const exact = PATHS.get(pathname);
  if (exact) return pathname.includes("{") ? null : { path: exact, id: null };
  // "", v1, collection, id, verb
  const parts = pathname.split("/");
  const id = parts[3];
  if (!id || parts.length > 5) return null;
  parts[3] = "{id}";
  const path = PATHS.get(parts.join("/"));
  return path ? { path, id: decoded(id) } : null;
}

async function healthOf(pathname: string, request: ApiRequest): Promise<HttpResponse | null> {
  if (pathname !== "/health" && pathname !== "/health/ready" && pathname !== "/health/live") return null;
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(request, ["GET"]);
  return pathname === "/health/live" ? live(request) : ready(request);
}

/**
 * Tarpit: each 429 to an unauthenticated caller is delayed, so a loop over a few connections makes few
 * requests a second.
 */
export const TARPIT_MS = 500;

function handle(route: Route): Promise<HttpResponse> {
  const http = currentService();
  const { endpoint, request } = route;
  const log: LogContext = { caller: null, key: null, sent: undefined, object: null };
  const startedMs = performance.now();
  return handleRequest(request, {
    name: endpoint.name,
    async run(info, headers) {
      return render(endpoint, headers, await respond({ http, info, headers, log, ...route }));
    },
    async onRefusal(error) {
      if (log.caller === null && error instanceof AppError && error.code === "rate_limited") await wait(TARPIT_MS);
      return error;
    },
    onResponse(info, response) {
      if (response.headers["Idempotent-Replayed"]) countReplay(endpoint.name);
      noteRequest({ http, info, log, ...route }, response, performance.now() - startedMs);
    },
  });
}

function render(endpoint: Endpoint, headers: ResponseHeaders, reply: EndpointReply): HttpResponse {
  const { status, body, replayed, stream, sent } = reply;
  if (endpoint.streams) {
    // Keeps proxies from buffering the stream.
    Object.assign(headers, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    return { status, headers, body, ...(stream && { stream }) };
  }
  headers["Content-Type"] = status >= 400 ? "application/problem+json" : "application/json";
  if (replayed) headers["Idempotent-Replayed"] = "true";
  return { status, headers, body, ...(sent && { sent }) };
}
