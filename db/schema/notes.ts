import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { NOTE_SUBJECTS } from "@/lib/contract/notes/notes";
import { environmentId, instant, oneOf } from "../columns";

/** Notes on payments, customers and disputes. Only the team sees them. */
export const notes = pgTable(
  "notes",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    subject: oneOf("note_subject", NOTE_SUBJECTS)("subject").notNull(),
    subject_id: uuid("subject_id").notNull(),
    /** The author, who alone may change it. The note outlives a removed member. */
    user_id: uuid("user_id").notNull(),
    /** The author's name or address at that time. */
    author: text("author").notNull(),
    text: text("text").notNull(),
    /** Users who were mailed about it: each once, however often it is edited. */
    mentioned: uuid("mentioned").array().notNull(),
    created_at: instant("created_at").notNull(),
    edited_at: instant("edited_at"),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the notes of one object, oldest first. */
    index("notes_subject").on(table.environment_id, table.subject_id, table.id),
  ],
);
export type NoteRow = typeof notes.$inferSelect;
