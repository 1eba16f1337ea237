import { moneyOf } from "@/db/queries/transactions/columns";
import { openTransactionExport } from "@/db/queries/transactions/export";
import type { ExportedTransaction } from "@/lib/contract/transactions/export";
import type { SearchTransactionsBody, Transaction } from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import { findBySearchTerms } from "../lists";
import { presentTransaction } from "../payments/present";
import { filterOf, TERMS_PARAMETER } from "./read-transactions";
import { withWordsFound } from "./search-words";

export type TransactionExport = {
  /** Exact number of transactions in the batches, which share one snapshot. */
  readonly total: number;
  /** In sort order, read on demand. Throws at the end if the export is incomplete. */
  readonly batches: AsyncGenerator<ExportedTransaction[], void>;
  /** Releases the connection at any stage of the export. Must be called. */
  close(): Promise<void>;
};

/** All transactions of a search in one snapshot, without a limit. */
export async function exportTransactions(
  ctx: Context,
  search: Pick<SearchTransactionsBody, "filters" | "sort">,
): Promise<TransactionExport> {
  const { id } = ctx.environment;
  const filter = filterOf(search.filters);
  if (filter === null) return { total: 0, batches: nothing(), close: async () => {} };
  const { db } = ctx.service;
  const sort = { sort: search.sort.field, order: search.sort.order };
  const opened = await findBySearchTerms({ q: filter.q, param: TERMS_PARAMETER }, async () => {
    const found = await withWordsFound(db.within(id).sql, id, filter);
    return openTransactionExport(db.reading.openExport(id), id, found, sort);
  });
  return { total: opened.total, batches: presented(ctx, opened.batches), close: opened.close };
}

async function* nothing(): AsyncGenerator<ExportedTransaction[], void> {}

type Rows = Awaited<ReturnType<typeof openTransactionExport>>["batches"];

async function* presented(ctx: Context, batches: Rows): AsyncGenerator<ExportedTransaction[], void> {
  const { mode } = ctx.environment;
  for await (const rows of batches) {
    yield rows.map((row) => {
      const transaction = presentTransaction(row, moneyOf(row), mode);
      return Object.assign(transaction, earnings(transaction, row.fee));
    });
  }
}

/** Charges count once captured, refunds once accepted; refunds have no fee. */
function earnings(
  { type, status, amount, amount_captured }: Transaction,
  fee: number | null,
): Pick<ExportedTransaction, "fee" | "net"> {
  if (type === "CHARGE") return { fee, net: fee === null ? null : amount_captured - fee };
  return status === "CAPTURED" || status === "SETTLED" ? { fee: 0, net: -amount } : { fee: null, net: null };
}
