import { createHash } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ERROR_CODES } from "@/lib/contract/errors";
import { dataHeaders, publicPagePolicy } from "@/lib/http/security-headers";
import type { Listener } from "./http-server";

/** Pages identical for all callers while the process runs: home page and docs, except the docs search. */
export const PUBLIC = new Set([
  ...[
    "/",
    "/docs",
    "/docs/quickstart",
    "/docs/checkout",
    "/docs/subscriptions",
    "/docs/disputes",
    "/docs/webhooks",
    "/docs/processors",
  ],
  ...["/docs/mcp", "/docs/reference", "/docs/errors", "/docs/testing", "/docs/going-live", "/docs/changelog"],
  ...ERROR_CODES.map((code) => `/docs/errors/${code}`),
]);

const KEPT_HEADERS = new Set(["content-type", "cache-control", "link"]);
const VARY = "rsc, accept-encoding";
const pack = promisify(gzip);

export type RenderedPage = { readonly headers: OutgoingHttpHeaders; readonly html: Buffer };
/** Renders a page without a nonce; null if that fails. */
export type RenderPage = (path: string) => Promise<RenderedPage | null>;
type PublicPage = RenderedPage & { readonly packed: Buffer };

/**
 * Caches public pages, rendered at their first request: the API reference takes 1/6 s. The build can't
 * render them, because they show the service's addresses. Their CSP uses digests, because a cached nonce
 * would be the same for every visitor.
 */
export function withPublicPages(render: RenderPage, pages: Listener): Listener {
  const kept = new Map<string, Promise<PublicPage | null>>();
  let last: Promise<unknown> = Promise.resolve();

  function pageAt(path: string): Promise<PublicPage | null> {
    let page = kept.get(path);
    if (page) return page;
    // Rendered one at a time, so that a payment form waits for at most one public page.
    page = last.then(async () => {
      const rendered = await render(path);
      if (!rendered) kept.delete(path);
      return rendered && keepable(rendered);
    });
    last = page;
    kept.set(path, page);
    return page;
  }

  return async (request, response) => {
    // Public pages ignore the query and a trailing slash.
    const [address = ""] = (request.url ?? "").split("?", 1);
    const path = address.length > 1 && address.endsWith("/") ? address.slice(0, -1) : address;
    if (!PUBLIC.has(path) || (request.method !== "GET" && request.method !== "HEAD")) {
      await pages(request, response);
      return;
    }
    // Next's client requests partial content to navigate; after a 204, it loads the full page.
    if (request.headers.rsc !== undefined) {
      response.writeHead(204, { ...dataHeaders(), "cache-control": "no-store", vary: VARY }).end();
      return;
    }
    const page = await pageAt(path);
    if (page) send(request, response, page);
    else await pages(request, response);
  };
}

async function keepable({ headers, html }: RenderedPage): Promise<PublicPage> {
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.has(name));
  const own = { "content-security-policy": publicPagePolicy(inlineScripts(html.toString()).map(digestOf)), vary: VARY };
  return { headers: { ...Object.fromEntries(kept), ...own }, html, packed: await pack(html, { level: 9 }) };
}

/** Texts of the inline scripts. Next escapes every `<` in them. */
function inlineScripts(html: string): string[] {
  return html
    .split("<script")
    .slice(1)
    .map((piece) => ({ tag: piece.slice(0, piece.indexOf(">")), text: piece.slice(piece.indexOf(">") + 1) }))
    .filter(({ tag }) => !tag.includes(" src="))
    .map(({ text }) => text.slice(0, text.indexOf("</script>")));
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("base64");

function send(request: IncomingMessage, response: ServerResponse, page: PublicPage): void {
  const isPacked = acceptsGzip(String(request.headers["accept-encoding"] ?? ""));
  const body = isPacked ? page.packed : page.html;
  const own = { "content-length": body.length, ...(isPacked && { "content-encoding": "gzip" }) };
  // `setHeader` instead of `writeHead`, so that the headers common to all pages are added.
  for (const [name, value] of Object.entries({ ...page.headers, ...own })) if (value) response.setHeader(name, value);
  response.writeHead(200).end(request.method === "HEAD" ? undefined : body);
}

/** True if the browser accepts gzip with a nonzero weight. */
const acceptsGzip = (accepted: string): boolean =>
  accepted.split(",").some((part) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/.test(part));
