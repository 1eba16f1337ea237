import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgSchema, smallint, text, uuid } from "drizzle-orm/pg-core";
import { DISPUTE_REASONS } from "@/lib/contract/disputes/statuses";
import { DECLINE_CODES } from "@/lib/contract/transactions/words";
import { instant, money, oneOf } from "../columns";

/**
 * The sandbox processor's own books. It acts as a separate company: its tables share nothing with ours, not
 * even a foreign key, so that comparing the two is meaningful. Contains no card data.
 */
export const sandboxProcessor = pgSchema("sandbox_processor");

export const CHARGE_OUTCOMES = ["approved", "declined", "action_required"] as const;
export const FOLLOW_UP_KINDS = ["continue", "capture", "void", "refund"] as const;
/** `failed`: a refund that was accepted and later returned. */
export const FOLLOW_UP_OUTCOMES = ["approved", "declined", "failed"] as const;

/** One row per authorization: its stored response, and the money that follow-ups may move. */
export const sandboxCharges = sandboxProcessor.table(
  "charges",
  {
    /** The caller's operation id; the primary key prevents a second execution. */
    reference: uuid("reference").primaryKey(),
    account: uuid("account").notNull(),
    behavior: text("behavior").notNull(),
    outcome: oneOf("sandbox_charge_outcome", CHARGE_OUTCOMES)("outcome").notNull(),
    decline_code: text("decline_code", { enum: [...DECLINE_CODES] }),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    capture_at_once: boolean("capture_at_once").notNull(),
    amount_captured: money("amount_captured").notNull().default(0),
    amount_refunded: money("amount_refunded").notNull().default(0),
    voided: boolean("voided").notNull().default(false),
    avs_result: text("avs_result").notNull(),
    cvv_result: text("cvv_result").notNull(),
    /** Inputs of the fraud rules, kept so that a repeated request gets the same score. */
    card_attempts: smallint("card_attempts").notNull(),
    email_attempts: smallint("email_attempts").notNull(),
    address_attempts: smallint("address_attempts").notNull(),
    average_amount: money("average_amount"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /**
     * Serves the fraud rule that compares with the account's latest approved charges. It contains no column
     * that a capture or refund changes.
     */
    index("sandbox_charges_history")
      .on(table.account, table.currency, table.created_at)
      .where(sql`outcome = 'approved'`),
    check("sandbox_charges_declined", sql`(${table.outcome} = 'declined') = (${table.decline_code} is not null)`),
    check("sandbox_charges_amount", sql`${table.amount} > 0`),
    check("sandbox_charges_captured", sql`${table.amount_captured} between 0 and ${table.amount}`),
    check("sandbox_charges_refunded", sql`${table.amount_refunded} between 0 and ${table.amount_captured}`),
    check("sandbox_charges_voided", sql`not ${table.voided} or ${table.amount_captured} = 0`),
    check(
      "sandbox_charges_unapproved",
      sql`${table.outcome} = 'approved' or (${table.amount_captured} = 0 and not ${table.voided})`,
    ),
  ],
);

/**
 * Cards stored for later charges, each by a check or a charge, whose outcome is repeated here. Of the card it
 * contains only its behavior, expiry and slow, keyed fingerprint. Rows of removed cards stay, so that they
 * are refused.
 */
export const sandboxStoredCards = sandboxProcessor.table(
  "stored_cards",
  {
    /** Reference of the check or charge, and thereby the card's token. */
    reference: uuid("reference").primaryKey(),
    account: uuid("account").notNull(),
    customer: text("customer").notNull(),
    behavior: text("behavior").notNull(),
    /** Equal for equal numbers of an account, so that merchants can give one trial for each card. */
    fingerprint: uuid("fingerprint").notNull(),
    exp_month: smallint("exp_month").notNull(),
    exp_year: smallint("exp_year").notNull(),
    outcome: oneOf("sandbox_charge_outcome", CHARGE_OUTCOMES)("outcome").notNull(),
    decline_code: text("decline_code", { enum: [...DECLINE_CODES] }),
    /** Approved charges by the merchant, for the card that declines later ones. */
    merchant_charges: integer("merchant_charges").notNull().default(0),
    removed_at: instant("removed_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    check("sandbox_stored_cards_declined", sql`(${table.outcome} = 'declined') = (${table.decline_code} is not null)`),
    check("sandbox_stored_cards_removed", sql`${table.removed_at} is null or ${table.outcome} = 'approved'`),
  ],
);

/**
 * Counters of the fraud rules: keyed digests of an account and a card, e-mail or billing address, for ten
 * minutes. UNLOGGED, so that they reach neither the WAL nor a backup of it; a database crash empties it.
 */
export const sandboxRecentAttempts = sandboxProcessor.table(
  "recent_attempts",
  {
    digest: uuid("digest").notNull(),
    /** The environment's time, which may be ahead. */
    at: instant("at").notNull().default(sql`now()`),
    /** Real time, after which it is removed. */
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  /** Serves the counts. */
  (table) => [index("sandbox_recent_attempts_digest").on(table.digest, table.at)],
);

/**
 * One row per capture, void, refund or continued challenge, including refused ones: the stored response of
 * its reference.
 */
export const sandboxOperations = sandboxProcessor.table(
  "operations",
  {
    reference: uuid("reference").primaryKey(),
    account: uuid("account").notNull(),
    kind: oneOf("sandbox_operation_kind", FOLLOW_UP_KINDS)("kind").notNull(),
    /** Reference of the charge it acts on. */
    charge: uuid("charge").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    outcome: oneOf("sandbox_operation_outcome", FOLLOW_UP_OUTCOMES)("outcome").notNull(),
    decline_code: text("decline_code", { enum: [...DECLINE_CODES] }),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves reconciling a charge with its follow-ups. */
    index("sandbox_operations_charge").on(table.charge),
    check("sandbox_operations_amount", sql`${table.amount} > 0`),
  ],
);

/** Attempts refused before processing, for the test card that refuses its first attempt. */
export const sandboxRefusals = sandboxProcessor.table(
  "refusals",
  {
    reference: uuid("reference").primaryKey(),
    account: uuid("account").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  /** Serves the clean-up. */
  (table) => [index("sandbox_refusals_age").on(table.created_at)],
);

/** Accepted refunds that will fail, and their failure reports until the caller acknowledges them. */
export const sandboxReports = sandboxProcessor.table(
  "reports",
  {
    /** The refund's reference. */
    reference: uuid("reference").primaryKey(),
    account: uuid("account").notNull(),
    due_at: instant("due_at").notNull(),
    /** When the money was returned to the charge. */
    applied_at: instant("applied_at"),
    acknowledged_at: instant("acknowledged_at"),
  },
  (table) => [
    /** Serves due failures and unacknowledged reports, per account. */
    index("sandbox_reports_open").on(table.account, table.due_at).where(sql`acknowledged_at is null`),
    /** Serves the clean-up. */
    index("sandbox_reports_age").on(table.acknowledged_at).where(sql`acknowledged_at is not null`),
    check("sandbox_reports_order", sql`${table.acknowledged_at} is null or ${table.applied_at} is not null`),
  ],
);

export const SANDBOX_DISPUTE_STATUSES = ["needs_response", "under_review", "won", "lost", "accepted"] as const;

/** Disputes of charges, as a cardholder's bank sees them. Times are the account's, which may be ahead. */
export const sandboxDisputes = sandboxProcessor.table(
  "disputes",
  {
    id: uuid("id").primaryKey(),
    account: uuid("account").notNull(),
    /** Reference of the charge. */
    charge: uuid("charge").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    reason: text("reason", { enum: [...DISPUTE_REASONS] }).notNull(),
    status: oneOf("sandbox_dispute_status", SANDBOX_DISPUTE_STATUSES)("status").notNull(),
    respond_by: instant("respond_by").notNull(),
    /** Reference of the response that took effect; the first one counts. */
    response: uuid("response"),
    /** When the bank opens it. */
    created_at: instant("created_at").notNull(),
    /** When the bank acts next: it opens the dispute, or decides it. Null once it has decided. */
    acts_at: instant("acts_at"),
    /** Number of its states; 0 before it is opened. Those after `reported` are not acknowledged yet. */
    version: smallint("version").notNull().default(0),
    reported: smallint("reported").notNull().default(0),
  },
  (table) => [
    /** Serves reconciling a charge with its disputes. */
    index("sandbox_disputes_charge").on(table.charge, table.id),
    /** Serve what is due, of all accounts and of one. */
    index("sandbox_disputes_due").on(table.acts_at, table.id).where(sql`acts_at is not null`),
    index("sandbox_disputes_due_of").on(table.account, table.acts_at, table.id).where(sql`acts_at is not null`),
    /** Serves reports that are not acknowledged. */
    index("sandbox_disputes_unreported").on(table.account, table.id).where(sql`reported < version`),
    check("sandbox_disputes_reported", sql`${table.reported} between 0 and ${table.version}`),
    check("sandbox_disputes_amount", sql`${table.amount} > 0`),
  ],
);
export type SandboxDisputeRow = typeof sandboxDisputes.$inferSelect;
