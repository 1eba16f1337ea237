import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { DISPUTE_NOTICES, DISPUTE_REASONS, DISPUTE_STATUSES } from "@/lib/contract/disputes/statuses";
import { environmentId, instant, money, oneOf } from "../columns";

/** Chargebacks and inquiries of cardholders' banks, as the processor last reported them. */
export const disputes = pgTable(
  "disputes",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The payment's charge, and the customer whom it names. */
    transaction_id: uuid("transaction_id").notNull(),
    customer_id: text("customer_id"),
    /** The processor that assigned `processor_dispute_id`. */
    processor: text("processor").notNull(),
    processor_dispute_id: text("processor_dispute_id").notNull(),
    /** Customer of the payment's charge, by `customer_uuid`; null if the charge names none. */
    customer: uuid("customer"),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    reason: oneOf("dispute_reason", DISPUTE_REASONS)("reason").notNull(),
    network_reason_code: text("network_reason_code"),
    /** The processor's, in the dispute's currency; null if it is not known. */
    fee: money("fee"),
    /** The bank took the amount back, at least for a time; false for an inquiry, which takes nothing. */
    withdrawn: boolean("withdrawn").notNull().default(true),
    /** Its page at the processor. */
    dashboard_url: text("dashboard_url"),
    status: oneOf("dispute_status", DISPUTE_STATUSES)("status").notNull(),
    respond_by: instant("respond_by"),
    /** The last notice mailed to the team. */
    last_notice: oneOf("dispute_notice", DISPUTE_NOTICES)("last_notice"),
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
    /** Serves the payment page, and GET /v1/disputes filtered by payment. */
    index("disputes_payment").on(table.environment_id, table.payment_id, table.id),
    /** Serves customer totals, and the list filtered by customer. */
    index("disputes_customer").on(table.environment_id, table.customer, table.id).where(sql`customer is not null`),
    /** Serves the list filtered by status; the primary key serves it unfiltered. */
    index("disputes_status").on(table.environment_id, table.status, table.id),
    /** Serves the list filtered by deadline. */
    index("disputes_respond_by")
      .on(table.environment_id, table.respond_by, table.id)
      .where(sql`respond_by is not null`),
    /** Serves the job that mails notices: disputes that may still need one, the next deadline first. */
    index("disputes_to_notify")
      .on(table.respond_by, table.environment_id, table.id)
      .where(sql`status in ('NEEDS_RESPONSE', 'UNDER_REVIEW') and last_notice is distinct from 'due_soon'`),
    check("disputes_amount", sql`${table.amount} >= 0`),
  ],
);
export type DisputeRow = typeof disputes.$inferSelect;

/**
 * What a dispute took from the available balance and returned to it: one row per report that moved money, with
 * its ledger lines under the row's id, in one commit. A later report moves only the difference.
 */
export const disputeMovements = pgTable(
  "dispute_movements",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    dispute_id: uuid("dispute_id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    currency: text("currency").notNull(),
    /** Changes of the available balance: negative when they leave it, zero when a dispute only ends. */
    amount: money("amount").notNull(),
    fee: money("fee").notNull(),
    /** The payout that accounts for it; null until one does. */
    payout_id: uuid("payout_id"),
    /** It was in a payout that failed. */
    payout_failed: boolean("payout_failed").notNull().default(false),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the next difference, and the dispute's page. */
    index("dispute_movements_dispute").on(table.environment_id, table.dispute_id, table.id),
    /** Serves the payment's page. */
    index("dispute_movements_payment").on(table.environment_id, table.payment_id, table.id),
    /** Serves payouts: what none of them accounts for. */
    index("dispute_movements_available")
      .on(table.environment_id, table.currency, table.id)
      .where(sql`payout_id is null and (amount <> 0 or fee <> 0)`),
  ],
);
export type DisputeMovementRow = typeof disputeMovements.$inferSelect;
