import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { AppError } from "@/lib/contract/errors";
import type { HostedInvoice } from "@/lib/contract/invoices/hosted";
import { openInvoice, payOpened, presentHosted } from "@/lib/domain/invoices/hosted-invoice";
import { currentService } from "./current-service";
import { countWrite, type FormRefused, goTo, localeOf, readForm, triedTooOften } from "./customer-form";

/** GET /invoice/{token}: the invoice, and the visitor's language. Null if it is not an invoice's token. */
export async function invoicePage(
  request: Request,
  token: string,
): Promise<{ invoice: HostedInvoice | null; locale: CheckoutLocale }> {
  const { service } = currentService();
  const opened = await openInvoice(service, token);
  return { invoice: opened && (await presentHosted(service, opened)), locale: localeOf(request) };
}

type PayFound =
  | { kind: "moved"; response: Response }
  | { kind: "not_found"; status: 404; locale: CheckoutLocale; headers: Readonly<Record<string, string>> }
  | FormRefused;

/** POST /invoice/{token}/pay: leads to a payment form, or back to the page, which explains why not. */
export async function payHosted(request: Request, token: string): Promise<PayFound> {
  const { service } = currentService();
  const locale = localeOf(request);
  const form = await readForm(request, service, token);
  if ("kind" in form) return form;
  const opened = await openInvoice(service, token);
  if (opened === null) return { kind: "not_found", status: 404, locale, headers: {} };
  try {
    countWrite(opened.open);
    const url = await payOpened(service, opened);
    return url === null ? triedTooOften(locale) : { kind: "moved", response: goTo(url) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, headers } = error;
    if (code === "rate_limited") return { kind: "refused", problem: "too_many", status: 429, locale, headers };
    // Paid, void or being paid in the meantime: the page shows it.
    const isLate = code === "invalid_state" || code === "outcome_pending" || code === "clock_advancing";
    if (!isLate) throw error;
    return { kind: "moved", response: goTo(`/invoice/${token}`) };
  }
}
