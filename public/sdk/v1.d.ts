/**
 * Types of Cardlane's checkout script.
 *
 * Load the script from the address of your Cardlane service, never from a copy or a bundle: card fields live in a frame of
 * that address, and the script is kept in step with it.
 *
 * ```html
 * <script src="https://pay.example.com/sdk/v1.js" async></script>
 * ```
 *
 * Copy this file into your project, for instance as `types/cardlane.d.ts`: `window.Cardlane` is typed from then on.
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
 * How the form looks, in the words of the API: the `appearance` of a session can be passed on as it is. What is left out is
 * the session's, then the preset's. Colours are `#rgb` or `#rrggbb`.
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
  /** Whether every field is filled in and right: `submit()` would send the payment. */
  complete: boolean;
  empty: boolean;
  /** Whether a payment is under way: the fields are locked, and your own button should be, too. */
  processing: boolean;
}

export interface CardlaneActionRequired {
  /** The card's issuer asks the shopper something, inside the frame. Nothing to do, but do not cover or unmount it. */
  kind: "three_d_secure";
}

/** What the page learns of a success. What counts is what your server reads: `GET /v1/client-sessions/{id}`. */
export interface CardlaneResult {
  clientSessionId: string;
  /** `pay_…`; null in mode `tokenize`. */
  paymentId: string | null;
  /** The payment's status, such as `CAPTURED` or, captured by your own call, `AUTHORIZED`. */
  status: string;
  /** `tok_…` for one payment of your server within 15 minutes; null in mode `payment`. */
  paymentToken: string | null;
  /** The session's `return_url` with `client_session_id` and `payment_id` added; null when it has none. */
  returnUrl: string | null;
}

/** `origin_not_allowed` and all below it close the form; with those above it the shopper can try again. */
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
  | "connection_lost"
  | "processor_unavailable"
  | "origin_not_allowed"
  | "form_not_loaded"
  | "session_not_found"
  | "attempts_exhausted"
  | "session_cancelled";

/** The form itself tells the shopper: show nothing twice. */
export interface CardlaneError {
  code: CardlaneErrorCode;
  /** For people, in the form's language. */
  message: string;
  /** Tries that the session still has; null when the error says nothing about them. */
  attemptsLeft: number | null;
}

export interface CardlaneMountOptions {
  /** The session's `client_session_token` (`cst_…`), from your server. */
  token: string;
  /**
   * `payment` (default): the card pays the session. `tokenize`: the form returns a `tok_…`, and your server makes the payment.
   */
  mode?: "payment" | "tokenize" | undefined;
  appearance?: CardlaneAppearance | null | undefined;
  /** Default `auto`. */
  locale?: CardlaneLocale | undefined;
  /** `false`: the form shows no button, and your own button calls `submit()`. Default `true`. */
  button?: boolean | undefined;
  /** Whether the form asks for these. By default for the name, and for the postal code where issuers check it (US, CA, GB). */
  fields?: { name?: boolean | undefined; postalCode?: boolean | undefined } | undefined;
  /** The form is visible and can be filled in. */
  onReady?: (() => void) | undefined;
  onChange?: ((change: CardlaneChange) => void) | undefined;
  onActionRequired?: ((action: CardlaneActionRequired) => void) | undefined;
  onSuccess?: ((result: CardlaneResult) => void) | undefined;
  onError?: ((error: CardlaneError) => void) | undefined;
  /** The session's time is over: create a new one and mount again. */
  onExpired?: (() => void) | undefined;
}

export interface CardlaneFrame {
  /** Does what the form's own button does. The outcome comes by the callbacks. */
  submit(): void;
  /** Changes what is named and leaves the rest. What the shopper has typed stays. */
  update(options: Pick<CardlaneMountOptions, "appearance" | "locale" | "button">): void;
  /** Removes the form. What is under way goes on at Cardlane: your server learns the outcome. */
  unmount(): void;
}

export interface Cardlane {
  readonly version: string;
  /**
   * Puts the payment form into an element, named by a selector or itself. Throws, and says in the console how to mend it,
   * when it is used in a way that cannot work.
   */
  mount(element: string | HTMLElement | null, options: CardlaneMountOptions): CardlaneFrame;
}

declare global {
  interface Window {
    readonly Cardlane: Cardlane;
  }
  const Cardlane: Cardlane;
}
