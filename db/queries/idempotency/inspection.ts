import type { Sql } from "@/db/client";
import type { IdempotencyKeyRow, OperationRow } from "@/db/schema/operations";
import { isOver } from "../payments/operations";
import { type ActorNames, readActorNames } from "../payments/payment-detail";

/** The key's operation at the processor, prefixed; all null while it has none. */
type OperationPart = {
  o_kind: OperationRow["kind"] | null;
  o_state: OperationRow["state"] | null;
  o_payment_id: string | null;
  o_transaction_id: string | null;
  o_attempts: number | null;
  o_unknown_at: string | null;
};

export type InspectedKey = IdempotencyKeyRow &
  OperationPart & {
    /** 24 hours old or more: counts as absent. */
    expired: boolean;
    /** The lease of the process that holds it has run out. */
    lease_over: boolean;
    expires_at: string;
  };

const columns = (sql: Sql) => sql`
  k.created_at <= now() - interval '24 hours' as expired, case when o.id is null then ${isOver(sql, "k.locked_until")} else ${isOver(sql, "o.lease_until")} end as lease_over,
  (k.created_at + interval '24 hours')::timestamptz(3) as expires_at, o.kind as o_kind, o.state as o_state,
  o.payment_id as o_payment_id, o.transaction_id as o_transaction_id, o.attempts as o_attempts, o.unknown_at as o_unknown_at`;

/** A key with its operation, or null. Indexes: primary keys of both. */
export async function findInspectedKey(sql: Sql, environmentId: string, key: string): Promise<InspectedKey | null> {
  const [row] = await sql<InspectedKey[]>`
    select k.*, k.operation_name as endpoint, ${columns(sql)}
    from idempotency_keys k
    left join operations o on o.environment_id = k.environment_id and o.id = k.operation_id
    where k.environment_id = ${environmentId}::uuid and k.key = ${key}`;
  return row ?? null;
}

export type ListedKey = Pick<
  InspectedKey,
  | "key"
  | "endpoint"
  | "path"
  | "state"
  | "status_code"
  | "replay_count"
  | "reuse_count"
  | "created_at"
  | "expired"
  | "lease_over"
  | keyof OperationPart
>;

/**
 * An environment's keys, newest first. `after`: the key before the page. Index: `idempotency_keys_recent`.
 */
export async function findRecentKeys(
  sql: Sql,
  environmentId: string,
  page: { limit: number; after: string | null },
): Promise<ListedKey[]> {
  const start =
    page.after === null
      ? sql``
      : sql`and (k.created_at, k.key) < (
          select created_at, key from idempotency_keys where environment_id = ${environmentId}::uuid and key = ${page.after})`;
  return sql<ListedKey[]>`
    select k.key, k.operation_name as endpoint, k.path, k.state, k.status_code, k.replay_count, k.reuse_count, k.created_at,
      ${columns(sql)}
    from idempotency_keys k
    left join operations o on o.environment_id = k.environment_id and o.id = k.operation_id
    where k.environment_id = ${environmentId}::uuid ${start}
    order by k.created_at desc, k.key desc
    limit ${page.limit}::int`;
}

/** Names of the actors that used a key. */
export async function readKeyActors(
  sql: Sql,
  environment: { id: string; merchantId: string },
  row: InspectedKey,
): Promise<ActorNames> {
  return readActorNames(sql, environment, row.last_reuse ? [row.actor, row.last_reuse.actor] : [row.actor]);
}
