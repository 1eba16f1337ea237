import type { BookCheck } from "./check";

/** What processor_receivable holds, from the ledger alone. */
const RECEIVABLE = `
  select environment_id, currency, sum(case when debit_account = 'processor_receivable' then amount else 0 end
    - case when credit_account = 'processor_receivable' then amount else 0 end) as balance
  from ledger_entries
  group by environment_id, currency`;

/** What it should hold, from the transactions alone: what a settlement batch is still going to take, reversals included. */
const NOT_SETTLED = `
  select t.environment_id, t.currency, sum(case
      when t.type = 'CHARGE' and t.captured_at is not null and t.settled_at is null then p.amount_captured
      when t.type = 'REFUND' and t.status = 'CAPTURED' and t.settled_at is null then -t.amount
      when t.type = 'REFUND' and t.status = 'FAILED' and t.settled_at is not null and t.reversal_batch_id is null then t.amount
      else 0 end) as balance
  from transactions t
  join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
  group by t.environment_id, t.currency`;

/** What the transactions say of each batch; a refund that failed after it was settled is an item of two batches. */
const BATCH_ITEMS = `
  select t.environment_id, t.settlement_batch_id as id, t.type as kind, t.currency,
    case t.type when 'CHARGE' then p.amount_captured else t.amount end as amount
  from transactions t
  join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
  where t.settlement_batch_id is not null
  union all
  select environment_id, reversal_batch_id, 'REVERSAL', currency, amount
  from transactions
  where reversal_batch_id is not null`;

export const LEDGER_CHECKS: readonly BookCheck[] = [
  {
    check: "ledger_balances",
    proves:
      "Every ledger line moves a positive amount between two accounts, for an operation or batch of its currency.",
    sql: `
      select l.environment_id, l.operation_id, l.line, l.payment_id, l.debit_account, l.credit_account, l.amount, l.currency
      from ledger_entries l
      left join operations o on o.environment_id = l.environment_id and o.id = l.operation_id
      left join settlement_batches b on b.environment_id = l.environment_id and b.id = l.operation_id
      where l.amount <= 0 or l.debit_account = l.credit_account
        or l.currency is distinct from coalesce(o.currency, b.currency) or l.payment_id is distinct from o.payment_id`,
  },
  {
    check: "receivable_is_unsettled_money",
    proves:
      "What the processor still owes us is exactly the charges, refunds and reversals that no batch has settled yet.",
    sql: `
      select coalesce(l.environment_id, t.environment_id) as environment_id, coalesce(l.currency, t.currency) as currency,
        coalesce(l.balance, 0)::float8 as receivable, coalesce(t.balance, 0)::float8 as unsettled
      from (${RECEIVABLE}) l
      full join (${NOT_SETTLED}) t on t.environment_id = l.environment_id and t.currency = l.currency
      where coalesce(l.balance, 0) <> coalesce(t.balance, 0)`,
  },
  {
    check: "batch_is_sum_of_items",
    proves: "A settlement batch counts and adds up exactly the transactions that name it.",
    sql: `
      select * from (
        select coalesce(b.environment_id, i.environment_id) as environment_id, coalesce(b.id, i.id) as batch_id, b.currency,
          b.charge_count, coalesce(i.charge_count, 0) as charges, b.charge_amount,
          coalesce(i.charge_amount, 0)::bigint as sum_of_charges, b.refund_count, coalesce(i.refund_count, 0) as refunds,
          b.refund_amount, coalesce(i.refund_amount, 0)::bigint as sum_of_refunds, b.reversal_count,
          coalesce(i.reversal_count, 0) as reversals, b.reversal_amount,
          coalesce(i.reversal_amount, 0)::bigint as sum_of_reversals, i.currencies
        from settlement_batches b
        full join (
          select environment_id, id, array_agg(distinct currency) as currencies,
            count(*) filter (where kind = 'CHARGE') as charge_count, sum(amount) filter (where kind = 'CHARGE') as charge_amount,
            count(*) filter (where kind = 'REFUND') as refund_count, sum(amount) filter (where kind = 'REFUND') as refund_amount,
            count(*) filter (where kind = 'REVERSAL') as reversal_count,
            sum(amount) filter (where kind = 'REVERSAL') as reversal_amount
          from (${BATCH_ITEMS}) items
          group by environment_id, id
        ) i on i.environment_id = b.environment_id and i.id = b.id
      ) s
      where (charge_count, charge_amount, refund_count, refund_amount, reversal_count, reversal_amount, array[currency])
        is distinct from (charges, sum_of_charges, refunds, sum_of_refunds, reversals, sum_of_reversals, currencies)`,
  },
  {
    check: "batch_has_ledger_lines",
    proves: "A settlement batch moved exactly its totals between the bank and what the processor owes us.",
    sql: `
      select b.environment_id, b.id as batch_id, b.charge_amount, b.refund_amount, b.reversal_amount,
        coalesce(l.lines, '{}') as lines
      from settlement_batches b
      left join (
        select environment_id, operation_id,
          array_agg(line || ' ' || debit_account || ' ' || credit_account || ' ' || amount order by line) as lines
        from ledger_entries
        where payment_id is null
        group by environment_id, operation_id
      ) l on l.environment_id = b.environment_id and l.operation_id = b.id
      where coalesce(l.lines, '{}') <> array_remove(array[
        case when b.charge_amount > 0 then '1 bank processor_receivable ' || b.charge_amount end,
        case when b.refund_amount > 0 then '2 processor_receivable bank ' || b.refund_amount end,
        case when b.reversal_amount > 0 then '3 bank processor_receivable ' || b.reversal_amount end], null)`,
  },
  {
    check: "settled_means_in_a_batch",
    proves:
      "A transaction is settled exactly when it names the batch that settled it; only a refund that failed since is in a second one.",
    sql: `
      select environment_id, payment_id, id as transaction_id, type, status, settled_at, settlement_batch_id, reversal_batch_id
      from transactions
      where (settled_at is null) <> (settlement_batch_id is null) or (status = 'SETTLED' and settled_at is null)
        or (reversal_batch_id is not null and (type <> 'REFUND' or status <> 'FAILED' or settled_at is null))
        or reversal_batch_id = settlement_batch_id`,
  },
];
