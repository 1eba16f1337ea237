import { and, asc, eq, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { users } from "../schema/accounts";
import { type NoteRow, notes } from "../schema/notes";

/** An object's notes, oldest first. Index: `notes_subject`. */
export function listNotes(orm: Orm, environmentId: string, subjectId: string, limit: number): Promise<NoteRow[]> {
  return orm
    .select()
    .from(notes)
    .where(and(eq(notes.environment_id, environmentId), eq(notes.subject_id, subjectId)))
    .orderBy(asc(notes.id))
    .limit(limit);
}

export function countNotes(orm: Orm, environmentId: string, subjectId: string): Promise<number> {
  return orm.$count(notes, and(eq(notes.environment_id, environmentId), eq(notes.subject_id, subjectId)));
}

/** Serializes adding notes to an object until the transaction ends. */
export async function lockNotesOf(tx: Orm, subjectId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('notes ' || ${subjectId}, 0))`);
}

export async function insertNote(tx: Orm, row: NoteRow): Promise<void> {
  await tx.insert(notes).values(row);
}

const own = (environmentId: string, userId: string, id: string) =>
  and(eq(notes.environment_id, environmentId), eq(notes.id, id), eq(notes.user_id, userId));

/** A user's own note, locked until the transaction ends. */
export async function lockOwnNote(tx: Orm, environmentId: string, userId: string, id: string): Promise<NoteRow | null> {
  const rows = await tx
    .select()
    .from(notes)
    .where(own(environmentId, userId, id))
    .for("update");
  return rows[0] ?? null;
}

export async function updateNote(
  tx: Orm,
  { environment_id, id, user_id, text, mentioned, edited_at }: NoteRow,
): Promise<void> {
  await tx
    .update(notes)
    .set({ text, mentioned, edited_at })
    .where(own(environment_id, user_id, id));
}

export async function deleteNote(tx: Orm, { environment_id, id, user_id }: NoteRow): Promise<void> {
  await tx.delete(notes).where(own(environment_id, user_id, id));
}

export type Colleague = { id: string; handle: string; email: string; owns_email: boolean };

/** The merchant's members who can be mentioned, by name or address. Index: users_merchant. */
export async function listColleagues(orm: Orm, merchantId: string, limit: number): Promise<Colleague[]> {
  return orm
    .select({
      id: users.id,
      handle: sql<string>`coalesce(${users.name}, ${users.email})`,
      email: users.email,
      owns_email: users.owns_email,
    })
    .from(users)
    .where(eq(users.merchant_id, merchantId))
    .orderBy(asc(users.id))
    .limit(limit);
}
