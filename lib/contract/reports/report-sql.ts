/** The SQL of reports. `:environment`, `:from` and `:before` stand for their values. */
import type { ReportType } from "./report-types";

/** Each subscription as its last event before the end of the range has it, if it pays or churned in the range. */
export const SUBSCRIPTION_ROWS = `select subscription_id, customer_id, customer_email, plan_name, status, currency, quantity, amount, every,
  is_paying::int as paying, (case when is_paying then monthly else 0 end)::float8 as mrr,
  (not is_paying)::int as churned, (case when is_paying then 0 else monthly end)::float8 as churned_mrr, started_at, ended_at
from (
  select s.id as subscription_id, s.currency, object ->> 'customer_id' as customer_id, object ->> 'customer_email' as customer_email,
    object #>> '{plan,name}' as plan_name, object ->> 'status' as status, (object ->> 'quantity')::int as quantity,
    (object #>> '{plan,amount}')::float8 as amount,
    case object #>> '{plan,interval,value}' when '1' then rtrim(lower(object #>> '{plan,interval,unit}'), 's')
      else (object #>> '{plan,interval,value}') || ' ' || lower(object #>> '{plan,interval,unit}') end as every,
    object ->> 'status' in ('ACTIVE', 'PAST_DUE') as is_paying,
    round((object #>> '{plan,amount}')::numeric * (object ->> 'quantity')::int
      * case object #>> '{plan,interval,unit}' when 'DAYS' then 365 when 'WEEKS' then 52 else 12 end
      / (12 * (object #>> '{plan,interval,value}')::int)) as monthly,
    (object #>> '{period,number}')::int as period_number,
    object ->> 'created_at' as started_at, object ->> 'ended_at' as ended_at
  from subscriptions s
  cross join lateral (
    select data -> 'object' as object from events
    where environment_id = s.environment_id and object_id = s.id and created_at < :before
    order by sequence desc limit 1
  ) last
  where s.environment_id = :environment
) subscribed
where is_paying or (status = 'CANCELLED' and period_number > 0
  and ended_at::timestamptz >= :from and ended_at::timestamptz < :before)`;

/** Disputes that banks opened in the range, as the processor last reported them. */
export const DISPUTE_ROWS = `select created_at as opened_at, id as dispute_id, status, reason, transaction_id, payment_id, currency,
  amount::float8 as amount, (case when status in ('LOST', 'ACCEPTED') then amount else 0 end)::float8 as lost,
  coalesce(fee, 0)::float8 as fee, respond_by, network_reason_code, customer_id
from disputes where environment_id = :environment and created_at >= :from and created_at < :before`;

const sumsOf = (names: readonly string[], rows: string): string =>
  `select currency, ${names.map((name) => `sum(${name}) as ${name}`).join(", ")}
from (
${rows.replaceAll(/^/gm, "  ")}
) listed
group by currency order by currency`;

/**
 * The totals from the ledger alone, as merchants are shown them; a test compares them with the reports.
 * `ledger_measure` names the kind of a ledger line.
 */
const totalsOf = (sums: readonly string[], period = "created_at >= :from and created_at < :before"): string =>
  `select currency,
  ${sums.join(",\n  ")}
from (
  select *, ledger_measure(debit_account, credit_account, line) as measure
  from ledger_entries where environment_id = :environment and ${period}
) lines
group by currency order by currency`;
const sumWhere = (condition: string): string => `coalesce(sum(amount) filter (where ${condition}), 0)`;
const signedBy = (plus: string, minus: string) =>
  `${sumWhere(`measure in (${plus})`)}
    - ${sumWhere(`measure in (${minus})`)}`;

/** Measures of disputes: what left the available balance, and what returned to it. */
const TAKEN = "'disputed', 'dispute_fee'";
const RETURNED = "'dispute_returned', 'dispute_fee_returned'";

export const TOTALS_SQL: Record<ReportType, string> = {
  activity: totalsOf([
    "count(*) filter (where measure = 'captured') as captures",
    `${sumWhere("measure = 'captured'")} as gross`,
    "count(*) filter (where measure = 'refunded') as refund_count",
    `${signedBy("'refunded'", "'refund_failed'")} as refunds`,
    `${sumWhere("measure = 'fee'")} as fees`,
    `${signedBy(`'captured', 'refund_failed', ${RETURNED}`, `'refunded', 'fee', ${TAKEN}`)} as net`,
    `${signedBy("'disputed'", "'dispute_returned'")} as disputes`,
    `${signedBy("'dispute_fee'", "'dispute_fee_returned'")} as dispute_fees`,
  ]),
  balance: totalsOf(
    [
      `${signedBy("'captured', 'refund_failed', 'settled_back'", "'refunded', 'fee', 'settled'")} as pending`,
      `${signedBy(`'settled', 'payout_failed', ${RETURNED}`, `'settled_back', 'payout', ${TAKEN}`)} as available`,
      `${signedBy("'payout'", "'payout_failed', 'payout_paid'")} as in_payout`,
      `${signedBy("'captured', 'refund_failed', 'dispute_paid_back'", "'refunded', 'fee', 'payout_paid', 'dispute_paid'")} as balance`,
      `${signedBy(`${TAKEN}, 'dispute_paid_back'`, `${RETURNED}, 'dispute_paid'`)} as in_dispute`,
    ],
    "created_at < :before",
  ),
  payouts: totalsOf([`${signedBy("'payout'", "'payout_failed'")} as net`]),
  fees: totalsOf([`${sumWhere("measure = 'fee'")} as fee`]),
  disputes: sumsOf(["amount", "lost", "fee"], DISPUTE_ROWS),
  subscriptions: sumsOf(["paying", "mrr", "churned", "churned_mrr"], SUBSCRIPTION_ROWS),
  transactions: totalsOf([
    `${signedBy(`'captured', 'refund_failed', ${RETURNED}`, `'refunded', ${TAKEN}`)} as amount`,
    `${sumWhere("measure = 'fee'")} as fee`,
    `${signedBy(`'captured', 'refund_failed', ${RETURNED}`, `'refunded', 'fee', ${TAKEN}`)} as net`,
  ]),
};
