import { and, asc, eq, getTableColumns, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { type FileRow, files } from "../schema/disputes";

const { bytes: _bytes, ...FACTS } = getTableColumns(files);
/** A file without its content. */
export type FileFacts = Omit<FileRow, "bytes">;

/**
 * Inserts a file unless the environment's files would exceed `maxBytes`; then null. Uploads of one environment
 * wait for each other, so that together they can't exceed it.
 */
export async function insertFile(tx: Orm, file: FileRow, maxBytes: number): Promise<FileFacts | null> {
  const { environment_id } = file;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('files'), hashtext(${environment_id}))`);
  const [stored] = await tx
    .select({ bytes: sql<number>`coalesce(sum(${files.size}), 0)::float8` })
    .from(files)
    .where(eq(files.environment_id, environment_id));
  if ((stored?.bytes ?? 0) + file.size > maxBytes) return null;
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
    .set({ dispute_id: null })
    .where(and(eq(files.environment_id, environmentId), eq(files.dispute_id, disputeId)));
  if (ids.length === 0) return [];
  const rows = await tx
    .update(files)
    .set({ dispute_id: disputeId })
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

/** Removes files that no dispute has used since `before`. Returns the number. Index: `files_unused`. */
export async function removeUnusedFiles(orm: Orm, before: string, limit: number): Promise<number> {
  const due = orm
    .select({ environment_id: files.environment_id, id: files.id })
    .from(files)
    .where(and(isNull(files.dispute_id), lte(files.created_at, before)))
    .orderBy(asc(files.created_at))
    .limit(limit)
    .for("update", { skipLocked: true });
  const rows = await orm
    .delete(files)
    .where(sql`(${files.environment_id}, ${files.id}) in ${due}`)
    .returning({ id: files.id });
  return rows.length;
}
