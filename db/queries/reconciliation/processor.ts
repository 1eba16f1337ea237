import type { BookCheck } from "./book-check";

/**
 * The sandbox's books with the expected states of our operation. A decided challenge changes the charge,
 * while our authorization stays `action_required`. A closed reference belongs to a failed authorization. A
 * refund that failed before we knew it was accepted is only ever `declined` here.
 */
const PROCESSOR_RECORDS = `
  select c.reference, c.account, 'authorize' as kind, c.amount, c.currency, c.outcome,
    case when c.behavior = 'closed' then array['open', 'failed']
      when c.outcome = 'action_required' or exists (
        select from sandbox_processor.operations f where f.charge = c.reference and f.kind = 'continue')
      then array['action_required']
      when c.outcome = 'approved' then array['succeeded'] else array['declined'] end as states
  from sandbox_processor.charges c
  union all
  select f.reference, f.account, f.kind, f.amount, f.currency, f.outcome,
    case f.outcome when 'approved' then array['succeeded']
      when 'failed' then case when r.acknowledged_at is null then array['succeeded', 'failed', 'declined']
        else array['failed', 'declined'] end
      else array['declined', 'failed'] end
  from sandbox_processor.operations f
  left join sandbox_processor.reports r on r.reference = f.reference`;

/**
 * Excludes operations in another processor's books: the payment names a connection, has an id of the
 * processor, or was journaled before sending, because some return no id before a challenge is passed. The
 * sandbox journals nothing.
 */
const BY_THE_SANDBOX = `not exists (
        select from processor_objects k
        where k.environment_id = o.environment_id and k.payment_id = o.payment_id and k.processor <> 'sandbox')
        and not exists (
        select from payments n
        where n.environment_id = o.environment_id and n.id = o.payment_id and n.connection_id is not null)
        and not exists (select from processor_journal j where j.subject = o.id::text)`;

export const PROCESSOR_CHECKS: readonly BookCheck[] = [
  {
    check: "processor_knows_our_operations",
    proves: "The sandbox processor has every operation with a known outcome under our reference.",
    sql: `
      select o.environment_id, o.payment_id, o.id as operation_id, o.kind, o.state, o.amount, o.currency
      from operations o
      join environments e on e.id = o.environment_id and e.mode = 'test'
      left join sandbox_processor.charges c on c.reference = o.id and o.kind = 'authorize'
      left join sandbox_processor.operations f on f.reference = o.id and f.kind = o.kind
      where o.state in ('succeeded', 'declined', 'action_required') and c.reference is null and f.reference is null
        and ${BY_THE_SANDBOX}`,
  },
  {
    check: "we_know_the_processors_operations",
    proves: "Every operation of the sandbox processor is in our books, with the same result, amount and currency.",
    sql: `
      select r.account as environment_id, o.payment_id, r.reference as operation_id, r.kind, r.outcome as processor_outcome,
        o.state, r.amount as processor_amount, o.amount, r.currency as processor_currency, o.currency
      from (${PROCESSOR_RECORDS}) r
      left join operations o on o.environment_id = r.account and o.id = r.reference
      where o.id is null or o.kind <> r.kind or o.amount <> r.amount or o.currency <> r.currency
        or (o.state <> 'open' and o.state <> all(r.states))`,
  },
  {
    check: "processor_moved_the_same_money",
    proves:
      "For payments without an open operation, the sandbox processor's held, refunded and released amounts match ours, and those that ended unpaid have none.",
    sql: `
      select p.environment_id, p.id as payment_id, p.status, p.amount_captured, c.amount_captured as processor_captured,
        p.amount_refunded, c.amount_refunded as processor_refunded, c.voided as processor_voided
      from payments p
      join sandbox_processor.charges c on c.account = p.environment_id and c.reference = p.authorization_id
      where p.open_operation_id is null and p.refund_pending = 0
        and case when p.status in ('DECLINED', 'FAILED') then c.amount_captured <> c.amount_refunded
          else p.amount_captured <> c.amount_captured or p.amount_refunded <> c.amount_refunded
            or (p.status = 'VOIDED') <> c.voided end
        and not exists (
          select from sandbox_processor.operations f
          join sandbox_processor.reports r on r.reference = f.reference
          where f.charge = c.reference and r.applied_at is not null and r.acknowledged_at is null)`,
  },
];
