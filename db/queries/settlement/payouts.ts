import { sql as fragment } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import { type BankAccountRow, bankAccounts, type PayoutRow } from "@/db/schema/payouts";
import type { PayoutStatus } from "@/lib/contract/settlement/payout";
import { clockNow } from "../clock";
import { openPages, UNCAPPED } from "../export";
import type { UnsettledGroup } from "./settle";

/** A batch or a dispute's movement in no payout, and its net amount. */
export type Available = { id: string; kind: "batch" | "dispute"; net_amount: number; payout_failed: boolean };

/**
 * Environment and currency of batches never in a payout, and of money that a dispute returned, in test mode
 * only: in live mode the processor itself pays merchants out. Of all environments, or of one. Indexes:
 * `settlement_batches_available`, `dispute_movements_available`.
 */
export async function listGroupsToPayOut(sql: Sql, environmentId: string | null = null): Promise<UnsettledGroup[]> {
  const of = sql`e.mode = 'test' and e.abandoned_at is null${environmentId === null ? sql`` : sql` and e.id = ${environmentId}::uuid`}`;
  return await sql<UnsettledGroup[]>`
    select b.environment_id, b.currency
    from environments e
    join settlement_batches b on b.environment_id = e.id and b.payout_id is null and not b.payout_failed
    where ${of}
    union
    select m.environment_id, m.currency
    from environments e
    join dispute_movements m on m.environment_id = e.id and m.payout_id is null and m.amount > 0 and not m.payout_failed
    where ${of}
    order by 1, 2`;
}

/**
 * Locks a group's batches and disputes' movements that are in no payout, in id order, so that of two processes
 * one waits and then finds none. Indexes: `settlement_batches_available`, `dispute_movements_available`.
 */
export async function lockAvailable(tx: Transaction, environmentId: string, currency: string): Promise<Available[]> {
  const batches = await tx<Available[]>`
    select b.id, 'batch' as kind, b.payout_failed, coalesce((
      select case l.credit_account when 'merchant_available' then l.amount else -l.amount end
      from ledger_entries l
      where l.environment_id = b.environment_id and l.operation_id = b.id and l.line = 4), 0) as net_amount
    from settlement_batches b
    where b.environment_id = ${environmentId} and b.currency = ${currency} and b.payout_id is null
    order by b.id
    for update of b`;
  const movements = await tx<Available[]>`
    select id, 'dispute' as kind, payout_failed, amount + fee as net_amount from dispute_movements
    where environment_id = ${environmentId} and currency = ${currency} and payout_id is null
      and (amount <> 0 or fee <> 0)
    order by id
    for update`;
  return [...batches, ...movements].sort((one, other) => (one.id < other.id ? -1 : 1));
}

type NewPayout = Pick<PayoutRow, "id" | "currency" | "amount" | "bank_name" | "bank_country" | "bank_last4"> & {
  batchIds: string[];
  movementIds: string[];
  disputeAmount: number;
  arrival_date: string;
  /** The environment's time. */
  at: string;
};

/**
 * The environment's time, truncated: a payout is due when it is created, and rounding could put that in the
 * future.
 */
export async function readPayoutTime(tx: Transaction, environmentId: string): Promise<string> {
  const [row] = await tx<[{ at: string }]>`
    select date_trunc('milliseconds', ${clockNow(tx, environmentId)}) as at`;
  return row.at;
}

/**
 * Inserts a payout that is due immediately. Claims its batches and movements only if none is in another
 * payout; throws otherwise.
 */
export async function insertPayout(tx: Transaction, environmentId: string, payout: NewPayout): Promise<PayoutRow> {
  const taken = await tx`
    update settlement_batches set payout_id = ${payout.id}
    where environment_id = ${environmentId} and id = any(${payout.batchIds}::uuid[]) and payout_id is null`;
  if (taken.count !== payout.batchIds.length) throw new Error(`payout ${payout.id} took ${taken.count} of its batches`);
  const claimed = await tx`
    update dispute_movements set payout_id = ${payout.id}
    where environment_id = ${environmentId} and id = any(${payout.movementIds}::uuid[]) and payout_id is null`;
  if (claimed.count !== payout.movementIds.length)
    throw new Error(`payout ${payout.id} took ${claimed.count} of its disputes' movements`);
  const [row] = await tx<[PayoutRow]>`
    insert into payouts (environment_id, id, status, currency, amount, settlement_batch_ids, dispute_movement_ids,
      dispute_amount, bank_name, bank_country, bank_last4, arrival_date, due_at, created_at, updated_at)
    values (${environmentId}, ${payout.id}, 'PENDING', ${payout.currency}, ${payout.amount}, ${payout.batchIds}::uuid[],
      ${payout.movementIds}::uuid[], ${payout.disputeAmount}, ${payout.bank_name}, ${payout.bank_country}, ${payout.bank_last4},
      ${payout.arrival_date}::date, ${payout.at}, ${payout.at}, ${payout.at})
    returning *, arrival_date::text as arrival_date`;
  return row;
}

type DuePayout = Pick<PayoutRow, "environment_id" | "id" | "due_at"> & { status: "PENDING" | "IN_TRANSIT" };

/**
 * Payouts whose next status is due, in due order, after `after`: of all environments by real time, or of one
 * by its own. Indexes: `payouts_due`, `payouts_status`.
 */
export async function listDuePayouts(
  sql: Sql,
  after: Pick<DuePayout, "due_at" | "id"> | null,
  limit: number,
  environmentId: string | null = null,
): Promise<DuePayout[]> {
  const due =
    environmentId === null
      ? sql`due_at <= now()`
      : sql`environment_id = ${environmentId}::uuid and due_at <= ${clockNow(sql, environmentId)}`;
  return await sql<DuePayout[]>`
    select environment_id, id, status, due_at from payouts
    where status in ('PENDING', 'IN_TRANSIT') and ${due}
      ${after ? sql`and (due_at, id) > (${after.due_at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by due_at, id limit ${limit}`;
}

/**
 * PENDING → IN_TRANSIT; it ends on its arrival date, at the time of day of its creation. False if another
 * process was faster.
 */
export async function markSent(sql: Transaction, environmentId: string, id: string): Promise<boolean> {
  const result = await sql`
    update payouts
    set status = 'IN_TRANSIT', updated_at = ${clockNow(sql, environmentId)},
      due_at = (arrival_date + (created_at at time zone 'UTC')::time) at time zone 'UTC'
    where environment_id = ${environmentId} and id = ${id} and status = 'PENDING'`;
  return result.count === 1;
}

/** The row, and when it was last changed before. */
type EndedPayout = PayoutRow & { changed_at: string };

/** IN_TRANSIT → PAID, or FAILED for the failing test account. Null if another process was faster. */
export async function endPayout(
  tx: Transaction,
  environmentId: string,
  input: { id: string; failingLast4: string; failureReason: string },
): Promise<EndedPayout | null> {
  const [row] = await tx<EndedPayout[]>`
    with before as (
      select updated_at as changed_at from payouts where environment_id = ${environmentId} and id = ${input.id} for update
    )
    update payouts
    set status = case when bank_last4 = ${input.failingLast4} then 'FAILED' else 'PAID' end, updated_at = ${clockNow(tx, environmentId)},
      failure_reason = case when bank_last4 = ${input.failingLast4} then ${input.failureReason} end
    from before
    where environment_id = ${environmentId} and id = ${input.id} and status = 'IN_TRANSIT'
    returning payouts.*, arrival_date::text as arrival_date, changed_at`;
  return row ?? null;
}

/** Releases the batches and disputes' movements of a failed payout. */
export async function releaseContents(tx: Transaction, environmentId: string, payoutId: string): Promise<void> {
  await tx`
    update settlement_batches set payout_id = null, payout_failed = true
    where environment_id = ${environmentId} and payout_id = ${payoutId}
      and id = any((select settlement_batch_ids from payouts where environment_id = ${environmentId} and id = ${payoutId})::uuid[])`;
  await tx`
    update dispute_movements set payout_id = null, payout_failed = true
    where environment_id = ${environmentId} and payout_id = ${payoutId}
      and id = any((select dispute_movement_ids from payouts where environment_id = ${environmentId} and id = ${payoutId})::uuid[])`;
}

/** Number of a payout's next event. Index: `events_object`. */
export async function nextPayoutEvent(tx: Transaction, environmentId: string, id: string): Promise<number> {
  const [row] = await tx<[{ next: number }]>`
    select coalesce(max(sequence), 0) + 1 as next from events where environment_id = ${environmentId} and object_id = ${id}`;
  return row.next;
}

/** A currency's payouts that reach the bank next, all on one day. Amount in minor units. */
export type ArrivalRow = { currency: string; arrival_date: string; amount: number; payout_ids: string[] };

/** The earliest arrival in each currency. Index: `payouts_status`. */
export async function listNextArrivals(sql: Sql, environmentId: string): Promise<ArrivalRow[]> {
  return await sql<ArrivalRow[]>`
    select distinct on (currency) currency, arrival_date::text as arrival_date, sum(amount)::float8 as amount,
      array_agg(id order by id) as payout_ids
    from payouts
    where environment_id = ${environmentId} and status in ('PENDING', 'IN_TRANSIT')
    group by currency, arrival_date
    order by currency, payouts.arrival_date`;
}

/**
 * Currencies with money that a failed payout returned. Indexes: `settlement_batches_available`,
 * `dispute_movements_available`.
 */
export async function listReturnedCurrencies(sql: Sql, environmentId: string): Promise<string[]> {
  const rows = await sql<{ currency: string }[]>`
    select currency from settlement_batches
    where environment_id = ${environmentId} and payout_id is null and payout_failed
    union
    select currency from dispute_movements
    where environment_id = ${environmentId} and payout_id is null and (amount <> 0 or fee <> 0) and payout_failed`;
  return rows.map(({ currency }) => currency);
}

/** Fee on each captured amount, in basis points. By primary key. */
export async function readFee(sql: Sql, environmentId: string): Promise<number> {
  const [row] = await sql<[{ fee: number }]>`
    select fee_basis_points as fee from environments where id = ${environmentId}::uuid`;
  return row.fee;
}

type PayoutFilter = {
  readonly currency?: string | undefined;
  readonly status?: PayoutStatus | undefined;
  /** First millisecond of the range, and the first one past it. */
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
};

const matching = (sql: Sql, environmentId: string, { currency, status, from, before }: PayoutFilter) => sql`
  environment_id = ${environmentId}
  ${currency === undefined ? sql`` : sql`and currency = ${currency}`}
  ${status === undefined ? sql`` : sql`and status = ${status}`}
  ${from === undefined ? sql`` : sql`and created_at >= ${from}`}
  ${before === undefined ? sql`` : sql`and created_at < ${before}`}`;

/** Newest first. Indexes: the primary key, `payouts_status`, `payouts_currency`. */
export async function listPayouts(
  sql: Sql,
  environmentId: string,
  filter: PayoutFilter,
  page: { limit: number; offset: number; afterId: string | null },
): Promise<PayoutRow[]> {
  return await sql<PayoutRow[]>`
    select *, arrival_date::text as arrival_date from payouts
    where ${matching(sql, environmentId, filter)} ${page.afterId === null ? sql`` : sql`and id < ${page.afterId}`}
    order by id desc limit ${page.limit} offset ${page.offset}`;
}

export const openPayoutExport = (sql: Sql, environmentId: string, filter: PayoutFilter) =>
  openPages<PayoutRow>(sql, {
    count: (tx) => countPayouts(tx, environmentId, filter, UNCAPPED),
    page: (tx, last, limit) => listPayouts(tx, environmentId, filter, { limit, offset: 0, afterId: last?.id ?? null }),
  });

/** Number of matches, counted no further than `limit`. */
export async function countPayouts(
  sql: Sql,
  environmentId: string,
  filter: PayoutFilter,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count from (
      select from payouts where ${matching(sql, environmentId, filter)} limit ${limit}) found`;
  return row.count;
}

export async function findPayout(sql: Sql | Transaction, environmentId: string, id: string): Promise<PayoutRow | null> {
  const [row] = await sql<PayoutRow[]>`
    select *, arrival_date::text as arrival_date from payouts where environment_id = ${environmentId} and id = ${id}`;
  return row ?? null;
}

export async function findBankAccount(sql: Sql | Transaction, environmentId: string): Promise<BankAccountRow | null> {
  const [row] = await sql<BankAccountRow[]>`select * from bank_accounts where environment_id = ${environmentId}`;
  return row ?? null;
}

export async function storeBankAccount(
  tx: Orm,
  environmentId: string,
  account: Pick<BankAccountRow, "holder" | "bank_name" | "country" | "last4">,
): Promise<void> {
  const { holder, bank_name, country, last4 } = account;
  const values = { holder, bank_name, country, last4, updated_at: fragment`now()` };
  await tx
    .insert(bankAccounts)
    .values({ environment_id: environmentId, ...values })
    .onConflictDoUpdate({ target: bankAccounts.environment_id, set: values });
}
