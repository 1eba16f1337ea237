import { renderChallengePage } from "@/components/checkout/payment-form/render-challenge-page";
import { renderMessagePage } from "@/components/checkout/payment-form/render-document";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { checkoutLocale } from "@/lib/contract/checkout/checkout";
import { challengeAfterReturn, challengePageOptions, isFramed, resultPath } from "@/lib/http/checkout";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";

/**
 * The sandbox's 3-D Secure page, framed or on its own; also the return address of other processors'
 * challenges.
 */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token } = await params;
    const { challenge, leaveTo } = await challengeAfterReturn(request, token);
    if (leaveTo !== null)
      return new Response(null, { status: 303, headers: { Location: leaveTo, "Cache-Control": "no-store" } });
    if (!challenge) {
      const locale = checkoutLocale(request.headers.get("accept-language"));
      const { title, text } = textsOf(locale).closed.not_found;
      return checkoutDocument({ status: 404, frameAncestors: [] }, (parts) =>
        renderMessagePage({ title, text, locale, ...parts }),
      );
    }
    const framed = isFramed(request);
    return checkoutDocument(challengePageOptions(challenge), (parts) =>
      renderChallengePage(challenge, { action: resultPath(token, framed), framed, ...parts }),
    );
  });
}
