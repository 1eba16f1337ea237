import type { Operation } from "@/lib/contract/operation";
import { OPERATIONS } from "@/lib/contract/operations";
import type { HttpAnswer } from "./answer";
import { live, ready } from "./health";
import { metrics } from "./metrics";
import { type ApiRequest, type Connection, pathOf } from "./request-parts";
import { handle, refuse } from "./route";

/** The operations of one path, by method. */
type Path = { methods: Map<string, Operation>; allowed: string[] };

/** Path with `{id}` for the id → its operations. */
const PATHS = new Map<string, Path>();
for (const operation of OPERATIONS) {
  const path: Path = PATHS.get(operation.path) ?? { methods: new Map(), allowed: [] };
  path.methods.set(operation.method, operation);
  if (operation.method === "GET") path.methods.set("HEAD", operation);
  path.allowed.push(operation.method);
  PATHS.set(operation.path, path);
}

/**
 * Answers every request to /v1, /health and /metrics, without Next: what its router would do for `app/v1`, from the same table of
 * operations.
 */
export async function dispatch(request: ApiRequest, connection: Connection): Promise<HttpAnswer> {
  const pathname = pathOf(request.url);
  const found = find(pathname);
  if (!found && pathname === "/metrics") return metrics(request);
  if (!found) return (await healthOf(pathname, request)) ?? refuse(request, null);
  const operation = found.path.methods.get(request.method);
  if (!operation) return refuse(request, found.path.allowed);
  return handle({ operation, request, id: found.id, connection });
}

function find(pathname: string): { path: Path; id: string | null } | null {
  const exact = PATHS.get(pathname);
  if (exact) return pathname.includes("{") ? null : { path: exact, id: null };
  // "", v1, collection, id, verb
  const parts = pathname.split("/");
  const id = parts[3];
  if (!id || parts.length > 5) return null;
  parts[3] = "{id}";
  const path = PATHS.get(parts.join("/"));
  return path ? { path, id: decode(id) } : null;
}

/** A broken escape stays as it is, and is an id that does not exist. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function healthOf(pathname: string, request: ApiRequest): Promise<HttpAnswer | null> {
  if (pathname !== "/health" && pathname !== "/health/ready" && pathname !== "/health/live") return null;
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(request, ["GET"]);
  return pathname === "/health/live" ? live(request) : ready(request);
}
