import { renderLinkProblem } from "@/components/checkout/payment-form/render-link-page";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { openLink } from "@/lib/http/payment-link";

/** Redirects to the payment form of the link's session, and creates the session if there is none. */
export function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const found = await openLink(request, (await params).token);
    if (found.kind === "opened") return found.response;
    const { status, headers } = found;
    return checkoutDocument({ status, headers, frameAncestors: [] }, (parts) =>
      renderLinkProblem({ ...found, ...parts }),
    );
  });
}
