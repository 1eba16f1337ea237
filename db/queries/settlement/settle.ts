import type { Database, Sql, Transaction } from "@/db/client";
import type { NumberedEvent } from "@/db/schema/events";
import type { ActorRecord } from "@/db/schema/operations";
import type { LedgerAccount } from "@/db/schema/payments";
import type { Mode } from "@/lib/contract/transactions/words";
import { clockNow } from "../clock";
import { transactionsOf } from "../transactions/columns";

/** Environment and currency with unsettled transactions. */
export type UnsettledGroup = { environment_id: string; currency: string };

/**
 * A transaction to settle and its amount: a charge's captured amount, a refund, or the reversal of a refund
 * that failed after an earlier batch settled it.
 */
export type UnsettledItem = { id: string; payment_id: string; kind: "charge" | "refund" | "reversal"; amount: number };

export type SettlementBatchRow = {
  environment_id: string;
  id: string;
  currency: string;
  charge_count: number;
  charge_amount: number;
  refund_count: number;
  refund_amount: number;
  reversal_count: number;
  reversal_amount: number;
  /**
   * Net amount made available: its amounts minus the fees on its charges. Stored only in the ledger, as line
   * 4.
   */
  net_amount: number;
  created_at: string;
};

/**
 * Conditions on a transaction `t` to settle: a captured charge or an accepted refund (index
 * `transactions_unsettled`), and a refund that failed after it was settled (index
 * `transactions_unsettled_reversals`).
 */
const UNSETTLED_INDEXED = `t.settled_at is null and t.captured_at is not null and t.status <> 'FAILED'`;
export const UNSETTLED = `${UNSETTLED_INDEXED} and (t.type = 'CHARGE' or t.status = 'CAPTURED')`;
export const UNSETTLED_REVERSAL = `t.type = 'REFUND' and t.status = 'FAILED' and t.settled_at is not null and t.reversal_batch_id is null`;

/** The last UTC day whose settlement is due: at that hour of the following day. */
export async function findLastNight(sql: Sql, hour: number): Promise<string> {
  const [row] = await sql<[{ night: string }]>`
    select ((now() at time zone 'UTC') - ${hour}::int * interval '1 hour')::date::text as night`;
  return row.night;
}

/**
 * Groups of all environments, or of one; some may have nothing to settle. Steps from one group to the next in
 * `transactions_unsettled` and `transactions_unsettled_reversals`, so their rows cost nothing.
 */
export async function listUnsettledGroups(db: Database, environmentId: string | null): Promise<UnsettledGroup[]> {
  const sql = db.long;
  const own = environmentId === null ? sql`true` : sql`environment_id = ${environmentId}`;
  const groups = (indexed: string) => {
    const next = (after = sql`true`) => sql`
      (select environment_id, currency from transactions t
      where ${sql.unsafe(indexed)} and ${own} and ${after} order by environment_id, currency limit 1)`;
    return sql`(
      with recursive groups as (
        ${next()}
        union all
        select following.* from groups
        cross join lateral ${next(sql`(t.environment_id, t.currency) > (groups.environment_id, groups.currency)`)} following
      )
      select * from groups)`;
  };
  return await sql<UnsettledGroup[]>`
    ${groups(UNSETTLED_INDEXED)} union ${groups(UNSETTLED_REVERSAL)} order by environment_id, currency`;
}

/**
 * The next unsettled transactions after an id, in id order, merged from `transactions_unsettled` and
 * `transactions_unsettled_reversals`. Takes no lock.
 */
export async function listUnsettledAfter(
  tx: Transaction,
  environmentId: string,
  input: { currency: string; afterId: string; limit: number },
): Promise<{ id: string; payment_id: string }[]> {
  // A limit in each half: without it the planner reads and sorts all unsettled rows for every chunk.
  return await tx<{ id: string; payment_id: string }[]>`
    (select id, payment_id from transactions t
      where environment_id = ${environmentId} and currency = ${input.currency} and id > ${input.afterId}
        and ${tx.unsafe(UNSETTLED)}
      order by id limit ${input.limit})
    union all
    (select id, payment_id from transactions t
      where environment_id = ${environmentId} and currency = ${input.currency} and id > ${input.afterId}
        and ${tx.unsafe(UNSETTLED_REVERSAL)}
      order by id limit ${input.limit})
    order by id limit ${input.limit}`;
}

/**
 * Locks payments in id order, so that two runs never deadlock; returns the commit's time. It is no earlier than
 * their last change, as a transaction's own time is that of its begin, before it waited. While waiting for one
 * payment it blocks the others it holds, so the timeout is short; the next run tries again.
 */
export async function lockPaymentsInOrder(
  tx: Transaction,
  environmentId: string,
  paymentIds: string[],
): Promise<string> {
  await tx`set local lock_timeout = '1s'`;
  await tx`
    select id from payments
    where environment_id = ${environmentId} and id = any(${paymentIds}::uuid[])
    order by id
    for update`;
  const [row] = await tx<{ now: string }[]>`
    select greatest(${clockNow(tx, environmentId)}, max(updated_at))::timestamptz(3) as now from payments
    where environment_id = ${environmentId} and id = any(${paymentIds}::uuid[])`;
  return (row as { now: string }).now;
}

/**
 * Unsettled transactions of locked payments: final, where listUnsettledAfter read without locks. Looked up
 * payment by payment; otherwise the planner may scan all unsettled rows for every chunk.
 */
export async function listUnsettledOfPayments(
  tx: Transaction,
  environmentId: string,
  paymentIds: string[],
): Promise<UnsettledItem[]> {
  return await tx<UnsettledItem[]>`
    select t.id, p.id as payment_id, case t.type when 'CHARGE' then p.amount_captured else t.amount end as amount,
      case when t.type = 'CHARGE' then 'charge' when t.settled_at is null then 'refund' else 'reversal' end as kind
    from payments p
    cross join ${tx.unsafe(transactionsOf("p.environment_id"))}
    where p.environment_id = ${environmentId} and p.id = any(${paymentIds}::uuid[])
      and ((${tx.unsafe(UNSETTLED)}) or (${tx.unsafe(UNSETTLED_REVERSAL)}))
    order by t.id`;
}

/** Fees on the charges of locked payments. Indexes: `operations_payment`, the primary key of the ledger. */
export async function sumFees(tx: Transaction, environmentId: string, paymentIds: string[]): Promise<number> {
  const [row] = await tx<[{ fees: number }]>`
    select coalesce(sum(l.amount), 0)::bigint as fees
    from unnest(${paymentIds}::uuid[]) p(id)
    join operations o on o.environment_id = ${environmentId} and o.payment_id = p.id
    join ledger_entries l on l.environment_id = ${environmentId} and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'`;
  return row.fees;
}

/**
 * Approximate JSON size of each payment: its refunds repeat its charge's metadata. Index:
 * `transactions_refunds`.
 */
export async function measurePayments(
  tx: Transaction,
  environmentId: string,
  paymentIds: string[],
): Promise<{ id: string; length: number }[]> {
  return await tx<{ id: string; length: number }[]>`
    select p.id, (1500 + octet_length(c.metadata::text)) * (1 + (
      select count(*) from transactions t
      where t.environment_id = p.environment_id and t.payment_id = p.id and t.type = 'REFUND')) as length
    from payments p
    join transactions c on c.environment_id = p.environment_id and c.id = p.charge_id
    where p.environment_id = ${environmentId} and p.id = any(${paymentIds}::uuid[])
    order by p.id`;
}

/** Returns the mode of the batch's environment. */
export async function insertSettlementBatch(tx: Transaction, batch: SettlementBatchRow): Promise<Mode> {
  const [row] = await tx<[{ mode: Mode }]>`
    insert into settlement_batches
      (environment_id, id, currency, charge_count, charge_amount, refund_count, refund_amount, reversal_count,
        reversal_amount, created_at)
    values (${batch.environment_id}, ${batch.id}, ${batch.currency}, ${batch.charge_count}, ${batch.charge_amount},
      ${batch.refund_count}, ${batch.refund_amount}, ${batch.reversal_count}, ${batch.reversal_amount},
      ${batch.created_at})
    returning (select mode from environments where id = ${batch.environment_id}::uuid) as mode`;
  return row.mode;
}

/**
 * Marks the batch's charges and refunds and increments their event sequence; a refunded charge keeps its
 * status. Returns the number of rows.
 */
export async function markSettled(
  tx: Transaction,
  environmentId: string,
  input: { batchId: string; at: string; transactionIds: string[] },
): Promise<number> {
  const result = await tx`
    update transactions
    set settled_at = ${input.at}, settlement_batch_id = ${input.batchId}, updated_at = ${input.at},
      status = case status when 'CAPTURED' then 'SETTLED' else status end,
      event_sequence = event_sequence + 1
    where environment_id = ${environmentId} and id = any(${input.transactionIds}::uuid[]) and settled_at is null`;
  return result.count;
}

/** Marks the refunds the batch pays back; they stay FAILED, settled by their first batch. */
export async function markReversed(
  tx: Transaction,
  environmentId: string,
  input: { batchId: string; at: string; transactionIds: string[] },
): Promise<number> {
  const result = await tx`
    update transactions
    set reversal_batch_id = ${input.batchId}, updated_at = ${input.at}
    where environment_id = ${environmentId} and id = any(${input.transactionIds}::uuid[]) and status = 'FAILED'
      and settled_at is not null and reversal_batch_id is null`;
  return result.count;
}

/**
 * Updates the payments: a new version for all; where the charge settled, also the status and the event
 * sequence.
 */
export async function markPaymentsSettled(
  tx: Transaction,
  environmentId: string,
  input: { at: string; paymentIds: string[]; chargedPaymentIds: string[] },
): Promise<void> {
  await tx`
    update payments
    set version = version + 1, updated_at = ${input.at},
      event_sequence = event_sequence + case when id = any(${input.chargedPaymentIds}::uuid[]) then 1 else 0 end,
      status = case when status = 'CAPTURED' and id = any(${input.chargedPaymentIds}::uuid[]) then 'SETTLED' else status end
    where environment_id = ${environmentId} and id = any(${input.paymentIds}::uuid[])`;
}

/** Inserts a ledger line of a batch or payout, which has no payment. */
export async function insertOwnLedgerLine(
  tx: Transaction,
  environmentId: string,
  line: {
    /** Id of the batch or payout. */
    of: string;
    line: number;
    debit: LedgerAccount;
    credit: LedgerAccount;
    amount: number;
    currency: string;
    /** The environment's time. */
    at: string;
  },
): Promise<void> {
  await tx`
    insert into ledger_entries
      (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
    values (${environmentId}, ${line.of}, ${line.line}, null, ${line.debit}, ${line.credit}, ${line.amount},
      ${line.currency}, ${line.at})`;
}

export async function insertSettlementEvents(
  tx: Transaction,
  environmentId: string,
  rows: NumberedEvent[],
): Promise<void> {
  await tx`
    insert into events (environment_id, id, type, operation_id, object_id, sequence, data, created_at)
    select ${environmentId}::uuid, id, type, operation_id, object_id, sequence::int, data::json, created_at::timestamptz
    from unnest(
      ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.operation_id)}::uuid[], ${rows.map((row) => row.object_id)}::uuid[],
      ${rows.map((row) => String(row.sequence))}::text[], ${rows.map((row) => row.data)}::text[],
      ${rows.map((row) => row.created_at)}::text[]
    ) as e(id, type, operation_id, object_id, sequence, data, created_at)`;
}

export async function insertSettlementAudit(
  tx: Transaction,
  environmentId: string,
  row: { id: string; actor: ActorRecord; action: string; objectId: string; requestId?: string },
): Promise<void> {
  await tx`
    insert into audit_log (environment_id, id, actor, action, object_id, request_id)
    values (${environmentId}, ${row.id}, ${tx.json(row.actor)}, ${row.action}, ${row.objectId}, ${row.requestId ?? null})`;
}
