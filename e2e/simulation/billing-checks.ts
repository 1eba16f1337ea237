import type { Shop } from "./shop";

type Invoice = {
  id: string;
  status: string;
  subscription_status: string | null;
  period: string;
  amount_due: number;
  /** Approved charges at the processor that were not reversed. */
  charges: number;
  is_planned: boolean;
  is_open: boolean;
  /**
   * Payments that began after the subscription's end, or the engine's after its pause, by the environment's
   * time.
   */
  late: number;
};

/** Checks the invariants of billing in a finished world; one sentence per violation. */
export async function findBillingViolations({ ground, environment, world }: Shop): Promise<string[]> {
  const invoices = await ground.monitor<Invoice[]>`
    select i.id, i.status, s.status as subscription_status, i.amount_due::int, i.next_attempt_at is not null as is_planned,
      i.open_payment_id is not null as is_open,
      case when i.kind in ('TRIAL', 'PERIOD') and not (i.status = 'VOID' and i.change_on_payment is not null)
        then i.subscription_id || ' ' || i.cycle || ' ' || i.period_number else i.id::text end as period,
      (select count(*)::int from payments p join sandbox_processor.charges c on c.reference = p.authorization_id
        where p.environment_id = i.environment_id and p.invoice_id = i.id and c.outcome = 'approved'
          and c.behavior <> 'closed' and not exists (select from sandbox_processor.operations m
            where m.charge = c.reference and m.kind = 'void' and m.outcome = 'approved')) as charges,
      (select count(*)::int from payments p where p.environment_id = i.environment_id and p.id = any(i.payment_ids)
        and (p.created_at > s.ended_at or p.created_at > s.paused_at and exists (select from operations o
          where o.environment_id = p.environment_id and o.id = p.authorization_id and o.actor ->> 'type' = 'system'))) as late
    from invoices i left join subscriptions s on s.environment_id = i.environment_id and s.id = i.subscription_id
    where i.environment_id = ${environment.id}`;
  const found: string[] = [];
  const periods = new Set<string>();
  for (const one of invoices) {
    const expected = one.status === "PAID" && one.amount_due > 0 ? 1 : 0;
    if (one.charges !== expected) found.push(`an invoice that is ${one.status} was charged ${one.charges} times`);
    if (one.is_open) found.push(`an invoice that is ${one.status} waits for a payment that has ended`);
    if (one.is_planned && !["TRIALING", "ACTIVE", "PAST_DUE"].includes(one.subscription_status ?? ""))
      found.push(`an attempt is planned for a subscription that is ${one.subscription_status}`);
    if (one.late > 0) found.push("a payment began after its subscription had ended or was paused");
    if (periods.has(one.period)) found.push("a period has two invoices");
    periods.add(one.period);
  }
  if (invoices.filter(({ status }) => status === "PAID").length > 1) world.sometimes("a subscription renews");
  return found;
}
