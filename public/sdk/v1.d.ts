/**
 * Types of Cardlane's checkout script.
 *
 * Load the script from the address of your Cardlane service, never from a copy or a bundle: card fields live in a frame of
 * that address, and the script must match it.
 *
 * ```html
 * <script src="https://pay.example.com/sdk/v1.js" async></script>
 * ```
 *
 * Copy this file into your project, for instance as `types/cardlane.d.ts`: this gives `window.Cardlane` its type.
 *
 * In React, in an effect:
 *
 * ```tsx
 * const element = useRef<HTMLDivElement>(null);
 * useEffect(() => {
 *   const frame = Cardlane.mount(element.current, { token, onSuccess: ({ clientSessionId }) => showThanks(clientSessionId) });
 *   return () => frame.unmount();
 * }, [token]);
 * return <div ref={element} />;
 * ```
 *
 * @packageDocumentation
 */

/** Languages of the payment form. `auto` follows the shopper's browser. A region may follow, as in `pt-BR`. */
export type CardlaneLanguage = "en" | "de" | "fr" | "es" | "pt" | "ar";
export type CardlaneLocale = "auto" | CardlaneLanguage | `${CardlaneLanguage}-${string}`;

/**
 * Appearance of the form, in the API's format: the `appearance` of a session can be passed on unchanged. Absent members are
 * the session's, or else the preset's. Colors are `#rgb` or `#rrggbb`.
 */
export interface CardlaneAppearance {
  preset?: "clean" | "soft" | "sharp" | "night" | undefined;
  /** `system` follows the shopper's device. */
  theme?: "light" | "dark" | "system" | undefined;
  /** The button and the focus ring. */
  accent_color?: string | undefined;
  background_color?: string | undefined;
  text_color?: string | undefined;
  /** Pixels, 0–24. */
  border_radius?: number | undefined;
  /** Font families that the shopper's device has: the form loads none. */
  font_family?: string | undefined;
}

export interface CardlaneChange {
  /** True if every field is filled in and valid, so `submit()` would send the payment. */
  complete: boolean;
  empty: boolean;
  /** True while a payment is in progress: the fields are locked, and your own button should be, too. */
  processing: boolean;
}

export interface CardlaneActionRequired {
  /** The card's issuer authenticates the shopper inside the frame. Do not cover or unmount it until then. */
  kind: "three_d_secure";
}

/** Details of a success for the page. Your server must check the session: `GET /v1/client-sessions/{id}`. */
export interface CardlaneResult {
  clientSessionId: string;
  /** `pay_…`; null if nothing was paid: in modes `tokenize` and `setup`, and when a free trial began. */
  paymentId: string | null;
  /** `pm_…`: the card that was stored for later payments; null otherwise. */
  paymentMethodId: string | null;
  /** `sub_…`: the subscription that began; null otherwise. */
  subscriptionId: string | null;
  /** The payment's status, such as `CAPTURED` or, captured by your own call, `AUTHORIZED`; without one, `COMPLETED`. */
  status: string;
  /** `tok_…` for one payment of your server within 15 minutes; null in mode `payment`. */
  paymentToken: string | null;
  /** The session's `return_url` with `client_session_id` and `payment_id` added; null if it has none. */
  returnUrl: string | null;
}

/** `origin_not_allowed` and all codes after it close the form; after the others the shopper can try again. */
export type CardlaneErrorCode =
  | "card_declined"
  | "insufficient_funds"
  | "expired_card"
  | "incorrect_cvv"
  | "incorrect_number"
  | "authentication_failed"
  | "processing_error"
  | "invalid_card_data"
  | "rate_limited"
  /** The customer had a trial of the plan before: the form shows the new terms, and the shopper may agree to them. */
  | "trial_used"
  | "connection_lost"
  | "processor_unavailable"
  | "origin_not_allowed"
  | "form_not_loaded"
  | "session_not_found"
  | "attempts_exhausted"
  | "session_cancelled";

/** The form shows the error to the shopper, so the page need not. */
export interface CardlaneError {
  code: CardlaneErrorCode;
  /** Message for the shopper, in the form's language. */
  message: string;
  /** Attempts that are left in the session; null if the error does not include them. */
  attemptsLeft: number | null;
}

export interface CardlaneMountOptions {
  /** The session's `client_session_token` (`cst_…`), from your server. */
  token: string;
  /**
   * `payment` (default): the card pays the session. `tokenize`: the form returns a `tok_…`, and your server creates the payment.
   * A session with a `mode` of its own, such as `setup`, and one of a recurring plan decide themselves.
   */
  mode?: "payment" | "tokenize" | "setup" | undefined;
  appearance?: CardlaneAppearance | null | undefined;
  /** Default `auto`. */
  locale?: CardlaneLocale | undefined;
  /** `false`: the form shows no button, and your own button calls `submit()`. Default `true`. */
  button?: boolean | undefined;
  /** Fields that the form has. By default the name, and the postal code where issuers check it (US, CA, GB). */
  fields?: { name?: boolean | undefined; postalCode?: boolean | undefined } | undefined;
  /** The form is visible and can be filled in. */
  onReady?: (() => void) | undefined;
  onChange?: ((change: CardlaneChange) => void) | undefined;
  onActionRequired?: ((action: CardlaneActionRequired) => void) | undefined;
  onSuccess?: ((result: CardlaneResult) => void) | undefined;
  onError?: ((error: CardlaneError) => void) | undefined;
  /** The session has expired: create a new one and mount again. */
  onExpired?: (() => void) | undefined;
}

export interface CardlaneFrame {
  /** Submits the form like its own button. The callbacks report the outcome. */
  submit(): void;
  /** Changes the given options and keeps the others, and the shopper's input. */
  update(options: Pick<CardlaneMountOptions, "appearance" | "locale" | "button">): void;
  /** Removes the form. A payment in progress continues at Cardlane; your server can check its outcome. */
  unmount(): void;
}

export interface Cardlane {
  readonly version: string;
  /**
   * Mounts the payment form in an element or a selector's first match. If its use is invalid, it throws and logs the remedy to
   * the console.
   */
  mount(element: string | HTMLElement | null, options: CardlaneMountOptions): CardlaneFrame;
}

declare global {
  interface Window {
    readonly Cardlane: Cardlane;
  }
  const Cardlane: Cardlane;
}
