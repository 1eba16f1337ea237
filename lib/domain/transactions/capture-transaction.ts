import type { CaptureBody } from "@/lib/contract/payments/payment";
import type { Context, Reply } from "../context";
import { followUp } from "../payments/follow-up";

/** Answers the Transaction; see {@link followUp}. */
export function captureTransaction(ctx: Context, input: CaptureBody & { id: string }): Promise<Reply> {
  return followUp(ctx, { kind: "capture", target: { transactionId: input.id }, amount: input.amount ?? null });
}
