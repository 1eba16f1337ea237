import { sql as builder, type SQL } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import type { ActorRecord, IdempotencyKeyRow, KeyReuse, OperationState } from "@/db/schema/operations";
import { isOver, isOverText } from "../payments/operations";
import { columnList, type Fragment, json } from "../statement-text";

/** The first use of a key: the request that it identifies from now on. */
export type KeyClaim = {
  key: string;
  digest: Buffer;
  /** JSON text of the body, by `keepableBody`. */
  body: string | null;
  endpoint: string;
  path: string;
  requestId: string;
  actor: ActorRecord;
  /**
   * The operation that the same statement writes, if its guard allows; null for requests that move no money.
   */
  operationId: string | null;
  leaseMs: number;
};

/** postgres.js and the query builder both build statements from templates. */
type Tag<T> = (text: TemplateStringsArray, ...values: unknown[]) => T;

/**
 * INSERT that claims a key and returns one row, or none if the key is in use. After exactly 24 hours a key
 * counts as unused, and its old row, if not cleaned up yet, is overwritten. `condition`: an additional
 * condition of the claim.
 */
const claimText = <T>(sql: Tag<T>, environmentId: string, claim: KeyClaim, condition: T): T => sql`
    insert into idempotency_keys as k (environment_id, key, operation_name, path, request_digest, request_body, request_id, actor,
      operation_id, state, locked_until)
    select ${environmentId}::uuid, ${claim.key}, ${claim.endpoint}, ${claim.path}, ${claim.digest}::bytea,
      ${claim.body}::text::jsonb, ${claim.requestId}::uuid, ${JSON.stringify(claim.actor)}::text::jsonb,
      ${claim.operationId}::uuid, 'running', now() + ${claim.leaseMs}::int * interval '1 ms'
    -- ON CONFLICT locks the row, which costs a write and a wait. A repeat is filtered out by a read; only races conflict.
    where ${condition} and not exists (
      select from idempotency_keys used
      where used.environment_id = ${environmentId}::uuid and used.key = ${claim.key} and used.created_at > now() - interval '24 hours')
    on conflict (environment_id, key) do update set operation_name = excluded.operation_name, path = excluded.path,
      request_digest = excluded.request_digest, request_body = excluded.request_body, request_id = excluded.request_id,
      actor = excluded.actor, operation_id = excluded.operation_id, state = 'running', locked_until = excluded.locked_until,
      status_code = null, response_body = null, response_sealed = false, created_at = now(), completed_at = null,
      replay_count = 0, last_replayed_at = null, reuse_count = 0, last_reuse = null
    where k.created_at <= now() - interval '24 hours'
    returning 1`;

/** The claim as a CTE of T1. */
export const claimKey = (sql: Sql | Transaction, environmentId: string, claim: KeyClaim, condition = sql`true`) =>
  claimText(sql as unknown as Tag<Fragment>, environmentId, claim, condition);

/** Claims a key in a commit of its own. False: it is in use. */
export async function claimKeyAlone(sql: Sql, environmentId: string, claim: KeyClaim): Promise<boolean> {
  return (await claimKey(sql, environmentId, claim)).length === 1;
}

/**
 * Takes over a key without an operation whose request died or got no outcome, for another attempt under the
 * same reference. False: another request has it.
 */
export async function resumeKey(
  sql: Sql,
  environmentId: string,
  { key, requestId, operationId, leaseMs }: Pick<KeyClaim, "key" | "requestId" | "operationId" | "leaseMs">,
): Promise<boolean> {
  const rows = await sql`
    update idempotency_keys set request_id = ${requestId}::uuid, locked_until = now() + ${leaseMs}::int * interval '1 ms'
    where environment_id = ${environmentId}::uuid and key = ${key} and state = 'running'
      and operation_id = ${operationId}::uuid and ${isOver(sql, "locked_until")}
    returning 1`;
  return rows.length === 1;
}

/**
 * Ends this request's lease of a key, which keeps its reference. A stored time is rounded to milliseconds, and
 * must not become one that is still to come.
 */
export async function endKeyLease(sql: Sql, environmentId: string, key: string, requestId: string): Promise<void> {
  await sql`
    update idempotency_keys set locked_until = date_trunc('milliseconds', now())
    where environment_id = ${environmentId}::uuid and key = ${key} and state = 'running' and request_id = ${requestId}::uuid`;
}

/**
 * Claims a key for the rest of the transaction. False: it is in use. If another transaction holds it, waits
 * up to `waitMs`, then returns "busy", and the transaction is aborted.
 */
export async function claimKeyInside(
  orm: Orm,
  environmentId: string,
  claim: KeyClaim,
  waitMs: number,
): Promise<boolean | "busy"> {
  try {
    await orm.execute(builder`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`);
    const claimed = await orm.execute(claimText<SQL>(builder, environmentId, claim, builder`true`));
    await orm.execute(builder`select set_config('lock_timeout', '0', true)`);
    return claimed.length > 0;
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "55P03";
}

/** Stores the response under a key that this request claimed. False: the key is no longer this request's. */
export async function storeResponse(
  orm: Orm,
  environmentId: string,
  claim: Pick<KeyClaim, "key" | "requestId">,
  response: { status: number; body: string; isSealed?: boolean },
): Promise<boolean> {
  const rows = await orm.execute(builder`
    update idempotency_keys set state = 'done', status_code = ${response.status}::smallint, response_body = ${response.body},
      response_sealed = ${response.isSealed ?? false}::boolean, completed_at = now()
    where environment_id = ${environmentId}::uuid and key = ${claim.key} and request_id = ${claim.requestId}::uuid
      and state = 'running'
    returning 1`);
  return rows.length === 1;
}

/** Max. bytes of a response that is read together with its key. */
export const LONG_RESPONSE_BYTES = 256_000;

/** Columns that decide a reply; the request's body is left out. */
const STORED_COLUMNS = [
  "key",
  "path",
  "request_digest",
  "request_id",
  "operation_id",
  "state",
  "status_code",
  "response_sealed",
] as const;

export type StoredKey = Pick<IdempotencyKeyRow, (typeof STORED_COLUMNS)[number] | "endpoint" | "response_body"> & {
  /** Length of the stored response, whose text is left out if it is long. */
  response_bytes: number | null;
  /** 24 hours old or more: counts as absent. */
  expired: boolean;
  /** Null while the key has no operation, for example while a refusal is stored. */
  operation_state: OperationState | null;
  /** The lease of the process that holds it has run out. */
  lease_over: boolean;
};

const FIND_TEXT = `
select ${columnList("k", STORED_COLUMNS)}, k.operation_name as endpoint, octet_length(k.response_body) as response_bytes,
  case when octet_length(k.response_body) <= ${LONG_RESPONSE_BYTES} then k.response_body end as response_body,
  k.created_at <= now() - interval '24 hours' as expired, o.state as operation_state,
  coalesce(${isOverText("o.lease_until")}, ${isOverText("k.locked_until")}) as lease_over
from idempotency_keys k
left join lateral (
  -- The limit keeps this a lookup by key, also in plans made while the tables are empty.
  select state, lease_until from operations where environment_id = k.environment_id and id = k.operation_id limit 1
) o on true
where k.environment_id = $1 and k.key = $2`;

/** A key's row, or null. Indexes: primary keys of idempotency_keys and operations. */
export async function findKey(sql: Sql, environmentId: string, key: string): Promise<StoredKey | null> {
  const [row] = await sql.unsafe<StoredKey[]>(FIND_TEXT, [environmentId, key], { prepare: true });
  return row ?? null;
}

/**
 * The stored response of any length; null if the key is gone or has another operation now. Index: primary
 * key.
 */
export async function findStoredResponse(
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

/**
 * Frees a key without an operation. `requestId`: the request that claimed it; null: any request, once the
 * key's lease is over.
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
 * Deletes keys older than 25 hours, which already count as absent, and returns their number. Index:
 * `idempotency_keys_recent`, from its old end in each environment.
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

/** Uses of a key since the last note. */
export type KeyNote = { replays: number; reuses: number; lastReuse: KeyReuse | null };

/**
 * Adds to a key's counts, for the inspector. `requestId`: the key's first request; if another one has claimed
 * the key since, nothing changes. One row, by primary key, in a separate commit.
 */
export async function addKeyNote(
  sql: Sql,
  environmentId: string,
  key: string,
  requestId: string,
  { replays, reuses, lastReuse }: KeyNote,
): Promise<void> {
  await sql`
    update idempotency_keys set replay_count = replay_count + ${replays}::int,
      last_replayed_at = case when ${replays}::int > 0 then now() else last_replayed_at end,
      reuse_count = reuse_count + ${reuses}::int, last_reuse = coalesce(${json(lastReuse)}::text::jsonb, last_reuse)
    where environment_id = ${environmentId}::uuid and key = ${key} and request_id = ${requestId}::uuid`;
}
