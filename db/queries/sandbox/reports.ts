import type { Sql } from "@/db/client";

/** A slice of the reports: accounts after `after` in id order, up to `share` each and `limit` in total. */
type ReportSlice = { readonly after: string; readonly share: number; readonly limit: number };

/** Accounts with unacknowledged reports, one lookup in the index `sandbox_reports_open` each. */
const waitingAccounts = (sql: Sql, after: string) => sql`waiting as (
      (select account from sandbox_processor.reports where acknowledged_at is null and account > ${after}::uuid
        order by account, due_at limit 1)
      union all
      select later.account from waiting cross join lateral (
        select account from sandbox_processor.reports where acknowledged_at is null and account > waiting.account
        order by account, due_at limit 1) later
    )`;

/**
 * Fails due refunds: the money returns to their charges. Charges are locked in order, so that two processes
 * never deadlock. A due time minutes ahead dates from before the clock was set back.
 */
export async function failDueSandboxRefunds(sql: Sql, { after, share, limit }: ReportSlice): Promise<void> {
  await sql`
    with recursive ${waitingAccounts(sql, after)}, due as (
      select own.reference from waiting cross join lateral (
        select reference from sandbox_processor.reports
        where account = waiting.account and acknowledged_at is null and applied_at is null
          and (due_at <= now() or due_at > now() + interval '1 minute')
        order by due_at limit ${share}::int for update skip locked
      ) own limit ${limit}::int
    ), refunds as (
      update sandbox_processor.operations o set outcome = 'failed' from due
      where o.reference = due.reference returning o.charge, o.amount
    ), locked as (
      select reference from sandbox_processor.charges
      where reference in (select charge from refunds) order by reference for update
    ), returned as (
      update sandbox_processor.charges c set amount_refunded = c.amount_refunded - sums.amount
      from (select charge, sum(amount)::bigint as amount from refunds join locked on locked.reference = refunds.charge
        group by charge) sums
      where c.reference = sums.charge
    )
    update sandbox_processor.reports r set applied_at = now() from due where r.reference = due.reference`;
}

/** Oldest first within an account. */
export async function listSandboxReports(
  sql: Sql,
  { after, share, limit }: ReportSlice,
): Promise<{ reference: string; account: string }[]> {
  return await sql<{ reference: string; account: string }[]>`
    with recursive ${waitingAccounts(sql, after)}
    select own.reference, own.account from waiting cross join lateral (
      select reference, account from sandbox_processor.reports
      where account = waiting.account and acknowledged_at is null and applied_at is not null
      order by due_at, reference limit ${share}::int
    ) own
    limit ${limit}::int`;
}

export async function acknowledgeSandboxReport(sql: Sql, reference: string): Promise<void> {
  await sql`
    update sandbox_processor.reports set acknowledged_at = now()
    where reference = ${reference}::uuid and applied_at is not null and acknowledged_at is null`;
}

/**
 * Removes first attempts refused a week ago (their operations ended within a day) and reports acknowledged a
 * week ago. Returns the number. Indexes: `sandbox_refusals_age`, `sandbox_reports_age`.
 */
export async function deleteOldSandboxNotes(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<{ removed: number }[]>`
    with refusals as (
      delete from sandbox_processor.refusals where reference in (
        select reference from sandbox_processor.refusals where created_at <= now() - interval '7 days'
        order by created_at limit ${limit}::int for update skip locked)
      returning 1
    ), reports as (
      delete from sandbox_processor.reports where reference in (
        select reference from sandbox_processor.reports where acknowledged_at <= now() - interval '7 days'
        order by acknowledged_at limit ${limit}::int for update skip locked)
      returning 1
    )
    select (select count(*) from refusals) + (select count(*) from reports) as removed`;
  return row?.removed ?? 0;
}
