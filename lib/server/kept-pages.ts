import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { NONCE_HEADER } from "@/lib/http/security-headers";
import type { Listener } from "./http-server";

/** The same for everybody for as long as the process lives: the home page and the documentation. */
const PUBLIC = /^\/(?:docs(?:\/[\w/-]+)?)?$/;

/** Of each answer its own; the rest of the headers is kept. */
const OWN_HEADERS = new Set([
  ...["content-security-policy", "content-length", "content-encoding", "transfer-encoding"],
  ...["connection", "keep-alive", "date", "etag"],
]);

/** A page with the nonce that it was drawn with. */
type KeptPage = { readonly headers: OutgoingHttpHeaders; readonly text: string; readonly nonce: string };

/**
 * Has Next draw a public page once and puts another nonce into it for each later visitor: to draw the API reference anew takes
 * the process a sixth of a second, in which it answers nobody. Only addresses that exist are kept, and none twice for another query.
 */
export function withKeptPages(pages: Listener): Listener {
  const kept = new Map<string, KeptPage>();
  return async (request, response) => {
    // None of these pages looks at a query, and with another one it would be another page.
    const [url = ""] = (request.url ?? "").split("?", 1);
    const nonce = request.headers[NONCE_HEADER];
    if (!isForAll(request, url) || typeof nonce !== "string") {
      await pages(request, response);
      return;
    }
    const page = kept.get(url);
    if (page) {
      await send(request, response, page, nonce);
      return;
    }
    // Next writes the address into the page: nobody is to be given another one's query.
    request.url = url;
    if (request.method === "GET") {
      // Of compressed text nothing can be changed. This once it goes out as it is.
      request.headers["accept-encoding"] = "identity";
      keepAnswer(response, nonce, (made) => kept.set(url, made));
    }
    await pages(request, response);
  };
}

/** What Next's own client asks for while it changes pages has these headers, and is another answer. */
const isForAll = ({ method, headers }: IncomingMessage, path: string) =>
  (method === "GET" || method === "HEAD") &&
  PUBLIC.test(path) &&
  headers.rsc === undefined &&
  headers.range === undefined;

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
    keep({ headers: Object.fromEntries(shared), text, nonce });
  });
}

const encodingOf = (encoding: unknown) => (typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");

const pack = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** A page is packed for each visitor, since its nonce differs: little work, and not on the main thread. */
const COPIES = {
  br: (text: string) => pack.br(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: string) => pack.gzip(text, { level: 3 }),
};

async function send(request: IncomingMessage, response: ServerResponse, page: KeptPage, nonce: string): Promise<void> {
  const renewed = <T>(value: T) => (typeof value === "string" ? value.replaceAll(page.nonce, nonce) : value);
  for (const [name, value] of Object.entries(page.headers)) {
    if (value !== undefined) response.setHeader(name, renewed(value));
  }
  response.appendHeader("vary", "accept-encoding");
  if (request.method === "HEAD") {
    response.writeHead(200).end();
    return;
  }
  const text = renewed(page.text);
  const coding = codingFor(String(request.headers["accept-encoding"] ?? ""));
  const body = coding ? await COPIES[coding](text) : Buffer.from(text);
  response.writeHead(200, { ...(coding && { "content-encoding": coding }), "content-length": body.length }).end(body);
}

/** The best that the browser takes; none where it refuses with a weight of 0, which no browser does, or names none. */
function codingFor(accepted: string): keyof typeof COPIES | null {
  const named = accepted.split(",").map((part) => part.trim());
  const takes = (coding: string) =>
    named.some((part) => part === coding || (part.startsWith(`${coding};`) && !/;\s*q=0(?:\.0*)?$/.test(part)));
  return takes("br") ? "br" : takes("gzip") ? "gzip" : null;
}
