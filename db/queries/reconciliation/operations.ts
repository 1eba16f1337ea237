import { type BookCheck, TOOK_THE_MONEY } from "./book-check";

export const OPERATION_CHECKS: readonly BookCheck[] = [
  {
    check: "operation_has_transaction",
    proves:
      "Every operation belongs to one transaction of its payment, and every transaction was made by exactly one operation.",
    sql: `
      select o.environment_id, o.payment_id, o.id as operation_id, o.kind, o.transaction_id,
        'no such transaction of this payment, kind, amount and currency' as problem
      from operations o
      left join transactions t on t.environment_id = o.environment_id and t.id = o.transaction_id
        and t.payment_id = o.payment_id and t.currency = o.currency
        and t.type = case o.kind when 'refund' then 'REFUND' else 'CHARGE' end
        and case o.kind when 'capture' then o.amount <= t.amount else o.amount = t.amount end
      where t.id is null
      union all
      select t.environment_id, t.payment_id, null, t.type, t.id, coalesce(s.makers, 0) || ' operations made it'
      from transactions t
      left join (
        select environment_id, transaction_id, count(*) as makers
        from operations
        where kind in ('authorize', 'refund')
        group by environment_id, transaction_id
      ) s on s.environment_id = t.environment_id and s.transaction_id = t.id
      where coalesce(s.makers, 0) <> 1`,
  },
  {
    check: "processor_object_has_operation",
    proves: "Every stored id of a processor's object belongs to an operation of that payment.",
    sql: `
      select k.environment_id, k.payment_id, k.operation_id, k.processor, k.kind, k.object_id
      from processor_objects k
      left join operations o on o.environment_id = k.environment_id and o.id = k.operation_id and o.payment_id = k.payment_id
      where o.id is null`,
  },
  {
    check: "operation_has_payment",
    proves: "Every operation's payment exists; there is no foreign key.",
    sql: `
      select o.environment_id, o.payment_id, o.id as operation_id, o.kind, o.state from operations o
      left join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
      where p.id is null`,
  },
  {
    check: "late_approvals_are_undone",
    proves: "Every late approval by a processor was reversed, or is being reversed.",
    sql: `
      select distinct on (o.environment_id, o.payment_id) o.environment_id, o.payment_id, p.status, o.id as operation_id, o.state,
        o.amount, o.currency, o.last_answer
      from operations o
      join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
      where o.kind = 'void' and o.state in ('declined', 'failed') and p.status in ('DECLINED', 'FAILED')
        and p.open_operation_id is null and not exists (
          select from operations d where d.environment_id = o.environment_id and d.payment_id = o.payment_id
            and d.kind = 'void' and d.state = 'succeeded')
      order by o.environment_id, o.payment_id, o.created_at desc`,
  },
  {
    check: "refund_status_follows_from_operation",
    proves: "A refund's status follows from its operation.",
    sql: `
      select t.environment_id, t.payment_id, t.id as transaction_id, t.status, t.settled_at, o.id as operation_id, o.state
      from transactions t
      join operations o on o.environment_id = t.environment_id and o.transaction_id = t.id and o.kind = 'refund'
      where t.type = 'REFUND' and t.status <> case o.state when 'open' then 'PENDING'
        when 'succeeded' then case when t.settled_at is null then 'CAPTURED' else 'SETTLED' end else 'FAILED' end`,
  },
  {
    check: "approval_is_one_refund",
    proves:
      "Every approved request for a refund is exactly one refund of its amount, and every refund under a request's key was approved.",
    sql: `
      select r.environment_id, r.subject_id as payment_id, r.id as approval_request_id, r.operation_id, r.amount,
        'no such refund of this payment, amount and currency' as problem
      from approval_requests r
      left join operations o on o.environment_id = r.environment_id and o.id = r.operation_id and o.kind = 'refund'
        and o.payment_id = r.subject_id and o.amount = r.amount and o.currency = r.currency
      where r.status = 'APPROVED' and r.action = 'REFUND' and o.id is null
      union all
      select o.environment_id, o.payment_id, null, o.id, o.amount, coalesce(r.approvals, 0) || ' requests approved it'
      from operations o
      left join (
        select environment_id, operation_id, count(*) as approvals
        from approval_requests where status = 'APPROVED' group by environment_id, operation_id
      ) r on r.environment_id = o.environment_id and r.operation_id = o.id
      where o.kind = 'refund' and coalesce(r.approvals, 0) <> case when o.idempotency_key like 'apr\\_%:refund' then 1 else 0 end`,
  },
  {
    check: "operation_has_ledger_lines",
    proves:
      "Each operation that moved money has ledger lines for its amount and for the fee at its recorded rate; no other operation has any.",
    sql: `
      select * from (
        select o.environment_id, o.payment_id, o.id as operation_id, o.kind, o.state, o.amount, o.fee_basis_points,
          coalesce(l.lines, '{}') as lines,
          case
            when ${TOOK_THE_MONEY} then o.fee_basis_points is not null
              and coalesce(l.lines, '{}') = array_remove(array['1 processor_receivable merchant_payable ' || o.amount,
                '2 merchant_payable fees ' || nullif((o.amount * o.fee_basis_points + 5000) / 10000, 0)], null)
            when o.fee_basis_points is not null then false
            when o.state = 'succeeded' and o.kind = 'refund' then
              coalesce(l.lines, '{}') = array['1 merchant_payable processor_receivable ' || o.amount]
            when o.state = 'failed' and o.kind = 'refund' then
              l.lines is null or l.lines = array['1 merchant_payable processor_receivable ' || o.amount,
                '2 processor_receivable merchant_payable ' || o.amount]
            else l.lines is null
          end as as_expected
        from operations o
        join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
        left join (
          select environment_id, operation_id,
            array_agg(line || ' ' || debit_account || ' ' || credit_account || ' ' || amount order by line) as lines
          from ledger_entries
          group by environment_id, operation_id
        ) l on l.environment_id = o.environment_id and l.operation_id = o.id
      ) s
      where as_expected is not true`,
  },
  {
    check: "outcome_has_event",
    proves:
      "Every outcome of an operation, returned refund and settlement batch has its own event, besides those of the transactions that it changed.",
    sql: `
      select s.environment_id, s.id as operation_id, s.kind, s.outcomes, coalesce(e.events, 0) as events
      from (
        select o.environment_id, o.id, o.kind::text as kind, 1 + count(l.line) as outcomes
        from operations o
        left join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id
          and o.kind = 'refund' and l.line = 2
        where o.state <> 'open'
        group by o.environment_id, o.id
        union all
        select environment_id, id, 'settlement', 1 from settlement_batches
      ) s
      left join (
        select environment_id, operation_id, count(*) as events
        from events
        where operation_id is not null and type not like 'transaction.%'
        group by environment_id, operation_id
      ) e on e.environment_id = s.environment_id and e.operation_id = s.id
      where coalesce(e.events, 0) < s.outcomes`,
  },
  {
    check: "events_are_numbered",
    proves:
      "Each object's events are numbered from 1 without gaps, and each payment and transaction has its last event's number.",
    sql: `
      select coalesce(e.environment_id, o.environment_id) as environment_id, coalesce(e.object_id, o.id) as object_id,
        e.events, e.first, e.last, o.event_sequence
      from (
        select environment_id, object_id, count(*) as events, min(sequence) as first, max(sequence) as last
        from events
        group by environment_id, object_id
      ) e
      full join (
        select environment_id, id, event_sequence from payments
        union all
        select environment_id, id, event_sequence from transactions
      ) o on o.environment_id = e.environment_id and o.id = e.object_id
      where e.first <> 1 or e.last <> e.events or o.event_sequence <> coalesce(e.last, 0)`,
  },
  {
    check: "outcome_has_audit_row",
    proves: "Every outcome of an operation and every settlement batch left a row in the audit log.",
    sql: `
      select s.environment_id, s.object_id, s.outcomes, coalesce(a.audit_rows, 0) as audit_rows
      from (
        select o.environment_id, o.payment_id as object_id, count(*) + count(l.line) as outcomes
        from operations o
        left join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id
          and o.kind = 'refund' and l.line = 2
        where o.state <> 'open'
        group by o.environment_id, o.payment_id
        union all
        select environment_id, id, 1 from settlement_batches
      ) s
      left join (
        select environment_id, object_id, count(*) as audit_rows
        from audit_log
        group by environment_id, object_id
      ) a on a.environment_id = s.environment_id and a.object_id = s.object_id
      where coalesce(a.audit_rows, 0) < s.outcomes`,
  },
  {
    check: "answered_keys_are_completed",
    proves: "An idempotency key with a stored response has an operation with a known outcome.",
    sql: `
      select k.environment_id, k.key, k.operation_name as endpoint, k.status_code, k.operation_id, o.state as operation_state
      from idempotency_keys k
      left join operations o on o.environment_id = k.environment_id and o.id = k.operation_id
      where k.state = 'done' and k.operation_id is not null
        -- The processor's reference of a card check or of a response to a dispute, which are no operations.
        and k.operation_name not in ('createPaymentMethod', 'setUpClientSession', 'submitDispute', 'acceptDispute')
        and (o.state = 'open' or (o.id is null and k.status_code between 200 and 299))`,
  },
];
