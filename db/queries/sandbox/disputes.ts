import type { Sql, Transaction } from "@/db/client";
import type { SandboxDisputeRow } from "@/db/schema/sandbox";
import type { Fragment } from "../statement-text";

/** Delay of a dispute after its capture. */
const OPENS_AFTER = "1 second";
/** Time for a response, to the end of the day (UTC). */
const RESPONSE_TIME = "14 days";
/** Time in which a bank reviews evidence. */
const REVIEW_TIME = "10 days";

/**
 * Schedules the dispute of a capture, whose card's behavior names the reason: an INSERT without its FROM, which
 * has the charge. `now`: the account's time.
 */
export const disputeOf = (sql: Sql, { amount, now }: { amount: Fragment; now: Date }): Fragment => sql`
      insert into sandbox_processor.disputes (id, account, charge, amount, currency, reason, status, created_at, acts_at, respond_by)
      select gen_random_uuid(), charge.account, charge.reference, ${amount}, charge.currency, split_part(charge.behavior, ':', 2),
        'needs_response', ${now.toISOString()}::timestamptz + ${OPENS_AFTER}::interval, ${now.toISOString()}::timestamptz + ${OPENS_AFTER}::interval,
        (date_trunc('day', ${now.toISOString()}::timestamptz at time zone 'UTC') + ${RESPONSE_TIME}::interval
          + interval '1 day' - interval '1 ms') at time zone 'UTC'`;

/** Null for an unknown dispute, and for one that is not opened yet. By primary key. */
export async function findSandboxDispute(sql: Sql, id: string): Promise<SandboxDisputeRow | null> {
  const [row] = await sql<SandboxDisputeRow[]>`
    select * from sandbox_processor.disputes where id = ${id}::uuid and version > 0`;
  return row ?? null;
}

/**
 * Decides a dispute by a response, once, or begins its review. Returns the dispute afterwards, whichever response counted; null if the
 * account has no such dispute.
 */
export async function decideSandboxDispute(
  sql: Sql | Transaction,
  { id, account, reference, now }: { id: string; account: string; reference: string; now: Date },
  status: SandboxDisputeRow["status"],
): Promise<SandboxDisputeRow | null> {
  const [decided] = await sql<SandboxDisputeRow[]>`
    update sandbox_processor.disputes set status = ${status}, response = ${reference}::uuid, version = version + 1,
      acts_at = case when ${status === "under_review"}::boolean then ${now.toISOString()}::timestamptz + ${REVIEW_TIME}::interval end
    where id = ${id}::uuid and account = ${account}::uuid and status = 'needs_response' and version > 0
    returning *`;
  if (decided) return decided;
  // In a statement of its own, which sees the response that the update waited for.
  const [row] = await sql<SandboxDisputeRow[]>`
    select * from sandbox_processor.disputes where id = ${id}::uuid and account = ${account}::uuid and version > 0`;
  return row ?? null;
}

/**
 * Opens disputes that are due, and decides those whose time is over against the merchant: of all accounts by
 * real time, or of one by its own. Returns the number. Indexes: `sandbox_disputes_due`, `sandbox_disputes_due_of`.
 */
export async function actOnSandboxDisputes(
  sql: Sql,
  limit: number,
  of: { account: string; now: Date } | null = null,
): Promise<number> {
  const due = of
    ? sql`account = ${of.account}::uuid and acts_at <= ${of.now.toISOString()}::timestamptz`
    : sql`acts_at <= now()`;
  const acted = await sql`
    update sandbox_processor.disputes set
      status = case version when 0 then status else 'lost' end,
      acts_at = case version when 0 then respond_by end,
      version = version + 1
    where id = any(array(
      select id from sandbox_processor.disputes where ${due} order by acts_at, id limit ${limit}::int
      for update skip locked))`;
  return acted.count;
}

/** A state of a dispute that is not acknowledged. */
type UnreportedDispute = Pick<SandboxDisputeRow, "id" | "account" | "charge" | "version">;

/** Disputes of the accounts after `after` in id order, or of one. Index: `sandbox_disputes_unreported`. */
export async function listUnreportedDisputes(
  sql: Sql,
  limit: number,
  of: { after: string } | { account: string },
): Promise<UnreportedDispute[]> {
  return await sql<UnreportedDispute[]>`
    select id, account, charge, version from sandbox_processor.disputes
    where reported < version and ${"after" in of ? sql`account > ${of.after}::uuid` : sql`account = ${of.account}::uuid`}
    order by account, id limit ${limit}::int`;
}

/** A later state stays unreported. */
export async function acknowledgeSandboxDispute(sql: Sql, id: string, version: number): Promise<void> {
  await sql`
    update sandbox_processor.disputes set reported = greatest(reported, least(version, ${version}::smallint))
    where id = ${id}::uuid`;
}

/** When a bank acts next on a dispute of the account, later than `after`; null if never. */
export async function nextSandboxDispute(sql: Sql, account: string, after: string): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(acts_at) as at from sandbox_processor.disputes
    where account = ${account}::uuid and acts_at > ${after}::timestamptz`;
  return row?.at ?? null;
}
