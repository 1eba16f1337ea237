import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { Shop } from "@/lib/contract/checkout/shop";
import { AppError } from "@/lib/contract/errors";
import { type PortalPage, type PortalSubscription, portalPaths } from "@/lib/contract/portal/portal-page";
import type { Service } from "@/lib/domain/context";
import { changeCard, payOwnInvoice, setCancelled } from "@/lib/domain/portal/act-in-portal";
import { readPortal } from "@/lib/domain/portal/portal-page";
import { findVisit, type Visit } from "@/lib/domain/portal/portal-sessions";
import type { DocumentOptions } from "./checkout-page";
import { currentService } from "./current-service";
import { countWrite, type FormRefused, goTo, goToForm, localeOf, readForm, triedTooOften } from "./customer-form";

/** Page for a session's address. `expired`: its shop is still named. */
export type PortalFound = PortalShown | { kind: "moved"; response: Response };

export type PortalShown =
  | { kind: "page"; page: PortalPage; locale: CheckoutLocale }
  | { kind: "cancel"; page: PortalPage; subscription: PortalSubscription; locale: CheckoutLocale }
  | { kind: "expired"; shop: Shop; locale: CheckoutLocale }
  | { kind: "not_found"; locale: CheckoutLocale }
  | FormRefused;

const NOTHING_ASKED = { done: null, subscription: null, clientSession: null };

async function visiting(
  request: Request,
  token: string,
  show: (service: Service, visit: Visit, locale: CheckoutLocale) => Promise<PortalFound>,
): Promise<PortalFound> {
  const { service } = currentService();
  const visit = await findVisit(service, token);
  if (visit === null) return { kind: "not_found", locale: localeOf(request) };
  const locale = visit.locale ?? localeOf(request);
  if (visit.isOver) return { kind: "expired", shop: visit.open.shop, locale };
  return show(service, visit, locale);
}

/** GET /portal/{token} */
export function portalPage(request: Request, token: string): Promise<PortalFound> {
  return visiting(request, token, async (service, visit, locale) => {
    const query = new URL(request.url).searchParams;
    const asked = {
      done: query.get("done"),
      subscription: query.get("subscription"),
      clientSession: query.get("client_session_id"),
    };
    return { kind: "page", page: await readPortal(service, visit, asked), locale };
  });
}

/**
 * GET /portal/{token}/cancel?subscription=…: requests confirmation. Redirects to the page if it can't be
 * cancelled.
 */
export async function cancelPage(request: Request, token: string, action: string): Promise<PortalFound> {
  if (action !== "cancel") return { kind: "not_found", locale: localeOf(request) };
  return visiting(request, token, async (service, visit, locale) => {
    const id = new URL(request.url).searchParams.get("subscription");
    const page = await readPortal(service, visit, NOTHING_ASKED);
    const subscription = page.subscriptions.find((one) => one.id === id);
    if (!subscription) return { kind: "not_found", locale };
    if (!subscription.actions.cancel) return done(token, "changed");
    return { kind: "cancel", page, subscription, locale };
  });
}

/** Status and headers of a page; none of them may be framed. */
export function portalDocument(found: PortalShown): DocumentOptions {
  switch (found.kind) {
    case "page":
    case "cancel":
      return { frameAncestors: [], referrer: "same-origin" };
    case "expired":
      return { frameAncestors: [], status: 410 };
    case "not_found":
      return { frameAncestors: [], status: 404 };
    case "refused":
      return { frameAncestors: [], status: found.status, headers: found.headers };
    default:
      return found satisfies never;
  }
}

const done = (token: string, what: string, more: Record<string, string> = {}): PortalFound => ({
  kind: "moved",
  response: goTo(`${portalPaths(token).page}?${new URLSearchParams({ done: what, ...more })}`),
});

/** POST /portal/{token}/{action}: does it, and leads on to the payment form or back to the page. */
export async function actInPortal(request: Request, token: string, action: string): Promise<PortalFound> {
  const form = await readForm(request, currentService().service, token);
  if ("kind" in form) return form;
  return visiting(request, token, async (service, visit, locale) => {
    try {
      countWrite(visit.open);
      return await act(service, visit, { token, action, form, locale });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return afterRefusal(error, token, locale);
    }
  });
}

type Act = { token: string; action: string; form: URLSearchParams; locale: CheckoutLocale };

async function act(service: Service, visit: Visit, { token, action, form, locale }: Act): Promise<PortalFound> {
  const subscription = form.get("subscription") ?? "";
  switch (action) {
    case "cancel":
      await setCancelled(service, visit, subscription, true);
      return done(token, "cancelled", { subscription });
    case "continue":
      await setCancelled(service, visit, subscription, false);
      return done(token, "continued", { subscription });
    case "card":
      return { kind: "moved", response: goToForm(await changeCard(service, visit, subscription), locale) };
    case "pay": {
      const url = await payOwnInvoice(service, visit, form.get("invoice") ?? "");
      return url === null ? triedTooOften(locale) : { kind: "moved", response: goToForm(url, locale) };
    }
    default:
      return { kind: "not_found", locale };
  }
}

/** The page again, with the reason; not-found for what isn't the customer's. */
function afterRefusal(error: AppError, token: string, locale: CheckoutLocale): PortalFound {
  switch (error.code) {
    case "resource_not_found":
      return { kind: "not_found", locale };
    case "invalid_state":
      return done(token, "changed");
    case "outcome_pending":
    case "clock_advancing":
      return done(token, "busy");
    case "rate_limited":
      return { kind: "refused", problem: "too_many", status: 429, locale, headers: error.headers };
    default:
      throw error;
  }
}
