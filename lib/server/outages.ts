import type { IncomingMessage, ServerResponse } from "node:http";
import { type Serving, workFor } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import { failureResponse, infoOf } from "@/lib/http/pipeline";
import { NONCE_HEADER } from "@/lib/http/security-headers";
import { outagePage, silence } from "@/lib/http/unavailable";
import { hasBody } from "./gate";

/** State of each response handled by `withOutages`. */
const servings = new WeakMap<ServerResponse, Serving>();

/**
 * Runs a page's handler. Responds 503 with Retry-After instead of 500 during an outage (`watchStatements`,
 * `noteOutage`), or if no response starts within `limitMs`. Next's own error page is empty without scripts.
 * A response that started with 200 continues; the browser's error boundary reports the failure.
 */
export function withOutages<T>(
  request: IncomingMessage,
  response: ServerResponse,
  limitMs: number | null,
  work: () => T,
): T {
  const serving: Serving = { failure: null };
  servings.set(response, serving);
  const replace = replacer(request, response, serving);
  if (limitMs !== null) limitTime(request, response, limitMs, replace);
  return work();
}

/**
 * Runs `work` and notes statements that fail in a database outage. For pages only: it makes Node track every
 * promise of the process, which would make payments one seventh slower.
 */
export function watchStatements<T>(response: ServerResponse, work: () => T): T {
  const serving = servings.get(response);
  return serving ? workFor(serving, work) : work();
}

/** Notes that something else the response needs is unavailable. */
export function noteOutage(response: ServerResponse, failure: AppError): void {
  const serving = servings.get(response);
  if (serving) serving.failure ??= failure;
}

/** The pages process is starting or restarting. */
export const PAGES_STARTING = new AppError(
  "database_unavailable",
  "Pages are starting. Send the request again in a moment, with the same idempotency key.",
  { retryAfterSeconds: 2 },
);

type Callback = () => void;
type Rest = readonly unknown[];
type Methods<Name extends string> = Record<Name, (...rest: Rest) => unknown>;
/** Methods that change headers. They would throw once the response was replaced. */
const HEADERS = ["setHeader", "appendHeader", "removeHeader", "flushHeaders"] as const;

/**
 * Intercepts calls on the response. Returns a function that responds with an outage unless headers were sent.
 */
function replacer(request: IncomingMessage, response: ServerResponse, serving: Serving): (failure: unknown) => void {
  const methods = response as unknown as Methods<"writeHead" | "write" | "end" | (typeof HEADERS)[number]>;
  const writeHead = methods.writeHead.bind(response);
  const write = methods.write.bind(response);
  const end = methods.end.bind(response);
  let isReplaced = false;

  const replace = (failure: unknown): void => {
    if (response.headersSent) return;
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const { status, headers, body } = responseOf(request, failure);
    writeHead(status, { ...headers, "Content-Length": String(Buffer.byteLength(body)) });
    end(request.method === "HEAD" ? undefined : body);
    isReplaced = true;
  };
  /** Discards a write after the response was replaced, but calls its callback as if the bytes were sent. */
  const drop = (rest: Rest): void => {
    const done = rest.find((argument): argument is Callback => typeof argument === "function");
    if (done) process.nextTick(done);
  };
  /** Sends the headers before the first byte: their status decides whether to replace the response. */
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(response.statusCode);
  };

  const own: Methods<"writeHead" | "write" | "end"> = {
    writeHead(...rest) {
      if (isReplaced) return response;
      const status = typeof rest[0] === "number" ? rest[0] : response.statusCode;
      if (status !== 500 || serving.failure === null) return writeHead(...rest);
      replace(serving.failure);
      return response;
    },
    write(...rest) {
      begin();
      if (!isReplaced) return write(...rest);
      drop(rest);
      return true;
    },
    end(...rest) {
      // Otherwise leave the headers to Node, which adds Content-Length when it writes them.
      if (response.statusCode === 500 && serving.failure !== null) begin();
      if (!isReplaced) return end(...rest);
      drop(rest);
      return response;
    },
  };
  for (const name of HEADERS) {
    const method = methods[name].bind(response);
    methods[name] = (...rest) => {
      if (name === "flushHeaders") begin();
      return isReplaced ? response : method(...rest);
    };
  }
  Object.assign(response, own);
  return replace;
}

function limitTime(
  request: IncomingMessage,
  response: ServerResponse,
  limitMs: number,
  replace: (failure: unknown) => void,
): void {
  let timer = setTimeout(look, limitMs).unref();
  function look(): void {
    // The caller is still sending the body; the server has a separate limit for that.
    if (request.complete) {
      keepUnread(request, response);
      replace(silence(`no page within ${limitMs} ms`));
    } else timer = setTimeout(look, limitMs).unref();
  }
  response.once("close", () => clearTimeout(timer));
}

/** Node discards an unread body after the response. Read as empty later, it would mean "refund everything". */
function keepUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request) || request.readableEnded || response.headersSent) return;
  response.shouldKeepAlive = false;
  response.once("finish", () => request.destroy(new Error("the response was sent before the body was read")));
}

const TITLE = "The database does not respond";
/** Errors that already name the unavailable dependency. */
const AWAY = "The service is briefly unavailable";
const STARTING = "The service is starting";
const TEXT = "This page cannot be shown right now. Nothing you did is lost.";
const RELOAD_SECONDS = 2;

/** A page for browsers; the API's own format for everything else. */
function responseOf(request: IncomingMessage, failure: unknown) {
  const { method = "GET", url = "/", headers } = request;
  const plain = failureResponse(failure, infoOf({ url: `http://localhost${url}` }));
  if (!headers.accept?.includes("text/html")) return plain;
  const retry = method === "GET" || method === "HEAD";
  const isStarting = failure === PAGES_STARTING;
  const text = retry ? `${TEXT} Try again in a moment.` : `${TEXT} Go back and try again in a moment.`;
  const named = failure instanceof AppError ? AWAY : TITLE;
  return {
    ...plain,
    headers: { ...plain.headers, "Content-Type": "text/html; charset=utf-8" },
    body: outagePage({
      title: isStarting ? STARTING : named,
      text: isStarting && retry ? "This page opens by itself in a moment." : text,
      nonce: headers[NONCE_HEADER]?.toString() ?? "",
      retry,
      reloadSeconds: isStarting && retry ? RELOAD_SECONDS : null,
    }),
  };
}
