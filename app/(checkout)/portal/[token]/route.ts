import { renderPortal } from "@/components/checkout/payment-form/render-portal-page";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { portalDocument, portalPage } from "@/lib/http/portal-page";

/** A customer's subscriptions and invoices, for an hour. It must not be framed. */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token } = await params;
    const found = await portalPage(request, token);
    if (found.kind === "moved") return found.response;
    return checkoutDocument(portalDocument(found), (parts) => renderPortal({ found, token, ...parts }));
  });
}
