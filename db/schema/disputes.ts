import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { DISPUTE_STATUSES } from "@/lib/contract/payments/dispute-words";
import { environmentId, instant, money, oneOf } from "../columns";

/**
 * Chargebacks and inquiries of cardholders' banks, as the processor last reported them. They are kept beside
 * the books: no ledger line follows from a dispute.
 */
export const disputes = pgTable(
  "disputes",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The processor that assigned `processor_dispute_id`. */
    processor: text("processor").notNull(),
    processor_dispute_id: text("processor_dispute_id").notNull(),
    /** Customer of the payment's charge, by `customer_uuid`; null if the charge names none. */
    customer: uuid("customer"),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    /** The processor's own term. */
    reason: text("reason").notNull(),
    status: oneOf("dispute_status", DISPUTE_STATUSES)("status").notNull(),
    respond_before: instant("respond_before"),
    /**
     * When the status check was sent that returned this state; an older response never replaces a newer one.
     */
    read_at: instant("read_at").notNull(),
    /** When the bank opened it, according to the processor. */
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Keeps one row per dispute, though reports arrive late, duplicated and out of order. */
    uniqueIndex("disputes_processor").on(table.processor, table.processor_dispute_id),
    /** Serves the payment page. */
    index("disputes_payment").on(table.environment_id, table.payment_id),
    /** Serves customer totals. */
    index("disputes_customer").on(table.environment_id, table.customer).where(sql`customer is not null`),
    check("disputes_amount", sql`${table.amount} >= 0`),
  ],
);
export type DisputeRow = typeof disputes.$inferSelect;
