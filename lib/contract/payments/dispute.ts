import { z } from "zod";
import { amountOut, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

export const DISPUTE_STATUSES = ["NEEDS_RESPONSE", "UNDER_REVIEW", "WON", "LOST", "CLOSED"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** What a status means, for people. */
export const DISPUTE_STATUS_WORDS: Record<DisputeStatus, { readonly title: string; readonly meaning: string }> = {
  NEEDS_RESPONSE: {
    title: "Needs a response",
    meaning: "The cardholder's bank asks for evidence. Answer it in the processor's dashboard.",
  },
  UNDER_REVIEW: { title: "Under review", meaning: "The evidence is with the cardholder's bank, which decides." },
  WON: { title: "Won", meaning: "The bank decided for you. The processor gives the amount back." },
  LOST: { title: "Lost", meaning: "The bank decided for the cardholder. The amount is gone." },
  CLOSED: { title: "Closed", meaning: "The bank asked, and took no money back." },
};

export const dispute = z
  .object({
    id: idOf("dispute").describe("Unique id of the dispute."),
    object: z.literal("dispute").describe("Always `dispute`."),
    payment_id: idOf("payment").describe("The payment that is disputed."),
    processor_id: z.string().describe("The dispute's id at the processor, where it is answered."),
    amount: amountOut.describe("What the cardholder's bank asks back, in minor units."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    reason: z.string().describe("Why, in the processor's word, such as `fraudulent`."),
    status: z.enum(DISPUTE_STATUSES).describe("Where it stands."),
    respond_before: timestamp.nullable().describe("Until when evidence is taken; null when none is asked for."),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    created_at: timestamp.describe("When the bank opened it."),
    updated_at: timestamp.describe("When Cardlane learned of its last change."),
  })
  .meta({ id: "Dispute" });
export type Dispute = z.infer<typeof dispute>;
