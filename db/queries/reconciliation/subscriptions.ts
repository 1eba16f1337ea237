import type { BookCheck } from "./book-check";

/** Checks that compare subscriptions and invoices with each other and with payments. */
export const SUBSCRIPTION_CHECKS: readonly BookCheck[] = [
  {
    check: "one_invoice_for_each_period",
    proves: "Every period of a subscription has at most one invoice, and none was skipped.",
    sql: `
      select environment_id, subscription_id, cycle, period_number, count(*) as invoices, 'twice' as how
      from invoices
      where kind in ('TRIAL', 'PERIOD') and not (status = 'VOID' and change_on_payment is not null)
      group by environment_id, subscription_id, cycle, period_number having count(*) > 1
      union all
      select s.environment_id, s.id, s.cycle, n, 0, 'skipped'
      from subscriptions s cross join lateral generate_series(1, s.period_number) n
      where s.status <> 'INCOMPLETE' and not exists (
        select from invoices i where i.environment_id = s.environment_id and i.subscription_id = s.id
          and i.cycle = s.cycle and i.period_number = n and i.kind = 'PERIOD')`,
  },
  {
    check: "paid_invoices_have_their_payment",
    proves:
      "Each invoice that was paid was paid once, by a payment of its amount, and no other payment took money for it.",
    sql: `
      select i.environment_id, i.id as invoice_id, i.status, i.amount_due, p.paid, p.payments
      from invoices i cross join lateral (
        select coalesce(sum(amount_captured), 0)::bigint as paid, count(*) filter (where amount_captured > 0) as payments
        from payments p where p.environment_id = i.environment_id and p.id = any(i.payment_ids)
      ) p
      where p.paid <> i.amount_paid or p.payments <> case when i.amount_paid > 0 then 1 else 0 end
        or (i.status = 'PAID') <> (i.paid_at is not null)`,
  },
  {
    check: "payments_know_their_invoice",
    proves:
      "A payment of an invoice that took money is among that invoice's payments, for its subscription and customer.",
    sql: `
      select p.environment_id, p.id as payment_id, p.invoice_id, i.subscription_id
      from payments p
      join transactions t on t.environment_id = p.environment_id and t.id = p.charge_id
      left join invoices i on i.environment_id = p.environment_id and i.id = p.invoice_id
      where p.invoice_id is not null and p.amount_captured > 0 and (
        i.id is null or not p.id = any(i.payment_ids) or t.subscription_id is distinct from i.subscription_id
        or p.customer_id is distinct from i.customer_id or p.currency <> i.currency or p.amount <> i.amount_due)`,
  },
  {
    check: "invoice_totals_follow_from_lines",
    proves: "An invoice's total is the sum of its lines.",
    sql: `
      select environment_id, id as invoice_id, total from invoices
      where total <> (select coalesce(sum((line ->> 'amount')::bigint), 0) from jsonb_array_elements(lines) line)`,
  },
  {
    check: "invoice_numbers_without_gaps",
    proves: "An environment's invoice numbers count from 1 without gaps.",
    sql: `
      select c.environment_id, c.last, count(i.number) as numbered, max(i.number) as highest
      from invoice_counters c
      left join invoices i on i.environment_id = c.environment_id and i.number is not null
      group by c.environment_id, c.last
      having count(i.number) <> c.last or coalesce(max(i.number), 0) <> c.last`,
  },
  {
    check: "no_charge_after_the_end",
    proves: "No payment of a subscription began after it had ended.",
    sql: `
      select p.environment_id, p.id as payment_id, s.id as subscription_id, p.created_at, s.ended_at
      from subscriptions s
      join invoices i on i.environment_id = s.environment_id and i.subscription_id = s.id
      join payments p on p.environment_id = i.environment_id and p.id = any(i.payment_ids)
      where s.status in ('CANCELLED', 'EXPIRED') and p.created_at > s.updated_at`,
  },
  {
    check: "attempts_are_planned_only_while_it_runs",
    proves: "No further attempt is planned on an invoice that has ended, or whose subscription has ended or is paused.",
    sql: `
      select i.environment_id, i.id as invoice_id, i.status, i.next_attempt_at, s.status as subscription_status
      from invoices i
      left join subscriptions s on s.environment_id = i.environment_id and s.id = i.subscription_id
      where i.next_attempt_at is not null
        and (i.status <> 'OPEN' or s.id is null or s.status not in ('TRIALING', 'ACTIVE', 'PAST_DUE'))`,
  },
  {
    check: "open_attempts_are_payments_in_progress",
    proves:
      "An invoice waits only for its own payment, whose outcome is unknown or which needs the customer or a capture.",
    sql: `
      select i.environment_id, i.id as invoice_id, i.open_payment_id, p.status
      from invoices i
      left join payments p on p.environment_id = i.environment_id and p.id = i.open_payment_id
      where i.open_payment_id is not null
        and (p.id is null or p.invoice_id is distinct from i.id or p.status not in ('PENDING', 'REQUIRES_ACTION', 'AUTHORIZED'))`,
  },
];
