import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { RECEIPT_CAUSES } from "@/lib/contract/receipts/receipts";
import { environmentId, instant, money, oneOf, xid8 } from "../columns";

/**
 * The URL of a payment's receipt, created on first use. The token is stored unhashed: mailed URLs must
 * survive a change of the secret, and anyone who can read this table can read the payments as well.
 */
export const receipts = pgTable(
  "receipts",
  {
    environment_id: environmentId(),
    payment_id: uuid("payment_id").notNull(),
    token: text("token").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.payment_id] }),
    /** Serves the receipt page. */
    uniqueIndex("receipts_token").on(table.token),
  ],
);

/** Mailed receipts: automatic ones, once per capture and refund, and those a user sent. */
export const receiptMails = pgTable(
  "receipt_mails",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The captured charge, or the refund. */
    transaction_id: uuid("transaction_id").notNull(),
    cause: oneOf("receipt_cause", RECEIPT_CAUSES)("cause").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /**
     * Prevents mailing a capture, a refund or a returned refund twice; serves the check for a mailed refund.
     */
    uniqueIndex("receipt_mails_each")
      .on(table.environment_id, table.transaction_id, table.cause)
      .where(sql`cause <> 'requested'`),
    /** Serves the limit on receipts that users send: the payment's latest. */
    index("receipt_mails_payment").on(table.environment_id, table.payment_id, table.created_at),
  ],
);

/**
 * Automatic receipts: on or off, and the position in the event stream. One row per environment of a merchant
 * that ever enabled them.
 */
export const receiptSettings = pgTable(
  "receipt_settings",
  {
    environment_id: environmentId(),
    /** The transaction that enabled it: events from there on count; null = off. */
    captured_since: xid8("captured_since"),
    refunded_since: xid8("refunded_since"),
    /** The last event processed, in the order of `events_stream`. */
    read_xid: xid8("read_xid").notNull(),
    read_id: uuid("read_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id] })],
);

/**
 * The document of a refund: a credit note for an invoice, a refund receipt for any other payment. Written in
 * the commit in which the refund succeeds.
 */
export const creditNotes = pgTable(
  "credit_notes",
  {
    environment_id: environmentId(),
    /** The refund's. */
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** Assigned under the lock of the environment's counter: no gaps. */
    number: integer("number").notNull(),
    amount: money("amount").notNull(),
    /** The tax of the refunded document, and its part of the amount; null = none. */
    tax_name: text("tax_name"),
    tax_rate: integer("tax_rate"),
    tax_amount: money("tax_amount"),
    /** When the bank returned the refund: the document then counts for nothing, but keeps its number. */
    voided_at: instant("voided_at"),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    unique("credit_notes_number").on(table.environment_id, table.number),
    /** Serves the documents of a payment, and the tax that its refunds have returned so far. */
    index("credit_notes_payment").on(table.environment_id, table.payment_id, table.id),
    check(
      "credit_notes_tax",
      sql`(${table.tax_name} is null) = (${table.tax_rate} is null) and (${table.tax_rate} is null) = (${table.tax_amount} is null)`,
    ),
    check("credit_notes_amount", sql`${table.amount} > 0`),
  ],
);

/** The last number of an environment's credit notes. */
export const creditNoteCounters = pgTable(
  "credit_note_counters",
  {
    environment_id: environmentId(),
    last: integer("last").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id] })],
);
