import { and, eq, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { idempotencyKeys, type KeyReuse } from "../schema/operations";

/** How often a key was used since the last note. */
export type KeyNote = { replays: number; reuses: number; lastReuse: KeyReuse | null };

/**
 * Adds to a key's counts, for people who ask. `requestId` names its first request: a key that has been used anew since is
 * left alone. One row, by primary key, in a commit of its own.
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
