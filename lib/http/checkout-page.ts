import { randomBytes } from "node:crypto";
import { CHECKOUT_MODES, type CheckoutMode, type CheckoutPage, checkoutLocale } from "@/lib/contract/checkout/checkout";
import { isOrigin } from "@/lib/contract/checkout/client-session";
import type { Receipt } from "@/lib/contract/receipts/receipts";
import { API_ENVIRONMENTS } from "@/lib/contract/transactions/words";
import { findLogoPicture, logoInRow } from "@/lib/domain/accounts/logo";
import { formMode, offerOf, offerWithoutTrial } from "@/lib/domain/checkout/offer";
import {
  canShowReceipt,
  checkoutState,
  checkoutTime,
  findCheckout,
  findSessionReceipt,
  takesCardNumbers,
} from "@/lib/domain/checkout/pay-session";
import { postalCodeRule } from "@/lib/domain/checkout/postal-codes";
import { asksEmail } from "@/lib/domain/checkout/subscribe";
import { findReceiptByToken } from "@/lib/domain/receipts/receipts";
import { currentService } from "./current-service";
import { type PaymentFormAssets, paymentFormAssets } from "./payment-form-assets";
import { infoOf } from "./pipeline";
import { toAppError } from "./response";
import { dataHeaders, pageHeaders } from "./security-headers";
import { signedIn } from "./session-caller";
import { outagePage } from "./unavailable";

/**
 * Content of GET /pay/{token}. `origin_not_allowed`: the embedding page is of an origin that the session does
 * not name. `embeddable`: with `?why`, a page without a form in place of one that its embedder may show.
 */
export type CheckoutPageFound =
  | { kind: "page"; page: CheckoutPage; frameAncestors: string[]; embedded: boolean }
  | { kind: "not_found"; origin: string | null; frameAncestors: string[] }
  | { kind: "suspended"; origin: string | null; frameAncestors: string[] }
  | { kind: "no_card_numbers"; origin: string | null; frameAncestors: string[] }
  | { kind: "origin_not_allowed"; origin: string; frameAncestors: string[] }
  | { kind: "embeddable"; origin: string; frameAncestors: string[] };

/** For pages that report to the embedder why there is no form. */
const ANY_ORIGIN = ["*"];

export async function checkoutPage(request: Request, token: string): Promise<CheckoutPageFound> {
  const { service } = currentService();
  const checkout = await findCheckout(service, token);
  const options = pageOptions(request);
  const { origin } = options;
  // An error page belongs to no session, so it may not be embedded.
  if (checkout === null) return { kind: "not_found", origin, frameAncestors: ANY_ORIGIN };
  const { row } = checkout;
  const frameAncestors = row.allowed_origins;
  if (origin !== null && !row.allowed_origins.includes(origin)) {
    return { kind: "origin_not_allowed", origin, frameAncestors: options.why ? ANY_ORIGIN : frameAncestors };
  }
  if (row.suspended) return { kind: "suspended", origin, frameAncestors };
  const state = checkoutState(service, row);
  // Reported before the shopper types a card.
  if (state.status === "OPEN" && !(await takesCardNumbers(service, checkout)))
    return { kind: "no_card_numbers", origin, frameAncestors };
  if (origin !== null && options.why) return { kind: "embeddable", origin, frameAncestors: ANY_ORIGIN };
  const now = checkoutTime(service, row);
  const { offer, consent } = offerOf(row, now);
  return {
    kind: "page",
    frameAncestors,
    embedded: options.embedded,
    page: {
      merchant_name: row.merchant_name,
      logo: logoInRow(row),
      offer,
      consent,
      without_trial: offerWithoutTrial(row, now),
      currency: row.currency ?? "",
      plan_name: row.plan?.name ?? null,
      description: row.description,
      environment: API_ENVIRONMENTS[row.environment_mode],
      mode: formMode(row, options.mode),
      parent_origin: origin,
      fields: {
        name: options.name ?? true,
        email: asksEmail(row),
        postal_code: postalCodeRule({ ...row, currency: row.currency ?? "" }, options.postalCode),
      },
      appearance: row.appearance ?? row.checkout_appearance,
      locale: options.locale,
      // A link never expires, so it must not reveal the payer once the session is over.
      customer_name: row.status === "OPEN" ? row.customer_name : null,
      state,
      receipt:
        formMode(row, options.mode) === "payment" && canShowReceipt(service, row) ? `/pay/${token}/receipt` : null,
      now: now.toISOString(),
    },
  };
}

/** GET /pay/{token}/receipt: the receipt's address; null without one. */
export async function receiptOfSession(token: string): Promise<string | null> {
  const { service } = currentService();
  const checkout = await findCheckout(service, token);
  return checkout && findSessionReceipt(service, checkout);
}

/** GET /receipt/{token}: null when it is not a receipt's token. */
export const receiptOf = (token: string): Promise<Receipt | null> =>
  findReceiptByToken(currentService().service, token);

const YEAR_SECONDS = 31_536_000;

/**
 * GET /logo/{digest}: the image, cached permanently because the address is its digest. It may load and run
 * nothing.
 */
export async function logoResponse(request: Request, digest: string): Promise<Response> {
  const { service } = currentService();
  const headers = new Headers(dataHeaders());
  try {
    const picture = await findLogoPicture(service, digest);
    if (picture === null) {
      headers.set("Cache-Control", "no-store");
      return new Response("There is no such logo.", { status: 404, headers });
    }
    headers.set("Content-Type", picture.content_type);
    headers.set("Cache-Control", `public, max-age=${YEAR_SECONDS}, immutable`);
    return new Response(new Uint8Array(picture.bytes), { headers });
  } catch (thrown) {
    const { status } = toAppError(service, thrown, infoOf(request));
    headers.set("Cache-Control", "no-store");
    headers.set("Retry-After", "2");
    return new Response("The logo cannot be shown right now.", { status, headers });
  }
}

/**
 * GET /pay/preview: the form with sample data and the signed-in business's name, for the appearance editor. It
 * cannot send anything.
 */
export async function previewPage(request: Request): Promise<CheckoutPage> {
  const { service } = currentService();
  const found = await signedIn(request.headers.get("cookie"), "merchant");
  const now = service.clock.now();
  const { mode, locale, origin } = pageOptions(request);
  return {
    merchant_name: found?.merchant?.name ?? "Sample shop",
    logo: null,
    offer: { amount: 4_900, terms: null, next_on: null },
    consent: null,
    without_trial: null,
    currency: "USD",
    plan_name: "Sample order",
    description: null,
    environment: "sandbox",
    mode: mode === "setup" ? "payment" : mode,
    // Only our own pages may embed it, so what they call themselves is who they are.
    parent_origin: origin,
    fields: { name: true, email: false, postal_code: "required" },
    appearance: null,
    locale,
    customer_name: null,
    state: {
      status: "OPEN",
      client_session_id: "cs_00000000000000000000000000",
      attempts_left: 5,
      expires_at: new Date(now.getTime() + 86_400_000).toISOString(),
      payment: null,
      payment_method_id: null,
      subscription_id: null,
      trial_refused: false,
      action: null,
      failure: null,
      return_url: null,
    },
    receipt: null,
    now: now.toISOString(),
  };
}

/** Parameters that the browser script adds to the address. Any other value counts as absent. */
function pageOptions(request: Request) {
  const query = new URL(request.url).searchParams;
  const flag = (name: string) => ({ 1: true, 0: false })[query.get(name) ?? ""] ?? null;
  const mode: CheckoutMode = CHECKOUT_MODES.find((one) => one === query.get("mode")) ?? "payment";
  const given = query.get("origin") ?? "";
  const origin = isOrigin(given) ? given : null;
  return {
    mode,
    origin,
    name: flag("name"),
    postalCode: flag("postal_code"),
    locale: checkoutLocale(query.get("locale") ?? request.headers.get("accept-language")),
    /** The script uses it to find out why a form stays silent. */
    why: query.has("why"),
    embedded: given !== "" || request.headers.get("sec-fetch-dest") === "iframe",
  };
}

/** Properties of a page outside of the dashboard. */
type DocumentParts = PaymentFormAssets & { readonly nonce: string };

export type DocumentOptions = {
  status?: number;
  /** Origins that may embed the page; `'self'` for our own. Empty: none may. */
  frameAncestors: readonly string[];
  /** A form of the page leads to other sites. */
  formsLeave?: boolean;
  /** Sends a referrer to our own origin, because the page's form has to show that it is ours. */
  referrer?: "same-origin";
  headers?: Readonly<Record<string, string>>;
};

const OUTAGE = {
  title: "One moment",
  text: "This page cannot be shown right now. Nothing was charged by opening it. Try again in a moment.",
};

/**
 * Runs the handler of such a page. If it fails, as without the database, shoppers get a message instead of a
 * blank frame. Any page may embed it: it reveals nothing, and the pages that may embed the session are
 * unknown.
 */
export async function checkoutRoute(request: Request, respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond();
  } catch (thrown) {
    const { service } = currentService();
    const error = toAppError(service, thrown, infoOf(request));
    const nonce = randomBytes(18).toString("base64");
    const headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`,
      ...embeddableHeaders(true),
    };
    return new Response(outagePage({ ...OUTAGE, nonce, retry: request.method === "GET" }), {
      status: error.status,
      headers: { ...headers, "Retry-After": "2", "Cache-Control": "no-store" },
    });
  }
}

/** Merchants' pages under COEP (`require-corp`, `credentialless`) show only frames that have both headers. */
const embeddableHeaders = (embeddable: boolean) => ({
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": embeddable ? "cross-origin" : "same-origin",
});

/**
 * A page for shoppers: one document with our own script and stylesheet, and nothing from other hosts. Its
 * Content-Security-Policy has a new nonce each time, and lists what it may load and who may embed it. It sets
 * no cookie.
 */
export function checkoutDocument(options: DocumentOptions, render: (parts: DocumentParts) => string): Response {
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
  return new Response(render({ nonce, ...paymentFormAssets() }), {
    status: options.status ?? 200,
    headers: {
      // The page that opened a payment link must not navigate its window while a card is typed.
      ...pageHeaders(),
      ...embeddableHeaders(options.frameAncestors.length > 0),
      "referrer-policy": options.referrer ?? "no-referrer",
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": Object.entries(policy)
        .map(([name, values]) => `${name} ${values.join(" ")}`)
        .join("; "),
      "Cache-Control": "no-store",
      "X-Robots-Tag": "noindex",
      ...options.headers,
    },
  });
}
