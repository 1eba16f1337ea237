import type { Orm } from "@/db/client";
import { addKeyNote, type KeyNote } from "@/db/queries/idempotency/keys";
import { keepableText } from "@/lib/contract/card-numbers";
import type { Context, IdempotencyRequest } from "../context";

/** Between two rounds of writing, so that a client in a loop costs a few writes a second and not one each time. */
const REST_MS = 200;
/** Keys whose notes wait to be written; beyond that notes are dropped, which costs a count in the inspector. */
const MAX_WAITING = 5_000;

const MAX_PATH = 1_000;

type Waiting = KeyNote & { environmentId: string; key: string; requestId: string };
type NoteBook = { readonly notes: Map<string, Waiting>; writing: boolean };
/** The key's row as it was when the answer was decided. */
type NotedKey = { key: string; request_id: string };

/** One per database: notes are written one after the other, over one connection, outside of any request. */
const books = new WeakMap<Orm, NoteBook>();

/** Counts that a stored answer was replayed. Never throws, and no request waits for it. */
export function noteReplay(ctx: Context, row: NotedKey): void {
  const note = noteOf(ctx, row);
  if (note) note.replays++;
}

/** Keeps what else a key was used for, which was refused. Never throws, and no request waits for it. */
export function noteReuse(ctx: Context, row: NotedKey, request: IdempotencyRequest): void {
  const note = noteOf(ctx, row);
  if (!note) return;
  note.reuses++;
  note.lastReuse = {
    endpoint: ctx.request.endpoint,
    path: keepableText(ctx.request.path, MAX_PATH),
    body: request.body === null ? null : JSON.parse(request.body),
    request_id: ctx.request.id,
    actor: ctx.actor,
    at: ctx.service.clock.now().toISOString(),
  };
}

function noteOf(ctx: Context, { key, request_id: requestId }: NotedKey): Waiting | null {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const book = books.get(orm) ?? { notes: new Map<string, Waiting>(), writing: false };
  books.set(orm, book);
  const id = `${ctx.environment.id} ${requestId} ${key}`;
  const known = book.notes.get(id);
  if (known) return known;
  if (book.notes.size >= MAX_WAITING) return null;
  const fresh = { environmentId: ctx.environment.id, key, requestId, replays: 0, reuses: 0, lastReuse: null };
  book.notes.set(id, fresh);
  if (!book.writing) {
    book.writing = true;
    void writeAll(ctx, book);
  }
  return fresh;
}

async function writeAll({ service: { db, log, timer } }: Context, book: NoteBook): Promise<void> {
  for (let pauseMs = 0; book.notes.size > 0; pauseMs = REST_MS) {
    await timer.wait(pauseMs);
    for (const [id, note] of book.notes) {
      book.notes.delete(id);
      await addKeyNote(db.within(note.environmentId).orm, note.environmentId, note.key, note.requestId, note).catch(
        (error: unknown) => log.warn({ err: error }, "the use of an idempotency key could not be noted"),
      );
    }
  }
  book.writing = false;
}
