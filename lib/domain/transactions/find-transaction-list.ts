import type { z } from "zod";
import { moneyOf } from "@/db/queries/transaction-columns";
import type { TransactionFilter, TransactionPage } from "@/db/queries/transaction-page";
import { findListedTransactions, findTransactionCursor, findTransactions } from "@/db/queries/transactions";
import { decodeId } from "@/lib/contract/ids";
import type {
  ListedTransaction,
  SearchTransactionsBody,
  transactionList,
} from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import { withKnownTotal } from "../known-totals";
import { emptyList, type ListAnswer, listAnswer } from "../list-answer";
import { presentListed, presentTransaction } from "../payments/present";
import { unknownCursor } from "../unknown-cursor";

export type TransactionList = z.infer<typeof transactionList>;

/** `subscriptionId` still as the caller sent it. */
export type TransactionListRequest = Pick<SearchTransactionsBody, "sort" | "limit" | "offset" | "starting_after"> & {
  filter: Omit<TransactionFilter, "subscriptionId">;
  subscriptionId: string | undefined;
};

/** What list and search have in common. Throws `invalid_parameter` when `starting_after` is none of ours. */
export async function findTransactionList(ctx: Context, request: TransactionListRequest): Promise<TransactionList> {
  const asked = await askedOf(ctx, request);
  if (!asked) return emptyList(request.limit, request.offset);
  const found = await findCounted(ctx, asked, (total) => findTransactions(...asked, total));
  const data = found.rows.map((row) => presentTransaction(row, moneyOf(row), ctx.environment.mode));
  return listAnswer(data, found, request.limit, request.offset);
}

/** The same for a table. */
export async function findTransactionTable(
  ctx: Context,
  request: TransactionListRequest,
): Promise<ListAnswer<ListedTransaction>> {
  const asked = await askedOf(ctx, request);
  if (!asked) return emptyList(request.limit, request.offset);
  const found = await findCounted(ctx, asked, (total) => findListedTransactions(...asked, total));
  const data = found.rows.map((row) => presentListed(row, moneyOf(row), ctx.environment.mode));
  return listAnswer(data, found, request.limit, request.offset);
}

type Asked = NonNullable<Awaited<ReturnType<typeof askedOf>>>;

function findCounted<Page extends { total: number }>(
  ctx: Context,
  [, environmentId, filter]: Asked,
  find: (total: number | null) => Promise<Page>,
): Promise<Page> {
  // Of all filters a transaction's status alone changes.
  const counted = { filter: `transactions ${JSON.stringify(filter)}`, onlyGrows: filter.statuses === undefined };
  return withKnownTotal(ctx.service, environmentId, counted, find);
}

/** What to ask the database; null when nothing can be found. */
async function askedOf(ctx: Context, request: TransactionListRequest) {
  const { sort, limit, offset, starting_after } = request;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const after = starting_after === undefined ? undefined : await cursorOf(ctx, starting_after);
  const subscriptionId =
    request.subscriptionId === undefined ? undefined : decodeId("subscription", request.subscriptionId);
  // No transaction has a subscription whose id is not one.
  if (subscriptionId === null) return null;
  const filter: TransactionFilter = { ...request.filter, subscriptionId };
  const page: TransactionPage = { sort: sort.field, order: sort.order, limit, offset, after };
  return [sql, ctx.environment.id, filter, page] as const;
}

async function cursorOf(ctx: Context, startingAfter: string) {
  const id = decodeId("transaction", startingAfter);
  const cursor =
    id && (await findTransactionCursor(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!cursor) throw unknownCursor("transaction", startingAfter);
  return cursor;
}
