import type { Orm } from "@/db/client";
import { insertAudit } from "@/db/queries/changes";
import { findCustomer } from "@/db/queries/customers";
import { findDispute } from "@/db/queries/disputes";
import {
  type Colleague,
  countNotes,
  deleteNote as deleteRow,
  insertNote,
  listColleagues,
  lockNotesOf,
  lockOwnNote,
  listNotes as selectNotes,
  updateNote as updateRow,
} from "@/db/queries/notes";
import { findPayment } from "@/db/queries/payments/payments";
import type { NoteRow } from "@/db/schema/notes";
import { isMailable } from "@/lib/contract/emails";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { MAX_MENTIONS, MAX_NOTES, NOTE_SUBJECTS, type Note, type NoteSubject } from "@/lib/contract/notes/notes";
import { idTime, newId } from "@/lib/ids";
import { writeMail } from "../accounts/mail";
import { type Context, resourceNotFound } from "../context";
import { mentionedIn } from "./mentions";

/** Members that can be mentioned; larger teams mention those who joined first. */
const MAX_COLLEAGUES = 500;

type Subject = { kind: NoteSubject; id: string; publicId: string };

/** An object's notes, oldest first, and the names that a new one may mention. */
export async function listNotes(
  ctx: Context,
  input: { subject_id: string; userId: string },
): Promise<{ data: Note[]; colleagues: string[] }> {
  const subject = await getSubject(ctx, input.subject_id);
  const { id: environmentId, merchantId } = ctx.environment;
  const [rows, colleagues] = await Promise.all([
    selectNotes(ctx.service.db.within(environmentId).orm, environmentId, subject.id, MAX_NOTES),
    listColleagues(ctx.service.db.orm, merchantId, MAX_COLLEAGUES),
  ]);
  return {
    data: rows.map((row) => present(row, input.userId)),
    colleagues: colleagues.flatMap(({ id, handle }) => (id === input.userId ? [] : [handle])),
  };
}

/** Adds a note and mails those it mentions. */
export async function createNote(
  ctx: Context,
  input: { subject_id: string; text: string; userId: string },
): Promise<Note> {
  const subject = await getSubject(ctx, input.subject_id);
  const { id: environment_id, merchantId } = ctx.environment;
  const id = newId();
  return ctx.service.db.orm.transaction(async (tx) => {
    await lockNotesOf(tx, subject.id);
    if ((await countNotes(tx, environment_id, subject.id)) >= MAX_NOTES) {
      throw new AppError("invalid_state", `There are ${MAX_NOTES} notes already. Delete one before you add another.`);
    }
    const colleagues = await listColleagues(tx, merchantId, MAX_COLLEAGUES);
    const mentioned = othersIn(input.text, colleagues, input.userId);
    const author = colleagues.find((one) => one.id === input.userId);
    if (author === undefined) throw new Error("a signed-in user is a member");
    const row: NoteRow = {
      environment_id,
      id,
      subject: subject.kind,
      subject_id: subject.id,
      user_id: input.userId,
      author: author.handle,
      text: input.text,
      mentioned: mentioned.map((one) => one.id),
      created_at: idTime(id),
      edited_at: null,
    };
    await insertNote(tx, row);
    await mailMentioned(tx, ctx, row, author, mentioned);
    await record(tx, ctx, "note.created", row);
    return present(row, input.userId);
  });
}

/** Changes the user's own note and mails those it mentions for the first time. */
export async function updateNote(ctx: Context, input: { id: string; text: string; userId: string }): Promise<Note> {
  return ctx.service.db.orm.transaction(async (tx) => {
    const before = await lockNote(tx, ctx, input);
    if (before.text === input.text) return present(before, input.userId);
    const colleagues = await listColleagues(tx, ctx.environment.merchantId, MAX_COLLEAGUES);
    const added = othersIn(input.text, colleagues, input.userId).filter(({ id }) => !before.mentioned.includes(id));
    const row: NoteRow = {
      ...before,
      text: input.text,
      mentioned: [...before.mentioned, ...added.map(({ id }) => id)],
      edited_at: ctx.service.clock.now().toISOString(),
    };
    await updateRow(tx, row);
    const author = colleagues.find(({ id }) => id === input.userId);
    if (author) await mailMentioned(tx, ctx, row, author, added);
    await record(tx, ctx, "note.updated", row);
    return present(row, input.userId);
  });
}

/** Deletes the user's own note. */
export async function deleteNote(
  ctx: Context,
  input: { id: string; userId: string },
): Promise<{ id: string; deleted: true }> {
  await ctx.service.db.orm.transaction(async (tx) => {
    const row = await lockNote(tx, ctx, input);
    await deleteRow(tx, row);
    await record(tx, ctx, "note.deleted", row);
  });
  return { id: input.id, deleted: true };
}

async function lockNote(tx: Orm, ctx: Context, input: { id: string; userId: string }): Promise<NoteRow> {
  const id = decodeId("note", input.id);
  const row = id && (await lockOwnNote(tx, ctx.environment.id, input.userId, id));
  if (!row) throw resourceNotFound("note", input.id);
  return row;
}

/** The object that a note is on. Throws `resource_not_found` unless it is of this environment. */
async function getSubject({ service, environment }: Context, publicId: string): Promise<Subject> {
  const { sql, orm } = service.db.within(environment.id);
  for (const kind of NOTE_SUBJECTS) {
    const id = decodeId(kind, publicId);
    if (id === null) continue;
    const find = {
      payment: () => findPayment(sql, environment.id, id),
      customer: () => findCustomer(sql, environment.id, id),
      dispute: () => findDispute(orm, environment.id, id),
    };
    if (await find[kind]()) return { kind, id, publicId };
    throw resourceNotFound(kind, publicId);
  }
  throw resourceNotFound("object", publicId);
}

function othersIn(text: string, colleagues: readonly Colleague[], userId: string): Colleague[] {
  const mentioned = mentionedIn(text, colleagues).filter(({ id }) => id !== userId);
  if (mentioned.length <= MAX_MENTIONS) return mentioned;
  const message = `Mention up to ${MAX_MENTIONS} colleagues.`;
  throw new AppError("invalid_parameter", message, {
    errors: [{ param: "text", code: "invalid_parameter", message }],
  });
}

const PAGES: Record<NoteSubject, string> = { payment: "payments", customer: "customers", dispute: "disputes" };

/** Only at verified addresses, and without the note: mail has no text that a user can choose. */
async function mailMentioned(
  tx: Orm,
  { service, environment }: Context,
  { subject, subject_id }: NoteRow,
  author: Colleague,
  mentioned: readonly Colleague[],
): Promise<void> {
  const who = author.owns_email && isMailable(author.email) ? author.email : "A colleague";
  for (const { email, owns_email } of mentioned) {
    if (!owns_email || !isMailable(email)) continue;
    await writeMail(tx, {
      recipient: email,
      subject: `You were mentioned in a note on a ${subject}`,
      paragraphs: [
        `${who} mentioned you in a note on a ${subject}${environment.mode === "test" ? " in test mode" : ""}. Read it here:`,
        `${service.baseUrl}/${environment.mode}/${PAGES[subject]}/${encodeId(subject, subject_id)}`,
      ],
    });
  }
}

async function record(tx: Orm, ctx: Context, action: string, { subject, subject_id }: NoteRow): Promise<void> {
  const id = newId();
  await insertAudit(tx, ctx.environment.id, {
    id,
    actor: ctx.actor,
    action,
    object_id: subject_id,
    request_id: ctx.request.id,
    detail: { subject },
    created_at: idTime(id),
  });
}

const present = (row: NoteRow, userId: string): Note => ({
  id: encodeId("note", row.id),
  object: "note",
  text: row.text,
  author: row.author,
  mine: row.user_id === userId,
  created_at: row.created_at,
  edited_at: row.edited_at,
});
