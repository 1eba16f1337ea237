import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "../columns";

/**
 * What connectors must remember because their processors cannot be asked: what was sent and answered, and what signed messages
 * said. It is the connection's and of no environment, as messages name none. A fact never changes; no card data is in here.
 */
export const processorJournal = pgTable(
  "processor_journal",
  {
    /** The processor's name: a connection's id. */
    processor: text("processor").notNull(),
    /** Our reference, the processor's own id, or a card's. */
    subject: text("subject").notNull(),
    name: text("name").notNull(),
    /** JSON, as text: what is never looked into needs no type that takes less. */
    value: text("value").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves every look, and makes whoever notes first the one that is right. */
    primaryKey({ columns: [table.processor, table.subject, table.name] }),
    /** Serves the job that removes unused cards. */
    index("processor_journal_cards").on(table.processor, table.created_at).where(sql`name = 'card'`),
  ],
);
