import { moneyOf } from "@/db/queries/transaction-columns";
import { findTransaction } from "@/db/queries/transactions";
import { decodeId } from "@/lib/contract/ids";
import type { Transaction } from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import { presentTransaction } from "../payments/present";
import { resourceNotFound } from "../resource-not-found";

/** One charge or refund. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getTransaction(ctx: Context, input: { id: string }): Promise<Transaction> {
  const id = decodeId("transaction", input.id);
  const row = id && (await findTransaction(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!row) throw resourceNotFound("transaction", input.id);
  return presentTransaction(row, moneyOf(row), ctx.environment.mode);
}
