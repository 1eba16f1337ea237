/** Where a dispute stands; its words apart from its schema, so that browsers load no zod for them. */
export const DISPUTE_STATUSES = ["NEEDS_RESPONSE", "UNDER_REVIEW", "WON", "LOST", "CLOSED"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** What a status means, for people. */
export const DISPUTE_STATUS_WORDS: Record<DisputeStatus, { readonly title: string; readonly meaning: string }> = {
  NEEDS_RESPONSE: {
    title: "Needs a response",
    meaning: "The cardholder's bank asks for evidence. Respond in the processor's dashboard.",
  },
  UNDER_REVIEW: { title: "Under review", meaning: "The evidence is with the cardholder's bank, which decides." },
  WON: { title: "Won", meaning: "The bank decided in your favor. The processor returns the amount." },
  LOST: { title: "Lost", meaning: "The bank decided in the cardholder's favor. The amount is lost." },
  CLOSED: { title: "Closed", meaning: "The bank made an inquiry and took no money back." },
};
