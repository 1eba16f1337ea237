import type { BookCheck } from "./book-check";

/** Balance of processor_receivable, from the ledger alone. */
const RECEIVABLE = `
  select environment_id, currency, sum(case when debit_account = 'processor_receivable' then amount else 0 end
    - case when credit_account = 'processor_receivable' then amount else 0 end) as balance
  from ledger_entries
  group by environment_id, currency`;

/** Its expected balance, from the transactions alone: everything still to be settled, reversals included. */
const NOT_SETTLED = `
  select t.environment_id, t.currency, sum(case
      when t.type = 'CHARGE' and t.captured_at is not null and t.settled_at is null then p.amount_captured
      when t.type = 'REFUND' and t.status = 'CAPTURED' and t.settled_at is null then -t.amount
      when t.type = 'REFUND' and t.status = 'FAILED' and t.settled_at is not null and t.reversal_batch_id is null then t.amount
      else 0 end) as balance
  from transactions t
  join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
  group by t.environment_id, t.currency`;

/**
 * Each batch's figures from its transactions; a refund that failed after it was settled is in two batches.
 */
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

/** Net amount of each batch, from its charges' fees: the expected amount of its line 4. */
const BATCH_NETS = `
  select b.environment_id, b.id, b.currency, b.payout_id, b.charge_amount, b.refund_amount, b.reversal_amount,
    b.charge_amount - b.refund_amount + b.reversal_amount - coalesce(f.fees, 0) as net
  from settlement_batches b
  left join (
    select t.environment_id, t.settlement_batch_id as id, sum(l.amount) as fees
    from transactions t
    join operations o on o.environment_id = t.environment_id and o.payment_id = t.payment_id
    join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id and l.credit_account = 'fees'
    where t.type = 'CHARGE' and t.settlement_batch_id is not null
    group by 1, 2
  ) f on f.environment_id = b.environment_id and f.id = b.id`;

/** Ledger lines of batches and payouts, one text per line. */
const LINES_OF_BATCHES = `
  select environment_id, operation_id,
    array_agg(line || ' ' || debit_account || ' ' || credit_account || ' ' || amount order by line) as lines
  from ledger_entries
  where payment_id is null
  group by environment_id, operation_id`;

/** Disputes' movements that change the available balance. */
const TAKING = "select * from dispute_movements where amount <> 0 or fee <> 0";

/** The merchant's balance in an account, from the ledger alone. */
const heldIn = (account: string) => `
  select environment_id, currency, sum(case '${account}' when credit_account then amount else -amount end) as balance
  from ledger_entries where '${account}' in (debit_account, credit_account)
  group by environment_id, currency`;

export const LEDGER_CHECKS: readonly BookCheck[] = [
  {
    check: "ledger_balances",
    proves:
      "Every ledger line moves a positive amount between two accounts, for an operation, batch, payout or dispute’s movement of its currency.",
    sql: `
      select l.environment_id, l.operation_id, l.line, l.payment_id, l.debit_account, l.credit_account, l.amount, l.currency
      from ledger_entries l
      left join operations o on o.environment_id = l.environment_id and o.id = l.operation_id
      left join settlement_batches b on b.environment_id = l.environment_id and b.id = l.operation_id
      left join payouts u on u.environment_id = l.environment_id and u.id = l.operation_id
      left join dispute_movements m on m.environment_id = l.environment_id and m.id = l.operation_id
      where l.amount <= 0 or l.debit_account = l.credit_account
        or l.currency is distinct from coalesce(o.currency, b.currency, u.currency, m.currency)
        or l.payment_id is distinct from coalesce(o.payment_id, m.payment_id)`,
  },
  {
    check: "receivable_is_unsettled_money",
    proves: "The processor receivable is exactly the charges, refunds and reversals that no batch has settled yet.",
    sql: `
      select coalesce(l.environment_id, t.environment_id) as environment_id, coalesce(l.currency, t.currency) as currency,
        coalesce(l.balance, 0)::float8 as receivable, coalesce(t.balance, 0)::float8 as unsettled
      from (${RECEIVABLE}) l
      full join (${NOT_SETTLED}) t on t.environment_id = l.environment_id and t.currency = l.currency
      where coalesce(l.balance, 0) <> coalesce(t.balance, 0)`,
  },
  {
    check: "batch_is_sum_of_items",
    proves: "A settlement batch's count and totals are those of the transactions that name it.",
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
    proves:
      "A settlement batch moved exactly its totals between the bank and the processor receivable, and made exactly its net amount available.",
    sql: `
      select b.environment_id, b.id as batch_id, b.charge_amount, b.refund_amount, b.reversal_amount, b.net::float8 as net_amount,
        coalesce(l.lines, '{}') as lines
      from (${BATCH_NETS}) b
      left join (${LINES_OF_BATCHES}) l on l.environment_id = b.environment_id and l.operation_id = b.id
      where coalesce(l.lines, '{}') <> array_remove(array[
        case when b.charge_amount > 0 then '1 bank processor_receivable ' || b.charge_amount end,
        case when b.refund_amount > 0 then '2 processor_receivable bank ' || b.refund_amount end,
        case when b.reversal_amount > 0 then '3 bank processor_receivable ' || b.reversal_amount end,
        case when b.net > 0 then '4 merchant_payable merchant_available ' || b.net
          when b.net < 0 then '4 merchant_available merchant_payable ' || -b.net end], null)`,
  },
  {
    check: "payout_is_sum_of_batches",
    proves:
      "A payout is the sum of its settlement batches' net amounts and its disputes' movements, and each is in two payouts only if all but one failed.",
    sql: `
      select coalesce(u.environment_id, h.environment_id) as environment_id, u.id as payout_id, u.status, u.amount, u.dispute_amount,
        h.batch_ids, h.movement_ids, h.net::float8 as sum_of_batches, h.disputed::float8 as sum_of_disputes
      from payouts u
      full join (
        select environment_id, payout_id, coalesce(sum(net) filter (where kind = 'batch'), 0) as net,
          coalesce(sum(net) filter (where kind = 'dispute'), 0) as disputed,
          coalesce(array_agg(id order by id) filter (where kind = 'batch'), '{}') as batch_ids,
          coalesce(array_agg(id order by id) filter (where kind = 'dispute'), '{}') as movement_ids,
          array_agg(distinct currency) as currencies
        from (
          select environment_id, payout_id, id, currency, net, 'batch' as kind from (${BATCH_NETS}) n
          union all
          select environment_id, payout_id, id, currency, amount + fee, 'dispute' from dispute_movements
        ) held
        where payout_id is not null group by 1, 2
      ) h on h.environment_id = u.environment_id and h.payout_id = u.id
      where u.id is null or case u.status
        when 'FAILED' then h.payout_id is not null
        else (u.amount, u.dispute_amount, u.settlement_batch_ids, u.dispute_movement_ids, array[u.currency])
          is distinct from ((h.net + h.disputed)::bigint, h.disputed::bigint, h.batch_ids, h.movement_ids, h.currencies) end`,
  },
  {
    check: "payout_has_ledger_lines",
    proves:
      "A payout took its amount from the available balance once, and paid or returned it once, according to its status.",
    sql: `
      select u.environment_id, u.id as payout_id, u.status, u.amount, coalesce(l.lines, '{}') as lines
      from payouts u
      left join (${LINES_OF_BATCHES}) l on l.environment_id = u.environment_id and l.operation_id = u.id
      where coalesce(l.lines, '{}') <> array_remove(array[
        '1 merchant_available merchant_in_payout ' || u.amount,
        case u.status when 'PAID' then '2 merchant_in_payout bank ' || u.amount
          when 'FAILED' then '2 merchant_in_payout merchant_available ' || u.amount end], null)`,
  },
  {
    check: "balance_is_batches_and_payouts",
    proves:
      "The available balance is the net amount of batches and disputes' movements without a payout, and the amount in payout is that of payouts in transit.",
    sql: `
      select coalesce(l.environment_id, t.environment_id) as environment_id, coalesce(l.currency, t.currency) as currency,
        coalesce(l.account, t.account) as account, coalesce(l.balance, 0)::float8 as balance, coalesce(t.balance, 0)::float8 as expected
      from (
        select 'available' as account, h.* from (${heldIn("merchant_available")}) h
        union all
        select 'in_payout', h.* from (${heldIn("merchant_in_payout")}) h
      ) l
      full join (
        select 'available' as account, environment_id, currency, sum(net) as balance
        from (
          select environment_id, currency, payout_id, net from (${BATCH_NETS}) n
          union all
          select environment_id, currency, payout_id, amount + fee from (${TAKING}) m
        ) held
        where payout_id is null group by 2, 3
        union all
        select 'in_payout', environment_id, currency, sum(amount)
        from payouts where status in ('PENDING', 'IN_TRANSIT') group by 2, 3
      ) t on t.environment_id = l.environment_id and t.currency = l.currency and t.account = l.account
      where coalesce(l.balance, 0) <> coalesce(t.balance, 0)`,
  },
  {
    check: "settled_means_in_a_batch",
    proves:
      "A transaction is settled exactly if it names its batch; only a refund that failed later is in a second one.",
    sql: `
      select environment_id, payment_id, id as transaction_id, type, status, settled_at, settlement_batch_id, reversal_batch_id
      from transactions
      where (settled_at is null) <> (settlement_batch_id is null) or (status = 'SETTLED' and settled_at is null)
        or (reversal_batch_id is not null and (type <> 'REFUND' or status <> 'FAILED' or settled_at is null))
        or reversal_batch_id = settlement_batch_id`,
  },
];
