import { type FailureReport, renderMessagePage } from "@/components/checkout/payment-form/render-document";
import { renderPayPage } from "@/components/checkout/payment-form/render-pay-page";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { checkoutLocale } from "@/lib/contract/checkout/checkout";
import type { CheckoutErrorCode } from "@/lib/contract/checkout/messages";
import { type CheckoutPageFound, checkoutDocument, checkoutPage, checkoutRoute } from "@/lib/http/checkout-page";

/** 503: the shop must fix its setup, after which the same address works. */
const STATUSES = {
  not_found: 404,
  origin_not_allowed: 403,
  suspended: 403,
  no_card_numbers: 503,
  embeddable: 200,
} as const;

type NoForm = Exclude<CheckoutPageFound, { kind: "page" }>;

/** The error that the embedding page receives when no form is shown. */
function reportOf(found: NoForm): FailureReport | null {
  if (found.origin === null) return null;
  const { origin } = found;
  const failed = (code: CheckoutErrorCode, message: string): FailureReport => ({
    origin,
    message: { type: "error", code, message, attempts_left: null },
  });
  switch (found.kind) {
    case "not_found":
      return failed("session_not_found", NO_SESSION);
    case "suspended":
      return failed("processor_unavailable", SUSPENDED);
    case "no_card_numbers":
      return failed("processor_unavailable", NO_CARD_NUMBERS);
    case "origin_not_allowed":
      return failed("origin_not_allowed", `The page's origin ${origin} is missing from the session's allowed_origins.`);
    case "embeddable":
      return { origin, message: { type: "embeddable" } };
    default:
      return found satisfies never;
  }
}

const NO_SESSION = "No client session has this token. Pass the session’s complete client_session_token.";
const SUSPENDED = "The merchant's account is suspended, so the form takes no payments.";

const NO_CARD_NUMBERS =
  "No connected processor accepts card numbers from the form for this payment. In the dashboard under Settings → Processors, connect one or allow card numbers; or charge a token from the processor’s own fields.";

/** The payment form: a document of its own instead of a Next page, with a tenth of the script. */
export function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => {
    const { token } = await params;
    const found = await checkoutPage(request, token);
    if (found.kind === "page") {
      const { page, embedded, frameAncestors } = found;
      return checkoutDocument({ frameAncestors }, (parts) => renderPayPage({ page, token, embedded, ...parts }));
    }
    const locale = checkoutLocale(request.headers.get("accept-language"));
    const texts = textsOf(locale);
    const { title, text } = {
      not_found: texts.closed.not_found,
      origin_not_allowed: texts.originNotAllowed,
      embeddable: texts.originNotAllowed,
      suspended: texts.unavailable,
      no_card_numbers: { title: texts.unavailable.title, text: texts.notices.processor_unavailable },
    }[found.kind];
    const status = STATUSES[found.kind];
    const report = reportOf(found);
    return checkoutDocument({ status, frameAncestors: found.frameAncestors }, (parts) =>
      renderMessagePage({ title, text, locale, report, ...parts }),
    );
  });
}
