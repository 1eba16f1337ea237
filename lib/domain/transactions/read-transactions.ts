import type { z } from "zod";
import { moneyOf } from "@/db/queries/transactions/columns";
import type { TransactionFilter, TransactionPage } from "@/db/queries/transactions/page";
import {
  findListedTransactions,
  findTransaction,
  findTransactionCursor,
  findTransactions,
} from "@/db/queries/transactions/transactions";
import { decodeId } from "@/lib/contract/ids";
import type {
  ListedTransaction,
  ListTransactionsQuery,
  SearchTransactionsBody,
  Transaction,
  transactionList,
} from "@/lib/contract/transactions/transaction";
import { TRANSACTION_STATUSES } from "@/lib/contract/transactions/words";
import { type Context, resourceNotFound } from "../context";
import {
  emptyList,
  idRange,
  idSince,
  idUntil,
  type ListAnswer,
  listAnswer,
  unknownCursor,
  withKnownTotal,
} from "../lists";
import { presentListed, presentTransaction } from "../payments/present";

/** One charge or refund. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getTransaction(ctx: Context, input: { id: string }): Promise<Transaction> {
  const id = decodeId("transaction", input.id);
  const row = id && (await findTransaction(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!row) throw resourceNotFound("transaction", input.id);
  return presentTransaction(row, moneyOf(row), ctx.environment.mode);
}

/** Transactions, newest first. `created_after` and `created_before` are exclusive, the amounts inclusive. */
export function listTransactions(ctx: Context, query: ListTransactionsQuery): Promise<TransactionList> {
  return findTransactionList(ctx, {
    filter: {
      ...idRange(query),
      statuses: query.status && [query.status],
      brands: query.card_brand && [query.card_brand],
      customerId: query.customer_id,
      minAmount: query.min_amount,
      maxAmount: query.max_amount,
    },
    subscriptionId: query.subscription_id,
    sort: { field: "created_at", order: "desc" },
    limit: query.limit ?? 20,
    offset: query.offset ?? 0,
    starting_after: query.starting_after,
  });
}

/** Transactions by all filters and sorts. All ranges are inclusive; ties of a sort are in the order of the ids. */
export function searchTransactions(ctx: Context, body: SearchTransactionsBody): Promise<TransactionList> {
  return findTransactionList(ctx, requestOf(body));
}

/** The same for the dashboard's tables, without what no column of theirs shows: metadata alone can be 25 KB a row. */
export function searchTransactionTable(
  ctx: Context,
  body: SearchTransactionsBody,
): Promise<ListAnswer<ListedTransaction>> {
  return findTransactionTable(ctx, requestOf(body));
}

function requestOf({ filters, sort, limit, offset, starting_after }: SearchTransactionsBody): TransactionListRequest {
  return {
    filter: searchFilter(filters),
    subscriptionId: filters.subscription_id,
    ...{ sort, limit, offset, starting_after },
  };
}

/** The filters of a search as the queries take them; the subscription is still as the caller sent it. */
export function searchFilter(filters: SearchTransactionsBody["filters"]): Omit<TransactionFilter, "subscriptionId"> {
  const statuses = filters.status && [...new Set(filters.status)];
  return {
    fromId: filters.created_at?.gte === undefined ? undefined : idSince(filters.created_at.gte),
    beforeId: filters.created_at?.lte === undefined ? undefined : idUntil(filters.created_at.lte),
    // Every status is no filter.
    statuses: statuses?.length === TRANSACTION_STATUSES.length ? undefined : statuses,
    brands: filters.card_brand && [...new Set(filters.card_brand)],
    customerId: filters.customer_id,
    customerEmail: filters.customer_email,
    cardLast4: filters.card_last4,
    minAmount: filters.amount?.gte,
    maxAmount: filters.amount?.lte,
  };
}

type TransactionList = z.infer<typeof transactionList>;

/** `subscriptionId` still as the caller sent it. */
type TransactionListRequest = Pick<SearchTransactionsBody, "sort" | "limit" | "offset" | "starting_after"> & {
  filter: Omit<TransactionFilter, "subscriptionId">;
  subscriptionId: string | undefined;
};

/** What list and search have in common. Throws `invalid_parameter` when `starting_after` is none of ours. */
async function findTransactionList(ctx: Context, request: TransactionListRequest): Promise<TransactionList> {
  const asked = await askedOf(ctx, request);
  if (!asked) return emptyList(request.limit, request.offset);
  const found = await findCounted(ctx, asked, (total) => findTransactions(...asked, total));
  const data = found.rows.map((row) => presentTransaction(row, moneyOf(row), ctx.environment.mode));
  return listAnswer(data, found, request.limit, request.offset);
}

/** The same for a table. */
async function findTransactionTable(
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
