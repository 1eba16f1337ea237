import type { RefundBody } from "@/lib/contract/payments/payment";
import type { Context, Reply } from "../context";
import { followUp } from "./follow-up";

/** Answers the Payment; see {@link followUp}. */
export function refundPayment(ctx: Context, input: RefundBody & { id: string }): Promise<Reply> {
  return followUp(ctx, {
    kind: "refund",
    target: { paymentId: input.id },
    amount: input.amount ?? null,
    refundReason: input.reason ?? null,
    refundComment: input.comment ?? null,
  });
}
