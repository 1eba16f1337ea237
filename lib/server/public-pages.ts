import { createHash } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ERROR_CODES } from "@/lib/contract/errors";
import { dataHeaders, publicPagePolicy } from "@/lib/http/security-headers";
import type { Listener } from "./http-server";

/** Pages that are the same for everyone while the process lives: the home page and the documentation, except its search. */
export const PUBLIC = new Set([
  ...["/", "/docs", "/docs/quickstart", "/docs/checkout", "/docs/webhooks", "/docs/processors", "/docs/mcp"],
  ...["/docs/reference", "/docs/errors", "/docs/testing", "/docs/going-live", "/docs/changelog"],
  ...ERROR_CODES.map((code) => `/docs/errors/${code}`),
]);

const KEPT_HEADERS = new Set(["content-type", "cache-control", "link"]);
const VARY = "rsc, accept-encoding";
const pack = promisify(gzip);

export type RenderedPage = { readonly headers: OutgoingHttpHeaders; readonly html: Buffer };
/** Renders a page without a nonce; null while that is impossible. */
export type RenderPage = (path: string) => Promise<RenderedPage | null>;
type PublicPage = RenderedPage & { readonly packed: Buffer };

/**
 * Serves public pages as whole files, each rendered at its first request: rendering the API reference takes a sixth of a second.
 * The build cannot render them, because they show the service's addresses. Their policy has digests, because a nonce in a kept
 * file would be the same for every visitor.
 */
export function withPublicPages(render: RenderPage, pages: Listener): Listener {
  const kept = new Map<string, Promise<PublicPage | null>>();
  let last: Promise<unknown> = Promise.resolve();

  function pageAt(path: string): Promise<PublicPage | null> {
    let page = kept.get(path);
    if (page) return page;
    // Public pages are rendered one at a time, so that a payment form waits for one of them at most.
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
    // No public page reads its query or a trailing slash.
    const [address = ""] = (request.url ?? "").split("?", 1);
    const path = address.length > 1 && address.endsWith("/") ? address.slice(0, -1) : address;
    if (!PUBLIC.has(path) || (request.method !== "GET" && request.method !== "HEAD")) {
      await pages(request, response);
      return;
    }
    // Next's client requests a part of the page to navigate; without one (204) it loads the whole page.
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

/** Texts of the scripts that are not files. Next escapes every `<` within them. */
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
  // `setHeader` and not `writeHead`, so that the headers of every page are added to these.
  for (const [name, value] of Object.entries({ ...page.headers, ...own })) if (value) response.setHeader(name, value);
  response.writeHead(200).end(request.method === "HEAD" ? undefined : body);
}

/** True if the browser names gzip, and not with a weight of 0. */
const acceptsGzip = (accepted: string): boolean =>
  accepted.split(",").some((part) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/.test(part));
