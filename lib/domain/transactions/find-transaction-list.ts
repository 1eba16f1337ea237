import type { z } from "zod";
import { moneyOf } from "@/db/queries/transaction-columns";
import type { TransactionFilter } from "@/db/queries/transaction-page";
import { findTransactionCursor, findTransactions } from "@/db/queries/transactions";
import { decodeId } from "@/lib/contract/ids";
import type { SearchTransactionsBody, transactionList } from "@/lib/contract/transaction";
import type { Context } from "../context";
import { emptyList, listAnswer } from "../list-answer";
import { presentTransaction } from "../payments/present";
import { unknownCursor } from "../unknown-cursor";

export type TransactionList = z.infer<typeof transactionList>;

/** `subscriptionId` still as the caller sent it. */
export type TransactionListRequest = Pick<SearchTransactionsBody, "sort" | "limit" | "offset" | "starting_after"> & {
  filter: Omit<TransactionFilter, "subscriptionId">;
  subscriptionId: string | undefined;
};

/** What list and search have in common. Throws `invalid_parameter` when `starting_after` is none of ours. */
export async function findTransactionList(ctx: Context, request: TransactionListRequest): Promise<TransactionList> {
  const { sort, limit, offset, starting_after } = request;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const after = starting_after === undefined ? undefined : await cursorOf(ctx, starting_after);
  const subscriptionId =
    request.subscriptionId === undefined ? undefined : decodeId("subscription", request.subscriptionId);
  // No transaction has a subscription whose id is not one.
  if (subscriptionId === null) return emptyList(limit, offset);
  const filter = { ...request.filter, subscriptionId };
  const found = await findTransactions(sql, ctx.environment.id, filter, {
    sort: sort.field,
    order: sort.order,
    limit,
    offset,
    after,
  });
  const data = found.rows.map((row) => presentTransaction(row, moneyOf(row), ctx.environment.mode));
  return listAnswer(data, found, limit, offset);
}

async function cursorOf(ctx: Context, startingAfter: string) {
  const id = decodeId("transaction", startingAfter);
  const cursor =
    id && (await findTransactionCursor(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!cursor) throw unknownCursor("transaction", startingAfter);
  return cursor;
}
