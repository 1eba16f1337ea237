import { renderInvoicePage, renderNoInvoice } from "@/components/checkout/payment-form/render-invoice-page";
import { checkoutDocument, checkoutRoute, type DocumentOptions } from "@/lib/http/checkout-page";
import { invoicePage } from "@/lib/http/invoice-page";

/** An invoice, public to anyone who has its address. It must not be framed. */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token } = await params;
    const { invoice, locale } = await invoicePage(request, token);
    if (invoice === null) {
      return checkoutDocument({ status: 404, frameAncestors: [] }, (parts) => renderNoInvoice({ ...parts, locale }));
    }
    const action = invoice.payment === "payable" ? `/invoice/${token}/pay` : null;
    // The form must show that it comes from our own page.
    const options: DocumentOptions = { frameAncestors: [], ...(action !== null && { referrer: "same-origin" }) };
    return checkoutDocument(options, (parts) =>
      renderInvoicePage({ invoice, action, path: `/invoice/${token}`, ...parts }),
    );
  });
}
