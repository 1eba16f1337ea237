import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { Metadata } from "@/lib/contract/fields";
import type { BoughtPlan } from "@/lib/contract/subscriptions/subscription";
import { composeInvoice, planLine, trialLine } from "./compose-invoice";
import { changed } from "./move";
import { addInterval, periodOf } from "./periods";

/** Terms of a new subscription. Ids are UUIDs. */
export type Beginning = {
  readonly environmentId: string;
  readonly id: string;
  readonly invoiceId: string;
  readonly planId: string;
  readonly plan: BoughtPlan;
  readonly customerId: string;
  readonly customerEmail: string | null;
  /** Null until the first payment stores it. */
  readonly paymentMethodId: string | null;
  readonly quantity: number;
  readonly timeZone: string;
  readonly metadata: Metadata;
  /** End of the trial, which overrides the plan's. ISO time. */
  readonly trialEndAt: string | null;
  /** True if the customer, the card or the e-mail address already had a trial. */
  readonly trialRefused: boolean;
  readonly now: string;
};

/** True if the plan or the request gives a trial to customers who haven't had one. */
export const hasTrial = ({ plan, trialEndAt }: Pick<Beginning, "plan" | "trialEndAt">): boolean =>
  plan.trial !== null || trialEndAt !== null;

/** A new subscription, and the DRAFT to charge immediately; null if a free trial comes first. */
export function startSubscription(beginning: Beginning): { subscription: SubscriptionRow; invoice: InvoiceRow | null } {
  const { plan, quantity, timeZone, now, trialRefused } = beginning;
  const isTrial = hasTrial(beginning) && !trialRefused;
  const trialEnd = isTrial ? (beginning.trialEndAt ?? addInterval(now, timeZone, plan.trial ?? plan.interval)) : null;
  const period =
    trialEnd === null
      ? periodOf({ anchorAt: now, timeZone, every: plan.interval }, 1)
      : { number: 0, start_at: now, end_at: trialEnd };
  const isFree = isTrial && plan.trial_amount === null;
  const row: SubscriptionRow = {
    environment_id: beginning.environmentId,
    id: beginning.id,
    status: isFree ? "TRIALING" : "INCOMPLETE",
    plan_id: beginning.planId,
    plan,
    customer_id: beginning.customerId,
    customer_email: beginning.customerEmail,
    payment_method_id: beginning.paymentMethodId,
    card_refused: false,
    quantity,
    currency: plan.currency,
    time_zone: timeZone,
    anchor_at: trialEnd ?? now,
    cycle: 0,
    period_number: period.number,
    period_start_at: period.start_at,
    period_end_at: period.end_at,
    trial_end_at: trialEnd,
    trial_refused: trialRefused,
    trial_end_announced: false,
    cancel_at_period_end: false,
    cancelled_at: null,
    ended_at: null,
    cancel_reason: null,
    paused_at: null,
    pending_change: null,
    credit: 0,
    refund_due: 0,
    latest_invoice_id: null,
    due_at: null,
    event_sequence: 0,
    version: 1,
    metadata: beginning.metadata,
    created_at: now,
    updated_at: now,
  };
  const subscription = changed(row, {}, now);
  if (isFree) return { subscription, invoice: null };
  const lines = [isTrial ? trialLine({ plan, quantity }, period) : planLine({ plan, quantity }, period)];
  const kind = isTrial ? "TRIAL" : "PERIOD";
  const { invoice } = composeInvoice(row, { id: beginning.invoiceId, kind, cycle: row.cycle, period, lines, now });
  return { subscription, invoice };
}
