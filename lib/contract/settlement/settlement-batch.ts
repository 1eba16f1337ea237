import { z } from "zod";
import { amountOut, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

/** The batch in which captured charges and accepted refunds of one currency are settled. Amounts in minor units. */
export const settlementBatch = z
  .object({
    id: idOf("settlementBatch").describe("Unique id of the batch."),
    object: z.literal("settlement_batch").describe("Always `settlement_batch`."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    charge_count: z.int().describe("Charges in it."),
    charge_amount: amountOut.describe("Captured by its charges, in minor units."),
    refund_count: z.int().describe("Refunds in it."),
    refund_amount: amountOut.describe("Returned by its refunds, in minor units."),
    reversal_count: z.int().describe("Refunds that failed after an earlier batch had settled them."),
    reversal_amount: amountOut.describe("Paid back for them, in minor units."),
    fee_amount: amountOut.describe("Fees on its charges, in minor units."),
    net_amount: z
      .int()
      .describe(
        "What it adds to your available balance: charges less refunds and fees, plus reversals. May be negative.",
      ),
    transaction_count: z.int().describe("Charges, refunds and reversals in it."),
    payout_id: idOf("payout")
      .nullable()
      .describe("The payout that pays it out; null while there is none, and again after one failed."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was made, and its transactions settled."),
  })
  .meta({ id: "SettlementBatch" });
export type SettlementBatch = z.infer<typeof settlementBatch>;
