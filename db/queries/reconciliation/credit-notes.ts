import type { BookCheck } from "./book-check";

/** Checks that compare the documents of refunds with refunds, payments and invoices. */
export const CREDIT_NOTE_CHECKS: readonly BookCheck[] = [
  {
    check: "refunds_have_their_credit_note",
    proves:
      "Every refund that succeeded, of an invoice or of any other payment, has one document of its amount; that of a returned refund is void, and no other refund has any.",
    sql: `
      select coalesce(t.environment_id, n.environment_id) as environment_id, coalesce(t.payment_id, n.payment_id) as payment_id,
        coalesce(t.id, n.id) as refund_id, t.status, t.amount, n.number, n.amount as noted, n.voided_at
      from (select * from transactions where type = 'REFUND') t
      full join credit_notes n on n.environment_id = t.environment_id and n.id = t.id
      where case
        when t.id is null then true
        when t.status in ('CAPTURED', 'SETTLED') then
          n.id is null or n.amount <> t.amount or n.payment_id <> t.payment_id or n.voided_at is not null
        else n.id is not null and (t.status <> 'FAILED' or n.voided_at is null)
      end`,
  },
  {
    check: "credit_note_numbers_without_gaps",
    proves: "An environment's credit note numbers count from 1 without gaps.",
    sql: `
      select coalesce(c.environment_id, n.environment_id) as environment_id, c.last, n.notes, n.highest
      from credit_note_counters c
      full join (
        select environment_id, count(*) as notes, max(number) as highest from credit_notes group by environment_id
      ) n on n.environment_id = c.environment_id
      where coalesce(n.notes, 0) <> coalesce(c.last, 0) or coalesce(n.highest, 0) <> coalesce(c.last, 0)`,
  },
  {
    check: "credit_note_taxes_add_up",
    proves:
      "A payment has the tax of its invoice, its credit notes have its rate, and their taxes add up to the tax that its refunds include, none of them negative or above its amount.",
    sql: `
      select p.environment_id, p.id as payment_id, p.invoice_id, p.tax_name, p.tax_rate, i.tax_rate as invoice_rate,
        p.amount_captured, p.amount_refunded, n.tax
      from payments p
      left join invoices i on i.environment_id = p.environment_id and i.id = p.invoice_id
      left join (
        select environment_id, payment_id, coalesce(sum(tax_amount) filter (where voided_at is null), 0) as tax,
          min(coalesce(tax_rate, 0)) as lowest, max(coalesce(tax_rate, 0)) as highest, bool_or(voided_at is not null) as is_returned,
          bool_or(tax_amount not between 0 and amount) as is_beyond
        from credit_notes group by environment_id, payment_id
      ) n on n.environment_id = p.environment_id and n.payment_id = p.id
      where p.amount_captured > 0 and (
        (i.id is not null and (i.tax_rate is distinct from p.tax_rate or i.tax_name is distinct from p.tax_name))
        or n.is_beyond
        or n.lowest <> coalesce(p.tax_rate, 0) or n.highest <> coalesce(p.tax_rate, 0)
        -- After a return, the next refunds make up for the rounding; at the latest, the last one does.
        or (n.tax <> coalesce(included_tax(p.amount_refunded, p.tax_rate), 0)
          and (not n.is_returned or p.amount_refunded = p.amount_captured)))`,
  },
];
