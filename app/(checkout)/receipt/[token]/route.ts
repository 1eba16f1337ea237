import { renderNoReceipt, renderReceiptPage } from "@/components/checkout/payment-form/render-receipt-page";
import { checkoutLocale } from "@/lib/contract/checkout/checkout";
import { checkoutDocument, checkoutRoute, receiptOf } from "@/lib/http/checkout-page";

/** A receipt, public to anyone who has its address. It must not be framed. */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token } = await params;
    const receipt = await receiptOf(token);
    const locale = checkoutLocale(request.headers.get("accept-language"));
    if (receipt === null)
      return checkoutDocument({ status: 404, frameAncestors: [] }, (parts) => renderNoReceipt({ ...parts, locale }));
    return checkoutDocument({ frameAncestors: [] }, (parts) =>
      renderReceiptPage({ receipt, path: `/receipt/${token}`, ...parts }),
    );
  });
}
