import type { Sql, Transaction } from "@/db/client";
import { isoFromPostgres } from "@/db/client";
import type { TaxColumns } from "@/lib/contract/invoices/tax";

export type CreditNoteRow = TaxColumns & {
  /** The refund's. */
  readonly id: string;
  readonly payment_id: string;
  readonly number: number;
  readonly amount: number;
  readonly tax_amount: number | null;
  readonly currency: string;
  readonly voided_at: string | null;
  readonly created_at: string;
};

/** The documents of payments' refunds, oldest first. Index: `credit_notes_payment`. */
export async function listCreditNotes(
  sql: Sql | Transaction,
  environmentId: string,
  paymentIds: readonly string[],
): Promise<CreditNoteRow[]> {
  if (paymentIds.length === 0) return [];
  const rows = await sql<CreditNoteRow[]>`
    select n.id, n.payment_id, n.number, n.amount::float8, n.tax_name, n.tax_rate, n.tax_amount::float8, p.currency, n.voided_at,
      n.created_at
    from credit_notes n
    join payments p on p.environment_id = n.environment_id and p.id = n.payment_id
    where n.environment_id = ${environmentId}::uuid and n.payment_id = any(${paymentIds as never}::uuid[])
    order by n.number`;
  return rows.map((row) => ({
    ...row,
    created_at: isoFromPostgres(row.created_at),
    voided_at: row.voided_at && isoFromPostgres(row.voided_at),
  }));
}
