import type { Database } from "@/db/client";

/** Ledger totals of one payment, in minor units. */
type LedgerOfPayment = { payment_id: string; currency: string; captured: number; refunded: number };

/** Indexes: `operations_payment`, the primary key of the ledger. Payments without a line are absent. */
export async function listLedgerOfPayments(
  db: Database,
  environmentId: string,
  paymentIds: string[],
): Promise<LedgerOfPayment[]> {
  return await db.sql<LedgerOfPayment[]>`
    select o.payment_id, l.currency,
      coalesce(sum(l.amount) filter (where l.debit_account = 'processor_receivable' and l.line = 1), 0)::bigint as captured,
      (coalesce(sum(l.amount) filter (where l.credit_account = 'processor_receivable'), 0)
        - coalesce(sum(l.amount) filter (where l.debit_account = 'processor_receivable' and l.line = 2), 0))::bigint as refunded
    from operations o
    join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id
    where o.environment_id = ${environmentId} and o.payment_id = any(${paymentIds}::uuid[])
    group by o.payment_id, l.currency`;
}

/** The environments of these payments: one if all were created with one API key. */
export async function listEnvironmentsOfPayments(db: Database, paymentIds: string[]): Promise<string[]> {
  const rows = await db.sql<{ environment_id: string }[]>`
    select distinct p.environment_id
    from environments e
    join payments p on p.environment_id = e.id and p.id = any(${paymentIds}::uuid[])`;
  return rows.map((row) => row.environment_id);
}

/**
 * Number of charges per order since a point in time. Scans the environment's latest charges; for the replay
 * only.
 */
export async function listChargesPerReplayKey(
  db: Database,
  environmentId: string,
  input: { fromId: string; keys: string[] },
): Promise<{ replay_key: string; count: number }[]> {
  return await db.sql<{ replay_key: string; count: number }[]>`
    select metadata->>'replay_key' as replay_key, count(*) as count
    from transactions
    where environment_id = ${environmentId} and id >= ${input.fromId} and type = 'CHARGE'
      and status <> 'FAILED' and metadata->>'replay_key' = any(${input.keys}::text[])
    group by 1`;
}
