import {
  type CheckoutLocale,
  type CheckoutSale,
  checkoutLocale,
  type LinkProblem,
} from "@/lib/contract/checkout/checkout";
import type { PaymentLinkStatus } from "@/lib/contract/checkout/payment-link";
import { AppError } from "@/lib/contract/errors";
import { API_ENVIRONMENTS } from "@/lib/contract/transactions/words";
import { logoInRow } from "@/lib/domain/accounts/logo";
import { subscriptionOffer } from "@/lib/domain/checkout/offer";
import {
  findPaymentLink,
  findSessionProgress,
  openPaymentLink,
  type PublicLink,
} from "@/lib/domain/checkout/open-link";
import { linkPrice } from "@/lib/domain/checkout/payment-links";
import { environmentNow, type Service } from "@/lib/domain/context";
import { boughtPlan } from "@/lib/domain/subscriptions/create";
import { clockAdvancing } from "@/lib/domain/test-clock/test-clock";
import { networkOf } from "@/lib/network";
import { createBuckets, LIMITS, type LimitOptions } from "@/lib/rate-limits";
import { secondsToWait } from "@/lib/token-buckets";
import { currentService } from "./current-service";
import { addressOf } from "./request-parts";
import { sandboxQuota } from "./sandbox-quota";
import { requireSameOrigin } from "./session-caller";

const STATUS: Record<LinkProblem, number> = {
  not_found: 404,
  over: 410,
  expired: 410,
  paid: 410,
  too_many: 429,
  tried_too_often: 429,
  clock_moves: 409,
  elsewhere: 403,
  suspended: 403,
};

const PROBLEMS: Record<Exclude<PaymentLinkStatus, "ACTIVE">, LinkProblem> = {
  INACTIVE: "over",
  PLAN_INACTIVE: "over",
  EXPIRED: "expired",
  COMPLETED: "paid",
};

/** The reason that a link cannot be paid; null if it can. */
function problemOf(link: PublicLink | null): LinkProblem | null {
  if (link === null) return "not_found";
  if (link.row.suspended) return "suspended";
  // A shopper who paid may see the outcome, whatever the link's state.
  if (link.row.under_way) return null;
  return link.status === "ACTIVE" ? null : PROBLEMS[link.status];
}

/** The page's message if there is no form. */
export type LinkRefused = {
  kind: "problem";
  problem: LinkProblem;
  status: number;
  locale: CheckoutLocale;
  headers: Readonly<Record<string, string>>;
  /**
   * The shop and the amount of a paid link. Its description may name the payer's order, so it is left out.
   */
  paidSale: CheckoutSale | null;
};

const localeOf = (request: Request) => checkoutLocale(request.headers.get("accept-language"));

const refused = (
  request: Request,
  problem: LinkProblem,
  { headers = {}, link = null }: { headers?: Readonly<Record<string, string>>; link?: PublicLink | null } = {},
): LinkRefused => ({
  kind: "problem",
  problem,
  status: STATUS[problem],
  locale: localeOf(request),
  headers,
  paidSale: problem === "paid" && link ? paidSaleOf(saleOf(request, link)) : null,
});

const paidSaleOf = (sale: CheckoutSale): CheckoutSale => ({
  ...sale,
  plan_name: null,
  description: null,
  offer: { ...sale.offer, terms: null },
});

function saleOf(request: Request, { row, plan, environment }: PublicLink): CheckoutSale {
  const { amount, currency } = linkPrice(row, plan);
  const bought = plan && boughtPlan(plan);
  const now = environmentNow({ service: currentService().service, environment });
  return {
    merchant_name: row.merchant_name,
    logo: logoInRow(row),
    offer: bought
      ? subscriptionOffer(bought, { now, timeZone: row.merchant_time_zone, trialRefused: false })
      : { amount, terms: null, next_on: null },
    currency,
    plan_name: plan?.name ?? null,
    description: row.description,
    environment: API_ENVIRONMENTS[row.mode],
    appearance: row.checkout_appearance,
    locale: localeOf(request),
  };
}

type LinkPageFound = {
  kind: "page";
  sale: CheckoutSale;
  /** Path of the payment that this browser made here; null without one. */
  paidBefore: string | null;
  action: string;
};
type LinkOpened = { kind: "opened"; response: Response };

/**
 * GET /link/{token}: the link's offer or, once it has ended, the payment that this browser made there. Writes
 * nothing; the page itself requests a session.
 */
export async function linkPage(request: Request, token: string): Promise<LinkRefused | LinkOpened | LinkPageFound> {
  const { service } = currentService();
  const link = await findPaymentLink(service, token);
  const problem = problemOf(link);
  if (link === null || problem === "suspended") return refused(request, problem ?? "not_found");
  const known = cookieOf(request);
  const taken = await findSessionProgress(service, link, known);
  if (problem !== null) return taken ? openedResponse(String(known)) : refused(request, problem, { link });
  return {
    kind: "page",
    paidBefore: taken === "paid" ? `/pay/${known}` : null,
    sale: saleOf(request, link),
    action: `/link/${token}/open`,
  };
}

/** POST /link/{token}/open: sends the shopper on to the form of a session that can be paid. */
export async function openLink(request: Request, token: string): Promise<LinkRefused | LinkOpened> {
  const { service } = currentService();
  try {
    requireSameOrigin(request.headers, service.baseUrl);
    takeOpening(networkOf(addressOf(request.headers, { ip: null })), token);
    return await open(request, service, token);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "origin_not_allowed") return refused(request, "elsewhere");
    if (error.code === "rate_limited") return refused(request, "too_many", { headers: error.headers });
    if (error.code === "clock_advancing") return refused(request, "clock_moves", { headers: error.headers });
    throw error;
  }
}

async function open(request: Request, service: Service, token: string) {
  const link = await findPaymentLink(service, token);
  if (link === null || link.row.suspended) return refused(request, link === null ? "not_found" : "suspended");
  const { row, environment } = link;
  if (environment.clock?.frozenAt) throw clockAdvancing();
  const opened = await openPaymentLink(service, link, {
    known: cookieOf(request),
    // In test mode a session counts as one of the merchant's writes.
    beforeNew: () => {
      sandboxQuota().take({ key: environment.id, mode: environment.mode, verified: row.verified });
    },
  });
  if ("status" in opened) return refused(request, PROBLEMS[opened.status], { link });
  // Brings a reload back to the same form, and its payer back to the receipt.
  return openedResponse(opened.token, { "Set-Cookie": cookie(service, token, opened.token) });
}

function openedResponse(session: string, more: Readonly<Record<string, string>> = {}): LinkOpened {
  const headers = { Location: `/pay/${session}`, "Cache-Control": "no-store", ...more };
  return { kind: "opened", response: new Response(null, { status: 303, headers }) };
}

const COOKIE = "cardlane_session";
const DAY_SECONDS = 86_400;

/**
 * Sent to this link alone, and unreadable by scripts. Not `Strict`, because links are opened from other
 * sites, such as a mailbox.
 */
function cookie({ baseUrl }: Service, token: string, session: string): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${session}; Path=/link/${token}; Max-Age=${DAY_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

function cookieOf(request: Request): string | null {
  const all = (request.headers.get("cookie") ?? "").split(/;\s*/);
  return all.find((one) => one.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? null;
}

type OpeningLimits = { take(network: string, link: string): void };

/** On globalThis: Next bundles a copy of this module into each route. */
const holder = globalThis as { [key: symbol]: OpeningLimits | undefined };
const KEY = Symbol.for("cardlane.link-limits");

/** Counts an opening of a link, or an action on a page behind one. Throws `rate_limited`. */
export function takeOpening(network: string, link: string): void {
  holder[KEY] ??= createOpeningLimits();
  holder[KEY].take(network, link);
}

/**
 * Counts an opening for its network, then for its link. Throws `rate_limited`; a refused network does not use
 * up the link.
 */
export function createOpeningLimits(options: LimitOptions = {}): OpeningLimits {
  const [networks, links] = [createBuckets("linkOpeningsOfNetwork", options), createBuckets("linkOpenings", options)];
  const take = (seconds: number) => {
    if (seconds === 0) return;
    throw new AppError("rate_limited", LIMITS.linkOpenings.refusal(seconds), {
      retryAfterSeconds: seconds,
    });
  };
  return {
    take(network, link) {
      take(secondsToWait(networks.take(network)));
      take(secondsToWait(links.take(link)));
    },
  };
}
