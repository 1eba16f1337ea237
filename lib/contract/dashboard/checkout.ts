import { z } from "zod";
import { type Appearance, contrastProblems } from "@/lib/contract/appearance";
import { HOLDS_CARD_NUMBER, holdsCardNumber } from "@/lib/contract/card-numbers";
import { isAppearance } from "@/lib/contract/checkout-messages";
import { CLIENT_SESSION_STATUSES, type ClientSession, type ClientSessionStatus } from "@/lib/contract/client-session";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";
import type { DeclineCode } from "@/lib/contract/errors";
import { queryOffset } from "@/lib/contract/fields";
import type { CardBrand, TransactionStatus } from "@/lib/contract/transaction-words";
import type { ShownActor } from "./payment-detail";

/** The filters of the list of sessions, as they stand in its address. */
export const sessionListQuery = z.strictObject({
  status: z.enum(CLIENT_SESSION_STATUSES).optional(),
  offset: queryOffset,
});
export type SessionListQuery = z.infer<typeof sessionListQuery>;

type NamedPlan = { id: string; name: string };

/** A session as a row of the list. */
export type SessionListItem = {
  id: string;
  status: ClientSessionStatus;
  amount: number;
  currency: string;
  plan: NamedPlan | null;
  customer_id: string | null;
  customer_email: string | null;
  customer_name: string | null;
  attempts: number;
  /** Whether a payment is under way, so that the session takes no other just now. */
  under_way: boolean;
  payment_id: string | null;
  expires_at: string;
  created_at: string;
};

/** One card that a shopper tried in a session: the charge it made. */
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

/** Everything that is known of one session, as its page shows it. */
export type SessionDetail = {
  /** As the API answers it. */
  session: ClientSession;
  plan: NamedPlan | null;
  /** `pay_…` that is under way; null when there is none. */
  open_payment_id: string | null;
  /** Newest first; those that reached a processor. */
  attempts: SessionAttempt[];
  /** Null when its record is gone. */
  created_by: ShownActor | null;
  cancelled: { at: string; by: ShownActor } | null;
};

/** Why an appearance cannot be read by everybody; `text_color` or `accent_color`. */
const CONTRAST_SENTENCES = {
  text_color: "The text is too hard to read on the background",
  accent_color: "The accent is too hard to tell from the background",
};

const readableAppearance = z
  .custom<Appearance>(isAppearance, "This is not an appearance that the form can show.")
  .superRefine((appearance, context) => {
    // What is not an appearance is refused above, and cannot be measured.
    if (!isAppearance(appearance)) return;
    // The name of a font is the one text in it.
    if (holdsCardNumber(appearance.font_family ?? ""))
      context.addIssue({ code: "custom", path: ["font_family"], message: HOLDS_CARD_NUMBER });
    for (const { param, scheme, contrast, needed } of contrastProblems(appearance)) {
      const message = `${CONTRAST_SENTENCES[param]} in the ${scheme} scheme: ${contrast.toFixed(1)} to 1, needed ${needed} to 1.`;
      context.addIssue({ code: "custom", path: [param], message });
    }
  });

/** Replaces how the payment form looks for sessions that bring no appearance; null is Cardlane's own look. */
export const updateCheckoutAppearanceOperation = dashboardOperation({
  name: "updateCheckoutAppearance",
  method: "PATCH",
  path: "/api/dashboard/{mode}/checkout/appearance",
  permission: "settings.manage",
  body: z.strictObject({ appearance: readableAppearance.nullable() }),
  status: 200,
  response: z.object({ appearance: z.custom<Appearance>().nullable() }),
});
