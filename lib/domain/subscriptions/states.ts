import type { InvoiceStatus, SubscriptionAction, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";

/** The one table of status changes. Database triggers enforce the same; a test compares them pair by pair. */
export const SUBSCRIPTION_TRANSITIONS: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  INCOMPLETE: ["TRIALING", "ACTIVE", "EXPIRED"],
  TRIALING: ["ACTIVE", "PAST_DUE", "PAUSED", "CANCELLED"],
  ACTIVE: ["PAST_DUE", "PAUSED", "CANCELLED"],
  PAST_DUE: ["ACTIVE", "PAUSED", "CANCELLED"],
  PAUSED: ["ACTIVE", "CANCELLED"],
  CANCELLED: [],
  EXPIRED: [],
};

export const INVOICE_TRANSITIONS: Record<InvoiceStatus, readonly InvoiceStatus[]> = {
  DRAFT: ["OPEN", "PAID"],
  OPEN: ["PAID", "VOID", "UNCOLLECTIBLE"],
  UNCOLLECTIBLE: ["VOID"],
  PAID: [],
  VOID: [],
};

const ACTIONS: Record<SubscriptionStatus, readonly SubscriptionAction[]> = {
  INCOMPLETE: [],
  TRIALING: ["update", "cancel", "pause", "change-plan"],
  ACTIVE: ["update", "cancel", "pause", "change-plan"],
  PAST_DUE: ["update", "cancel", "pause", "change-plan", "retry"],
  PAUSED: ["update", "cancel", "resume"],
  CANCELLED: [],
  EXPIRED: [],
};

/** Actions that the status allows. */
export const subscriptionActions = (status: SubscriptionStatus): readonly SubscriptionAction[] => ACTIONS[status];

/** True if it will never be charged again. */
export const hasEnded = (status: SubscriptionStatus): boolean => status === "CANCELLED" || status === "EXPIRED";

/** True once it was paid for or its trial began, whatever its status since. */
export const hasBegun = (status: SubscriptionStatus): boolean => status !== "INCOMPLETE" && status !== "EXPIRED";

/** True if periods begin and invoices are charged. */
export const isRunning = (status: SubscriptionStatus): boolean =>
  status === "TRIALING" || status === "ACTIVE" || status === "PAST_DUE";
