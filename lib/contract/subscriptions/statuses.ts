/** Statuses without zod, because the database's enums and browsers use them. */
export const SUBSCRIPTION_STATUSES = [
  "INCOMPLETE",
  "TRIALING",
  "ACTIVE",
  "PAST_DUE",
  "PAUSED",
  "CANCELLED",
  "EXPIRED",
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const SUBSCRIPTION_STATUS_LABELS: Record<SubscriptionStatus, string> = {
  INCOMPLETE: "Incomplete",
  TRIALING: "Trial",
  ACTIVE: "Active",
  PAST_DUE: "Past due",
  PAUSED: "Paused",
  CANCELLED: "Cancelled",
  EXPIRED: "Expired",
};

/** Actions that a status may allow. */
export type SubscriptionAction = "update" | "cancel" | "pause" | "resume" | "change-plan" | "retry";

export const INVOICE_STATUSES = ["DRAFT", "OPEN", "PAID", "VOID", "UNCOLLECTIBLE"] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const INVOICE_KINDS = ["TRIAL", "PERIOD", "CHANGE"] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

/** `cancel_reason` of a subscription that dunning ended. */
export const PAYMENT_FAILED = "payment_failed";
