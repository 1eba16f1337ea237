import { z } from "zod";
import { amountOut, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { DISPUTE_STATUSES } from "./dispute-words";

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
