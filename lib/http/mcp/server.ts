/**
 * The HTTP side of the MCP server at /mcp: authentication, rate limits, and validation of messages. It is
 * stateless.
 */
import { setTimeout as wait } from "node:timers/promises";
import { keepableText, maskCardNumbers } from "@/lib/contract/card-numbers";
import { AppError } from "@/lib/contract/errors";
import { env } from "@/lib/env";
import { type Caller, readerOf } from "@/lib/http/caller";
import { currentService, type HttpService } from "@/lib/http/current-service";
import { TARPIT_MS } from "@/lib/http/dispatch";
import { alteredParts, readBody, repeatedMember, requireJson } from "@/lib/http/parse";
import { everyMethod, handleRequest, type RequestInfo, type ResponseHeaders, refuse } from "@/lib/http/pipeline";
import { type ApiRequest, addressOf, type Connection, decidingHeader, pathOf } from "@/lib/http/request-parts";
import { bytesOf, type HttpResponse, toResponse } from "@/lib/http/response";
import type { McpResponse } from "./session";

/**
 * Handles /mcp. Only POST: without state between messages there is no stream to GET and no session to DELETE.
 */
export async function mcp(request: ApiRequest, connection: Connection): Promise<HttpResponse> {
  if (pathOf(request.url) !== "/mcp") return refuse(request, null);
  if (request.method !== "POST") return refuse(request, ["POST"]);
  const known: Authenticated = { caller: null };
  return handleRequest(request, {
    name: "mcp",
    run: (info, headers) => handlePost(currentService(), { request, connection, info, headers, known }),
    async onRefusal(error) {
      if (!(error instanceof AppError)) return error;
      if (known.caller === null && error.code === "rate_limited") await wait(TARPIT_MS);
      return error.status === 401 ? unauthorized(error) : error;
    },
  });
}

export const nextRoutes = everyMethod(async (request) => toResponse(await mcp(request, { ip: null })));

/** The caller, once it is authenticated. */
type Authenticated = { caller: Caller | null };
type Post = {
  readonly request: ApiRequest;
  readonly connection: Connection;
  readonly info: RequestInfo;
  readonly headers: ResponseHeaders;
  readonly known: Authenticated;
};

/**
 * Order of checks: 403 (origin), 401, 429, 413/415, then the message. The endpoint that a tool calls checks
 * the rest.
 */
async function handlePost(http: HttpService, post: Post): Promise<HttpResponse> {
  const { request, connection, info, headers } = post;
  requireNoForeignPage(request.headers.get("origin"));
  const apiKey =
    decidingHeader(request.headers, "X-Api-Key") ?? bearerOf(decidingHeader(request.headers, "Authorization"));
  const caller = await http.authenticator.authenticate({
    apiKey,
    host: request.headers.get("host"),
    ip: addressOf(request.headers, connection),
  });
  post.known.caller = caller;
  Object.assign(headers, http.rateLimiter.take(caller.limitKey));
  http.merchantLimiter.take(caller.environment.id);
  const reader = readerOf(caller, { method: "GET" });
  http.responseLimiter.check(reader);
  const text = await readBody(request);
  requireJson(decidingHeader(request.headers, "Content-Type"));
  const { message, refusal } = messageOf(text);
  if (refusal) return refusedMessage(headers, refusal);
  const { handleMessage } = await import("./session");
  const call = { http, caller, apiKey: apiKey ?? "", request, connection, info };
  const answered = await toHttpResponse(
    headers,
    await handleMessage(call, asPosted(request), message, request.headers.get("mcp-session-id")),
  );
  http.responseLimiter.charge(reader, bytesOf(answered.body));
  return answered;
}

/**
 * Refuses browser pages of other sites, also those that reach us by DNS rebinding. Other clients send no
 * Origin.
 */
function requireNoForeignPage(origin: string | null): void {
  if (origin === null) return;
  const own = [env.baseUrl, env.sandboxBaseUrl, env.liveBaseUrl].map((url) => url && new URL(url).origin);
  if (own.includes(origin)) return;
  throw new AppError("origin_not_allowed", "Pages of other sites can't use this address. Connect with an MCP client.");
}

const bearerOf = (header: string | null): string | null => /^Bearer +(\S{1,1000})$/i.exec(header ?? "")?.[1] ?? null;

const unauthorized = (error: AppError) =>
  new AppError(
    error.code,
    error.code === "api_key_missing"
      ? "Send your API key as Authorization: Bearer <key>, or in the X-Api-Key header. Create one in the dashboard under API keys."
      : "This API key does not work here. Check that it is complete, active and for this environment.",
    {
      headers: {
        "WWW-Authenticate": `Bearer realm="Cardlane"${error.code === "api_key_invalid" ? ', error="invalid_token"' : ""}`,
      },
    },
  );

type Refusal = { readonly code: number; readonly message: string; readonly id?: string | number };
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

/** Deeper than any message of the protocol, and harmless for recursive code. */
const MAX_DEPTH = 40;

function messageOf(text: string): { message: object; refusal?: undefined } | { message?: undefined; refusal: Refusal } {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { refusal: { code: PARSE_ERROR, message: "The body is not valid JSON." } };
  }
  const refuseAs = (sentence: string) => ({ refusal: { code: INVALID_REQUEST, message: sentence } });
  if (Array.isArray(message)) return refuseAs("Send one message at a time: there are no batches.");
  if (typeof message !== "object" || message === null) return refuseAs("A message is a JSON object.");
  if (isDeeper(message, MAX_DEPTH)) return refuseAs("This message is nested too deeply.");
  const repeated = repeatedMember(text);
  if (repeated)
    return refuseAs(`${keepableText(repeated.join("."), 100)}: Given more than once. Send each member once.`);
  const [altered] = alteredParts(text, message);
  if (altered) return refuseAs(altered.message);
  const { id, method } = message as { id?: string | number | null; method?: unknown };
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number")
    return refuseAs("An id is a string or a number.");
  // The id of a response is that of our question, and is not echoed.
  if (method !== undefined && maskCardNumbers(String(id)) !== String(id))
    return refuseAs("An id must not look like a card number.");
  if (method === "subscriptions/listen")
    return {
      refusal: {
        code: METHOD_NOT_FOUND,
        message: "There is nothing to subscribe to.",
        ...(id !== undefined && id !== null && { id }),
      },
    };
  return { message };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

const refusedMessage = (headers: ResponseHeaders, { id, ...error }: Refusal): HttpResponse => ({
  status: error.code === METHOD_NOT_FOUND ? 404 : 400,
  headers: { ...headers, "Content-Type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", error, id: id ?? null }),
});

const PROTOCOL_HEADERS = ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

/**
 * The request for the SDK: without its body, which is already parsed, and only with the protocol's headers.
 */
function asPosted({ headers }: ApiRequest): Request {
  const given = PROTOCOL_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  // The protocol demands both types; clients that accept anything get JSON.
  const accept: [string, string] = ["accept", "application/json, text/event-stream"];
  return new Request("http://localhost/mcp", { method: "POST", headers: [accept, ...given] });
}

async function toHttpResponse(
  headers: ResponseHeaders,
  { response, stream, session }: McpResponse,
): Promise<HttpResponse> {
  if (session !== undefined) headers["Mcp-Session-Id"] = session;
  if (stream) {
    // Keeps proxies from buffering the stream.
    Object.assign(headers, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    return { status: 200, headers, body: "", stream };
  }
  const text = await response.text();
  if (response.status >= 500) throw new Error(`the MCP server failed with ${response.status}`);
  const type = response.headers.get("content-type");
  if (type) headers["Content-Type"] = type;
  return { status: response.status, headers, body: withoutNumbers(text) };
}

/**
 * Masks card numbers, because protocol errors echo parts of the message. Results come from endpoints, which
 * store none.
 */
function withoutNumbers(text: string): string {
  if (!text.includes('"error"')) return text;
  const answered = JSON.parse(text, (_, value) => (typeof value === "string" ? maskCardNumbers(value) : value)) as {
    error?: unknown;
  };
  return answered.error === undefined ? text : JSON.stringify(answered);
}
