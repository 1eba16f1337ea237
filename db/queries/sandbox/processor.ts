import { connectSql, type Login, type Sql } from "@/db/client";
import type { DeclineCode } from "@/lib/contract/errors";
import type { AvsResult } from "@/lib/contract/payments/words";
import { disputeOf } from "./disputes";

/**
 * The sandbox store's pool. Commits are synced to disk before the response, because losing one in a crash
 * would leave money in our books that never moved. Bitmap scans would read all charges of a busy card instead
 * of ten. Statements end before the 2 s after which NOT_FOUND is conclusive.
 */
export function connectSandboxStore({ url, role }: Login, max?: number): Sql {
  return connectSql(url, {
    max,
    applicationName: "cardlane-sandbox",
    parameters: { enable_bitmapscan: "off", statement_timeout: "1500", ...(role !== undefined && { role }) },
  });
}

type NewSandboxCharge = {
  reference: string;
  account: string;
  notAfter: Date;
  /** The account's time, by which recent attempts count. */
  now: Date;
  behavior: string;
  outcome: "approved" | "declined" | "action_required";
  declineCode: DeclineCode | null;
  /** Minor units. */
  amount: number;
  currency: string;
  captureAtOnce: boolean;
  avsResult: AvsResult;
  cvvResult: "M" | "N" | "P";
  /** Digests include the account, so that each account's traffic is counted separately. */
  cardDigest: string;
  emailDigest: string | null;
  addressDigest: string | null;
  /** Stores the card, once the charge is approved. */
  store: { customer: string; expMonth: number; expYear: number } | null;
  /**
   * Charges this stored card, unless it was removed; `approvals`: limit of approved charges by the merchant.
   */
  stored: { reference: string; byMerchant: boolean; approvals: number | null } | null;
};

/** The stored state of a reference. AVS and CVV results exist for authorizations only. */
export type SandboxRecord = {
  outcome: "approved" | "declined" | "action_required" | "failed";
  decline_code: DeclineCode | null;
  amount: number;
  avs_result: AvsResult | null;
  cvv_result: "M" | "N" | "P" | null;
  card_attempts: number;
  email_attempts: number;
  address_attempts: number;
  average_amount: number | null;
  /** Authorized, but the capture requested with it failed. */
  capture_failed: boolean;
  /** The reference is closed: nothing was or will be executed. */
  closed: boolean;
  /** The card that this approved charge stored. */
  stored_card: { reference: string; fingerprint: string } | null;
  /** Created by this call; false if it existed before. */
  fresh: boolean;
};

/**
 * No row was written: `late` is past `notAfter`, `no_charge` has nothing to act on, `foreign` is another
 * account's reference.
 */
export type SandboxRefusal = { refused: "late" | "no_charge" | "foreign" };

/**
 * Records an authorization once per reference, in one round trip: counts the fraud rules' inputs, then
 * inserts. Of concurrent duplicates one inserts; the others block on the primary key and read its row. Counts
 * scan the end of sandbox_recent_attempts_digest, the average that of sandbox_charges_history.
 */
export async function insertSandboxCharge(sql: Sql, charge: NewSandboxCharge): Promise<SandboxRecord | SandboxRefusal> {
  const { reference, account, cardDigest, emailDigest, addressDigest, store, stored } = charge;
  const now = charge.now.toISOString();
  const captures = charge.captureAtOnce && charge.outcome === "approved" && charge.behavior !== "capture_fails";
  const captured = captures ? charge.amount : 0;
  const [record] = await sql<SandboxRecord[]>`
    with card as (
      select reference, merchant_charges >= ${stored?.approvals ?? null}::int as spent
      from sandbox_processor.stored_cards
      where reference = ${stored?.reference ?? null}::uuid and account = ${account}::uuid and removed_at is null
      for update
    ), added as (
      insert into sandbox_processor.charges (
        reference, account, behavior, outcome, decline_code, amount, currency, capture_at_once, amount_captured,
        avs_result, cvv_result,
        card_attempts, email_attempts, address_attempts, average_amount)
      select ${reference}::uuid, ${account}::uuid, ${charge.behavior},
        case when card.spent then 'declined' else ${charge.outcome} end,
        case when card.spent then 'insufficient_funds' else ${charge.declineCode} end,
        ${charge.amount}::bigint, ${charge.currency}, ${charge.captureAtOnce}::boolean,
        case when card.spent then 0 else ${captured}::bigint end,
        ${charge.avsResult}, ${charge.cvvResult},
        (select count(*) from (
          select 1 from sandbox_processor.recent_attempts
          where digest = ${cardDigest}::uuid and at > ${now}::timestamptz - interval '10 minutes'
          order by at desc limit 10) recent),
        (select count(*) from (
          select 1 from sandbox_processor.recent_attempts
          where digest = ${emailDigest}::uuid and at > ${now}::timestamptz - interval '10 minutes'
          order by at desc limit 10) recent),
        (select count(*) from (
          select 1 from sandbox_processor.recent_attempts
          where digest = ${addressDigest}::uuid and at > ${now}::timestamptz - interval '10 minutes'
          order by at desc limit 10) recent),
        (select case when count(*) >= 5 then round(avg(amount))::bigint end from (
          select amount from sandbox_processor.charges
          where account = ${account}::uuid and currency = ${charge.currency} and outcome = 'approved'
          order by created_at desc limit 20) history)
      from (select ${stored !== null}::boolean as needed) stored left join card on true
      where now() <= ${charge.notAfter}::timestamptz and (card.reference is not null or not stored.needed)
      on conflict (reference) do nothing
      returning *
    ), disputed as (
      ${disputeOf(sql, { amount: sql`amount_captured`, now: charge.now })}
      from added charge where amount_captured > 0 and behavior like 'dispute:%'
    ), kept as (
      insert into sandbox_processor.stored_cards (
        reference, account, customer, behavior, fingerprint, exp_month, exp_year, outcome)
      select reference, account, ${store?.customer ?? null}, behavior, ${cardDigest}::uuid, ${store?.expMonth ?? null}::smallint,
        ${store?.expYear ?? null}::smallint, outcome
      from added where ${store !== null}::boolean and outcome <> 'declined'
    ), charged as (
      update sandbox_processor.stored_cards s set merchant_charges = s.merchant_charges + 1
      from card, added
      where s.reference = card.reference and ${stored?.byMerchant ?? false}::boolean and added.outcome = 'approved'
    ), counted as (
      insert into sandbox_processor.recent_attempts (digest, at)
      select digest, ${now}::timestamptz from added, unnest(${[cardDigest, emailDigest, addressDigest].filter((one) => one !== null)}::text[]::uuid[]) digest
    )
    select outcome, decline_code, amount, avs_result, cvv_result, card_attempts, email_attempts, address_attempts,
      average_amount, behavior = 'capture_fails' and capture_at_once as capture_failed, false as closed,
      case when outcome = 'approved' and ${store !== null}::boolean
        then jsonb_build_object('reference', reference, 'fingerprint', ${cardDigest}::uuid) end as stored_card, true as fresh
    from added
    union all
    select outcome, decline_code, amount, avs_result, cvv_result, card_attempts, email_attempts, address_attempts,
      average_amount, behavior = 'capture_fails' and capture_at_once, behavior = ${CLOSED},
      case when outcome = 'approved' then (
        select jsonb_build_object('reference', s.reference, 'fingerprint', s.fingerprint)
        from sandbox_processor.stored_cards s where s.reference = charges.reference) end, false
    from sandbox_processor.charges where reference = ${reference}::uuid and account = ${account}::uuid`;
  return record ?? recordOrRefusal(sql, reference, account, null);
}

/** The card that an approved charge stored; `charge`: column with the charge's reference. */
const cardStoredBy = (sql: Sql, charge: "charges.reference" | "charge") => sql`case when outcome = 'approved' then (
        select jsonb_build_object('reference', s.reference, 'fingerprint', s.fingerprint)
        from sandbox_processor.stored_cards s where s.reference = ${sql(charge)}) end`;

/** Stored as the behavior of a closed reference, which is no charge and can never become one. */
const CLOSED = "closed";

/**
 * Occupies a reference, so that it can never become a charge; if it is one, returns it. The primary key lets
 * either this or a concurrent call win. Null if it belongs to another account.
 */
export async function closeSandboxReference(
  sql: Sql,
  request: { reference: string; account: string; amount: number; currency: string },
): Promise<SandboxRecord | null> {
  const { reference, account } = request;
  await sql`
    insert into sandbox_processor.charges (reference, account, behavior, outcome, decline_code, amount, currency,
      capture_at_once, avs_result, cvv_result, card_attempts, email_attempts, address_attempts)
    values (${reference}::uuid, ${account}::uuid, ${CLOSED}, 'declined', 'processing_error', ${request.amount}::bigint,
      ${request.currency}, false, 'U', 'N', 0, 0, 0)
    on conflict (reference) do nothing`;
  const record = await findSandboxRecord(sql, reference);
  return record?.account === account ? record : null;
}

type NewSandboxFollowUp = {
  kind: "capture" | "void" | "refund";
  reference: string;
  account: string;
  notAfter: Date;
  /** Reference of the charge. */
  charge: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** The account's time. */
  now: Date;
  /** The void also returns what was captured. */
  evenCaptured?: true;
};

/**
 * Moves a charge's money once per reference, within its limits; on the card whose refunds fail it also
 * schedules the failure, on those that are disputed the dispute. The charge is locked first, and only the call whose insert succeeds moves money:
 * with the counters as the only guard, concurrent duplicates of a partial refund would each move it.
 */
export async function insertSandboxFollowUp(
  sql: Sql,
  request: NewSandboxFollowUp,
): Promise<SandboxRecord | SandboxRefusal> {
  const { kind, reference, account, amount, currency, evenCaptured = false } = request;
  const [record] = await sql<SandboxRecord[]>`
    with charge as (
      select * from sandbox_processor.charges
      where reference = ${request.charge}::uuid and account = ${account}::uuid for update
    ), added as (
      insert into sandbox_processor.operations (reference, account, kind, charge, amount, currency, outcome)
      select ${reference}::uuid, account, ${kind}, reference, ${amount}::bigint, ${currency},
        case when outcome = 'approved' and not voided and currency = ${currency} and case ${kind}::text
            when 'capture' then amount_captured = 0 and ${amount}::bigint <= amount and behavior <> 'capture_fails'
            when 'void' then amount_captured = 0 or (${evenCaptured}::boolean and amount_refunded < amount_captured)
            when 'refund' then amount_refunded + ${amount}::bigint <= amount_captured end
          then 'approved' else 'declined' end
      from charge where now() <= ${request.notAfter}::timestamptz
      on conflict (reference) do nothing
      returning *
    ), moved as (
      update sandbox_processor.charges c set
        amount_captured = c.amount_captured + case added.kind when 'capture' then added.amount else 0 end,
        amount_refunded = c.amount_refunded + case added.kind when 'refund' then added.amount
          when 'void' then c.amount_captured - c.amount_refunded else 0 end,
        voided = c.voided or (added.kind = 'void' and c.amount_captured = 0)
      from added where c.reference = added.charge and added.outcome = 'approved'
    ), disputed as (
      ${disputeOf(sql, { amount: sql`added.amount`, now: request.now })}
      from charge join added on added.kind = 'capture' and added.outcome = 'approved'
      where charge.behavior like 'dispute:%'
    ), failing as (
      insert into sandbox_processor.reports (reference, account, due_at)
      select added.reference, added.account, now() + interval '5 seconds' from added, charge
      where added.kind = 'refund' and added.outcome = 'approved' and charge.behavior = 'refund_fails_later'
    )
    select outcome, decline_code, amount, null as stored_card, true as fresh from added
    union all
    select outcome, decline_code, amount, null, false from sandbox_processor.operations
    where reference = ${reference}::uuid and account = ${account}::uuid`;
  return record ?? recordOrRefusal(sql, reference, account, request.charge);
}

type NewSandboxContinuation = {
  reference: string;
  account: string;
  notAfter: Date;
  charge: string;
  passed: boolean;
};

/**
 * Decides a pending challenge exactly once: a later continuation of the same charge only gets the outcome.
 */
export async function insertSandboxContinuation(
  sql: Sql,
  request: NewSandboxContinuation,
): Promise<SandboxRecord | SandboxRefusal> {
  const { reference, account, passed } = request;
  const [record] = await sql<SandboxRecord[]>`
    with charge as (
      select * from sandbox_processor.charges
      where reference = ${request.charge}::uuid and account = ${account}::uuid for update
    ), verdict as (
      select *, outcome = 'action_required' as waiting,
        case when outcome <> 'action_required' then outcome when ${passed}::boolean then 'approved' else 'declined' end
          as ended,
        case when outcome <> 'action_required' then decline_code
          when not ${passed}::boolean then 'authentication_failed' end as code
      from charge
    ), added as (
      insert into sandbox_processor.operations (reference, account, kind, charge, amount, currency, outcome, decline_code)
      select ${reference}::uuid, account, 'continue', reference, amount, currency, ended, code
      from verdict where now() <= ${request.notAfter}::timestamptz
      on conflict (reference) do nothing
      returning *
    ), moved as (
      update sandbox_processor.charges c set outcome = verdict.ended, decline_code = verdict.code,
        amount_captured = case when verdict.ended = 'approved' and c.capture_at_once then c.amount else 0 end
      from verdict, added where c.reference = verdict.reference and verdict.waiting
    ), kept as (
      update sandbox_processor.stored_cards s set outcome = verdict.ended, decline_code = verdict.code
      from verdict, added where s.reference = verdict.reference and verdict.waiting
    )
    select outcome, decline_code, amount, ${cardStoredBy(sql, "charge")} as stored_card, true as fresh from added
    union all
    select outcome, decline_code, amount, ${cardStoredBy(sql, "charge")}, false from sandbox_processor.operations
    where reference = ${reference}::uuid and account = ${account}::uuid`;
  return record ?? recordOrRefusal(sql, reference, account, request.charge);
}

/** The record of a reference, of any kind and account. Index: primary keys of both tables. */
export async function findSandboxRecord(
  sql: Sql,
  reference: string,
): Promise<(SandboxRecord & { account: string }) | null> {
  const [record] = await sql<(SandboxRecord & { account: string })[]>`
    select account, outcome, decline_code, amount, avs_result, cvv_result, card_attempts, email_attempts,
      address_attempts, average_amount, behavior = 'capture_fails' and capture_at_once as capture_failed,
      behavior = ${CLOSED} as closed, ${cardStoredBy(sql, "charges.reference")} as stored_card, false as fresh
    from sandbox_processor.charges where reference = ${reference}::uuid
    union all
    select account, outcome, decline_code, amount, null, null, 0, 0, 0, null, false, false,
      case when kind = 'continue' then ${cardStoredBy(sql, "charge")} end, false
    from sandbox_processor.operations where reference = ${reference}::uuid
    limit 1`;
  return record ?? null;
}

/** Finds the reason for an empty result above: a duplicate committed after its snapshot, or a refusal. */
async function recordOrRefusal(
  sql: Sql,
  reference: string,
  account: string,
  charge: string | null,
): Promise<SandboxRecord | SandboxRefusal> {
  const record = await findSandboxRecord(sql, reference).catch((cause: unknown) => {
    // The statement above was executed, so a failure of this one proves nothing.
    throw new Error("the store did not return the state of a reference", { cause });
  });
  if (record) return record.account === account ? record : { refused: "foreign" };
  if (charge === null) return { refused: "late" };
  const [found] = await sql`
    select 1 from sandbox_processor.charges where reference = ${charge}::uuid and account = ${account}::uuid`;
  return { refused: found ? "late" : "no_charge" };
}

/** Records that a first attempt is refused. False if it was refused before. */
export async function insertSandboxRefusal(sql: Sql, reference: string, account: string): Promise<boolean> {
  const rows = await sql`
    insert into sandbox_processor.refusals (reference, account) values (${reference}::uuid, ${account}::uuid)
    on conflict (reference) do nothing returning reference`;
  return rows.length > 0;
}

/** Deletes attempts too old for the fraud rules; returns the number. Scans the table, which is small. */
export async function removeOldSandboxAttempts(sql: Sql): Promise<number> {
  const removed =
    await sql`delete from sandbox_processor.recent_attempts where created_at <= now() - interval '10 minutes'`;
  return removed.count;
}
