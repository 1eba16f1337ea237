import { randomBytes } from "node:crypto";
import { currentService } from "./current-service";
import { infoOf } from "./dashboard-route";
import { type HostedAssets, hostedAssets } from "./hosted-assets";
import { outagePage } from "./outage-page";
import { appErrorOf } from "./problem";
import { pageHeaders } from "./security-headers";

/** What a page outside of the dashboard is rendered with. */
export type HostedParts = HostedAssets & { readonly nonce: string };

export type HostedPageOptions = {
  status?: number;
  /** Origins that may embed the page; `'self'` for our own. None: nobody may. */
  frameAncestors: readonly string[];
  /** A form of the page leads to other sites. */
  formsLeave?: boolean;
};

const OUTAGE = {
  title: "One moment",
  text: "This page cannot be shown right now. Nothing was charged by opening it. Try again in a moment.",
};

/**
 * Runs the handler of such a page. When it fails, as without the database, shoppers get words and no blank frame: wherever it
 * is embedded, for it says nothing and nobody knows who may.
 */
export async function hostedRoute(request: Request, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (thrown) {
    const { service } = currentService();
    const error = appErrorOf(service, thrown, infoOf(request));
    const nonce = randomBytes(18).toString("base64");
    const headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`,
    };
    return new Response(outagePage({ ...OUTAGE, nonce, retry: request.method === "GET" }), {
      status: error.status,
      headers: { ...headers, "Retry-After": "2", "Cache-Control": "no-store" },
    });
  }
}

/**
 * A page that shoppers see: one document with a script and a stylesheet of our own, and nothing from anywhere else. What it
 * may load, and who may embed it, is said by its Content-Security-Policy, which is new each time. It sets no cookie.
 */
export function hostedPage(options: HostedPageOptions, render: (parts: HostedParts) => string): Response {
  const nonce = randomBytes(18).toString("base64");
  const policy = {
    "default-src": ["'none'"],
    "script-src": [`'nonce-${nonce}'`],
    "style-src": [`'nonce-${nonce}'`],
    "img-src": ["'self'", "data:"],
    "connect-src": ["'self'"],
    "frame-src": ["'self'"],
    ...(options.formsLeave ? {} : { "form-action": ["'self'"] }),
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "frame-ancestors": options.frameAncestors.length > 0 ? options.frameAncestors : ["'none'"],
  };
  return new Response(render({ nonce, ...hostedAssets() }), {
    status: options.status ?? 200,
    headers: {
      // Whoever opened a payment link cannot lead its window elsewhere while a card is typed.
      ...pageHeaders(),
      "referrer-policy": "no-referrer",
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": Object.entries(policy)
        .map(([name, values]) => `${name} ${values.join(" ")}`)
        .join("; "),
      "Cache-Control": "no-store",
      "X-Robots-Tag": "noindex",
    },
  });
}
