import type { Sql, Transaction } from "@/db/client";

/** Tables of a history, in foreign key order. */
export const HISTORY_TABLES = [
  "payments",
  "settlement_batches",
  "payouts",
  "transactions",
  "operations",
  "ledger_entries",
  "events",
  "audit_log",
  "payment_methods",
  "subscription_trials",
  "subscriptions",
  "invoices",
  "invoice_counters",
  "credit_notes",
  "credit_note_counters",
  "sandbox_processor.stored_cards",
  "sandbox_processor.charges",
  "sandbox_processor.operations",
] as const;
type HistoryTable = (typeof HISTORY_TABLES)[number];
/** Business details on the demo shop's receipts and invoices. */
export type DemoBusiness = { tax_name: string; tax_rate: number; business_address: string; tax_number: string };

/** Rows by table; all rows of a table have the same columns. */
export type History = Record<HistoryTable, Record<string, unknown>[]>;

export async function hasPayments(sql: Sql | Transaction, environmentId: string): Promise<boolean> {
  const rows = await sql`select from payments where environment_id = ${environmentId}::uuid limit 1`;
  return rows.length > 0;
}

/** Counts all rows of an environment, so for the demo alone. */
export async function countPayments(sql: Sql, environmentId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from payments where environment_id = ${environmentId}::uuid`;
  return row?.count ?? 0;
}

/**
 * Writes the whole history of an environment, and dates the merchant's creation to its start. Returns false
 * and writes nothing if the environment has payments, so that only one of several processes writes.
 */
export async function insertHistory(
  sql: Sql,
  environmentId: string,
  options: { history: History; since: string; feeBasisPoints: number; business: DemoBusiness },
): Promise<boolean> {
  return await sql.begin(async (tx) => {
    await tx`select from environments where id = ${environmentId}::uuid for no key update`;
    if (await hasPayments(tx, environmentId)) return false;
    for (const table of HISTORY_TABLES) await insertRows(tx, table, options.history[table]);
    const { business } = options;
    await tx`
      update environments set fee_basis_points = ${options.feeBasisPoints}::int, tax_name = ${business.tax_name},
        tax_rate = ${business.tax_rate}::int
      where id = ${environmentId}::uuid`;
    await tx`
      update merchants set created_at = ${options.since}::timestamptz, business_address = ${business.business_address},
        tax_number = ${business.tax_number}
      where id = (select merchant_id from environments where id = ${environmentId}::uuid)`;
    return true;
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
