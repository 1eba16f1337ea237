import { sql } from "drizzle-orm";
import { check, date, index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { PAYOUT_STATUSES } from "@/lib/contract/settlement/payout";
import { environmentId, instant, money, oneOf } from "../columns";

/**
 * Transfers to a merchant's bank. A trigger limits the status to PENDING → IN_TRANSIT → PAID or FAILED, each
 * change in the commit of its ledger line. `settlement_batches.payout_id` says which batches it pays, and
 * `dispute_movements.payout_id` which movements; its own lists keep both after a failure.
 */
export const payouts = pgTable(
  "payouts",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    status: oneOf("payout_status", PAYOUT_STATUSES)("status").notNull(),
    currency: text("currency").notNull(),
    amount: money("amount").notNull(),
    settlement_batch_ids: uuid("settlement_batch_ids").array().notNull(),
    dispute_movement_ids: uuid("dispute_movement_ids").array().notNull().default(sql`'{}'`),
    /** Part of the amount: what these took, if negative, or returned. */
    dispute_amount: money("dispute_amount").notNull().default(0),
    /** The receiving account, as of then. */
    bank_name: text("bank_name").notNull(),
    bank_country: text("bank_country").notNull(),
    bank_last4: text("bank_last4").notNull(),
    arrival_date: date("arrival_date", { mode: "string" }).notNull(),
    failure_reason: text("failure_reason"),
    /** When the next status is due; unchanged once final. */
    due_at: instant("due_at").notNull(),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** These serve the list filtered by status or currency; the primary key serves it unfiltered. */
    index("payouts_status").on(table.environment_id, table.status, table.id),
    index("payouts_currency").on(table.environment_id, table.currency, table.id),
    /** Serves the job that advances payouts in progress. */
    index("payouts_due").on(table.due_at).where(sql`status in ('PENDING', 'IN_TRANSIT')`),
    check("payouts_amount", sql`${table.amount} > 0`),
    check("payouts_reason", sql`(${table.status} = 'FAILED') = (${table.failure_reason} is not null)`),
  ],
);
export type PayoutRow = typeof payouts.$inferSelect;

/**
 * Destination of an environment's payouts; without a row it is the sandbox's test account. Only the last four
 * characters of the number are stored: the sandbox pays nobody, so the rest would only help thieves.
 */
export const bankAccounts = pgTable(
  "bank_accounts",
  {
    environment_id: environmentId(),
    holder: text("holder").notNull(),
    bank_name: text("bank_name").notNull(),
    country: text("country").notNull(),
    last4: text("last4").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id] }),
    check("bank_accounts_last4", sql`${table.last4} ~ '^[0-9A-Z]{4}$'`),
  ],
);
export type BankAccountRow = typeof bankAccounts.$inferSelect;
