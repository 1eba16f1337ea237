import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Context } from "../context";
import { searchTransactionTable } from "../transactions/search-transactions";

const LATEST = 8;

/** The newest transactions of every currency. */
export async function listLatest(ctx: Context): Promise<ListedTransaction[]> {
  const { data } = await searchTransactionTable(ctx, {
    filters: {},
    sort: { field: "created_at", order: "desc" },
    limit: LATEST,
    offset: 0,
  });
  return data;
}
