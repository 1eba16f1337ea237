import type { Sql, Transaction } from "@/db/client";
import type { BankAccountRow, PayoutRow } from "@/db/schema/payouts";
import type { PayoutStatus } from "@/lib/contract/settlement/payout";
import { clockNow } from "../clock";
import type { UnsettledGroup } from "./settle";

/** A batch with available money, and its net amount. */
export type AvailableBatch = { id: string; net_amount: number; payout_failed: boolean };

/**
 * Environment and currency of batches never in a payout, in test mode only: in live mode the processor itself
 * pays merchants out. Of all environments, or of one. Index: `settlement_batches_available`.
 */
export async function listGroupsToPayOut(sql: Sql, environmentId: string | null = null): Promise<UnsettledGroup[]> {
  return await sql<UnsettledGroup[]>`
    select distinct b.environment_id, b.currency
    from environments e
    join settlement_batches b on b.environment_id = e.id and b.payout_id is null and not b.payout_failed
    where e.mode = 'test' and e.abandoned_at is null${environmentId === null ? sql`` : sql` and e.id = ${environmentId}::uuid`}
    order by 1, 2`;
}

/**
 * Locks a group's batches that are in no payout, in id order, so that of two processes one waits and then
 * finds none. Index: `settlement_batches_available`.
 */
export async function lockAvailableBatches(
  tx: Transaction,
  environmentId: string,
  currency: string,
): Promise<AvailableBatch[]> {
  return await tx<AvailableBatch[]>`
    select b.id, b.payout_failed, coalesce((
      select case l.credit_account when 'merchant_available' then l.amount else -l.amount end
      from ledger_entries l
      where l.environment_id = b.environment_id and l.operation_id = b.id and l.line = 4), 0) as net_amount
    from settlement_batches b
    where b.environment_id = ${environmentId} and b.currency = ${currency} and b.payout_id is null
    order by b.id
    for update of b`;
}

type NewPayout = Pick<PayoutRow, "id" | "currency" | "amount" | "bank_name" | "bank_country" | "bank_last4"> & {
  batchIds: string[];
  /** Estimated time from creation to arrival. */
  arrivesAfterSeconds: number;
};

/**
 * Inserts a payout that is due at once; its time is truncated, because rounding up could put it in the
 * future. Claims its batches only if none is in another payout; throws otherwise.
 */
export async function insertPayout(tx: Transaction, environmentId: string, payout: NewPayout): Promise<PayoutRow> {
  const taken = await tx`
    update settlement_batches set payout_id = ${payout.id}
    where environment_id = ${environmentId} and id = any(${payout.batchIds}::uuid[]) and payout_id is null`;
  if (taken.count !== payout.batchIds.length) throw new Error(`payout ${payout.id} took ${taken.count} of its batches`);
  const now = clockNow(tx, environmentId);
  const [row] = await tx<[PayoutRow]>`
    insert into payouts (environment_id, id, status, currency, amount, settlement_batch_ids, bank_name, bank_country,
      bank_last4, arrival_date, due_at, created_at, updated_at)
    values (${environmentId}, ${payout.id}, 'PENDING', ${payout.currency}, ${payout.amount}, ${payout.batchIds}::uuid[],
      ${payout.bank_name}, ${payout.bank_country}, ${payout.bank_last4},
      ((${now} + make_interval(secs => ${payout.arrivesAfterSeconds}::int)) at time zone 'UTC')::date,
      date_trunc('milliseconds', ${now}), ${now}, ${now})
    returning *, arrival_date::text as arrival_date`;
  return row;
}

type DuePayout = Pick<PayoutRow, "environment_id" | "id" | "due_at"> & { status: "PENDING" | "IN_TRANSIT" };

/**
 * Payouts whose next status is due, in due order, after `after`: of all environments by real time, or of one by its own.
 * Indexes: `payouts_due`, `payouts_status`.
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

/** PENDING → IN_TRANSIT. False if another process was faster. */
export async function markSent(
  sql: Transaction,
  environmentId: string,
  input: { id: string; arrivesAfterSeconds: number },
): Promise<boolean> {
  const result = await sql`
    update payouts
    set status = 'IN_TRANSIT', updated_at = ${clockNow(sql, environmentId)},
      due_at = created_at + make_interval(secs => ${input.arrivesAfterSeconds}::int)
    where environment_id = ${environmentId} and id = ${input.id} and status = 'PENDING'`;
  return result.count === 1;
}

/** IN_TRANSIT → PAID, or FAILED for the failing test account. Null if another process was faster. */
export async function endPayout(
  tx: Transaction,
  environmentId: string,
  input: { id: string; failingLast4: string; failureReason: string },
): Promise<PayoutRow | null> {
  const [row] = await tx<PayoutRow[]>`
    update payouts
    set status = case when bank_last4 = ${input.failingLast4} then 'FAILED' else 'PAID' end, updated_at = ${clockNow(tx, environmentId)},
      failure_reason = case when bank_last4 = ${input.failingLast4} then ${input.failureReason} end
    where environment_id = ${environmentId} and id = ${input.id} and status = 'IN_TRANSIT'
    returning *, arrival_date::text as arrival_date`;
  return row ?? null;
}

/** Releases the batches of a failed payout. */
export async function releaseBatches(tx: Transaction, environmentId: string, payoutId: string): Promise<void> {
  await tx`
    update settlement_batches set payout_id = null, payout_failed = true
    where environment_id = ${environmentId} and payout_id = ${payoutId}
      and id = any((select settlement_batch_ids from payouts where environment_id = ${environmentId} and id = ${payoutId})::uuid[])`;
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
  tx: Transaction,
  environmentId: string,
  account: Pick<BankAccountRow, "holder" | "bank_name" | "country" | "last4">,
): Promise<void> {
  const { holder, bank_name, country, last4 } = account;
  await tx`
    insert into bank_accounts (environment_id, holder, bank_name, country, last4, updated_at)
    values (${environmentId}, ${holder}, ${bank_name}, ${country}, ${last4}, now())
    on conflict (environment_id) do update set holder = excluded.holder, bank_name = excluded.bank_name,
      country = excluded.country, last4 = excluded.last4, updated_at = now()`;
}
