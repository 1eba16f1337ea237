import type { Database, Sql, Transaction } from "@/db/client";
import type { NumberedEvent } from "@/db/schema/events";
import type { ActorRecord } from "@/db/schema/operations";
import type { LedgerAccount } from "@/db/schema/payments";
import type { Mode } from "@/lib/contract/transactions/words";
import { transactionsOf } from "../transactions/columns";

/** Environment and currency with something to settle. */
export type UnsettledGroup = { environment_id: string; currency: string };

/**
 * What a batch may take of a transaction, with the amount it moves: what was captured of a charge, a refund, or the
 * reversal of a refund that failed after an earlier batch had settled it.
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
  /** What became available with it: its amounts, less the fees on its charges. Kept in the ledger alone, as its line 4. */
  net_amount: number;
  created_at: string;
};

/**
 * What a batch takes of a transaction `t`: a captured charge, or an accepted refund (indexed by `transactions_unsettled`); and
 * what it pays back, a refund that failed after it was settled (indexed by `transactions_unsettled_reversals`).
 */
export const UNSETTLED = `t.settled_at is null and t.captured_at is not null and t.status <> 'FAILED'
  and (t.type = 'CHARGE' or t.status = 'CAPTURED')`;
export const UNSETTLED_REVERSAL = `t.type = 'REFUND' and t.status = 'FAILED' and t.settled_at is not null and t.reversal_batch_id is null`;

/** The last day, UTC, whose settlement is due by now: at that hour of the next day. */
export async function findLastNight(sql: Sql, hour: number): Promise<string> {
  const [row] = await sql<[{ night: string }]>`
    select ((now() at time zone 'UTC') - ${hour}::int * interval '1 hour')::date::text as night`;
  return row.night;
}

/** Every group of all environments, or of one. */
export async function listUnsettledGroups(db: Database, environmentId: string | null): Promise<UnsettledGroup[]> {
  return await db.long<UnsettledGroup[]>`
    select environment_id, currency from transactions t
    where ${db.long.unsafe(UNSETTLED)} and (${environmentId}::uuid is null or environment_id = ${environmentId}::uuid)
    union
    select environment_id, currency from transactions t
    where ${db.long.unsafe(UNSETTLED_REVERSAL)} and (${environmentId}::uuid is null or environment_id = ${environmentId}::uuid)
    order by environment_id, currency`;
}

/**
 * The next transactions with something to settle after an id, in id order, merged from `transactions_unsettled` and
 * `transactions_unsettled_reversals`; no lock is taken.
 */
export async function listUnsettledAfter(
  tx: Transaction,
  environmentId: string,
  input: { currency: string; afterId: string; limit: number },
): Promise<{ id: string; payment_id: string }[]> {
  // A limit in each half: without it the planner reads and sorts all that is unsettled, once per chunk.
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
 * Locks payments in id order, so that two runs wait for each other and never deadlock; returns the commit's time. While it waits
 * for one payment it keeps others from their merchants, so it does not wait for long: the next run tries again.
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
  const [row] = await tx<{ now: string }[]>`select now()::timestamptz(3) as now`;
  return (row as { now: string }).now;
}

/**
 * The unsettled transactions of locked payments: the decision, after the guess of listUnsettledAfter. Looked up payment by
 * payment; otherwise the planner may walk all unsettled rows once per chunk.
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

/** Fees that were taken on the charges of locked payments. Indexes: `operations_payment`, the primary key of the ledger. */
export async function sumFees(tx: Transaction, environmentId: string, paymentIds: string[]): Promise<number> {
  const [row] = await tx<[{ fees: number }]>`
    select coalesce(sum(l.amount), 0)::bigint as fees
    from unnest(${paymentIds}::uuid[]) p(id)
    join operations o on o.environment_id = ${environmentId} and o.payment_id = p.id
    join ledger_entries l on l.environment_id = ${environmentId} and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'`;
  return row.fees;
}

/** About how long each payment is as JSON: its refunds are shown with its charge's metadata. Index: `transactions_refunds`. */
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

/** Marks the batch's charges and refunds, each with an event's number; a charge that was refunded keeps its status. Returns the number of rows. */
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

/** Marks the refunds that the batch pays back; they stay FAILED, settled by the batch that they were in first. */
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

/** The same change in the payments: a new version for all; where the charge settled, a new status and the event's number. */
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

/** A line of a batch or a payout: of no payment. */
export async function insertOwnLedgerLine(
  tx: Transaction,
  environmentId: string,
  line: {
    /** The batch, or the payout. */
    of: string;
    line: number;
    debit: LedgerAccount;
    credit: LedgerAccount;
    amount: number;
    currency: string;
  },
): Promise<void> {
  await tx`
    insert into ledger_entries
      (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
    values (${environmentId}, ${line.of}, ${line.line}, null, ${line.debit}, ${line.credit}, ${line.amount},
      ${line.currency})`;
}

export async function insertSettlementEvents(
  tx: Transaction,
  environmentId: string,
  rows: NumberedEvent[],
): Promise<void> {
  await tx`
    insert into events (environment_id, id, type, operation_id, object_id, sequence, data)
    select ${environmentId}::uuid, id, type, operation_id, object_id, sequence::int, data::json
    from unnest(
      ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.operation_id)}::uuid[], ${rows.map((row) => row.object_id)}::uuid[],
      ${rows.map((row) => String(row.sequence))}::text[], ${rows.map((row) => row.data)}::text[]
    ) as e(id, type, operation_id, object_id, sequence, data)`;
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
