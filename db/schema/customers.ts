import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { environmentId, instant } from "../columns";
import { bytewiseText } from "./search-words";

/**
 * Payers and subscribers: one row per `customer_id` of an environment, else per e-mail (case-insensitive). A
 * job creates them from charges and subscriptions seconds later, because concurrent payments must not wait for
 * one row. Amounts paid are read from the payments.
 */
export const customers = pgTable(
  "customers",
  {
    environment_id: environmentId(),
    /** Deterministic: `customer_uuid` in the database derives it from the environment and the identity. */
    id: uuid("id").notNull(),
    customer_id: text("customer_id"),
    /** Lowercase; from the latest payment that had one. */
    email: text("email"),
    name: text("name"),
    /** Search terms, in the format of `transaction_texts`. */
    words: text("words").notNull(),
    /** Null until the first payment, such as during a free trial. */
    first_payment_at: instant("first_payment_at"),
    /** Without a payment: when its latest subscription was created. */
    last_payment_at: instant("last_payment_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /**
     * Serves the list, latest payment first. For common search terms it is scanned until enough rows match.
     */
    index("customers_latest").on(table.environment_id, table.last_payment_at, table.id),
  ],
);
export type CustomerRow = typeof customers.$inferSelect;

/** Search terms of customers, one row each, so that a rare one is found quickly. Maintained by a trigger. */
export const customerWords = pgTable(
  "customer_words",
  {
    environment_id: environmentId(),
    word: bytewiseText("word").notNull(),
    customer: uuid("customer").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.word, table.customer] })],
);

/** Charges and subscriptions not yet assigned to a customer. Triggers add them in the same commit. */
export const customersDue = pgTable(
  "customers_due",
  {
    environment_id: environmentId(),
    /** The charge, or the subscription. */
    transaction_id: uuid("transaction_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.transaction_id] })],
);
