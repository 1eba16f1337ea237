import type { CaptureBody } from "@/lib/contract/payments/payment";
import type { Context, Reply } from "../context";
import { followUp } from "./follow-up";

/** Answers the Payment; see {@link followUp}. */
export function capturePayment(ctx: Context, input: CaptureBody & { id: string }): Promise<Reply> {
  return followUp(ctx, { kind: "capture", target: { paymentId: input.id }, amount: input.amount ?? null });
}
