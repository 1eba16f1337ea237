import { renderLinkPage, renderLinkProblem } from "@/components/checkout/payment-form/render-link-page";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { linkPage } from "@/lib/http/payment-link";

/** A payment link's page, which leads to the payment form. */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const found = await linkPage(request, (await params).token);
    if (found.kind === "page") {
      const { sale, paidBefore, action } = found;
      return checkoutDocument({ frameAncestors: [], referrer: "same-origin" }, (parts) =>
        renderLinkPage({ sale, paidBefore, action, ...parts }),
      );
    }
    if (found.kind === "opened") return found.response;
    const { status, headers } = found;
    return checkoutDocument({ status, headers, frameAncestors: [] }, (parts) =>
      renderLinkProblem({ ...found, ...parts }),
    );
  });
}
