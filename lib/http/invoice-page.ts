import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { AppError } from "@/lib/contract/errors";
import type { CreditNote } from "@/lib/contract/invoices/credit-notes";
import type { HostedInvoice } from "@/lib/contract/invoices/hosted";
import { findOfInvoice, findOfReceipt } from "@/lib/domain/invoices/credit-notes";
import { openInvoice, payOpened, presentHosted, readLocale } from "@/lib/domain/invoices/hosted-invoice";
import { currentService } from "./current-service";
import { countWrite, type FormRefused, goTo, goToForm, localeOf, readForm, triedTooOften } from "./customer-form";

/** GET /invoice/{token}: the invoice, null if it is not one's token; and the visitor's language, for errors. */
export async function invoicePage(
  request: Request,
  token: string,
): Promise<{ invoice: HostedInvoice | null; locale: CheckoutLocale }> {
  const { service } = currentService();
  const opened = await openInvoice(service, token);
  return { invoice: opened && (await presentHosted(service, opened)), locale: localeOf(request) };
}

/** GET /invoice/{token}/credit-note/{number}: null if the invoice has none with this number. */
export async function creditNoteOfInvoice(token: string, number: string): Promise<CreditNote | null> {
  const { service } = currentService();
  const opened = await openInvoice(service, token);
  return opened && findOfInvoice(service, opened, number);
}

/** GET /receipt/{token}/credit-note/{number}: null if the receipt has none with this number. */
export const creditNoteOfReceipt = (token: string, number: string): Promise<CreditNote | null> =>
  findOfReceipt(currentService().service, token, number);

type PayFound =
  | { kind: "moved"; response: Response }
  | { kind: "not_found"; status: 404; locale: CheckoutLocale; headers: Readonly<Record<string, string>> }
  | FormRefused;

/** POST /invoice/{token}/pay: leads to a payment form, or back to the page, which explains why not. */
export async function payHosted(request: Request, token: string): Promise<PayFound> {
  const { service } = currentService();
  const form = await readForm(request, service, token);
  if ("kind" in form) return form;
  const opened = await openInvoice(service, token);
  if (opened === null) return { kind: "not_found", status: 404, locale: localeOf(request), headers: {} };
  const locale = await readLocale(service, opened);
  try {
    countWrite(opened.open);
    const url = await payOpened(service, opened);
    return url === null ? triedTooOften(locale) : { kind: "moved", response: goToForm(url, locale) };
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
