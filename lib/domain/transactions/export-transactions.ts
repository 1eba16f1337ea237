import { moneyOf } from "@/db/queries/transactions/columns";
import { openTransactionExport } from "@/db/queries/transactions/export";
import { decodeId } from "@/lib/contract/ids";
import type { SearchTransactionsBody, Transaction } from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import { presentTransaction } from "../payments/present";
import { searchFilter } from "./read-transactions";

export type TransactionExport = {
  /** Exactly what the batches will hold, as of the moment they show. */
  readonly total: number;
  /** In the order of the sort; reads on as it is asked. It ends by throwing when it could not be finished. */
  readonly batches: AsyncGenerator<Transaction[], void>;
  /** Gives the connection back, however far it came. Must be called. */
  close(): Promise<void>;
};

/** All transactions that a search finds, without a limit, as they are at one moment. */
export async function exportTransactions(
  ctx: Context,
  search: Pick<SearchTransactionsBody, "filters" | "sort">,
): Promise<TransactionExport> {
  const { subscription_id } = search.filters;
  const subscriptionId = subscription_id === undefined ? undefined : decodeId("subscription", subscription_id);
  // No transaction has a subscription whose id is not one.
  if (subscriptionId === null) return { total: 0, batches: nothing(), close: async () => {} };
  const filter = { ...searchFilter(search.filters), subscriptionId };
  const opened = await openTransactionExport(
    ctx.service.db.openExport(ctx.environment.id),
    ctx.environment.id,
    filter,
    {
      sort: search.sort.field,
      order: search.sort.order,
    },
  );
  return { total: opened.total, batches: presented(ctx, opened.batches), close: opened.close };
}

async function* nothing(): AsyncGenerator<Transaction[], void> {}

type Rows = Awaited<ReturnType<typeof openTransactionExport>>["batches"];

async function* presented(ctx: Context, batches: Rows): AsyncGenerator<Transaction[], void> {
  const { mode } = ctx.environment;
  for await (const rows of batches) yield rows.map((row) => presentTransaction(row, moneyOf(row), mode));
}
