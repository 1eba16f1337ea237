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

export const INVOICE_STATUSES = ["DRAFT", "OPEN", "PAID", "VOID", "UNCOLLECTIBLE"] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const INVOICE_KINDS = ["TRIAL", "PERIOD", "CHANGE"] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

/** `cancel_reason` of a subscription that dunning ended. */
export const PAYMENT_FAILED = "payment_failed";
