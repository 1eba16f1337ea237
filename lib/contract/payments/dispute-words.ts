/** Where a dispute stands; its words apart from its schema, so that browsers load no zod for them. */
export const DISPUTE_STATUSES = ["NEEDS_RESPONSE", "UNDER_REVIEW", "WON", "LOST", "ACCEPTED"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** The bank may take the money, or has asked about it: a refund would then return it a second time. */
export const isDisputed = (status: DisputeStatus | null): boolean =>
  status === "NEEDS_RESPONSE" || status === "UNDER_REVIEW";
/** The bank has returned the money to the cardholder, so that there is nothing left to refund. */
export const isLost = (status: DisputeStatus | null): boolean => status === "LOST" || status === "ACCEPTED";
