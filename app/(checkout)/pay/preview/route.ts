import { renderPayPage } from "@/components/checkout/payment-form/render-pay-page";
import { checkoutDocument, previewPage } from "@/lib/http/checkout-page";

/** The payment form with sample data, shown in the dashboard's appearance editor. */
export async function GET(request: Request): Promise<Response> {
  const page = await previewPage(request);
  return checkoutDocument({ frameAncestors: ["'self'"] }, (parts) =>
    renderPayPage({ page, token: null, embedded: page.parent_origin !== null, ...parts }),
  );
}
