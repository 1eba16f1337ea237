import { customType, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { environmentId } from "../columns";

/** Text in byte order: a prefix is one index range, whatever the database's locale. */
export const bytewiseText = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });

/**
 * Search terms of a transaction: one row per word start in its texts (`search_words_of` in the database),
 * added by a trigger. A btree rather than GIN: row-level security lets an index answer `>=` and `<` but not
 * `@@`, a range stays in one environment, and new rows go to the current day's pages.
 */
export const transactionWords = pgTable(
  "transaction_words",
  {
    environment_id: environmentId(),
    /** Day of the transaction id's time, counted from 1970. */
    day: integer("day").notNull(),
    word: bytewiseText("word").notNull(),
    transaction_id: uuid("transaction_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.day, table.word, table.transaction_id] })],
);

/** The same terms in one text, each between spaces, to check whether a transaction has a term. */
export const transactionTexts = pgTable(
  "transaction_texts",
  {
    environment_id: environmentId(),
    transaction_id: uuid("transaction_id").notNull(),
    words: bytewiseText("words").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.transaction_id] })],
);
