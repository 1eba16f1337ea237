import { findPaymentOfTransaction } from "@/db/queries/payments/payments";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { CaptureBody, RefundBody, VoidBody } from "@/lib/contract/payments/payment";
import { type Context, type Reply, resourceNotFound } from "../context";
import { followUp } from "../payments/follow-up";

/** Returns the Transaction; see {@link followUp}. */
export function captureTransaction(ctx: Context, input: CaptureBody & { id: string }): Promise<Reply> {
  return followUp(ctx, "transaction", { ...input, kind: "capture" });
}

/** Returns the Transaction; see {@link followUp}. */
export function voidTransaction(ctx: Context, input: VoidBody & { id: string }): Promise<Reply> {
  return followUp(ctx, "transaction", { ...input, kind: "void" });
}

/** Returns the new Transaction of type REFUND; see {@link followUp}. */
export function refundTransaction(ctx: Context, input: RefundBody & { id: string }): Promise<Reply> {
  return followUp(ctx, "transaction", { ...input, kind: "refund" });
}

/**
 * The `pay_…` id of the payment that a transaction belongs to. Throws `resource_not_found` for unknown and
 * foreign ids.
 */
export async function getPaymentIdOfTransaction(ctx: Context, input: { id: string }): Promise<string> {
  const id = decodeId("transaction", input.id);
  const row =
    id && (await findPaymentOfTransaction(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!row) throw resourceNotFound("transaction", input.id);
  return encodeId("payment", row.payment_id);
}
