import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import { CHECKOUT_LOCALES, CHECKOUT_MODES } from "@/lib/contract/checkout/checkout";
import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress, Metadata } from "@/lib/contract/fields";
import type { Consent } from "@/lib/contract/payment-methods/payment-method";
import type { BoughtPlan } from "@/lib/contract/subscriptions/subscription";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import { bytea, environmentId, instant, money, oneOf } from "../columns";
import { environments } from "./accounts";
import { payments } from "./payments";
import { plans } from "./plans";

/** `plink_…`: sells a plan, or an amount of its own, at a permanent public URL. */
export const paymentLinks = pgTable(
  "payment_links",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    /** Part of the public URL: identifies the link, but protects no payment. */
    token: text("token").notNull(),
    /** The merchant's internal name, never shown to shoppers. */
    name: text("name"),
    plan_id: uuid("plan_id"),
    /** Both null with a plan: its price is used when the link is opened. */
    amount: money("amount"),
    currency: text("currency"),
    /** Description shown to shoppers; a plan has its own. */
    description: text("description"),
    single_use: boolean("single_use").notNull(),
    /** The payment form has a field for the shopper's e-mail address. */
    asks_email: boolean("asks_email").notNull().default(true),
    active: boolean("active").notNull(),
    expires_at: instant("expires_at"),
    /**
     * The one payable session of a single-use link. No foreign key, because sessions already reference their
     * link.
     */
    session_id: uuid("session_id"),
    /** Encrypted token of that session: every shopper who opens the link gets the same form. */
    session_token: text("session_token"),
    /** Number of sessions opened; sessions without a payment attempt are removed later. */
    opened: integer("opened").notNull().default(0),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    foreignKey({ columns: [table.environment_id, table.plan_id], foreignColumns: [plans.environment_id, plans.id] }),
    /** Serves the public page, which knows only the token. */
    unique("payment_links_token").on(table.token),
    check(
      "payment_links_sells",
      sql`(${table.plan_id} is null) = (${table.amount} is not null) and (${table.amount} is null) = (${table.currency} is null)
        and (${table.plan_id} is not null or ${table.description} is not null)`,
    ),
    check("payment_links_amount", sql`${table.amount} > 0`),
    check(
      "payment_links_session",
      sql`(${table.session_id} is null) = (${table.session_token} is null) and (${table.single_use} or ${table.session_id} is null)`,
    ),
  ],
);
export type PaymentLinkRow = typeof paymentLinks.$inferSelect;

/** A check of a card with its issuer, for a session that stores it without a payment. */
export type CardCheck = {
  /** UUID: the processor's reference, and the id of the payment method. */
  reference: string;
  state: "running" | "action_required" | "declined";
  /** ISO time at which a check in progress ends undone: real time while running, then the environment's. */
  until: string;
  connection_id: string | null;
  card: KnownCardColumns;
  customer_id: string;
  customer_email: string | null;
  /** The text typed in the form; absent from a check that an earlier version began. */
  customer_name?: string | null;
  consent: Consent;
  /** The processor's id of the check and the issuer's page; null unless it requires action. */
  challenge: { pending: string; url: string } | null;
  decline_code: DeclineCode | null;
};
type KnownCardColumns = {
  brand: (typeof CARD_BRANDS)[number] | null;
  bin: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
};

/**
 * One shopper's attempt to pay one amount set by the merchant's server. EXPIRED is not stored: it follows
 * from the time.
 */
export const clientSessions = pgTable(
  "client_sessions",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    token_sha256: bytea("token_sha256").notNull(),
    status: text("status", { enum: ["OPEN", "COMPLETED", "CANCELLED"] }).notNull(),
    mode: text("mode", { enum: CHECKOUT_MODES }).notNull().default("payment"),
    /** Due now: 0 with a free trial. Both null in mode `setup`. */
    amount: money("amount"),
    currency: text("currency"),
    capture_method: text("capture_method", { enum: ["automatic", "manual"] }).notNull(),
    plan_id: uuid("plan_id"),
    /** A recurring plan as sold, whose subscription the session begins; null for any other session. */
    bought_plan: jsonb("bought_plan").$type<BoughtPlan>(),
    /** The customer, card or e-mail address had a trial of the plan before, so this session gives none. */
    trial_refused: boolean("trial_refused").notNull().default(false),
    /** The subscription that it begins, whose invoice it pays, or that gets the stored card. */
    subscription_id: uuid("subscription_id"),
    /** The invoice that it pays; null for any other session. */
    invoice_id: uuid("invoice_id"),
    /** The card that it stored. */
    payment_method_id: uuid("payment_method_id"),
    /** The check of a card that pays nothing now: in progress, or the last one that was declined. */
    card_check: jsonb("card_check").$type<CardCheck>(),
    /** The shopper's agreement of the last attempt. */
    consent: jsonb("consent").$type<Consent>(),
    /** The link that opened the session; null if the merchant created it. */
    payment_link_id: uuid("payment_link_id"),
    /** The payment that completed it. */
    payment_id: uuid("payment_id"),
    /** The payment in progress. It blocks any other, so two tabs cannot pay twice. */
    open_payment_id: uuid("open_payment_id"),
    customer_id: text("customer_id"),
    customer_email: text("customer_email"),
    customer_name: text("customer_name"),
    billing_address: jsonb("billing_address").$type<BillingAddress>(),
    allowed_origins: text("allowed_origins").array().notNull(),
    return_url: text("return_url"),
    /** The link's description at opening; later changes do not affect this shopper's purchase. */
    description: text("description"),
    appearance: jsonb("appearance").$type<Appearance>(),
    metadata: jsonb("metadata").$type<Metadata>().notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Language of the form at the last attempt, used for the receipt. Null before the first attempt. */
    locale: text("locale", { enum: CHECKOUT_LOCALES }),
    expires_at: instant("expires_at").notNull(),
    /** True while an expiry event is still to be written. */
    tells_expiry: boolean("tells_expiry").notNull().default(true),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    foreignKey({ columns: [table.environment_id, table.plan_id], foreignColumns: [plans.environment_id, plans.id] }),
    foreignKey({
      columns: [table.environment_id, table.payment_id],
      foreignColumns: [payments.environment_id, payments.id],
    }),
    foreignKey({
      columns: [table.environment_id, table.open_payment_id],
      foreignColumns: [payments.environment_id, payments.id],
    }),
    foreignKey({
      columns: [table.environment_id, table.payment_link_id],
      foreignColumns: [paymentLinks.environment_id, paymentLinks.id],
    }),
    /** Serves a link's sessions and its total sales. */
    index("client_sessions_payment_link")
      .on(table.environment_id, table.payment_link_id, table.status, table.id)
      .where(sql`payment_link_id is not null`),
    /**
     * Serves the removal of unpaid link sessions, oldest first. It contains no column that an attempt
     * changes, so those updates stay HOT.
     */
    index("client_sessions_unpaid")
      .on(table.expires_at)
      .where(sql`payment_link_id is not null and status <> 'COMPLETED'`),
    /** Serves the reuse of an invoice's form. No column that an attempt changes, either. */
    index("client_sessions_invoice")
      .on(table.environment_id, table.invoice_id, table.id)
      .where(sql`invoice_id is not null`),
    /**
     * Serves the job that writes expiry events, an environment's oldest first: it holds only sessions that
     * may still expire. It too contains no column that an attempt changes.
     */
    index("client_sessions_expiring")
      .on(table.environment_id, table.expires_at)
      .where(sql`tells_expiry and status = 'OPEN' and payment_link_id is null`),
    /** Serves the dashboard's list of one status, newest first. */
    index("client_sessions_status").on(table.environment_id, table.status, table.id),
    /** Serves the payment iframe, which knows only the token. */
    unique("client_sessions_token").on(table.token_sha256),
    check(
      "client_sessions_completed",
      sql`(${table.status} = 'COMPLETED') = (${table.payment_id} is not null or ${table.payment_method_id} is not null)`,
    ),
    check("client_sessions_open_payment", sql`${table.open_payment_id} is null or ${table.status} = 'OPEN'`),
    check("client_sessions_attempts", sql`${table.attempts} between 0 and 5`),
    check(
      "client_sessions_amount",
      sql`${table.amount} > 0 or (${table.amount} = 0 and ${table.bought_plan} is not null)`,
    ),
    check(
      "client_sessions_mode",
      sql`(${table.mode} = 'setup') = (${table.amount} is null) and (${table.amount} is null) = (${table.currency} is null)`,
    ),
  ],
);
export type ClientSessionRow = typeof clientSessions.$inferSelect;

/** `tok_…`: a card stored by the processor, usable once within 15 minutes. Never the number or the CVV. */
export const paymentTokens = pgTable(
  "payment_tokens",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    /** Encrypted by the processor; empty once used or expired. */
    processor_token: text("processor_token").notNull(),
    /**
     * The connection that stores the card, and the only one that can charge it; null = the mode's built-in
     * processor.
     */
    connection_id: uuid("connection_id"),
    card_brand: oneOf("card_brand", CARD_BRANDS)("card_brand"),
    card_last4: text("card_last4").notNull(),
    card_bin: text("card_bin").notNull(),
    card_exp_month: smallint("card_exp_month").notNull(),
    card_exp_year: smallint("card_exp_year").notNull(),
    /** Name and postal code typed next to the card; used unless the merchant's server sends its own. */
    card_name: text("card_name"),
    postal_code: text("postal_code"),
    client_session_id: uuid("client_session_id"),
    /** The payment that used it up. */
    payment_id: uuid("payment_id"),
    /** Reference of the check that stores the card; a repeat of the check has the same one. */
    payment_method_id: uuid("payment_method_id"),
    /** The customer of that check: its reference is no other's. */
    checked_for: text("checked_for"),
    expires_at: instant("expires_at").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    foreignKey({
      columns: [table.environment_id, table.client_session_id],
      foreignColumns: [clientSessions.environment_id, clientSessions.id],
    }),
    /** Serves the clean-up of tokens that still hold a card, oldest first. */
    index("payment_tokens_held").on(table.expires_at).where(sql`processor_token <> ''`),
    /** Serves the removal of tokens that can no longer be used or replayed. */
    index("payment_tokens_age").on(table.expires_at),
  ],
);
export type PaymentTokenRow = typeof paymentTokens.$inferSelect;
