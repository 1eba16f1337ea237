import type { Sql, Transaction } from "@/db/client";

/** Tables of a history, in the order in which rows may refer to each other. */
export const HISTORY_TABLES = [
  "payments",
  "settlement_batches",
  "transactions",
  "operations",
  "ledger_entries",
  "events",
  "audit_log",
  "sandbox_processor.charges",
  "sandbox_processor.operations",
] as const;
export type HistoryTable = (typeof HISTORY_TABLES)[number];
/** Rows by table; the rows of one table have the same columns. */
export type History = Record<HistoryTable, Record<string, unknown>[]>;

/** Writes a whole history of an environment or nothing, and puts the merchant's first day at its beginning. */
export async function insertHistory(
  sql: Sql,
  environmentId: string,
  options: { history: History; since: string; feeBasisPoints: number },
): Promise<void> {
  await sql.begin(async (tx) => {
    for (const table of HISTORY_TABLES) await insertRows(tx, table, options.history[table]);
    await tx`update environments set fee_basis_points = ${options.feeBasisPoints}::int where id = ${environmentId}::uuid`;
    await tx`
      update merchants set created_at = ${options.since}::timestamptz
      where id = (select merchant_id from environments where id = ${environmentId}::uuid)`;
  });
}

async function insertRows(tx: Transaction, table: HistoryTable, rows: Record<string, unknown>[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  await tx`
    insert into ${tx(table)} (${tx(columns)})
    select ${tx(columns)} from jsonb_populate_recordset(null::${tx(table)}, ${rows as never}::jsonb)`;
}
