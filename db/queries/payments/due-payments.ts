import type { Sql } from "@/db/client";
import { LATE_APPROVAL } from "@/lib/contract/payments/words";
import type { Mode } from "@/lib/contract/transactions/words";
import { clockNow } from "../clock";

export type DuePayment = { environment_id: string; id: string; mode: Mode };

/** A due payment and its version. */
type DueVersion = DuePayment & { version: number };

/**
 * A page of due payments: of the environments after one, in the order of their ids, at most `perEnvironment`
 * of each.
 */
export type DuePage = { readonly after: string; readonly perEnvironment: number; readonly limit: number };

/** Environments with a payment of that status, by a skip scan of its index. */
const waitingEnvironments = (sql: Sql, status: "AUTHORIZED" | "REQUIRES_ACTION", after: string) => {
  const having = sql.unsafe(`status = '${status}'`);
  const order = sql(status === "AUTHORIZED" ? "capture_before" : "updated_at");
  return sql`waiting as (
      (select environment_id from payments where ${having} and environment_id > ${after}::uuid
        order by environment_id, ${order} limit 1)
      union all
      select later.environment_id from waiting cross join lateral (
        select environment_id from payments where ${having} and environment_id > waiting.environment_id
        order by environment_id, ${order} limit 1) later
    )`;
};

/**
 * Expired authorizations without an operation in progress, each environment's oldest first. If the processor
 * refused the void, it is retried after an hour. Indexes: `payments_expiring`, `operations_payment`.
 */
export async function listExpiredAuthorizations(
  sql: Sql,
  { after, perEnvironment, limit }: DuePage,
): Promise<DuePayment[]> {
  return sql<DuePayment[]>`
    with recursive ${waitingEnvironments(sql, "AUTHORIZED", after)}
    select own.environment_id, own.id, (select mode from environments where id = own.environment_id) as mode
    from waiting cross join lateral (
      select p.environment_id, p.id from payments p
      where p.environment_id = waiting.environment_id and p.status = 'AUTHORIZED' and p.capture_before <= now()
        and p.open_operation_id is null
        and not exists (select from operations o where o.environment_id = p.environment_id and o.payment_id = p.id
          and o.kind = 'void' and o.created_at > now() - interval '1 hour')
      order by p.capture_before limit ${perEnvironment}::int
    ) own
    limit ${limit}::int`;
}

/**
 * Payments whose 3-D Secure challenge started more than `minutes` ago, each environment's oldest first.
 * Index: `payments_waiting`.
 */
export async function listAbandonedChallenges(
  sql: Sql,
  minutes: number,
  { after, perEnvironment, limit }: DuePage,
): Promise<DuePayment[]> {
  return sql<DuePayment[]>`
    with recursive ${waitingEnvironments(sql, "REQUIRES_ACTION", after)}
    select own.environment_id, own.id, (select mode from environments where id = own.environment_id) as mode
    from waiting cross join lateral (
      select environment_id, id from payments
      where environment_id = waiting.environment_id and status = 'REQUIRES_ACTION'
        and updated_at <= now() - ${minutes}::int * interval '1 minute'
      order by updated_at limit ${perEnvironment}::int
    ) own
    limit ${limit}::int`;
}

/**
 * Payments with a late approval whose void the processor refused: retried after one hour, then after two, and
 * so on. Indexes: `operations_late_approvals`, the primary key of payments.
 */
export async function listUnvoidedApprovals(sql: Sql, { after, limit }: DuePage): Promise<DueVersion[]> {
  return sql<DueVersion[]>`
    select p.environment_id, p.id, p.version, (select mode from environments where id = p.environment_id) as mode
    from (
      select environment_id, payment_id from operations
      where kind = 'void' and detail = ${sql.unsafe(`'${LATE_APPROVAL}'`)} and state <> 'open' and environment_id > ${after}::uuid
      group by environment_id, payment_id
      having not bool_or(state = 'succeeded') and max(completed_at) <= now() - count(*) * interval '1 hour'
    ) refused
    cross join lateral (
      select environment_id, id, version from payments
      where environment_id = refused.environment_id and id = refused.payment_id
        and status in ('DECLINED', 'FAILED') and open_operation_id is null
      limit 1
    ) p
    order by p.environment_id, p.id limit ${limit}::int`;
}

/** The same as {@link listExpiredAuthorizations} in one environment, by its own time. */
export async function listExpiredIn(sql: Sql, environmentId: string, limit: number): Promise<DuePayment[]> {
  return sql<DuePayment[]>`
    select p.environment_id, p.id, 'test' as mode from payments p
    where p.environment_id = ${environmentId}::uuid and p.status = 'AUTHORIZED'
      and p.capture_before <= ${clockNow(sql, environmentId)} and p.open_operation_id is null
      and not exists (select from operations o where o.environment_id = p.environment_id and o.payment_id = p.id
        and o.kind = 'void' and o.created_at > now() - interval '1 hour')
    order by p.capture_before limit ${limit}::int`;
}

/** The same as {@link listAbandonedChallenges} in one environment, by its own time. */
export async function listAbandonedIn(
  sql: Sql,
  environmentId: string,
  { minutes, limit }: { minutes: number; limit: number },
): Promise<DuePayment[]> {
  return sql<DuePayment[]>`
    select environment_id, id, 'test' as mode from payments
    where environment_id = ${environmentId}::uuid and status = 'REQUIRES_ACTION'
      and updated_at <= ${clockNow(sql, environmentId)} - ${minutes}::int * interval '1 minute'
    order by updated_at limit ${limit}::int`;
}
