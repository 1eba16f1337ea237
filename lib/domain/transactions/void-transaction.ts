import type { VoidBody } from "@/lib/contract/payments/payment";
import type { Context, Reply } from "../context";
import { followUp } from "../payments/follow-up";

/** Answers the Transaction; see {@link followUp}. */
export function voidTransaction(ctx: Context, input: VoidBody & { id: string }): Promise<Reply> {
  return followUp(ctx, {
    kind: "void",
    target: { transactionId: input.id },
    amount: null,
    voidReason: input.reason ?? null,
  });
}
