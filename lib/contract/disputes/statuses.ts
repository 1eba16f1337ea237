/** Dispute statuses; kept apart from the schema, so that browsers don't load zod. */
export const DISPUTE_STATUSES = ["NEEDS_RESPONSE", "UNDER_REVIEW", "WON", "LOST", "ACCEPTED"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** Mails about a dispute, in the order in which they are sent. */
export const DISPUTE_NOTICES = ["opened", "due_soon"] as const;
export type DisputeNotice = (typeof DISPUTE_NOTICES)[number];

/** The cardholder's reasons, whatever each card network calls them. */
export const DISPUTE_REASONS = [
  "FRAUDULENT",
  "NOT_RECEIVED",
  "NOT_AS_DESCRIBED",
  "DUPLICATE",
  "CANCELLED",
  "CREDIT_NOT_PROCESSED",
  "OTHER",
] as const;
export type DisputeReason = (typeof DISPUTE_REASONS)[number];

/** The bank may take the money or has inquired about it: a refund would then return it a second time. */
export const isDisputed = (status: DisputeStatus | null): boolean =>
  status === "NEEDS_RESPONSE" || status === "UNDER_REVIEW";
/** The bank has returned the money to the cardholder, so nothing is left to refund. */
export const isLost = (status: DisputeStatus | null): boolean => status === "LOST" || status === "ACCEPTED";
