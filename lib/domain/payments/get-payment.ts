import { findPaymentWithTransactions } from "@/db/queries/payment-reads";
import { decodeId } from "@/lib/contract/ids";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { presentPayment } from "./present";

/** A payment with its charge and refunds. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getPayment(ctx: Context, input: { id: string }): Promise<Payment> {
  const id = decodeId("payment", input.id);
  const found =
    id && (await findPaymentWithTransactions(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!found) throw resourceNotFound("payment", input.id);
  return presentPayment(found.payment, found.transactions, ctx.environment.mode);
}
