import { findPaymentOfTransaction } from "@/db/queries/payments";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";

/** The `pay_…` id of the payment that a transaction belongs to. Throws `resource_not_found` for unknown and foreign ids. */
export async function getPaymentIdOfTransaction(ctx: Context, input: { id: string }): Promise<string> {
  const id = decodeId("transaction", input.id);
  const row =
    id && (await findPaymentOfTransaction(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!row) throw resourceNotFound("transaction", input.id);
  return encodeId("payment", row.payment_id);
}
