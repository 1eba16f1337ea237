import { z } from "zod";
import { amountOut, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

/** The batch that settles captured charges and accepted refunds of one currency. Amounts in minor units. */
export const settlementBatch = z
  .object({
    id: idOf("settlementBatch").describe("Unique id of the batch."),
    object: z.literal("settlement_batch").describe("Always `settlement_batch`."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    charge_count: z.int().describe("Charges in it."),
    charge_amount: amountOut.describe("Captured by its charges, in minor units."),
    refund_count: z.int().describe("Refunds in it."),
    refund_amount: amountOut.describe("Refunded in it, in minor units."),
    reversal_count: z.int().describe("Refunds that failed after an earlier batch settled them."),
    reversal_amount: amountOut.describe("Their amount, returned to you, in minor units."),
    fee_amount: amountOut.describe("Fees on its charges, in minor units."),
    net_amount: z
      .int()
      .describe(
        "What it adds to your available balance: charges less refunds and fees, plus reversals. May be negative.",
      ),
    transaction_count: z.int().describe("Charges, refunds and reversals in it."),
    payout_id: idOf("payout")
      .nullable()
      .describe("The payout it is part of; null until there is one, and again after a payout fails."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When the batch was created and its transactions settled."),
  })
  .meta({ id: "SettlementBatch" });
export type SettlementBatch = z.infer<typeof settlementBatch>;
