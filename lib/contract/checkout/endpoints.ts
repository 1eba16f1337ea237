import { z } from "zod";
import { findCardNumber, holdsCardNumberSentence } from "@/lib/contract/card-numbers";
import { BODY_ERRORS, dashboardEndpoint, endpoint, IDEMPOTENCY_ERRORS } from "@/lib/contract/endpoint";
import type { DeclineCode } from "@/lib/contract/errors";
import { customerFields, queryOffset, refuseCardNumber, refuseOwnCard, textBesideCard } from "@/lib/contract/fields";
import { cardInput } from "@/lib/contract/payments/payment";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";
import type { CardBrand, TransactionStatus } from "@/lib/contract/transactions/words";
import { type Appearance, contrastProblems } from "./appearance";
import {
  CHECKOUT_LOCALES,
  CHECKOUT_MODES,
  type CheckoutAttempt,
  type CheckoutAttemptResponse,
  type CheckoutMode,
  type CheckoutState,
} from "./checkout";
import {
  CLIENT_SESSION_STATUSES,
  type ClientSession,
  type ClientSessionStatus,
  clientSession,
  createClientSessionBody,
} from "./client-session";
import { isAppearance } from "./messages";

/** Checkout endpoints for merchants' servers, the dashboard and the payment form. */

export const createClientSession = endpoint({
  name: "createClientSession",
  method: "POST",
  path: "/v1/client-sessions",
  tag: "Client sessions",
  summary: "Create a client session",
  description:
    "Opens a session in which one shopper pays one amount, set here by your server and never by the browser, begins a subscription, or stores a card (`mode: setup`). Valid for 24 hours, five attempts, one success.",
  permissions: ["client_session.create"],
  idempotency: "optional",
  body: createClientSessionBody,
  status: 201,
  response: clientSession,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "currency_not_supported", "plan_not_active"],
});

export const getClientSession = endpoint({
  name: "getClientSession",
  method: "GET",
  path: "/v1/client-sessions/{id}",
  tag: "Client sessions",
  summary: "Get a client session",
  description: "The session's current state. Its token is never shown again.",
  permissions: ["client_session.create"],
  idempotency: "none",
  status: 200,
  response: clientSession,
  errors: ["resource_not_found"],
});

export const cancelClientSession = endpoint({
  name: "cancelClientSession",
  method: "POST",
  path: "/v1/client-sessions/{id}/cancel",
  tag: "Client sessions",
  summary: "Cancel a client session",
  description:
    "Closes an open session: it takes no more attempts. An unfinished 3-D Secure challenge counts as abandoned. While a payment's outcome is unknown, the response is 409.",
  permissions: ["client_session.create"],
  idempotency: "none",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: clientSession,
  errors: [...BODY_ERRORS, "resource_not_found", "invalid_state", "outcome_pending"],
});

/** Filters of the session list, as in its address. */
export const sessionListQuery = z.strictObject({
  status: z.enum(CLIENT_SESSION_STATUSES).optional(),
  offset: queryOffset,
});
export type SessionListQuery = z.infer<typeof sessionListQuery>;

type NamedPlan = { id: string; name: string };
/** The payment link that created a session: `plink_…` and its title. */
type NamedLink = { id: string; title: string };

/** A session as a row of the list. */
export type SessionListItem = {
  id: string;
  status: ClientSessionStatus;
  mode: CheckoutMode;
  amount: number | null;
  currency: string | null;
  plan: NamedPlan | null;
  link: NamedLink | null;
  customer_id: string | null;
  customer_email: string | null;
  customer_name: string | null;
  attempts: number;
  /** A payment is in progress, so the session accepts no other. */
  under_way: boolean;
  payment_id: string | null;
  expires_at: string;
  created_at: string;
};

/** A card tried in a session, with its charge. */
export type SessionAttempt = {
  /** `txn_…` and `pay_…`. */
  id: string;
  payment_id: string;
  status: TransactionStatus;
  amount: number;
  currency: string;
  card_brand: CardBrand | null;
  card_last4: string | null;
  decline: { code: DeclineCode; meaning: string; advice: string } | null;
  created_at: string;
};

/** A session in full, for its page. */
export type SessionDetail = {
  /** Same values as in the API. */
  session: ClientSession;
  plan: NamedPlan | null;
  link: NamedLink | null;
  /** The `pay_…` in progress, or null. */
  open_payment_id: string | null;
  /** A card is being checked, or waits for the issuer's challenge. */
  is_checking: boolean;
  /** Newest first; only those that reached a processor. */
  attempts: SessionAttempt[];
  /** Null when its record is gone. */
  created_by: ShownActor | null;
  cancelled: { at: string; by: ShownActor } | null;
};

/** Errors for unreadable appearances, by `text_color` or `accent_color`. */
const CONTRAST_SENTENCES = {
  text_color: "The text is too hard to read on the background",
  accent_color: "The accent is too hard to tell from the background",
};

const readableAppearance = z
  .custom<Appearance>(isAppearance, "This is not an appearance that the form can show.")
  .superRefine((appearance, context) => {
    // An invalid appearance is refused above and can't be measured.
    if (!isAppearance(appearance)) return;
    // The font's name is its only text.
    const last4 = findCardNumber(appearance.font_family ?? "");
    if (last4) context.addIssue({ code: "custom", path: ["font_family"], message: holdsCardNumberSentence(last4) });
    for (const { param, scheme, contrast, needed } of contrastProblems(appearance)) {
      const message = `${CONTRAST_SENTENCES[param]} in the ${scheme} scheme: ${contrast.toFixed(1)} to 1, needed ${needed} to 1.`;
      context.addIssue({ code: "custom", path: [param], message });
    }
  });

/** Sets the default appearance for sessions without their own; null is Cardlane's. */
export const updateCheckoutAppearance = dashboardEndpoint({
  name: "updateCheckoutAppearance",
  method: "PATCH",
  path: "/api/dashboard/{mode}/checkout/appearance",
  permission: "settings.manage",
  body: z.strictObject({ appearance: readableAppearance.nullable() }),
  status: 200,
  response: z.object({ appearance: z.custom<Appearance>().nullable() }),
});

/** Body of POST /pay/{token}/attempts. The card is in memory only, from here to the processor. */
export const checkoutAttemptBody = z
  .strictObject({
    // Thirteen digits in a row aren't part of a UUID, but could be a card number.
    attempt: z
      .string()
      .regex(/^(?![\w-]{0,63}\d{13})[\w-]{1,64}$/, "Use 1 to 64 letters, digits, dashes and underscores.")
      .superRefine(refuseCardNumber),
    mode: z.enum(CHECKOUT_MODES).default("payment"),
    card: cardInput,
    postal_code: textBesideCard(20).optional(),
    locale: z.enum(CHECKOUT_LOCALES).optional(),
    email: customerFields.customer_email,
    // Compared with the sentences of the session, so that it needs no other check.
    consent: z.string().max(2_000).optional(),
  })
  .superRefine(refuseOwnCard) satisfies z.ZodType<CheckoutAttempt>;
export type CheckoutAttemptBody = z.infer<typeof checkoutAttemptBody>;

/** State for the payment form. The token in the path is the shopper's only credential. */
export const getCheckoutState = dashboardEndpoint({
  name: "getCheckoutState",
  method: "GET",
  path: "/pay/{token}/state",
  permission: null,
  status: 200,
  response: z.custom<CheckoutState>(),
});

export const attemptCheckout = dashboardEndpoint({
  name: "attemptCheckout",
  method: "POST",
  path: "/pay/{token}/attempts",
  permission: null,
  body: checkoutAttemptBody,
  status: 200,
  response: z.custom<CheckoutAttemptResponse>(),
});
