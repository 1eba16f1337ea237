import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import * as challengeResult from "@/app/(checkout)/challenge/[token]/result/route";
import * as reports from "@/app/webhooks/[processor]/route";
import { challengeAfterReturn } from "@/lib/http/checkout";
import { dashboardRoutes } from "@/lib/http/dashboard-endpoints";
import type { Listener } from "@/lib/server/http-server";
import { watchStatements } from "@/lib/server/outages";

type Context = { params: Promise<{ token: string; mode: string; processor: string }> };
type Handler = (request: Request, context: Context) => Promise<Response>;
type Route = { path: RegExp; handlers: Partial<Record<"GET" | "POST", Handler>> };

/** Page routes that write or report state, some dashboard calls, and processor reports; HTML is left to Next. */
const ROUTES: readonly Route[] = [
  { path: /^\/pay\/([^/]+)\/(?:attempts|state)$/, handlers: dashboardRoutes },
  { path: /^\/api\/dashboard\/([^/]+)\/idempotency-key$/, handlers: dashboardRoutes },
  {
    path: /^\/api\/dashboard\/([^/]+)\/approval-requests(?:\/[^/]+\/(?:approve|collect))?$/,
    handlers: dashboardRoutes,
  },
  { path: /^\/webhooks\/([^/]+)$/, handlers: reports },
  { path: /^\/challenge\/([^/]+)\/result$/, handlers: challengeResult },
  { path: /^\/challenge\/([^/]+)$/, handlers: { GET: comeBack } },
];

/**
 * A shopper returning from the processor's page: redirected to the merchant, or shown the result without a
 * page of ours.
 */
async function comeBack(request: Request, { params }: Context): Promise<Response> {
  const { challenge, leaveTo } = await challengeAfterReturn(request, (await params).token);
  if (leaveTo !== null) return new Response(null, { status: 303, headers: { Location: leaveTo } });
  return new Response(challenge?.status, { status: challenge ? 200 : 404 });
}

/** The routes above, called the way Next calls them; 404 for everything else. */
export const pageListener: Listener = async (incoming, outgoing) => {
  const response = await watchStatements(outgoing, () => answer(incoming));
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(body);
};

async function answer(incoming: IncomingMessage): Promise<Response> {
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "localhost"}`);
  for (const { path, handlers } of ROUTES) {
    const token = path.exec(url.pathname)?.[1];
    const handler = handlers[incoming.method === "POST" ? "POST" : "GET"];
    if (token === undefined || handler === undefined) continue;
    return handler(requestOf(url, incoming), {
      params: Promise.resolve({ token: decodeURIComponent(token), mode: token, processor: token }),
    });
  }
  return new Response("There is no such page.", { status: 404 });
}

function requestOf(url: URL, incoming: IncomingMessage): Request {
  const { method = "GET" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  if (method === "GET") return new Request(url, { headers });
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  return new Request(url, { method, headers, body, duplex: "half" } as RequestInit);
}
