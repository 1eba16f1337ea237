import type { FrameMessage } from "@/lib/contract/checkout-messages";
import type { CardlaneMountOptions } from "@/public/sdk/v1";

/** What happened to the payment, of all that the form says; the rest is between the form and this script. */
export type PageEvent = Exclude<FrameMessage, { type: "hello" } | { type: "resize" }>;

/** Calls the page's callback. What a callback throws is the page's, and is reported as such; the form goes on. */
export function tellPage(callbacks: Partial<CardlaneMountOptions>, event: PageEvent): void {
  try {
    call(callbacks, event);
  } catch (error) {
    reportError(error);
  }
}

function call(callbacks: Partial<CardlaneMountOptions>, event: PageEvent): void {
  switch (event.type) {
    case "ready":
      callbacks.onReady?.();
      break;
    case "change":
      callbacks.onChange?.({ complete: event.complete, empty: event.empty, processing: event.processing });
      break;
    case "action_required":
      callbacks.onActionRequired?.({ kind: event.kind });
      break;
    case "success":
      callbacks.onSuccess?.({
        clientSessionId: event.client_session_id,
        paymentId: event.payment_id,
        status: event.status,
        paymentToken: event.payment_token,
        returnUrl: event.return_url,
      });
      break;
    case "error":
      callbacks.onError?.({ code: event.code, message: event.message, attemptsLeft: event.attempts_left });
      break;
    case "expired":
      callbacks.onExpired?.();
      break;
    default:
      event satisfies never;
  }
}
