import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { humanText, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

/** Objects that the team can write notes on, by the prefix of their ids. */
export const NOTE_SUBJECTS = ["payment", "customer", "dispute"] as const;
export type NoteSubject = (typeof NOTE_SUBJECTS)[number];

/** Text by a member of the team about an object, for colleagues. */
export const note = z.object({
  id: idOf("note"),
  object: z.literal("note"),
  text: z.string(),
  /** The author's name or address as they wrote it. */
  author: z.string(),
  /** Written by the caller, who alone may change it. */
  mine: z.boolean(),
  created_at: timestamp,
  /** Null if never changed. */
  edited_at: timestamp.nullable(),
});
export type Note = z.infer<typeof note>;

export const noteList = z.object({
  object: z.literal("list"),
  /** Oldest first. */
  data: z.array(note),
  /** Names that a note may mention, each after an @. */
  colleagues: z.array(z.string()),
});

/** Max notes on one object, and max colleagues that one note mentions. */
export const MAX_NOTES = 200;
export const MAX_MENTIONS = 10;

const text = z.string().trim().pipe(humanText(2_000));
const subject_id = z.union([idOf("payment"), idOf("customer"), idOf("dispute")]);

const BASE = "/api/dashboard/{mode}/notes";

export const listNotes = dashboardEndpoint({
  name: "listNotes",
  method: "GET",
  path: BASE,
  permission: "transaction.search",
  query: z.strictObject({ subject_id }),
  status: 200,
  response: noteList,
});

export const createNote = dashboardEndpoint({
  name: "createNote",
  method: "POST",
  path: BASE,
  permission: "note.write",
  body: z.strictObject({ subject_id, text }),
  status: 201,
  response: note,
});

export const updateNote = dashboardEndpoint({
  name: "updateNote",
  method: "PATCH",
  path: `${BASE}/{id}`,
  permission: "note.write",
  body: z.strictObject({ text }),
  status: 200,
  response: note,
});

export const deleteNote = dashboardEndpoint({
  name: "deleteNote",
  method: "DELETE",
  path: `${BASE}/{id}`,
  permission: "note.write",
  status: 200,
  response: z.object({ id: idOf("note"), deleted: z.literal(true) }),
});
