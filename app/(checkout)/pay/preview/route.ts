import { renderPayPage } from "@/components/checkout/payment-form/render-pay-page";
import { checkoutDocument, previewPage } from "@/lib/http/checkout-page";

/** The payment form with sample data, shown in the dashboard's appearance editor. */
export function GET(request: Request): Response {
  const page = previewPage(request);
  return checkoutDocument({ frameAncestors: ["'self'"] }, (parts) =>
    renderPayPage({ page, token: null, embedded: page.parent_origin !== null, ...parts }),
  );
}
