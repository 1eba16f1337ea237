import { and, asc, eq, getTableColumns, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { type FileRow, files } from "../schema/disputes";

const { bytes: _bytes, ...FACTS } = getTableColumns(files);
const inDays = (days: number) => sql`now() + ${days}::int * interval '1 day'`;
/** A file without its content. */
export type FileFacts = Omit<FileRow, "bytes">;

/** Days that a file is kept which no dispute uses; also the column's default. */
const UNUSED_DAYS = 1;
/** A file counts as no less than this, which bounds their number. */
const MIN_COUNTED_BYTES = 64 * 1024;

/**
 * Inserts an unused file unless the environment's files would exceed `maxBytes`; then null. Uploads of one
 * environment wait for each other, so that together they can't exceed it.
 */
export async function insertFile(
  tx: Orm,
  file: Omit<FileRow, "dispute_id" | "remove_at">,
  maxBytes: number,
): Promise<FileFacts | null> {
  const { environment_id } = file;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('files'), hashtext(${environment_id}))`);
  const [stored] = await tx
    .select({ bytes: sql<number>`coalesce(sum(greatest(${files.size}, ${MIN_COUNTED_BYTES}::int)), 0)::float8` })
    .from(files)
    .where(eq(files.environment_id, environment_id));
  if ((stored?.bytes ?? 0) + Math.max(file.size, MIN_COUNTED_BYTES) > maxBytes) return null;
  const [row] = await tx.insert(files).values(file).returning(FACTS);
  return row ?? null;
}

export async function findFile(orm: Orm, environmentId: string, id: string): Promise<FileFacts | null> {
  const [row] = await orm
    .select(FACTS)
    .from(files)
    .where(and(eq(files.environment_id, environmentId), eq(files.id, id)));
  return row ?? null;
}

/** A file of a dispute, with its content. */
export async function findFileBytes(
  orm: Orm,
  environmentId: string,
  { id, disputeId }: { id: string; disputeId: string },
): Promise<FileRow | null> {
  const [row] = await orm
    .select()
    .from(files)
    .where(and(eq(files.environment_id, environmentId), eq(files.id, id), eq(files.dispute_id, disputeId)));
  return row ?? null;
}

/** A dispute's files in the order of their upload. Index: `files_dispute`. */
export function listFilesOf(orm: Orm, environmentId: string, disputeId: string): Promise<FileFacts[]> {
  return orm
    .select(FACTS)
    .from(files)
    .where(and(eq(files.environment_id, environmentId), eq(files.dispute_id, disputeId)))
    .orderBy(asc(files.id));
}

/**
 * Makes exactly these files the dispute's. Returns those that it has now: one of another dispute, or removed,
 * is missing. Call it in the transaction that holds the dispute's row.
 */
export async function attachFiles(
  tx: Orm,
  environmentId: string,
  disputeId: string,
  ids: readonly string[],
): Promise<string[]> {
  await tx
    .update(files)
    .set({ dispute_id: null, remove_at: inDays(UNUSED_DAYS) })
    .where(and(eq(files.environment_id, environmentId), eq(files.dispute_id, disputeId)));
  if (ids.length === 0) return [];
  const rows = await tx
    .update(files)
    .set({ dispute_id: disputeId, remove_at: null })
    .where(
      and(
        eq(files.environment_id, environmentId),
        inArray(files.id, [...ids]),
        or(isNull(files.dispute_id), eq(files.dispute_id, disputeId)),
      ),
    )
    .returning({ id: files.id });
  return rows.map(({ id }) => id);
}

/** Keeps the files of a dispute that has ended for `days` more. */
export async function keepFilesOf(tx: Orm, environmentId: string, disputeId: string, days: number): Promise<void> {
  await tx
    .update(files)
    .set({ remove_at: inDays(days) })
    .where(and(eq(files.environment_id, environmentId), eq(files.dispute_id, disputeId)));
}

/** Removes files whose time is over, but none of an open dispute. Returns the number. Index: `files_removable`. */
export async function removeFiles(orm: Orm, limit: number): Promise<number> {
  const due = orm
    .select({ environment_id: files.environment_id, id: files.id })
    .from(files)
    .where(
      and(
        lte(files.remove_at, sql`now()`),
        sql`not exists (select from disputes d where d.environment_id = ${files.environment_id} and d.id = ${files.dispute_id}
          and d.status in ('NEEDS_RESPONSE', 'UNDER_REVIEW'))`,
      ),
    )
    .orderBy(asc(files.remove_at))
    .limit(limit)
    .for("update", { skipLocked: true });
  const rows = await orm
    .delete(files)
    .where(sql`(${files.environment_id}, ${files.id}) in ${due}`)
    .returning({ id: files.id });
  return rows.length;
}
