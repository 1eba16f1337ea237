import type { BookCheck } from "./book-check";

/** Totals of a dispute's ledger lines, in each currency. */
const BOOKED = `
  select m.environment_id, m.dispute_id, m.currency,
    coalesce(sum(case l.debit_account when 'merchant_available' then l.amount else -l.amount end) filter (where l.line = 1), 0) as amount_taken,
    coalesce(sum(case l.debit_account when 'merchant_available' then l.amount else -l.amount end) filter (where l.line = 2), 0) as fee_taken,
    coalesce(sum(case l.debit_account when 'disputes' then l.amount else -l.amount end) filter (where l.line = 3), 0) as amount_gone,
    coalesce(sum(case l.debit_account when 'disputes' then l.amount else -l.amount end) filter (where l.line = 4), 0) as fee_gone
  from dispute_movements m
  join ledger_entries l on l.environment_id = m.environment_id and l.operation_id = m.id
  group by 1, 2, 3`;

/** Totals that the dispute's status alone implies. */
const IMPLIED = `
  select environment_id, id as dispute_id, currency,
    case when withdrawn and status <> 'WON' then amount else 0 end as amount_taken,
    case when withdrawn then coalesce(fee, 0) else 0 end as fee_taken,
    case when withdrawn and status in ('LOST', 'ACCEPTED') then amount else 0 end as amount_gone,
    case when withdrawn and status in ('WON', 'LOST', 'ACCEPTED') then coalesce(fee, 0) else 0 end as fee_gone
  from disputes`;

export const DISPUTE_CHECKS: readonly BookCheck[] = [
  {
    check: "dispute_is_booked_by_its_status",
    proves:
      "Each dispute's ledger lines are what its status implies: held while it is open, returned if it was won, gone if it was lost or accepted; the fee is never returned.",
    sql: `
      select coalesce(d.environment_id, b.environment_id) as environment_id, coalesce(d.dispute_id, b.dispute_id) as dispute_id,
        coalesce(d.currency, b.currency) as currency, d.amount_taken, d.fee_taken, d.amount_gone, d.fee_gone,
        b.amount_taken::float8 as booked_amount, b.fee_taken::float8 as booked_fee, b.amount_gone::float8 as booked_amount_gone,
        b.fee_gone::float8 as booked_fee_gone
      from (${IMPLIED}) d
      full join (${BOOKED}) b on b.environment_id = d.environment_id and b.dispute_id = d.dispute_id and b.currency = d.currency
      where (coalesce(d.amount_taken, 0), coalesce(d.fee_taken, 0), coalesce(d.amount_gone, 0), coalesce(d.fee_gone, 0))
        <> (coalesce(b.amount_taken, 0), coalesce(b.fee_taken, 0), coalesce(b.amount_gone, 0), coalesce(b.fee_gone, 0))`,
  },
  {
    check: "dispute_movement_has_ledger_lines",
    proves:
      "A dispute's movement is of its payment and changes the available balance by exactly its ledger lines, which are all between the accounts of disputes.",
    sql: `
      select m.environment_id, m.id as movement_id, m.dispute_id, m.amount, m.fee, l.amount::float8 as amount_of_lines,
        l.fee::float8 as fee_of_lines
      from dispute_movements m
      left join disputes d on d.environment_id = m.environment_id and d.id = m.dispute_id
      left join (
        select environment_id, operation_id,
          coalesce(sum(case credit_account when 'merchant_available' then amount else -amount end) filter (where line = 1), 0) as amount,
          coalesce(sum(case credit_account when 'merchant_available' then amount else -amount end) filter (where line = 2), 0) as fee,
          bool_and(case when line in (1, 2) then 'merchant_available' in (debit_account, credit_account)
            else line in (3, 4) and 'bank' in (debit_account, credit_account) end) as between_its_accounts
        from ledger_entries where 'disputes' in (debit_account, credit_account)
        group by 1, 2
      ) l on l.environment_id = m.environment_id and l.operation_id = m.id
      where d.id is null or d.payment_id <> m.payment_id or l.operation_id is null or not l.between_its_accounts
        or (m.amount, m.fee) <> (l.amount::bigint, l.fee::bigint)
        or (m.payout_id is not null and m.amount = 0 and m.fee = 0)`,
  },
  {
    check: "disputes_are_the_processors",
    proves: "Every dispute that the sandbox processor reported is in our books, with the same amount and end.",
    sql: `
      select s.account as environment_id, s.id as processor_dispute_id, s.amount as processor_amount, d.amount, s.currency as processor_currency,
        d.currency, s.status as processor_status, d.status
      from sandbox_processor.disputes s
      left join disputes d on d.environment_id = s.account and d.processor = 'sandbox' and d.processor_dispute_id = s.id::text
      where s.version > 0 and s.reported = s.version and (d.id is null or (d.amount, d.currency) <> (s.amount, s.currency)
        or upper(s.status) <> d.status)`,
  },
];
