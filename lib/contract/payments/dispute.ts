import { z } from "zod";
import { amountOut, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { DISPUTE_STATUSES } from "./dispute-words";

export const dispute = z
  .object({
    id: idOf("dispute").describe("Unique id of the dispute."),
    object: z.literal("dispute").describe("Always `dispute`."),
    payment_id: idOf("payment").describe("The disputed payment."),
    processor_id: z.string().describe("The dispute's id at the processor, where you respond to it."),
    amount: amountOut.describe("The disputed amount, in minor units."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    reason: z.string().describe("The processor's reason, such as `fraudulent`."),
    status: z.enum(DISPUTE_STATUSES).describe("The current status."),
    respond_before: timestamp.nullable().describe("Deadline for evidence; null when none is needed."),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    created_at: timestamp.describe("When the bank opened it."),
    updated_at: timestamp.describe("When Cardlane learned of its last change."),
  })
  .meta({ id: "Dispute" });
export type Dispute = z.infer<typeof dispute>;
