import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { dataHeaders, NONCE_HEADER } from "@/lib/http/security-headers";
import type { Listener } from "./http-server";
import { cutAt, type Pieces } from "./page-pieces";

/** Pages that are the same for everyone while the process lives: the home page and the documentation except its search. */
const PUBLIC = /^\/(?:docs(?!\/search\b)(?:\/[\w-]+){0,2}\/?)?$/;

/** Of each answer its own; the rest of the headers is kept. */
const OWN_HEADERS = new Set([
  ...["content-security-policy", "content-length", "content-encoding", "transfer-encoding"],
  ...["connection", "keep-alive", "date", "etag", "vary"],
]);

/** What decides which of these answers it is. */
const VARY = "rsc, accept-encoding";

/** A page with the nonce that it was drawn with. */
type KeptPage = { readonly headers: OutgoingHttpHeaders; readonly nonce: string; readonly pieces: Promise<Pieces> };

/**
 * Lets Next draw a public page once and puts a new nonce into it for each later visitor: drawing the API reference takes a
 * sixth of a second, in which the process answers nobody. Only existing addresses are kept, and only once whatever their query.
 */
export function withKeptPages(pages: Listener): Listener {
  const kept = new Map<string, KeptPage>();
  return async (request, response) => {
    // None of these pages reads a query or a trailing slash; with one, Next would treat it as another page.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const url = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const nonce = request.headers[NONCE_HEADER];
    if (!PUBLIC.test(path) || (request.method !== "GET" && request.method !== "HEAD") || typeof nonce !== "string") {
      await pages(request, response);
      return;
    }
    // Client-side navigation requests part of a page, which would be drawn each time. Without one (204) it loads the whole page.
    if (request.headers.rsc !== undefined) {
      response.writeHead(204, { ...dataHeaders(), "cache-control": "no-store", vary: VARY }).end();
      return;
    }
    const page = kept.get(url);
    if (page) {
      send(request, response, page, nonce, await page.pieces);
      return;
    }
    // Next writes the address into the page: no visitor may get another visitor's query.
    request.url = url;
    // Of compressed text nothing can be changed. This once it goes out as it is, and to HEAD without it, as to any.
    request.headers["accept-encoding"] = "identity";
    request.method = "GET";
    keepAnswer(response, nonce, (made) => kept.set(url, made));
    await pages(request, response);
  };
}

/** Watches an answer being written, and passes on a complete page with status 200. */
function keepAnswer(response: ServerResponse, nonce: string, keep: (page: KeptPage) => void): void {
  const chunks: Buffer[] = [];
  const note = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === "string") chunks.push(Buffer.from(chunk, encodingOf(encoding)));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = function (this: ServerResponse, chunk: unknown, ...rest: unknown[]) {
    note(chunk, rest[0]);
    return Reflect.apply(write, this, [chunk, ...rest]) as boolean;
  } as typeof write;
  response.end = function (this: ServerResponse, chunk?: unknown, ...rest: unknown[]) {
    note(chunk, rest[0]);
    return Reflect.apply(end, this, [chunk, ...rest]) as ServerResponse;
  } as typeof end;
  response.once("finish", () => {
    const headers = response.getHeaders();
    const isPage = response.statusCode === 200 && String(headers["content-type"]).startsWith("text/html");
    if (!isPage || headers["set-cookie"] !== undefined || headers["content-encoding"] !== undefined) return;
    const text = Buffer.concat(chunks).toString("utf8");
    if (!text.endsWith("</html>")) return;
    const shared = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
    keep({ headers: Object.fromEntries(shared), nonce, pieces: cutAt(text, nonce) });
  });
}

const encodingOf = (encoding: unknown) => (typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");

function send(request: IncomingMessage, response: ServerResponse, page: KeptPage, nonce: string, pieces: Pieces): void {
  for (const [name, value] of Object.entries(page.headers)) {
    if (value !== undefined)
      response.setHeader(name, typeof value === "string" ? value.replaceAll(page.nonce, nonce) : value);
  }
  const isPacked = takesGzip(String(request.headers["accept-encoding"] ?? ""));
  const { chunks, length } = isPacked ? pieces.packed(nonce) : pieces.plain(nonce);
  const own = { vary: VARY, "content-length": length, ...(isPacked && { "content-encoding": "gzip" }) };
  response.writeHead(200, own);
  if (request.method !== "HEAD") {
    response.cork();
    for (const chunk of chunks) response.write(chunk);
  }
  response.end();
}

/** Whether the browser names it, and not with a weight of 0, which no browser does. */
const takesGzip = (accepted: string): boolean =>
  accepted
    .split(",")
    .map((part) => part.trim())
    .some((part) => part === "gzip" || (part.startsWith("gzip;") && !/;\s*q=0(?:\.0*)?$/.test(part)));
