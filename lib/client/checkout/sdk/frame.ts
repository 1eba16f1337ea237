import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { FrameMessage } from "@/lib/contract/checkout/messages";
import type { CardlaneMountOptions } from "@/public/sdk/v1";

/** Approximate height before the form reports its own, so that the page below moves little. */
const FIRST_HEIGHT_PX = 340;

const TITLES: Record<CheckoutLocale, string> = {
  en: "Secure payment form",
  de: "Sicheres Zahlungsformular",
  fr: "Formulaire de paiement sécurisé",
  es: "Formulario de pago seguro",
  pt: "Formulário de pagamento seguro",
  ar: "نموذج دفع آمن",
};

/** The form's address for these options. It sends messages only to `pageOrigin`. */
export function frameAddress(origin: string, pageOrigin: string, options: CardlaneMountOptions): string {
  const { token, mode, locale, fields } = options;
  const url = new URL(`/pay/${token}`, origin);
  const parameters = {
    origin: pageOrigin,
    mode,
    locale: locale === "auto" ? null : locale,
    name: bit(fields?.name),
    postal_code: bit(fields?.postalCode),
  };
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
  return url.href;
}

const bit = (value: boolean | null | undefined) => (typeof value === "boolean" ? String(Number(value)) : null);

/** Invisible until ready, but laid out: otherwise the frame can't measure itself. */
export function createFrame(address: string, locale: CheckoutLocale): HTMLIFrameElement {
  const iframe = document.createElement("iframe");
  iframe.dataset.cardlane = "";
  iframe.allow = "payment";
  iframe.referrerPolicy = "strict-origin";
  iframe.setAttribute("aria-busy", "true");
  // Set as properties, because a page's policy may forbid style attributes.
  Object.assign(iframe.style, {
    display: "block",
    width: "100%",
    height: `${FIRST_HEIGHT_PX}px`,
    border: "0",
    opacity: "0",
  });
  nameFrame(iframe, locale);
  iframe.src = address;
  return iframe;
}

/** Accessible name of the frame, in the form's language. */
export function nameFrame(iframe: HTMLIFrameElement, locale: CheckoutLocale): void {
  iframe.title = TITLES[locale];
  iframe.lang = locale;
}

export function reveal(iframe: HTMLIFrameElement): void {
  iframe.style.opacity = "";
  iframe.removeAttribute("aria-busy");
}

export const hasFrame = (element: Element) => element.querySelector("iframe[data-cardlane]") !== null;

/** Events for the page; the form's other messages are internal. */
export type PageEvent = Exclude<FrameMessage, { type: "hello" | "embeddable" | "resize" }>;

/**
 * Calls the page's callback. If it throws, the error is reported as the page's own and the form continues.
 */
export function notifyPage(callbacks: Partial<CardlaneMountOptions>, event: PageEvent): void {
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
        paymentMethodId: event.payment_method_id ?? null,
        subscriptionId: event.subscription_id ?? null,
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
