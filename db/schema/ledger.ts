import { sql } from "drizzle-orm";
import { check, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { environmentId, instant, money, oneOf } from "../columns";

/** Accounts, one of each per environment and currency. `suspense` holds what the processor says and we cannot place. */
export const LEDGER_ACCOUNTS = ["processor_receivable", "merchant_payable", "fees", "bank", "suspense"] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];
const ledgerAccount = oneOf("ledger_account", LEDGER_ACCOUNTS);

/**
 * Double entry, append-only (a trigger refuses anything else): each row debits one account and credits another, so the
 * books balance by construction. `operation_id` is an operation's, or a settlement batch's.
 */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    environment_id: environmentId(),
    operation_id: uuid("operation_id").notNull(),
    line: smallint("line").notNull(),
    payment_id: uuid("payment_id"),
    debit_account: ledgerAccount("debit_account").notNull(),
    credit_account: ledgerAccount("credit_account").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Also what makes writing an outcome twice impossible. A payment's lines are found by its operations. */
    primaryKey({ columns: [table.environment_id, table.operation_id, table.line] }),
    check("ledger_entries_two_sides", sql`${table.debit_account} <> ${table.credit_account}`),
    check("ledger_entries_amount", sql`${table.amount} > 0`),
  ],
);
export type LedgerRow = typeof ledgerEntries.$inferSelect;

/** One settlement run of one environment and currency. */
export const settlementBatches = pgTable(
  "settlement_batches",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    currency: text("currency").notNull(),
    charge_count: money("charge_count").notNull(),
    charge_amount: money("charge_amount").notNull(),
    refund_count: money("refund_count").notNull(),
    refund_amount: money("refund_amount").notNull(),
    /** Refunds that an earlier batch settled and that failed since: the processor pays them back. */
    reversal_count: money("reversal_count").notNull(),
    reversal_amount: money("reversal_amount").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    check(
      "settlement_batches_amounts",
      sql`${table.charge_amount} >= 0 and ${table.refund_amount} >= 0 and ${table.reversal_amount} >= 0`,
    ),
  ],
);
