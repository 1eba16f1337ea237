import { z } from "zod";
import { timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

/**
 * The merchant's balance by currency, in minor units. Refunding money already paid out makes a balance
 * negative.
 */
const balanceOfCurrency = z
  .object({
    currency: z.string().describe("ISO 4217 code, upper case."),
    pending: z.int().describe("Captured, not yet settled, less refunds and fees."),
    available: z.int().describe("Settled, not yet in a payout, less what disputes took."),
    in_payout: z.int().describe("In payouts that have not reached your bank yet."),
    in_dispute: z.int().describe("Taken by disputes that are not decided yet, fees included."),
  })
  .meta({ id: "CurrencyBalance" });
export type CurrencyBalance = z.infer<typeof balanceOfCurrency>;

export const balance = z
  .object({
    object: z.literal("balance").describe("Always `balance`."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    currencies: z.array(balanceOfCurrency).describe("One for each currency in which money has moved."),
  })
  .meta({ id: "Balance" });
export type Balance = z.infer<typeof balance>;

/** Kinds of movement. */
export const MOVEMENT_TYPES = [
  "capture",
  "fee",
  "refund",
  "refund_reversal",
  "settlement",
  "payout",
  "payout_failure",
  "dispute",
  "dispute_return",
  "dispute_fee",
] as const;
/** Manual corrections are a valid filter that always matches nothing, so no page offers it. */
export const movementType = z.enum([...MOVEMENT_TYPES, "adjustment"]);
export type MovementType = z.infer<typeof movementType>;

export const balanceMovement = z
  .object({
    id: idOf("balanceMovement").describe("Unique id of the movement."),
    object: z.literal("balance_movement").describe("Always `balance_movement`."),
    type: movementType.describe(
      "`capture`, `fee`, `refund` and `refund_reversal` change `pending`; `settlement` moves from `pending` to `available`; `payout` leaves `available`, and `payout_failure` returns to it; `dispute` and `dispute_fee` leave `available`, too, and `dispute_return` is what a won dispute returns to it. `adjustment` is a manual correction; none is made today.",
    ),
    currency: z.string().describe("ISO 4217 code, upper case."),
    amount: z.int().describe("In minor units; negative when it lowers the balance."),
    transaction_id: idOf("transaction").nullable().describe("The charge or refund behind it."),
    settlement_batch_id: idOf("settlementBatch").nullable().describe("The batch of a settlement."),
    payout_id: idOf("payout").nullable().describe("The payout behind it."),
    dispute_id: idOf("dispute").nullable().describe("The dispute behind it."),
    created_at: timestamp.describe("When it was booked."),
  })
  .meta({ id: "BalanceMovement" });
export type BalanceMovement = z.infer<typeof balanceMovement>;
