import { getTableColumns } from "drizzle-orm";
import type { Sql, Transaction } from "@/db/client";
import { type ActorRecord, type IdempotencyKeyRow, idempotencyKeys, type OperationState } from "@/db/schema/operations";
import { isOver } from "../payments/operations";

/** The first use of a key: what it stands for, from now on. */
export type KeyClaim = {
  key: string;
  digest: Buffer;
  /** JSON text of the body as it may be kept. */
  body: string | null;
  endpoint: string;
  path: string;
  requestId: string;
  actor: ActorRecord;
  /** The operation that the same statement writes, if its guard allows. */
  operationId: string;
  leaseMs: number;
};

/** How an INSERT into `idempotency_keys k` treats a key that is there: one of 24 hours becomes this request's. */
export const TAKE_OLD_KEY = `
    on conflict (environment_id, key) do update set operation_name = excluded.operation_name, path = excluded.path,
      request_digest = excluded.request_digest, request_body = excluded.request_body, request_id = excluded.request_id,
      actor = excluded.actor, operation_id = excluded.operation_id, state = 'running', locked_until = excluded.locked_until,
      status_code = null, response_body = null, response_sealed = false, created_at = now(), completed_at = null,
      replay_count = 0, last_replayed_at = null, reuse_count = 0, last_reuse = null
    where k.created_at <= now() - interval '24 hours'`;

/**
 * INSERT that claims a key and returns one row, or none when the key is in use. A key of 24 hours counts as unused, to
 * the moment, whether or not the old row was cleaned up. `condition` is a condition of the claim.
 */
export function claimKey(sql: Sql | Transaction, environmentId: string, claim: KeyClaim, condition = sql`true`) {
  return sql`
    insert into idempotency_keys as k (environment_id, key, operation_name, path, request_digest, request_body, request_id, actor,
      operation_id, state, locked_until)
    select ${environmentId}::uuid, ${claim.key}, ${claim.endpoint}, ${claim.path}, ${claim.digest}::bytea,
      ${claim.body}::text::jsonb, ${claim.requestId}::uuid, ${claim.actor as never}::jsonb, ${claim.operationId}::uuid, 'running',
      now() + ${claim.leaseMs}::int * interval '1 ms'
    -- A conflict locks the row, which is written and waited for: a repeat reads, and only keys of one moment come to conflict.
    where ${condition} and not exists (
      select from idempotency_keys used
      where used.environment_id = ${environmentId}::uuid and used.key = ${claim.key} and used.created_at > now() - interval '24 hours')
    ${sql.unsafe(TAKE_OLD_KEY)}
    returning 1`;
}

/** Bytes of an answer that is not read together with its key. */
export const LONG_ANSWER = 256_000;

export type StoredKey = IdempotencyKeyRow & {
  /** Of the stored answer, whose text is left out when it is long. */
  response_bytes: number | null;
  /** 24 hours old or more: as good as absent. */
  expired: boolean;
  /** Null while the key has no operation (a refusal being stored). */
  operation_state: OperationState | null;
  /** Whether the lease of the process that works on it has run out. */
  lease_over: boolean;
};

const { response_body: _body, ...SHORT_COLUMNS } = getTableColumns(idempotencyKeys);
const SHORT_NAMES = Object.values(SHORT_COLUMNS).map(({ name }) => `k.${name}`);

/** The row of a key; null without one. Index: primary keys of idempotency_keys and operations. */
export async function findKey(sql: Sql, environmentId: string, key: string): Promise<StoredKey | null> {
  const [row] = await sql<StoredKey[]>`
    select ${sql(SHORT_NAMES)}, k.operation_name as endpoint, octet_length(k.response_body) as response_bytes,
      case when octet_length(k.response_body) <= ${LONG_ANSWER}::int then k.response_body end as response_body,
      k.created_at <= now() - interval '24 hours' as expired,
      (select state from operations where environment_id = k.environment_id and id = k.operation_id) as operation_state,
      coalesce((select ${isOver(sql, "lease_until")} from operations where environment_id = k.environment_id and id = k.operation_id),
        ${isOver(sql, "k.locked_until")}) as lease_over
    from idempotency_keys k
    where k.environment_id = ${environmentId}::uuid and k.key = ${key}`;
  return row ?? null;
}

/** The stored answer, however long; null when the key is gone or belongs to something else by now. Index: primary key. */
export async function findStoredAnswer(
  sql: Sql,
  environmentId: string,
  key: string,
  operationId: string | null,
): Promise<string | null> {
  const [row] = await sql<{ response_body: string | null }[]>`
    select response_body from idempotency_keys
    where environment_id = ${environmentId}::uuid and key = ${key} and operation_id is not distinct from ${operationId}::uuid`;
  return row?.response_body ?? null;
}

/** Stores a refusal under a key that this request claimed. False: the key is no longer this request's. */
export async function storeRefusal(
  sql: Sql,
  environmentId: string,
  claim: { key: string; requestId: string },
  answer: { status: number; body: string },
): Promise<boolean> {
  const rows = await sql`
    update idempotency_keys set state = 'done', status_code = ${answer.status}::smallint, response_body = ${answer.body},
      completed_at = now()
    where environment_id = ${environmentId}::uuid and key = ${claim.key} and request_id = ${claim.requestId}::uuid
      and state = 'running'
    returning 1`;
  return rows.length === 1;
}

/** Claims a key and stores its refusal at once. False: the key is in use. */
export async function claimWithRefusal(
  sql: Sql,
  environmentId: string,
  claim: KeyClaim,
  answer: { status: number; body: string },
): Promise<boolean> {
  return sql.begin(async (tx) => {
    const claimed = await claimKey(tx as unknown as Sql, environmentId, claim);
    if (claimed.length === 0) return false;
    return storeRefusal(tx as unknown as Sql, environmentId, claim, answer);
  });
}

/**
 * Frees a key that stands for nothing: no operation was written for it. Only its own request may (`requestId`), or any
 * once its lease is over (null).
 */
export async function releaseKey(
  sql: Sql,
  environmentId: string,
  key: string,
  requestId: string | null,
): Promise<void> {
  await sql`
    delete from idempotency_keys k
    where environment_id = ${environmentId}::uuid and key = ${key} and state = 'running'
      and ${requestId === null ? isOver(sql, "locked_until") : sql`request_id = ${requestId}::uuid`}
      and not exists (select from operations o where o.environment_id = k.environment_id and o.id = k.operation_id)`;
}

/**
 * Deletes keys past their 24 hours, and an hour; returns how many. They count as absent anyway. Index:
 * `idempotency_keys_recent`, read from its old end in each environment.
 */
export async function removeExpiredKeys(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from idempotency_keys
    where (environment_id, key) in (
      select old.environment_id, old.key
      from environments e cross join lateral (
        select k.environment_id, k.key from idempotency_keys k
        where k.environment_id = e.id and k.created_at <= now() - interval '25 hours'
        order by k.created_at
        limit ${limit}::int
        for update skip locked
      ) old
      limit ${limit}::int
    )`;
  return removed.count;
}
