import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress, Metadata } from "@/lib/contract/fields";
import type { AvsResult, CvvResult } from "@/lib/contract/payments/words";
import {
  CARD_BRANDS,
  type RefundReason,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from "@/lib/contract/transactions/words";
import { environmentId, instant, money, oneOf } from "../columns";

/**
 * One row per movement of money, as merchants list and search it: a charge, or a refund of one. A refund
 * repeats the customer and card of its charge, so that one index finds everything about a customer.
 */
export const transactions = pgTable(
  "transactions",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    type: oneOf("transaction_type", TRANSACTION_TYPES)("type").notNull(),
    status: oneOf("transaction_status", TRANSACTION_STATUSES)("status").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    customer_id: text("customer_id"),
    customer_email: text("customer_email"),
    /**
     * Lowercase address for searching. A column, because row-level security lets no index answer a condition
     * on a function's result.
     */
    customer_email_key: text("customer_email_key").generatedAlwaysAs(sql`lower(customer_email)`),
    customer_name: text("customer_name"),
    billing_address: jsonb("billing_address").$type<BillingAddress>(),
    card_brand: oneOf("card_brand", CARD_BRANDS)("card_brand"),
    card_last4: text("card_last4"),
    card_exp_month: smallint("card_exp_month"),
    card_exp_year: smallint("card_exp_year"),
    card_bin: text("card_bin"),
    avs_result: text("avs_result").$type<AvsResult>(),
    cvv_result: text("cvv_result").$type<CvvResult>(),
    fraud_score: smallint("fraud_score"),
    fraud_reasons: text("fraud_reasons").array(),
    decline_code: text("decline_code").$type<DeclineCode>(),
    subscription_id: uuid("subscription_id"),
    plan_id: uuid("plan_id"),
    client_session_id: uuid("client_session_id"),
    refund_of: uuid("refund_of"),
    refund_reason: text("refund_reason").$type<RefundReason>(),
    refund_comment: text("refund_comment"),
    void_reason: text("void_reason"),
    settlement_batch_id: uuid("settlement_batch_id"),
    /** The batch that paid back a refund that failed after settlement; only such rows are in two batches. */
    reversal_batch_id: uuid("reversal_batch_id"),
    description: text("description"),
    metadata: jsonb("metadata").$type<Metadata>().notNull(),
    /** Sequence number of its last event. */
    event_sequence: integer("event_sequence").notNull().default(0),
    authorized_at: instant("authorized_at"),
    captured_at: instant("captured_at"),
    settled_at: instant("settled_at"),
    voided_at: instant("voided_at"),
    refunded_at: instant("refunded_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves a payment's page and responses: its refunds. The charge is looked up by its id. */
    index("transactions_refunds").on(table.environment_id, table.payment_id, table.id).where(sql`type = 'REFUND'`),
    /**
     * These serve list and search. Within one value, rows are in creation order (by id). The columns after
     * the id are never searched by; they let an index-only scan answer combined filters.
     */
    index("transactions_status").on(table.environment_id, table.status, table.id, table.card_brand, table.amount),
    index("transactions_brand").on(table.environment_id, table.card_brand, table.status, table.id, table.amount),
    index("transactions_customer")
      .on(table.environment_id, table.customer_id, table.id)
      .where(sql`customer_id is not null`),
    index("transactions_email")
      .on(table.environment_id, table.customer_email_key, table.id)
      .where(sql`customer_email_key is not null`),
    index("transactions_subscription")
      .on(table.environment_id, table.subscription_id, table.id)
      .where(sql`subscription_id is not null`),
    /** Serves a client session's attempts, newest last. */
    index("transactions_client_session")
      .on(table.environment_id, table.client_session_id, table.id)
      .where(sql`client_session_id is not null and type = 'CHARGE'`),
    index("transactions_last4").on(table.environment_id, table.card_last4, table.id),
    index("transactions_plan").on(table.environment_id, table.plan_id, table.id).where(sql`plan_id is not null`),
    index("transactions_decline")
      .on(table.environment_id, table.decline_code, table.id)
      .where(sql`decline_code is not null`),
    index("transactions_captured")
      .on(table.environment_id, table.captured_at, table.id)
      .where(sql`captured_at is not null`),
    /**
     * Serves sorting by amount per currency, amount ranges of a currency, and rare currencies. A range over
     * all currencies is one range per currency: PostgreSQL 18 uses a skip scan, earlier versions read the
     * whole index.
     */
    index("transactions_amount").on(
      ...[table.environment_id, table.currency, table.amount, table.id],
      ...[table.status, table.card_brand],
    ),
    /** Serves settlement: captured and not yet settled. */
    index("transactions_unsettled")
      .on(table.environment_id, table.currency, table.id)
      .where(sql`settled_at is null and captured_at is not null and status <> 'FAILED'`),
    /** Serves settlement: refunds that failed after being settled and are not paid back yet. */
    index("transactions_unsettled_reversals")
      .on(table.environment_id, table.currency, table.id)
      .where(sql`type = 'REFUND' and status = 'FAILED' and settled_at is not null and reversal_batch_id is null`),
    /** Serves the check that a batch's total equals the sum of its items. */
    index("transactions_batch")
      .on(table.environment_id, table.settlement_batch_id)
      .where(sql`settlement_batch_id is not null`),
    /** Serves the list of a batch's items: refunds paid back in it. */
    index("transactions_reversal_batch")
      .on(table.environment_id, table.reversal_batch_id)
      .where(sql`reversal_batch_id is not null`),
    /** Serves the overview: recently failed refunds. */
    index("transactions_failed_refunds")
      .on(table.environment_id, table.updated_at)
      .where(sql`type = 'REFUND' and status = 'FAILED'`),
    check("transactions_amount_positive", sql`${table.amount} > 0`),
    check(
      "transactions_reversal",
      sql`${table.reversal_batch_id} is null or (${table.type} = 'REFUND' and ${table.status} = 'FAILED' and ${table.settled_at} is not null)`,
    ),
    check("transactions_refund_of", sql`(${table.type} = 'REFUND') = (${table.refund_of} is not null)`),
  ],
);
export type TransactionRow = Omit<typeof transactions.$inferSelect, "customer_email_key">;
