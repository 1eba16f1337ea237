import { and, eq, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { type IdempotencyKeyRow, idempotencyKeys, type KeyReuse } from "@/db/schema/operations";
import { type KeyClaim, TAKE_OLD_KEY } from "./claims";

/**
 * Claims the key for the rest of the transaction: null when it is ours now, else what it already holds. A key in use by
 * another transaction is waited for, at most `waitMs`, then "busy" (and the transaction is over). A key 24 hours old, by
 * the database's clock, is new: its row is overwritten in place.
 */
export async function claimIdempotencyKey(
  orm: Orm,
  environmentId: string,
  claim: Omit<KeyClaim, "operationId" | "leaseMs">,
  waitMs: number,
): Promise<null | "busy" | IdempotencyKeyRow> {
  const { key, endpoint, path, digest, body, requestId, actor } = claim;
  try {
    await orm.execute(sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`);
    const claimed = await orm.execute(sql`
      insert into idempotency_keys as k (environment_id, key, operation_name, path, request_digest, request_body, request_id, actor,
        state, locked_until)
      values (${environmentId}::uuid, ${key}, ${endpoint}, ${path}, ${digest}::bytea, ${body}::text::jsonb,
        ${requestId}::uuid, ${JSON.stringify(actor)}::text::jsonb, 'running', now())
      ${sql.raw(TAKE_OLD_KEY)}
      returning 1`);
    await orm.execute(sql`select set_config('lock_timeout', '0', true)`);
    if (claimed.length > 0) return null;
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
  const rows = await orm.select().from(idempotencyKeys).where(byKey(environmentId, claim.key));
  // A money request may have just freed the key: it is not known yet what it will stand for.
  return rows[0] ?? "busy";
}

/** Keeps the answer, in the transaction that claimed the key. */
export async function storeIdempotentAnswer(
  orm: Orm,
  environmentId: string,
  key: string,
  answer: { status_code: number; response_body: string; response_sealed: boolean },
): Promise<void> {
  await orm
    .update(idempotencyKeys)
    .set({ ...answer, state: "done", completed_at: sql`now()` })
    .where(byKey(environmentId, key));
}

const byKey = (environmentId: string, key: string) =>
  and(eq(idempotencyKeys.environment_id, environmentId), eq(idempotencyKeys.key, key));

function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "55P03";
}

/** How often a key was used since the last note. */
export type KeyNote = { replays: number; reuses: number; lastReuse: KeyReuse | null };

/**
 * Adds to a key's counts, for the inspector. `requestId` names its first request: a key that another request has claimed since
 * is left alone. One row, by primary key, in a separate commit.
 */
export async function addKeyNote(
  orm: Orm,
  environmentId: string,
  key: string,
  requestId: string,
  note: KeyNote,
): Promise<void> {
  await orm
    .update(idempotencyKeys)
    .set({
      ...(note.replays > 0 && {
        replay_count: sql`${idempotencyKeys.replay_count} + ${note.replays}::int`,
        last_replayed_at: sql`now()`,
      }),
      ...(note.lastReuse && {
        reuse_count: sql`${idempotencyKeys.reuse_count} + ${note.reuses}::int`,
        last_reuse: note.lastReuse,
      }),
    })
    .where(
      and(
        eq(idempotencyKeys.environment_id, environmentId),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.request_id, requestId),
      ),
    );
}
