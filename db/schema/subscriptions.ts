import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import type { Metadata } from "@/lib/contract/fields";
import type { InvoiceLine } from "@/lib/contract/invoices/invoice";
import { AFTER_LAST_ATTEMPT, MAX_DUNNING_DAYS, MAX_DUNNING_STEPS } from "@/lib/contract/subscriptions/settings";
import { INVOICE_KINDS, INVOICE_STATUSES, SUBSCRIPTION_STATUSES } from "@/lib/contract/subscriptions/statuses";
import type { BoughtPlan } from "@/lib/contract/subscriptions/subscription";
import { bytea, environmentId, instant, money, oneOf } from "../columns";

/** A plan change that takes effect at the end of the period. `plan_id`: UUID. */
export type PendingChange = { plan_id: string; plan: BoughtPlan; quantity: number; at: string };

/**
 * A customer's subscription to a plan. No foreign keys, as with payments: payments, invoices and
 * subscriptions are written together, and `npm run verify` has a rule for each key.
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    status: oneOf("subscription_status", SUBSCRIPTION_STATUSES)("status").notNull(),
    plan_id: uuid("plan_id").notNull(),
    /** The plan as bought. */
    plan: jsonb("plan").$type<BoughtPlan>().notNull(),
    customer_id: text("customer_id").notNull(),
    customer_email: text("customer_email"),
    /** Null until a card is stored. */
    payment_method_id: uuid("payment_method_id"),
    /** True after a hard decline of the card, until the subscription has another one or the card pays. */
    card_refused: boolean("card_refused").notNull().default(false),
    quantity: integer("quantity").notNull(),
    currency: text("currency").notNull(),
    time_zone: text("time_zone").notNull(),
    anchor_at: instant("anchor_at").notNull(),
    /** Incremented with each new anchor, from which periods are counted from 1 again. */
    cycle: integer("cycle").notNull(),
    /** 0 is the trial. */
    period_number: integer("period_number").notNull(),
    period_start_at: instant("period_start_at").notNull(),
    period_end_at: instant("period_end_at").notNull(),
    trial_end_at: instant("trial_end_at"),
    trial_refused: boolean("trial_refused").notNull(),
    /** The end of the trial has been announced. */
    trial_end_announced: boolean("trial_end_announced").notNull(),
    cancel_at_period_end: boolean("cancel_at_period_end").notNull(),
    cancelled_at: instant("cancelled_at"),
    ended_at: instant("ended_at"),
    cancel_reason: text("cancel_reason"),
    paused_at: instant("paused_at"),
    pending_change: jsonb("pending_change").$type<PendingChange>(),
    credit: money("credit").notNull(),
    /** Amount to refund because it ended early; 0 once the refunds have begun. */
    refund_due: money("refund_due").notNull(),
    latest_invoice_id: uuid("latest_invoice_id"),
    /** When the engine must act next: trial notice, end of a period, expiry of an unpaid start, or refund. */
    due_at: instant("due_at"),
    /** 0 until its first event, before which callers can't see it. */
    event_sequence: integer("event_sequence").notNull(),
    /** Incremented by every change. */
    version: integer("version").notNull(),
    metadata: jsonb("metadata").$type<Metadata>().notNull(),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the engine: due subscriptions, an environment's oldest first. */
    index("subscriptions_due").on(table.environment_id, table.due_at).where(sql`due_at is not null`),
    /** These serve GET /v1/subscriptions, filtered; the primary key serves it unfiltered. */
    index("subscriptions_status").on(table.environment_id, table.status, table.id),
    index("subscriptions_plan").on(table.environment_id, table.plan_id, table.id),
    index("subscriptions_customer").on(table.environment_id, table.customer_id, table.id),
    /** Serves the overview's figures: a currency's subscriptions by status, and those that ended lately. */
    index("subscriptions_currency").on(table.environment_id, table.currency, table.status, table.ended_at, table.id),
    /** Serves the check that a card to be removed is not in use. */
    index("subscriptions_payment_method").on(table.environment_id, table.payment_method_id, table.id),
    check("subscriptions_quantity", sql`${table.quantity} between 1 and 10000`),
    check("subscriptions_credit", sql`${table.credit} >= 0 and ${table.refund_due} >= 0`),
    check("subscriptions_period", sql`${table.period_start_at} < ${table.period_end_at}`),
    check("subscriptions_ended", sql`(${table.status} in ('CANCELLED', 'EXPIRED')) = (${table.ended_at} is not null)`),
    check("subscriptions_paused", sql`(${table.status} = 'PAUSED') = (${table.paused_at} is not null)`),
    check(
      "subscriptions_due_at",
      sql`(${table.due_at} is null) = (${table.status} in ('PAUSED', 'CANCELLED', 'EXPIRED') and ${table.refund_due} = 0)`,
    ),
  ],
);
export type SubscriptionRow = typeof subscriptions.$inferSelect;

/**
 * Used trials of a plan: a row each for the customer, the card and the e-mail address, so that none gets a
 * second one.
 */
export const subscriptionTrials = pgTable(
  "subscription_trials",
  {
    environment_id: environmentId(),
    plan_id: uuid("plan_id").notNull(),
    /** Digest of the kind and the value. */
    key: bytea("key").notNull(),
    subscription_id: uuid("subscription_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.plan_id, table.key] }),
    /** Serves the removal of a declined trial's rows. */
    index("subscription_trials_subscription").on(table.environment_id, table.subscription_id),
  ],
);

/** New values of a subscription, which take effect when its invoice is paid. */
export type ChangeOnPayment = Partial<
  Pick<
    SubscriptionRow,
    | ("plan_id" | "plan" | "quantity" | "anchor_at" | "cycle" | "period_number" | "period_start_at")
    | ("period_end_at" | "paused_at" | "pending_change" | "credit" | "trial_end_at")
  >
>;

/** The bill of a subscription for a period, a trial, or a change within a period. */
export const invoices = pgTable(
  "invoices",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    /**
     * Assigned in the commit in which it leaves DRAFT, under the lock of the environment's counter: no gaps.
     */
    number: integer("number"),
    /** The tax that the total includes, in thousandths of a percent; set with the number, never changed. */
    tax_name: text("tax_name"),
    tax_rate: integer("tax_rate"),
    kind: oneOf("invoice_kind", INVOICE_KINDS)("kind").notNull(),
    subscription_id: uuid("subscription_id").notNull(),
    customer_id: text("customer_id").notNull(),
    status: oneOf("invoice_status", INVOICE_STATUSES)("status").notNull(),
    cycle: integer("cycle").notNull(),
    period_number: integer("period_number").notNull(),
    period_start_at: instant("period_start_at").notNull(),
    period_end_at: instant("period_end_at").notNull(),
    lines: jsonb("lines").$type<InvoiceLine[]>().notNull(),
    total: money("total").notNull(),
    credit_used: money("credit_used").notNull(),
    amount_due: money("amount_due").notNull(),
    amount_paid: money("amount_paid").notNull(),
    currency: text("currency").notNull(),
    /** Payment attempts, automatic and manual. */
    attempts: integer("attempts").notNull(),
    /** Dunning steps used up; manual attempts use none. */
    dunning_step: integer("dunning_step").notNull(),
    /** Consecutive automatic attempts that reached no issuer. */
    unsent_attempts: integer("unsent_attempts").notNull().default(0),
    next_attempt_at: instant("next_attempt_at"),
    /** The payment in progress. It blocks any other. */
    open_payment_id: uuid("open_payment_id"),
    /** True if the engine started the payment in progress: a decline then uses up a dunning step. */
    open_is_automatic: boolean("open_is_automatic").notNull(),
    payment_ids: uuid("payment_ids").array().notNull(),
    /** Changes to the subscription that take effect when it is paid; null if none. */
    change_on_payment: jsonb("change_on_payment").$type<ChangeOnPayment>(),
    paid_at: instant("paid_at"),
    voided_at: instant("voided_at"),
    event_sequence: integer("event_sequence").notNull(),
    version: integer("version").notNull(),
    metadata: jsonb("metadata").$type<Metadata>().notNull(),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    unique("invoices_number").on(table.environment_id, table.number),
    /** Serves the engine: due attempts, an environment's oldest first. */
    index("invoices_due")
      .on(table.environment_id, table.next_attempt_at)
      .where(sql`next_attempt_at is not null and open_payment_id is null`),
    /** These serve GET /v1/invoices, filtered; the first also serves a subscription's unpaid invoices. */
    index("invoices_subscription").on(table.environment_id, table.subscription_id, table.id),
    index("invoices_customer").on(table.environment_id, table.customer_id, table.id),
    index("invoices_status").on(table.environment_id, table.status, table.id),
    check("invoices_numbered", sql`(${table.status} = 'DRAFT') = (${table.number} is null)`),
    check(
      "invoices_amounts",
      sql`${table.amount_due} = greatest(${table.total}, 0) - ${table.credit_used} and ${table.credit_used} >= 0
        and ${table.amount_due} >= 0 and ${table.amount_paid} in (0, ${table.amount_due})`,
    ),
    check(
      "invoices_paid",
      sql`(${table.status} = 'PAID') = (${table.paid_at} is not null)
        and (${table.status} = 'PAID') = (${table.amount_paid} = ${table.amount_due} and ${table.paid_at} is not null)`,
    ),
    check("invoices_voided", sql`(${table.status} = 'VOID') = (${table.voided_at} is not null)`),
    check(
      "invoices_attempts",
      sql`${table.status} in ('DRAFT', 'OPEN') or (${table.next_attempt_at} is null and ${table.open_payment_id} is null)`,
    ),
  ],
);
export type InvoiceRow = typeof invoices.$inferSelect;

/** The last invoice number of each environment. */
export const invoiceCounters = pgTable(
  "invoice_counters",
  {
    environment_id: environmentId(),
    last: integer("last").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id] })],
);

/** A merchant's settings for the subscriptions of an environment; without a row, the defaults apply. */
export const subscriptionSettings = pgTable(
  "subscription_settings",
  {
    environment_id: environmentId(),
    /** Days from each failed attempt to the next. */
    dunning_steps: integer("dunning_steps").array().notNull(),
    after_last_attempt: oneOf("after_last_attempt", AFTER_LAST_ATTEMPT)("after_last_attempt").notNull(),
    mail_trial_ending: boolean("mail_trial_ending").notNull(),
    mail_receipt: boolean("mail_receipt").notNull(),
    mail_payment_failed: boolean("mail_payment_failed").notNull(),
    mail_card_expiring: boolean("mail_card_expiring").notNull(),
    mail_cancelled: boolean("mail_cancelled").notNull(),
    portal_change_card: boolean("portal_change_card").notNull(),
    portal_cancel: boolean("portal_cancel").notNull(),
    portal_invoices: boolean("portal_invoices").notNull(),
  },
  ({ environment_id, dunning_steps }) => [
    primaryKey({ columns: [environment_id] }),
    check(
      "subscription_settings_dunning",
      sql`cardinality(${dunning_steps}) between 1 and ${sql.raw(String(MAX_DUNNING_STEPS))}
        and 1 <= all (${dunning_steps}) and ${sql.raw(String(MAX_DUNNING_DAYS))} >= all (${dunning_steps})
        and array_position(${dunning_steps}, null) is null`,
    ),
  ],
);
export type SubscriptionSettingsRow = typeof subscriptionSettings.$inferSelect;

/**
 * Events to mail to customers, queued in the commit that writes them; a job writes each mail and removes the
 * row in one transaction. Times are real, because mail isn't sent by a test clock.
 */
export const subscriptionMails = pgTable(
  "subscription_mails",
  {
    environment_id: environmentId(),
    event_id: uuid("event_id").notNull(),
    /** Later than `created_at` after a failure. */
    due_at: instant("due_at").notNull().default(sql`now()`),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.event_id] })],
);
