import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { DISPUTE_STATUSES } from "@/lib/contract/disputes/statuses";
import { INITIATORS, type NextAction, PAYMENT_STATUSES } from "@/lib/contract/payments/payment";
import { environmentId, instant, money, oneOf } from "../columns";

/**
 * Status and counters of one payment, in one row so that one guarded UPDATE keeps captures and refunds in
 * limits. No foreign keys between money tables: each costs every payment a lookup and a lock on a shared row.
 * T1 writes parent and children in one statement, nothing deletes them, and `npm run verify` has a rule for
 * each key.
 */
export const payments = pgTable(
  "payments",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    /** The payment's one charge. */
    charge_id: uuid("charge_id").notNull(),
    /** Processor reference of the authorization, which captures, voids and refunds act on. */
    authorization_id: uuid("authorization_id").notNull(),
    status: oneOf("payment_status", PAYMENT_STATUSES)("status").notNull(),
    currency: text("currency").notNull(),
    amount: money("amount").notNull(),
    capture_method: text("capture_method", { enum: ["automatic", "manual"] }).notNull(),
    amount_captured: money("amount_captured").notNull().default(0),
    amount_refunded: money("amount_refunded").notNull().default(0),
    /** The tax that the captured amount includes, in thousandths of a percent; set on capture, never changed. */
    tax_name: text("tax_name"),
    tax_rate: integer("tax_rate"),
    /** Reserved by refunds whose outcome is not known yet. */
    refund_pending: money("refund_pending").notNull().default(0),
    /** The authorization, capture or void in progress; at most one. */
    open_operation_id: uuid("open_operation_id"),
    /**
     * Incremented by every change of the payment and its transactions, so that no response is stored for a
     * stale snapshot.
     */
    version: integer("version").notNull().default(1),
    /**
     * Sequence of the payment's last event; 0 before the first. Written with the event, under the same
     * version.
     */
    event_sequence: integer("event_sequence").notNull().default(0),
    capture_before: instant("capture_before"),
    customer_id: text("customer_id"),
    return_url: text("return_url"),
    /**
     * The merchant's or operator's connection that holds the payment; null = the mode's built-in processor.
     * Never changes.
     */
    connection_id: uuid("connection_id"),
    /** The stored card that it charges or, once it is approved, the one that it stored. */
    payment_method_id: uuid("payment_method_id"),
    /** Only of a payment that charges a stored card. */
    initiator: text("initiator", { enum: [...INITIATORS] }),
    /** Its card is stored once it is approved. */
    saves_card: boolean("saves_card").notNull().default(false),
    /** The invoice that it pays. */
    invoice_id: uuid("invoice_id"),
    next_action: jsonb("next_action").$type<NextAction>(),
    /** The dispute that decides about refunds; kept here so that refunds and disputes lock the same row. */
    dispute_id: uuid("dispute_id"),
    dispute_status: oneOf("dispute_status", DISPUTE_STATUSES)("dispute_status"),
    /** Sum of its disputes that are open or lost, in its currency. */
    amount_disputed: money("amount_disputed").notNull().default(0),
    /** When the processor reported that a booked capture failed after all. */
    capture_reversed_at: instant("capture_reversed_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** These serve GET /v1/payments, filtered by status or customer; the primary key serves it unfiltered. */
    index("payments_status").on(table.environment_id, table.status, table.id),
    index("payments_customer")
      .on(table.environment_id, table.customer_id, table.id)
      .where(sql`customer_id is not null`),
    /**
     * These serve the job that voids expired authorizations and abandoned challenges; the first also serves
     * the overview of authorizations about to expire.
     */
    index("payments_expiring").on(table.environment_id, table.capture_before).where(sql`status = 'AUTHORIZED'`),
    index("payments_waiting").on(table.environment_id, table.updated_at).where(sql`status = 'REQUIRES_ACTION'`),
    /**
     * Serves a connection's open payments and its reconciliation. Payments of built-in processors are left
     * out.
     */
    index("payments_connection")
      .on(table.environment_id, table.connection_id, table.id)
      .where(sql`connection_id is not null`),
    /** Serves the overview and the list filter for reversed captures. */
    index("payments_capture_reversed")
      .on(table.environment_id, table.capture_reversed_at)
      .where(sql`capture_reversed_at is not null`),
    check(
      "payments_initiator",
      sql`${table.initiator} is null or (${table.payment_method_id} is not null and not ${table.saves_card})`,
    ),
    check("payments_amount", sql`${table.amount} > 0`),
    check("payments_captured", sql`${table.amount_captured} between 0 and ${table.amount}`),
    check("payments_dispute", sql`(${table.dispute_id} is null) = (${table.dispute_status} is null)`),
    check(
      "payments_refunded",
      sql`${table.amount_refunded} >= 0 and ${table.refund_pending} >= 0 and ${table.amount_refunded} + ${table.refund_pending} <= ${table.amount_captured}`,
    ),
  ],
);
export type PaymentRow = typeof payments.$inferSelect;

/**
 * Ledger accounts, per environment and currency. The merchant's money is in three: `merchant_payable` is
 * captured, not settled; `merchant_available` is settled, in no payout; `merchant_in_payout` is on its way to
 * the bank. `disputes` holds what banks took back until the dispute ends. `suspense` holds what the processor reports and we cannot match.
 */
export const LEDGER_ACCOUNTS = [
  "processor_receivable",
  "merchant_payable",
  "merchant_available",
  "merchant_in_payout",
  "disputes",
  "fees",
  "bank",
  "suspense",
] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];
const ledgerAccount = oneOf("ledger_account", LEDGER_ACCOUNTS);

/**
 * Double entry, append-only (by trigger): each row debits one account and credits another, so the books
 * balance by construction. `operation_id` names an operation, a settlement batch, a payout or a movement of a dispute.
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
    /** Also prevents writing an outcome twice. A payment's lines are found by its operations. */
    primaryKey({ columns: [table.environment_id, table.operation_id, table.line] }),
    /** Serves balance movements: one kind of line in one currency is one index range in time order. */
    index("ledger_entries_movements").on(
      table.environment_id,
      table.currency,
      table.debit_account,
      table.credit_account,
      table.line,
      table.created_at,
      table.operation_id,
    ),
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
    /** Refunds that failed after an earlier batch settled them; the processor pays them back. */
    reversal_count: money("reversal_count").notNull(),
    reversal_amount: money("reversal_amount").notNull(),
    /** The payout that includes it; null while the money is available. */
    payout_id: uuid("payout_id"),
    /** Its payout failed; the money waits for the next payout or a manual retry. */
    payout_failed: boolean("payout_failed").notNull().default(false),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves payouts: batches in no payout yet. In the sandbox those are few. */
    index("settlement_batches_available")
      .on(table.environment_id, table.currency, table.id)
      .where(sql`payout_id is null`),
    /** Serves the list filtered by currency; the primary key serves it unfiltered. */
    index("settlement_batches_currency").on(table.environment_id, table.currency, table.id),
    check(
      "settlement_batches_amounts",
      sql`${table.charge_amount} >= 0 and ${table.refund_amount} >= 0 and ${table.reversal_amount} >= 0`,
    ),
  ],
);
