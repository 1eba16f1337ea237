/** Where a dispute stands; its words apart from its schema, so that browsers load no zod for them. */
export const DISPUTE_STATUSES = ["NEEDS_RESPONSE", "UNDER_REVIEW", "WON", "LOST", "ACCEPTED"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** The bank may take the money, or has asked about it: a refund would then return it a second time. */
export const isDisputed = (status: DisputeStatus | null): boolean =>
  status === "NEEDS_RESPONSE" || status === "UNDER_REVIEW";
/** The bank has returned the money to the cardholder, so that there is nothing left to refund. */
export const isLost = (status: DisputeStatus | null): boolean => status === "LOST" || status === "ACCEPTED";

/** What a status means, for people. */
export const DISPUTE_STATUS_WORDS: Record<DisputeStatus, { readonly title: string; readonly meaning: string }> = {
  NEEDS_RESPONSE: {
    title: "Needs a response",
    meaning: "The cardholder's bank asks for evidence. Respond in the processor's dashboard.",
  },
  UNDER_REVIEW: { title: "Under review", meaning: "The evidence is with the cardholder's bank, which decides." },
  WON: { title: "Won", meaning: "The bank decided in your favor, or ended its inquiry and took no money." },
  LOST: { title: "Lost", meaning: "The bank decided in the cardholder's favor. The amount is lost." },
  ACCEPTED: { title: "Accepted", meaning: "The dispute was accepted. The amount is lost." },
};
