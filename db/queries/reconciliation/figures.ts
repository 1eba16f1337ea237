import { SUBSCRIPTION_ROWS } from "@/lib/contract/reports/report-sql";
import type { BookCheck } from "./book-check";

/** Precomputed figures, folded or not, by day of the merchant's zone. */
const KEPT = `
  select environment_id, currency, day, measure, amount, count from daily_totals
  union all
  select d.environment_id, d.currency, (d.occurred_at at time zone m.time_zone)::date, d.measure, d.amount, d.count
  from total_deltas d
  join environments e on e.id = d.environment_id
  join merchants m on m.id = e.merchant_id`;

/** The same figures from their sources: ledger lines, and the result of each charge attempt. */
const FACTS = `
  select environment_id, currency, created_at as at, amount, case
      when debit_account = 'processor_receivable' and credit_account = 'merchant_payable' and line = 1 then 'captured'
      when debit_account = 'processor_receivable' and credit_account = 'merchant_payable' then 'refund_failed'
      when debit_account = 'merchant_payable' and credit_account = 'processor_receivable' then 'refunded'
      when debit_account = 'merchant_payable' and credit_account = 'fees' then 'fee'
      when debit_account = 'merchant_payable' and credit_account = 'merchant_available' then 'settled'
      when debit_account = 'merchant_available' and credit_account = 'merchant_payable' then 'settled_back'
      when debit_account = 'merchant_available' and credit_account = 'merchant_in_payout' then 'payout'
      when debit_account = 'merchant_in_payout' and credit_account = 'merchant_available' then 'payout_failed'
      when debit_account = 'merchant_in_payout' and credit_account = 'bank' then 'payout_paid'
      when debit_account = 'merchant_available' and credit_account = 'disputes' and line = 1 then 'disputed'
      when debit_account = 'merchant_available' and credit_account = 'disputes' then 'dispute_fee'
      when debit_account = 'disputes' and credit_account = 'merchant_available' and line = 1 then 'dispute_returned'
      when debit_account = 'disputes' and credit_account = 'merchant_available' then 'dispute_fee_returned'
      when debit_account = 'disputes' and credit_account = 'bank' then 'dispute_paid'
      when debit_account = 'bank' and credit_account = 'disputes' then 'dispute_paid_back' end as measure
  from ledger_entries
  where 'processor_receivable' not in (debit_account, credit_account) or 'bank' not in (debit_account, credit_account)
  union all
  select environment_id, currency, created_at, amount, case status
      when 'DECLINED' then 'declined' when 'FAILED' then 'failed' else 'approved' end
  from transactions where type = 'CHARGE' and status <> 'PENDING'
  union all
  select environment_id, currency, created_at, amount, 'declined:' || coalesce(decline_code, 'generic_decline')
  from transactions where type = 'CHARGE' and status = 'DECLINED'`;

export const FIGURE_CHECKS: readonly BookCheck[] = [
  {
    check: "daily_totals_match_ledger",
    proves:
      "The daily totals behind the overview and the balance match each day's ledger and transactions to the cent.",
    sql: `
      select environment_id, currency, day::text, measure, k.amount::float8 as kept_amount, k.count as kept_count,
        f.amount::float8 as amount, f.count as count
      from (
        select environment_id, currency, day, measure, sum(amount) as amount, sum(count)::bigint as count
        from (${KEPT}) kept group by 1, 2, 3, 4
      ) k
      full join (
        select f.environment_id, f.currency, (f.at at time zone m.time_zone)::date as day, f.measure,
          sum(f.amount) as amount, count(*) as count
        from (${FACTS}) f
        join environments e on e.id = f.environment_id
        join merchants m on m.id = e.merchant_id
        group by 1, 2, 3, 4
      ) f using (environment_id, currency, day, measure)
      where (coalesce(k.amount, 0), coalesce(k.count, 0)) <> (coalesce(f.amount, 0), coalesce(f.count, 0))`,
  },
];

/** Sign with which a ledger line counts in the figure that a report's totals are compared with. */
const REPORTED = `case
  when r.type = 'balance' then case measure when 'captured' then 1 when 'refund_failed' then 1
    when 'refunded' then -1 when 'fee' then -1 when 'payout_paid' then -1
    when 'dispute_paid' then -1 when 'dispute_paid_back' then 1 end
  when r.type = 'payouts' then case measure when 'payout' then 1 when 'payout_failed' then -1 end
  when r.type = 'fees' then case measure when 'fee' then 1 end
  else case measure when 'captured' then 1 when 'refund_failed' then 1 when 'refunded' then -1 when 'fee' then -1
    when 'disputed' then -1 when 'dispute_fee' then -1 when 'dispute_returned' then 1
    when 'dispute_fee_returned' then 1 end end`;

/** Selects the rows of a subscriptions report from the events. */
const SUBSCRIPTIONS = SUBSCRIPTION_ROWS.replaceAll(":environment", "r.environment_id")
  .replaceAll(":from", "r.starts_at")
  .replaceAll(":before", "r.ends_at");

export const REPORT_CHECKS: readonly BookCheck[] = [
  {
    check: "reports_match_ledger",
    proves:
      "The totals of each report of days that were over match the ledger to the cent, and those of subscriptions their events.",
    sql: `
      select r.environment_id, r.id as report_id, r.type, c.currency, c.reported::float8 as reported, c.amount::float8 as amount
      from reports r
      cross join lateral (
        select coalesce(k.currency, l.currency) as currency, coalesce(k.reported, 0) as reported, coalesce(l.amount, 0) as amount
        from (
          select t.currency, (t.amounts ->> case r.type when 'fees' then 'fee' when 'balance' then 'balance' when 'subscriptions' then 'mrr' else 'net' end)::numeric as reported
          from jsonb_to_recordset(r.totals) as t (currency text, amounts jsonb)
        ) k
        full join (
          select f.currency, sum(f.amount * (${REPORTED})) as amount from (${FACTS}) f
          where r.type <> 'subscriptions' and f.environment_id = r.environment_id and f.at < r.ends_at and (r.type = 'balance' or f.at >= r.starts_at)
            and (r.currency is null or f.currency = r.currency)
          group by f.currency
          union all
          select s.currency, sum(s.mrr) from (${SUBSCRIPTIONS}) s
          where r.type = 'subscriptions' and (r.currency is null or s.currency = r.currency)
          group by s.currency
        ) l on l.currency = k.currency
      ) c
      where r.status = 'READY' and r.type <> 'disputes' and r.ends_at <= r.created_at and c.reported <> c.amount`,
  },
];

export const ACCOUNT_CHECKS: readonly BookCheck[] = [
  {
    check: "abandoned_is_test_data",
    proves: "Data skipped by the checks because it is being removed is test data of closed accounts.",
    evenAbandoned: true,
    sql: `
      select * from (
        select e.id as environment_id, e.merchant_id, case
            when e.mode <> 'test' then 'it is live'
            when exists (select from users u where u.merchant_id = e.merchant_id) then 'the account has members'
            when not exists (select from environments l join audit_log a on a.environment_id = l.id
              where l.merchant_id = e.merchant_id and l.mode = 'live' and a.action = 'settings.account_closed')
              then 'nothing says that it was closed'
            when e.emptied_at is not null and exists (select from payments p where p.environment_id = e.id)
              then 'it is not empty' end as problem
        from environments e
        where e.abandoned_at is not null
      ) abandoned
      where problem is not null`,
  },
];
