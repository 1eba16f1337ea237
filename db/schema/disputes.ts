import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { DISPUTE_STATUSES } from "@/lib/contract/payments/dispute-words";
import { environmentId, instant, money, oneOf } from "../columns";

/**
 * What cardholders' banks took back, or ask about, as the processor told it last. It is kept beside the books, not in them: no
 * line of the ledger follows from it.
 */
export const disputes = pgTable(
  "disputes",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** Whose id `processor_dispute_id` is. */
    processor: text("processor").notNull(),
    processor_dispute_id: text("processor_dispute_id").notNull(),
    /** The customer of the payment's charge, by `customer_uuid`; null when it names none. */
    customer: uuid("customer"),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    /** In the processor's word. */
    reason: text("reason").notNull(),
    status: oneOf("dispute_status", DISPUTE_STATUSES)("status").notNull(),
    respond_before: instant("respond_before"),
    /** When the question was sent that this is the answer to: an older answer never replaces a newer one. */
    read_at: instant("read_at").notNull(),
    /** When the bank opened it, by the processor. */
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves reports, which come late, doubled and out of order: one row for each dispute. */
    uniqueIndex("disputes_processor").on(table.processor, table.processor_dispute_id),
    /** Serves the payment's page. */
    index("disputes_payment").on(table.environment_id, table.payment_id),
    /** Serves customers' sums. */
    index("disputes_customer").on(table.environment_id, table.customer).where(sql`customer is not null`),
    check("disputes_amount", sql`${table.amount} >= 0`),
  ],
);
export type DisputeRow = typeof disputes.$inferSelect;
