import type { Sql } from "@/db/client";
import type { ClientSessionRow } from "@/db/schema/client-sessions";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { DeclineCode } from "@/lib/contract/errors";
import type { NextAction, PaymentStatus } from "@/lib/contract/payments/payment";
import type { PlanStatus } from "@/lib/contract/plans/plan";
import type { Mode } from "@/lib/contract/transactions/words";

/** A session with all that its payment form shows. */
export type CheckoutRow = ClientSessionRow & {
  mode: Mode;
  merchant_id: string;
  merchant_name: string;
  suspended: boolean;
  /** Somebody of the merchant proved an e-mail address. */
  verified: boolean;
  checkout_appearance: Appearance | null;
  plan_name: string | null;
  plan_status: PlanStatus | null;
  /** Of the newest payment that was made in it; null before the first. */
  last_payment_id: string | null;
  last_payment_status: PaymentStatus | null;
  last_next_action: NextAction | null;
  last_decline_code: DeclineCode | null;
};

/**
 * The session behind a token's digest. Indexes: `client_sessions_token`, `transactions_client_session`, primary keys. What it
 * joins is looked up row by row: forms ask every other second, also with plans made while the tables are empty.
 */
export async function findCheckoutRow(sql: Sql, tokenSha256: Buffer): Promise<CheckoutRow | null> {
  const [row] = await sql<CheckoutRow[]>`
    select s.*, e.mode, e.merchant_id, e.checkout_appearance, m.name as merchant_name, m.suspended_at is not null as suspended,
      exists (select from users u where u.merchant_id = m.id and u.owns_email) as verified,
      plan.name as plan_name, plan.status as plan_status, p.id as last_payment_id, p.status as last_payment_status, p.next_action as last_next_action,
      t.decline_code as last_decline_code
    from client_sessions s
    join environments e on e.id = s.environment_id
    join merchants m on m.id = e.merchant_id
    left join lateral (
      select name, status from plans where environment_id = s.environment_id and id = s.plan_id limit 1
    ) plan on true
    left join lateral (
      select payment_id, decline_code from transactions
      where environment_id = s.environment_id and client_session_id = s.id and type = 'CHARGE'
      order by id desc limit 1
    ) t on true
    left join lateral (
      select id, status, next_action from payments
      where environment_id = s.environment_id and id = coalesce(s.payment_id, s.open_payment_id, t.payment_id)
      limit 1
    ) p on true
    where s.token_sha256 = ${tokenSha256}`;
  return row ?? null;
}
