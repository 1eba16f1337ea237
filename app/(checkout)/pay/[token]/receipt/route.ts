import { renderNoReceipt } from "@/components/checkout/payment-form/render-receipt-page";
import { checkoutLocale } from "@/lib/contract/checkout/checkout";
import { checkoutDocument, checkoutRoute, receiptOfSession } from "@/lib/http/checkout-page";

/** Redirects from the form's last screen to the receipt, whose address is created on first use. */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const path = await receiptOfSession((await params).token);
    const locale = checkoutLocale(request.headers.get("accept-language"));
    if (path === null)
      return checkoutDocument({ status: 404, frameAncestors: [] }, (parts) => renderNoReceipt({ ...parts, locale }));
    return new Response(null, { status: 303, headers: { Location: path, "Cache-Control": "no-store" } });
  });
}
