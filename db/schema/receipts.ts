import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { RECEIPT_CAUSES } from "@/lib/contract/receipts/receipts";
import { environmentId, instant, oneOf, xid8 } from "../columns";

/**
 * The address of a payment's receipt, made when it is first needed. The token is stored in plain: mailed addresses must survive
 * a change of the secret, and anyone who can read this table can read the payments as well.
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
    /** Serves the receipt's page. */
    uniqueIndex("receipts_token").on(table.token),
  ],
);

/** Receipts that were mailed: by themselves once for each capture and refund, and those that a user sent. */
export const receiptMails = pgTable(
  "receipt_mails",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The charge that was captured, or the refund. */
    transaction_id: uuid("transaction_id").notNull(),
    cause: oneOf("receipt_cause", RECEIPT_CAUSES)("cause").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Lets no capture, no refund and no refund's return be mailed twice; serves the look whether a refund was mailed. */
    uniqueIndex("receipt_mails_each")
      .on(table.environment_id, table.transaction_id, table.cause)
      .where(sql`cause <> 'requested'`),
    /** Serves the limit of receipts that users mail: the latest of one payment. */
    index("receipt_mails_payment").on(table.environment_id, table.payment_id, table.created_at),
  ],
);

/**
 * Whether receipts go out by themselves, and how far the events were read for that. One row for each environment of a business
 * that ever switched it on.
 */
export const receiptSettings = pgTable(
  "receipt_settings",
  {
    environment_id: environmentId(),
    /** Events of transactions from this one on count, which is the one that switched it on; null = off. */
    captured_since: xid8("captured_since"),
    refunded_since: xid8("refunded_since"),
    /** The last event that was read, in the order of `events_stream`. */
    read_xid: xid8("read_xid").notNull(),
    read_id: uuid("read_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id] })],
);
