import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { dataHeaders, NONCE_HEADER } from "@/lib/http/security-headers";
import type { Listener } from "./http-server";
import { cutAt, type Pieces } from "./page-pieces";

/** The same for everybody for as long as the process lives: the home page and the documentation but its search. */
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
 * Has Next draw a public page once and puts another nonce into it for each later visitor: to draw the API reference again takes
 * the process a sixth of a second, in which it answers nobody. Only addresses that exist are kept, and none twice for another query.
 */
export function withKeptPages(pages: Listener): Listener {
  const kept = new Map<string, KeptPage>();
  return async (request, response) => {
    // None of these pages looks at a query or a slash at the end, and with another one it would be another page.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const url = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const nonce = request.headers[NONCE_HEADER];
    if (!PUBLIC.test(path) || (request.method !== "GET" && request.method !== "HEAD") || typeof nonce !== "string") {
      await pages(request, response);
      return;
    }
    // What changes pages in the browser asks for a part of one, which would be drawn each time. Told that there is none, it loads
    // the page.
    if (request.headers.rsc !== undefined) {
      response.writeHead(204, { ...dataHeaders(), "cache-control": "no-store", vary: VARY }).end();
      return;
    }
    const page = kept.get(url);
    if (page) {
      send(request, response, page, nonce, await page.pieces);
      return;
    }
    // Next writes the address into the page: nobody is to be given another one's query.
    request.url = url;
    // Of compressed text nothing can be changed. This once it goes out as it is, and to HEAD without it, as to any.
    request.headers["accept-encoding"] = "identity";
    request.method = "GET";
    keepAnswer(response, nonce, (made) => kept.set(url, made));
    await pages(request, response);
  };
}

/** Looks on while an answer is written, and hands over a whole page that was found. */
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
