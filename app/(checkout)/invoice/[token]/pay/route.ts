import { renderNoInvoice } from "@/components/checkout/payment-form/render-invoice-page";
import { renderLinkProblem } from "@/components/checkout/payment-form/render-link-page";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { payHosted } from "@/lib/http/invoice-page";

/**
 * Redirects to the payment form of a session that pays the invoice, or back to the invoice if it can't be
 * paid.
 */
export function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const found = await payHosted(request, (await params).token);
    if (found.kind === "moved") return found.response;
    const { status, headers, locale } = found;
    return checkoutDocument({ status, headers, frameAncestors: [] }, (parts) =>
      found.kind === "refused"
        ? renderLinkProblem({ problem: found.problem, paidSale: null, locale, ...parts })
        : renderNoInvoice({ locale, ...parts }),
    );
  });
}
