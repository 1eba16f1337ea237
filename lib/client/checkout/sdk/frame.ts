import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { FrameMessage } from "@/lib/contract/checkout/messages";
import type { CardlaneMountOptions } from "@/public/sdk/v1";

/** About the form's height before it says it: the page below moves little. */
const FIRST_HEIGHT_PX = 340;

const TITLES: Record<CheckoutLocale, string> = {
  en: "Secure payment form",
  de: "Sicheres Zahlungsformular",
  fr: "Formulaire de paiement sécurisé",
  es: "Formulario de pago seguro",
  pt: "Formulário de pagamento seguro",
  ar: "نموذج دفع آمن",
};

/** Where the form for these options is. `pageOrigin` is where it sends its messages, and nowhere else. */
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

/** Invisible until it is ready, but there: a frame that is not laid out does not measure itself. */
export function createFrame(address: string, locale: CheckoutLocale): HTMLIFrameElement {
  const iframe = document.createElement("iframe");
  iframe.dataset.cardlane = "";
  iframe.allow = "payment";
  iframe.referrerPolicy = "strict-origin";
  iframe.setAttribute("aria-busy", "true");
  // By properties: a page whose policy forbids style attributes allows these.
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

/** What a screen reader calls the frame, in the form's language. */
export function nameFrame(iframe: HTMLIFrameElement, locale: CheckoutLocale): void {
  iframe.title = TITLES[locale];
  iframe.lang = locale;
}

export function reveal(iframe: HTMLIFrameElement): void {
  iframe.style.opacity = "";
  iframe.removeAttribute("aria-busy");
}

export const hasFrame = (element: Element) => element.querySelector("iframe[data-cardlane]") !== null;

/** What happened to the payment, of all that the form says; the rest is between the form and this script. */
export type PageEvent = Exclude<FrameMessage, { type: "hello" | "embeddable" | "resize" }>;

/** Calls the page's callback. An error that it throws is reported as the page's own; the form goes on. */
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
