import { DECISIVE_FIRST } from "../disputes";
import { type BookCheck, TOOK_THE_MONEY } from "./book-check";

export const PAYMENT_CHECKS: readonly BookCheck[] = [
  {
    check: "counters_match_operations",
    proves: "A payment's captured and refunded amounts are the sums of its succeeded operations.",
    sql: `
      select p.environment_id, p.id as payment_id, p.amount_captured, coalesce(s.captured, 0)::bigint as captured_by_operations,
        p.amount_refunded, coalesce(s.refunded, 0)::bigint as refunded_by_operations
      from payments p
      left join (
        select o.environment_id, o.payment_id, sum(o.amount) filter (where ${TOOK_THE_MONEY}) as captured,
          sum(o.amount) filter (where o.state = 'succeeded' and o.kind = 'refund') as refunded
        from operations o
        join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
        group by o.environment_id, o.payment_id
      ) s on s.environment_id = p.environment_id and s.payment_id = p.id
      where p.amount_captured <> coalesce(s.captured, 0) or p.amount_refunded <> coalesce(s.refunded, 0)`,
  },
  {
    check: "counters_match_ledger",
    proves: "A payment's captured and refunded amounts match the ledger.",
    sql: `
      select p.environment_id, p.id as payment_id, p.amount_captured, coalesce(l.captured, 0)::bigint as captured_by_ledger,
        p.amount_refunded, coalesce(l.refunded, 0)::bigint as refunded_by_ledger
      from payments p
      left join (
        select environment_id, payment_id,
          sum(case when debit_account = 'processor_receivable' and line = 1 then amount else 0 end) as captured,
          sum(case when credit_account = 'processor_receivable' then amount
            when debit_account = 'processor_receivable' and line = 2 then -amount else 0 end) as refunded
        from ledger_entries
        where payment_id is not null
        group by environment_id, payment_id
      ) l on l.environment_id = p.environment_id and l.payment_id = p.id
      where p.amount_captured <> coalesce(l.captured, 0) or p.amount_refunded <> coalesce(l.refunded, 0)`,
  },
  {
    check: "limits_hold",
    proves:
      "Nothing was captured beyond what was authorized, and nothing refunded or reserved beyond what was captured.",
    sql: `
      select environment_id, id as payment_id, amount, amount_captured, amount_refunded, refund_pending
      from payments
      where amount_captured not between 0 and amount or amount_refunded < 0 or refund_pending < 0
        or amount_refunded + refund_pending > amount_captured`,
  },
  {
    check: "reservations_are_open_operations",
    proves: "Each reservation of a payment is an operation without a known outcome, and vice versa.",
    sql: `
      select p.environment_id, p.id as payment_id, p.open_operation_id, s.exclusive_ids as open_operations,
        p.refund_pending, coalesce(s.refunds, 0)::bigint as open_refunds
      from payments p
      left join (
        select environment_id, payment_id, sum(amount) filter (where kind = 'refund') as refunds,
          coalesce(array_agg(id) filter (where kind <> 'refund'), '{}') as exclusive_ids
        from operations
        where state = 'open'
        group by environment_id, payment_id
      ) s on s.environment_id = p.environment_id and s.payment_id = p.id
      where p.refund_pending <> coalesce(s.refunds, 0)
        or array_remove(array[p.open_operation_id], null) <> coalesce(s.exclusive_ids, '{}')`,
  },
  {
    check: "status_follows_from_money",
    proves: "A payment's status follows from its counters, its charge's times and its last authorization.",
    sql: `
      select * from (
        select p.environment_id, p.id as payment_id, p.status, case
            when t.voided_at is not null then 'VOIDED'
            when p.amount_captured > 0 and p.amount_refunded = p.amount_captured then 'REFUNDED'
            when p.amount_captured > 0 and p.amount_refunded > 0 then 'PARTIALLY_REFUNDED'
            when p.amount_captured > 0 and t.settled_at is not null then 'SETTLED'
            when p.amount_captured > 0 then 'CAPTURED'
            when t.authorized_at is not null then 'AUTHORIZED'
            else case o.state when 'open' then 'PENDING' when 'action_required' then 'REQUIRES_ACTION'
              when 'declined' then 'DECLINED' when 'failed' then 'FAILED' else 'AUTHORIZED' end
          end as status_by_money,
          p.amount_captured, p.amount_refunded, t.authorized_at, t.captured_at, t.settled_at, t.voided_at,
          (t.captured_at is not null) <> (p.amount_captured > 0) as captured_at_is_wrong
        from payments p
        join transactions t on t.environment_id = p.environment_id and t.id = p.charge_id
        left join lateral (
          select state from operations
          where environment_id = p.environment_id and payment_id = p.id and kind in ('authorize', 'continue')
            and t.authorized_at is null
          order by kind = 'continue' desc, created_at desc
          limit 1
        ) o on true
      ) s
      where status <> status_by_money or captured_at_is_wrong`,
  },
  {
    check: "charge_has_payment_status",
    proves: "A payment has exactly one charge, with the same status, amount and currency.",
    sql: `
      select p.environment_id, p.id as payment_id, p.charge_id, t.id as transaction_id, p.status,
        t.status as charge_status, p.amount, t.amount as charge_amount, p.currency, t.currency as charge_currency
      from payments p
      left join transactions t on t.environment_id = p.environment_id and t.payment_id = p.id and t.type = 'CHARGE'
      where t.id is distinct from p.charge_id or t.amount <> p.amount or t.currency <> p.currency
        or t.status <> case p.status when 'REQUIRES_ACTION' then 'PENDING' else p.status end`,
  },
  {
    check: "payment_names_its_own",
    proves: "A payment's authorization at the processor is its own, and its refunds are of its own charge.",
    sql: `
      select p.environment_id, p.id as payment_id, p.authorization_id, null::uuid as transaction_id, 'no such authorization' as problem
      from payments p
      left join operations o on o.environment_id = p.environment_id and o.id = p.authorization_id and o.payment_id = p.id
        and o.kind = 'authorize'
      where o.id is null
      union all
      select p.environment_id, p.id, p.authorization_id, t.id, 'returns another charge'
      from transactions t
      join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
      where t.refund_of is distinct from case t.type when 'REFUND' then p.charge_id end`,
  },
  {
    check: "tokens_match_payments",
    proves: "A payment token is marked as used exactly if a payment used it, and at most one did.",
    sql: `
      select t.environment_id, t.id as payment_token_id, t.payment_id as used_by, o.payment_id
      from payment_tokens t
      join operations o on o.environment_id = t.environment_id and o.payment_token_id = t.id
      where t.payment_id is distinct from o.payment_id
      union all
      select t.environment_id, t.id, t.payment_id, null
      from payment_tokens t
      left join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
      left join operations o on o.environment_id = t.environment_id and o.id = p.authorization_id and o.payment_token_id = t.id
      where t.payment_id is not null and o.id is null
      union all
      select environment_id, payment_token_id, null, null
      from operations
      where payment_token_id is not null
      group by environment_id, payment_token_id having count(*) > 1`,
  },
  {
    check: "payment_has_environment",
    proves: "Every payment's environment exists; there is no foreign key.",
    sql: `
      select p.environment_id, p.id as payment_id from payments p
      left join environments e on e.id = p.environment_id
      where e.id is null`,
  },
  {
    check: "payment_has_connection",
    proves:
      "Every payment and token is at an existing processor: a built-in one, a connection of its environment, or the operator's in live mode. Nothing open is at a disconnected one.",
    sql: `
      select s.environment_id, s.id, s.object, s.connection_id from (
        select environment_id, id, 'payment' as object, connection_id,
          open_operation_id is not null or refund_pending > 0 or status in ('AUTHORIZED', 'REQUIRES_ACTION') as is_open
        from payments where connection_id is not null
        union all
        select environment_id, id, 'payment token', connection_id, false from payment_tokens where connection_id is not null
      ) s
      left join processor_connections c on c.environment_id = s.environment_id and c.id = s.connection_id
      where case when c.id is null
        then not exists (select from operator_connections o, environments e
          where o.id = s.connection_id and e.id = s.environment_id and e.mode = 'live')
        else c.status = 'DISCONNECTED' and s.is_open end`,
  },
  {
    check: "payment_shows_its_dispute",
    proves:
      "A payment's dispute status is that of the dispute that decides about its refunds, its disputed amount that of all that are open or lost, and every dispute's payment exists.",
    sql: `
      select coalesce(p.environment_id, d.environment_id) as environment_id, coalesce(p.id, d.payment_id) as payment_id,
        p.dispute_id, p.dispute_status, p.amount_disputed, d.id as decisive_dispute, d.status as decisive_status,
        s.amount as disputed
      from (select environment_id, id, dispute_id, dispute_status, amount_disputed from payments where dispute_id is not null
        or amount_disputed <> 0
        or exists (select from disputes d where d.environment_id = payments.environment_id and d.payment_id = payments.id)) p
      full join (
        select distinct on (environment_id, payment_id) environment_id, payment_id, id, status from disputes
        order by environment_id, payment_id, ${DECISIVE_FIRST}
      ) d on d.environment_id = p.environment_id and d.payment_id = p.id
      left join (
        select x.environment_id, x.payment_id, sum(x.amount)::bigint as amount from disputes x
        join payments of on of.environment_id = x.environment_id and of.id = x.payment_id and of.currency = x.currency
        where x.status <> 'WON' group by 1, 2
      ) s on s.environment_id = d.environment_id and s.payment_id = d.payment_id
      where (p.dispute_id, p.dispute_status, p.amount_disputed) is distinct from (d.id, d.status, coalesce(s.amount, 0))`,
  },
  {
    check: "transaction_has_payment",
    proves: "Every transaction's payment exists; there is no foreign key.",
    sql: `
      select t.environment_id, t.payment_id, t.id as transaction_id, t.type from transactions t
      left join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
      where p.id is null`,
  },
  {
    check: "created_with_id",
    proves: "Every payment and transaction was created at the time in its id, so lists are in order.",
    sql: `
      select * from (
        select 'payment' as object, environment_id, id, created_at from payments
        union all
        select 'transaction', environment_id, id, created_at from transactions
      ) r
      where (extract(epoch from created_at) * 1000)::bigint
        <> ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint`,
  },
  {
    check: "sessions_match_payments",
    proves:
      "A completed client session has exactly one payment, of its price, and an open one names its payment in progress, if any.",
    sql: `
      select s.environment_id, s.id as client_session_id, s.status, s.payment_id, s.open_payment_id,
        coalesce(t.paid, '{}') as paid, coalesce(t.under_way, '{}') as under_way, t.of_other_price
      from client_sessions s
      left join (
        select t.environment_id, t.client_session_id,
          array_agg(p.id) filter (where p.status not in ('PENDING', 'REQUIRES_ACTION', 'DECLINED', 'FAILED')) as paid,
          array_agg(p.id) filter (where p.status in ('PENDING', 'REQUIRES_ACTION')) as under_way,
          array_agg(p.id) filter (where (c.amount, c.currency) <> (t.amount, t.currency)) as of_other_price
        from transactions t
        join client_sessions c on c.environment_id = t.environment_id and c.id = t.client_session_id
        join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
        where t.client_session_id is not null and t.type = 'CHARGE'
        group by t.environment_id, t.client_session_id
      ) t on t.environment_id = s.environment_id and t.client_session_id = s.id
      where array_remove(array[s.payment_id], null) <> coalesce(t.paid, '{}')
        or array_remove(array[s.open_payment_id], null) <> coalesce(t.under_way, '{}') or t.of_other_price is not null`,
  },
  {
    check: "payment_has_its_card_on_file",
    proves: "The stored card of a payment exists, belongs to its customer and is at its connection.",
    sql: `
      select p.environment_id, p.id as payment_id, p.payment_method_id, p.initiator from payments p
      left join payment_methods m on m.environment_id = p.environment_id and m.id = p.payment_method_id
        and m.customer_id = p.customer_id and m.connection_id is not distinct from p.connection_id
      where p.payment_method_id is not null and m.id is null`,
  },
  {
    check: "removed_cards_are_not_charged",
    proves: "No payment with a stored card began after the card was removed.",
    sql: `
      select o.environment_id, o.payment_id, o.id as operation_id, p.payment_method_id, m.removed_at, o.created_at
      from payments p
      join payment_methods m on m.environment_id = p.environment_id and m.id = p.payment_method_id
      join operations o on o.environment_id = p.environment_id and o.payment_id = p.id and o.kind = 'authorize'
      where p.initiator is not null and o.created_at > m.removed_at`,
  },
  {
    check: "saved_cards_are_kept",
    proves: "Every approved payment that was to store its card did.",
    sql: `
      select p.environment_id, p.id as payment_id, p.status from payments p
      where p.saves_card and p.payment_method_id is null and exists (
        select from operations o where o.environment_id = p.environment_id and o.payment_id = p.id
          and o.kind in ('authorize', 'continue') and o.state = 'succeeded')`,
  },
];
