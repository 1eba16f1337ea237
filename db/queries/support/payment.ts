import type { Sql } from "@/db/client";
import type { ActorRecord, OperationRow } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transactions/words";
import type { ClockColumns } from "../clock";
import { isOver } from "../payments/operations";

type Owner = {
  id: string;
  mode: Mode;
  merchantId: string;
  merchant_name: string;
  suspended: boolean;
} & ClockColumns;

/** Environment and merchant of a row known only by id: one primary key lookup per environment. */
export async function findOwner(
  sql: Sql,
  table: "payments" | "subscriptions" | "invoices" | "disputes",
  id: string,
): Promise<Owner | null> {
  const [row] = await sql<Owner[]>`
    select e.id, e.mode, e.merchant_id as "merchantId", m.name as merchant_name, m.suspended_at is not null as suspended,
      e.clock_offset_ms, e.clock_frozen_at
    from environments e
    cross join lateral (select from ${sql(table)} where environment_id = e.id and id = ${id}::uuid limit 1) found
    join merchants m on m.id = e.merchant_id
    limit 1`;
  return row ?? null;
}

export type SupportOperationRow = OperationRow & {
  /** A process is working on it. */
  held: boolean;
  /** Open for over 24 hours: its status is no longer checked automatically. */
  waits: boolean;
};

/** A payment's operations, newest first. Index: operations_payment. */
export async function listSupportOperations(
  sql: Sql,
  environmentId: string,
  paymentId: string,
  limit: number,
): Promise<SupportOperationRow[]> {
  return sql<SupportOperationRow[]>`
    select *, state = 'open' and not ${isOver(sql, "lease_until")} as held,
      state = 'open' and created_at <= now() - interval '24 hours' as waits
    from operations
    where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
    order by id desc
    limit ${limit}::int`;
}

export type PaymentAuditRow = {
  id: string;
  actor: ActorRecord;
  /** The user's address, or the key's name. */
  actor_name: string | null;
  action: string;
  request_id: string | null;
  created_at: string;
};

/** Audit rows of a payment, newest first. Index: audit_log_object. */
export async function listPaymentAudit(
  sql: Sql,
  environmentId: string,
  paymentId: string,
  limit: number,
): Promise<PaymentAuditRow[]> {
  return sql<PaymentAuditRow[]>`
    select a.id, a.actor, coalesce(u.email, k.name) as actor_name, a.action, a.request_id, a.created_at
    from audit_log a
    left join users u on u.id = (a.actor ->> 'id')::uuid and a.actor ->> 'type' in ('user', 'staff')
    left join api_keys k on k.environment_id = a.environment_id and k.id = (a.actor ->> 'id')::uuid
      and a.actor ->> 'type' = 'api_key'
    where a.environment_id = ${environmentId}::uuid and a.object_id = ${paymentId}::uuid
    order by a.id desc
    limit ${limit}::int`;
}
