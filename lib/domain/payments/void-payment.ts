import type { VoidBody } from "@/lib/contract/payments/payment";
import type { Context, Reply } from "../context";
import { followUp } from "./follow-up";

/** Answers the Payment; see {@link followUp}. */
export function voidPayment(ctx: Context, input: VoidBody & { id: string }): Promise<Reply> {
  return followUp(ctx, {
    kind: "void",
    target: { paymentId: input.id },
    amount: null,
    voidReason: input.reason ?? null,
  });
}
