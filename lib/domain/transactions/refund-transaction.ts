import type { RefundBody } from "@/lib/contract/payments/payment";
import type { Context, Reply } from "../context";
import { followUp } from "../payments/follow-up";

/** Answers the new Transaction of type REFUND; see {@link followUp}. */
export function refundTransaction(ctx: Context, input: RefundBody & { id: string }): Promise<Reply> {
  return followUp(ctx, {
    kind: "refund",
    target: { transactionId: input.id },
    amount: input.amount ?? null,
    refundReason: input.reason ?? null,
    refundComment: input.comment ?? null,
  });
}
