import type { CheckoutRow } from "@/db/queries/checkout/client-sessions";
import { hasUsedTrial, type Run } from "@/db/queries/subscriptions/rows";
import type { ClientSessionRow } from "@/db/schema/checkout";
import { isMailable } from "@/lib/contract/emails";
import { AppError } from "@/lib/contract/errors";
import { type Beginning, hasTrial, startSubscription } from "../subscriptions/start";
import { trialKeys } from "../subscriptions/trial-keys";

/** The subscriber: the session's customer, or else the payer's e-mail address. */
export type Subscriber = { readonly customerId: string; readonly email: string | null };

/**
 * True if the form requests the payer's e-mail address. A link requests it from each shopper, because several
 * may try one session of it.
 */
export const asksEmail = (row: Pick<CheckoutRow, "link" | "bought_plan" | "customer_id" | "customer_email">): boolean =>
  row.link?.asks_email === true ||
  (row.bought_plan !== null && row.customer_id === null && (row.link !== null || row.customer_email === null));

/** A subscriber without a customer id: the e-mail address is the customer. */
export const subscriberBy = (email: string): Subscriber => ({ customerId: email.toLowerCase(), email });

/** Longest id of a customer. */
const MAX_CUSTOMER_ID = 255;

/**
 * `email`: as typed in the form. Throws without a customer and an address. A typed customer must be an e-mail
 * address, because any other text could be the merchant's id of another customer.
 */
export function subscriberOf(
  row: Pick<CheckoutRow, "customer_id" | "customer_email" | "link" | "bought_plan">,
  email: string | null | undefined,
): Subscriber {
  const address = asksEmail(row) ? (email ?? null) : row.customer_email;
  if (row.customer_id !== null) return { customerId: row.customer_id, email: address };
  if (address === null)
    throw emailRefused("missing_parameter", "Enter the e-mail address: it identifies the subscriber.");
  const subscriber = subscriberBy(address);
  if (asksEmail(row) && !(isMailable(address) && subscriber.customerId.length <= MAX_CUSTOMER_ID))
    throw emailRefused("invalid_parameter", "Enter an e-mail address, such as name@example.com.");
  return subscriber;
}

function emailRefused(code: "missing_parameter" | "invalid_parameter", message: string): AppError {
  const param = "email";
  return new AppError(code, message, { param, errors: [{ param, code, message }] });
}

type SubscribingSession = Pick<
  ClientSessionRow,
  "environment_id" | "plan_id" | "bought_plan" | "trial_refused" | "metadata"
>;

/**
 * Keys of the trial that the session gives to this subscriber; none without a trial. `card`: the processor's
 * fingerprint of the card, as far as it is known.
 */
export function trialKeysOf(row: SubscribingSession, { customerId, email }: Subscriber, card: string | null): string[] {
  const { bought_plan: plan, trial_refused } = row;
  if (plan === null || trial_refused || !hasTrial({ plan, trialEndAt: null })) return [];
  return trialKeys({ customerId, email, card });
}

/** True if the session's trial was used up by the same customer, card or e-mail address. */
export async function isTrialUsed(run: Run, row: SubscribingSession, keys: readonly string[]): Promise<boolean> {
  if (keys.length === 0 || row.plan_id === null) return false;
  return hasUsedTrial(run, row.environment_id, { planId: row.plan_id, keys });
}

/** The subscription of a session, and its first invoice; null if a free trial comes first. */
export function subscriptionOf(
  row: SubscribingSession,
  subscriber: Subscriber,
  more: Pick<Beginning, "id" | "invoiceId" | "paymentMethodId" | "timeZone" | "now">,
) {
  if (row.bought_plan === null || row.plan_id === null) throw new Error("the session sells no recurring plan");
  return startSubscription({
    ...more,
    environmentId: row.environment_id,
    planId: row.plan_id,
    plan: row.bought_plan,
    quantity: 1,
    customerId: subscriber.customerId,
    customerEmail: subscriber.email,
    metadata: row.metadata,
    trialEndAt: null,
    trialRefused: row.trial_refused,
  });
}
