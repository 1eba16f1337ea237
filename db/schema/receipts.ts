import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { RECEIPT_CAUSES } from "@/lib/contract/receipts/receipts";
import { environmentId, instant, oneOf, xid8 } from "../columns";

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
