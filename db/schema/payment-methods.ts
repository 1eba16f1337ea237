import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { Metadata } from "@/lib/contract/fields";
import type { Consent } from "@/lib/contract/payment-methods/payment-method";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import { environmentId, instant, oneOf } from "../columns";

/**
 * `pm_…`: a reference to a customer's card, which the processor stores. No foreign keys, like all money
 * tables.
 */
export const paymentMethods = pgTable(
  "payment_methods",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    customer_id: text("customer_id").notNull(),
    /**
     * The connection that stores the card, and the only one that can charge it; null = the mode's built-in
     * processor.
     */
    connection_id: uuid("connection_id"),
    /** The processor's reference to the stored card; empty once the processor has deleted it. */
    processor_token: text("processor_token").notNull(),
    card_brand: oneOf("card_brand", CARD_BRANDS)("card_brand"),
    card_last4: text("card_last4"),
    card_bin: text("card_bin"),
    card_exp_month: smallint("card_exp_month"),
    card_exp_year: smallint("card_exp_year"),
    /** The processor's fingerprint of the card number, equal for equal numbers; null if it has none. */
    card_identity: text("card_identity"),
    /** Its `payment_method.expiring` event is written, or it expired before that was possible. */
    expiry_announced: boolean("expiry_announced").notNull().default(false),
    consent: jsonb("consent").$type<Consent>(),
    metadata: jsonb("metadata").$type<Metadata>().notNull(),
    /** The payment that stored it; null if no payment did. */
    payment_id: uuid("payment_id"),
    client_session_id: uuid("client_session_id"),
    /** Database time after the row was locked: no payment with it has begun since. Never unset. */
    removed_at: instant("removed_at"),
    /** Next attempt to delete it at the processor; null = nothing to do. */
    removal_due_at: instant("removal_due_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the list of a customer's cards; the primary key serves it unfiltered. */
    index("payment_methods_customer").on(table.environment_id, table.customer_id, table.id),
    /**
     * Keeps one row for each stored card, because removing a second one would remove the first one's card.
     * Serves processors' reports, which name no environment.
     */
    uniqueIndex("payment_methods_stored_card")
      .on(
        table.processor_token,
        table.environment_id,
        sql`coalesce(connection_id, '00000000-0000-0000-0000-000000000000')`,
      )
      .where(sql`processor_token <> ''`),
    /** Serves the count of a connection's cards, before it is disconnected. */
    index("payment_methods_connection")
      .on(table.environment_id, table.connection_id)
      .where(sql`connection_id is not null and removed_at is null`),
    /** Serves the job that deletes removed cards at their processor. Nearly empty. */
    index("payment_methods_removals").on(table.removal_due_at).where(sql`removal_due_at is not null`),
    /** Serves the list of expired cards, and the time at which the next card's last month begins. */
    index("payment_methods_expiry")
      .on(table.environment_id, sql`(card_exp_year * 12 + card_exp_month - 1)`, table.id)
      .where(sql`removed_at is null`),
    /** Serves the job that announces expiring cards, of all environments. */
    index("payment_methods_expiring")
      .on(sql`(card_exp_year * 12 + card_exp_month - 1)`)
      .where(sql`not expiry_announced and removed_at is null`),
    check("payment_methods_has_token", sql`${table.processor_token} <> '' or ${table.removed_at} is not null`),
    check("payment_methods_removal", sql`${table.removal_due_at} is null or ${table.removed_at} is not null`),
  ],
);
export type PaymentMethodRow = typeof paymentMethods.$inferSelect;
