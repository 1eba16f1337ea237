import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { environmentId, instant } from "../columns";
import { bytewiseText } from "./search-words";

/**
 * Who paid: one row for each `customer_id` of an environment, else for each e-mail, whatever its case. Made by a job from the
 * charges, as those that pay at the same moment must not wait for one row; so it may be seconds late. What they paid is not here: it
 * is read from their payments.
 */
export const customers = pgTable(
  "customers",
  {
    environment_id: environmentId(),
    /** `customer_uuid` of the database makes it of the environment and the identity, the same whenever it is made. */
    id: uuid("id").notNull(),
    customer_id: text("customer_id"),
    /** In lower case; from the latest payment that had one. */
    email: text("email"),
    name: text("name"),
    /** What it is found by, as in `transaction_texts`. */
    words: text("words").notNull(),
    first_payment_at: instant("first_payment_at").notNull(),
    last_payment_at: instant("last_payment_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the list, the last payment first; with words that many have it is read until enough have them. */
    index("customers_latest").on(table.environment_id, table.last_payment_at, table.id),
  ],
);
export type CustomerRow = typeof customers.$inferSelect;

/** The words of customers, one row for each, so that a rare one is found among very many. A trigger keeps them. */
export const customerWords = pgTable(
  "customer_words",
  {
    environment_id: environmentId(),
    word: bytewiseText("word").notNull(),
    customer: uuid("customer").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.word, table.customer] })],
);

/** Charges that no customer knows of yet. A trigger adds them in their own commit. */
export const customersDue = pgTable(
  "customers_due",
  {
    environment_id: environmentId(),
    transaction_id: uuid("transaction_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.transaction_id] })],
);
