import type { Sql } from "@/db/client";
import type { NextAction } from "@/lib/contract/payments/payment";

/** Customer actions that payments in progress require, by subscription. */
export async function findNextActions(
  sql: Sql,
  environmentId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, NextAction>> {
  if (subscriptionIds.length === 0) return new Map();
  const rows = await sql<{ id: string; action: NextAction }[]>`
    select i.subscription_id as id, p.next_action as action
    from invoices i join payments p on p.environment_id = i.environment_id and p.id = i.open_payment_id
    where i.environment_id = ${environmentId}::uuid and i.subscription_id = any(${subscriptionIds as never}::uuid[])
      and p.status = 'REQUIRES_ACTION' and p.next_action is not null`;
  return new Map(rows.map(({ id, action }) => [id, action]));
}
