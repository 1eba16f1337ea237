import { renderPortalBack } from "@/components/checkout/payment-form/render-portal-page";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { localeOf } from "@/lib/http/customer-form";

/** Return page of the payment form: opens the portal that the tab remembers. */
export function GET(request: Request): Promise<Response> {
  const locale = localeOf(request);
  return checkoutRoute(request, async () =>
    checkoutDocument({ frameAncestors: [] }, (parts) => renderPortalBack({ locale, ...parts })),
  );
}
