import { renderPortal } from "@/components/checkout/payment-form/render-portal-page";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { actInPortal, cancelPage, portalDocument } from "@/lib/http/portal-page";

type Props = { params: Promise<{ token: string; action: string }> };

/** The question before a subscription is cancelled; the other actions have no page. */
export function GET(request: Request, { params }: Props): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token, action } = await params;
    const found = await cancelPage(request, token, action);
    if (found.kind === "moved") return found.response;
    return checkoutDocument(portalDocument(found), (parts) => renderPortal({ found, token, ...parts }));
  });
}

/** Handles a customer's action: change the card, pay, cancel, or take that back. */
export function POST(request: Request, { params }: Props): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token, action } = await params;
    const found = await actInPortal(request, token, action);
    if (found.kind === "moved") return found.response;
    return checkoutDocument(portalDocument(found), (parts) => renderPortal({ found, token, ...parts }));
  });
}
