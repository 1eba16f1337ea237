import { type CheckoutLocale, checkoutLocale, type LinkProblem } from "@/lib/contract/checkout/checkout";
import { AppError } from "@/lib/contract/errors";
import type { OpenShop } from "@/lib/domain/checkout/shop";
import type { Service } from "@/lib/domain/context";
import { networkOf } from "@/lib/network";
import { readBody } from "./parse";
import { takeOpening } from "./payment-link";
import { addressOf } from "./request-parts";
import { sandboxQuota } from "./sandbox-quota";
import { requireSameOrigin } from "./session-caller";

/**
 * Forms of the pages behind customers' links: without cookies, so the token in the address is what they know.
 */

const MAX_FORM_BYTES = 1_024;

/** A form that is refused before it is looked at; `status` and `headers` are the response's. */
export type FormRefused = {
  kind: "refused";
  problem: Extract<LinkProblem, "elsewhere" | "too_many" | "tried_too_often">;
  status: number;
  locale: CheckoutLocale;
  headers: Readonly<Record<string, string>>;
};

export const localeOf = (request: Request): CheckoutLocale => checkoutLocale(request.headers.get("accept-language"));

/**
 * Reads a form of our own page. Refuses one that another site posts, even with the right token, and too many
 * in a short time, per network and token.
 */
export async function readForm(
  request: Request,
  { baseUrl }: Pick<Service, "baseUrl">,
  token: string,
): Promise<URLSearchParams | FormRefused> {
  const refused = (problem: FormRefused["problem"], status: number, headers: FormRefused["headers"] = {}) =>
    ({ kind: "refused", problem, status, locale: localeOf(request), headers }) as const;
  try {
    requireSameOrigin(request.headers, baseUrl);
    takeOpening(networkOf(addressOf(request.headers, { ip: null })), token);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "origin_not_allowed") return refused("elsewhere", 403);
    if (error.code === "rate_limited") return refused("too_many", 429, error.headers);
    throw error;
  }
  return new URLSearchParams(await readBody(request, MAX_FORM_BYTES));
}

/** In test mode a customer's action counts as one of the merchant's writes. */
export function countWrite({ environment, verified }: OpenShop): void {
  sandboxQuota().take({ key: environment.id, mode: environment.mode, verified });
}

/** The refusal of a form for an invoice on which there were too many attempts today. */
export const triedTooOften = (locale: CheckoutLocale): FormRefused => ({
  kind: "refused",
  problem: "tried_too_often",
  status: 429,
  locale,
  headers: {},
});

/** Leads the browser on with GET. */
export const goTo = (location: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, "Cache-Control": "no-store" } });

/** Leads to a payment form in the language of the page that the customer leaves. */
export function goToForm(location: string, locale: CheckoutLocale): Response {
  const url = new URL(location);
  url.searchParams.set("locale", locale);
  return goTo(url.href);
}
