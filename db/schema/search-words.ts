import { customType, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { environmentId } from "../columns";

/** Text in the order of its bytes: what begins with a word is one range of an index, whatever the database's language. */
export const bytewiseText = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });

/**
 * The words that a transaction is found by: one row for each place in its texts where a word begins, as `search_words_of` of
 * the database writes them. A trigger adds them in the commit of the transaction. A btree and not a GIN index, for three
 * reasons: the wall around an environment lets an index answer `>=` and `<` but not `@@`, one range is of one environment, and
 * new rows are all written in the same day's corner of it.
 */
export const transactionWords = pgTable(
  "transaction_words",
  {
    environment_id: environmentId(),
    /** Since 1970, of the transaction's id. */
    day: integer("day").notNull(),
    word: bytewiseText("word").notNull(),
    transaction_id: uuid("transaction_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.day, table.word, table.transaction_id] })],
);

/** The same words of one transaction in one text, each with a space before and after: says of a transaction whether it has a word. */
export const transactionTexts = pgTable(
  "transaction_texts",
  {
    environment_id: environmentId(),
    transaction_id: uuid("transaction_id").notNull(),
    words: bytewiseText("words").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.transaction_id] })],
);
