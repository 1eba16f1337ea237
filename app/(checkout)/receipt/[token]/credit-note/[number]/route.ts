import { creditNotePage } from "@/components/checkout/payment-form/render-credit-note-page";
import { checkoutLocale } from "@/lib/contract/checkout/checkout";
import { checkoutDocument, checkoutRoute } from "@/lib/http/checkout-page";
import { creditNoteOfReceipt } from "@/lib/http/invoice-page";

type Params = { params: Promise<{ token: string; number: string }> };

/** The document of a payment's refund, public to anyone who has its address. It must not be framed. */
export function GET(request: Request, { params }: Params): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token, number } = await params;
    const note = await creditNoteOfReceipt(token, number);
    const locale = checkoutLocale(request.headers.get("accept-language"));
    return checkoutDocument({ status: note === null ? 404 : 200, frameAncestors: [] }, (parts) =>
      creditNotePage({ note, locale, back: `/receipt/${token}`, ...parts }),
    );
  });
}
