import type { Sql } from "@/db/client";
import { addKeyNote, type KeyNote } from "@/db/queries/idempotency/keys";
import { keepableText } from "@/lib/contract/card-numbers";
import type { Context, IdempotencyRequest } from "../context";

/** Pause between two rounds of writes, so that a client in a loop costs one write per second. */
const WRITE_PAUSE_MS = 1_000;
/** Max. keys with unwritten notes; further notes are dropped, and the inspector's counts miss them. */
const MAX_UNWRITTEN = 5_000;

const MAX_PATH = 1_000;

type Waiting = KeyNote & { environmentId: string; key: string; requestId: string };
type NoteBook = { readonly notes: Map<string, Waiting>; writing: boolean };
/** The key's row from which the response was decided. */
type NotedKey = { key: string; request_id: string };

/** One per environment: its notes are written one after the other, outside of requests. */
const books = new WeakMap<Sql, NoteBook>();

/** Counts a replay of a stored response. Never throws, and delays no request. */
export function noteReplay(ctx: Context, row: NotedKey): void {
  const note = findNote(ctx, row);
  if (note) note.replays++;
}

/** Records a refused reuse of a key for another request. Never throws, and delays no request. */
export function noteReuse(ctx: Context, row: NotedKey, request: IdempotencyRequest): void {
  const note = findNote(ctx, row);
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

function findNote(ctx: Context, { key, request_id: requestId }: NotedKey): Waiting | null {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const book = books.get(sql) ?? { notes: new Map<string, Waiting>(), writing: false };
  books.set(sql, book);
  const id = `${ctx.environment.id} ${requestId} ${key}`;
  const known = book.notes.get(id);
  if (known) return known;
  if (book.notes.size >= MAX_UNWRITTEN) return null;
  const fresh = { environmentId: ctx.environment.id, key, requestId, replays: 0, reuses: 0, lastReuse: null };
  book.notes.set(id, fresh);
  if (!book.writing) {
    book.writing = true;
    void writeAll(ctx, book);
  }
  return fresh;
}

async function writeAll({ service: { db, log, timer } }: Context, book: NoteBook): Promise<void> {
  for (let pauseMs = 0; book.notes.size > 0; pauseMs = WRITE_PAUSE_MS) {
    await timer.wait(pauseMs);
    // A copy, as a use noted during the round would extend it without end.
    for (const [id, note] of [...book.notes]) {
      book.notes.delete(id);
      await addKeyNote(db.within(note.environmentId).sql, note.environmentId, note.key, note.requestId, note).catch(
        (error: unknown) => log.warn({ err: error }, "the use of an idempotency key could not be recorded"),
      );
    }
  }
  book.writing = false;
}
