import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { type LogoType, MAX_LOGO_BYTES } from "@/lib/contract/accounts/logo";
import { DEFAULT_REFUND_LIMIT_USD, HIGHEST_REFUND_LIMIT_USD } from "@/lib/contract/accounts/refund-limit";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { MAX_TAX_RATE } from "@/lib/contract/invoices/tax";
import { SAVED_VIEW_LISTS } from "@/lib/contract/lists/saved-views";
import { type Preferences, USER_ROLES } from "@/lib/contract/permissions";
import { MODES } from "@/lib/contract/transactions/words";
import { bytea, instant, money, oneOf } from "../columns";

/** A business account. It owns one environment per mode; all payment data belongs to an environment. */
export const merchants = pgTable(
  "merchants",
  {
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    website: text("website"),
    /** Contact address for the merchant's customers. */
    support_email: text("support_email"),
    /** Postal address, one line per line, for receipts and invoices. */
    business_address: text("business_address"),
    /** VAT or other tax number, for receipts and invoices. */
    tax_number: text("tax_number"),
    /** IANA name; report days start at midnight in this zone. */
    time_zone: text("time_zone").notNull().default("UTC"),
    /** Daily limit for a user's dashboard refunds without re-authentication, over all currencies. */
    refund_limit_usd: integer("refund_limit_usd").notNull().default(DEFAULT_REFUND_LIMIT_USD),
    /** While set, every key of the merchant gets 403 `merchant_suspended`. */
    suspended_at: instant("suspended_at"),
    /** The reason support staff gave. */
    suspended_reason: text("suspended_reason"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    check(
      "merchants_refund_limit",
      sql`${table.refund_limit_usd} between 0 and ${sql.raw(String(HIGHEST_REFUND_LIMIT_USD))}`,
    ),
  ],
);

/**
 * A merchant's logo, checked and stripped to the image itself. Kept out of the merchant's row, which every
 * request reads.
 */
export const merchantLogos = pgTable(
  "merchant_logos",
  {
    merchant_id: uuid("merchant_id")
      .primaryKey()
      .references(() => merchants.id),
    /** Digest of the bytes. Not unique: two merchants may have the same picture. */
    sha256: bytea("sha256").notNull(),
    content_type: text("content_type").$type<LogoType>().notNull(),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    bytes: bytea("bytes").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the logo by its URL. */
    index("merchant_logos_sha256").on(table.sha256),
    check("merchant_logos_size", sql`octet_length(${table.bytes}) <= ${sql.raw(String(MAX_LOGO_BYTES))}`),
  ],
);
export type LogoRow = typeof merchantLogos.$inferSelect;

/** The tenant. One isolation rule covers modes and merchants: nothing crosses environments. */
export const environments = pgTable(
  "environments",
  {
    id: uuid("id").primaryKey(),
    merchant_id: uuid("merchant_id")
      .notNull()
      .references(() => merchants.id),
    mode: oneOf("mode", MODES)("mode").notNull(),
    /** Cardlane's fee on each captured amount, in basis points, rounded half up. */
    fee_basis_points: money("fee_basis_points").notNull().default(0),
    /** Default appearance for sessions that have none of their own. */
    checkout_appearance: jsonb("checkout_appearance").$type<Appearance>(),
    /** The tax that prices include, in thousandths of a percent; null = none. Documents keep their own copy. */
    tax_name: text("tax_name"),
    tax_rate: integer("tax_rate"),
    /** Language of documents and mails to customers who used no payment form. */
    document_locale: text("document_locale", { enum: CHECKOUT_LOCALES }).notNull().default("en"),
    /**
     * Abandoned test data since this time, to be removed. A trigger checks what may be marked; the mark is
     * never cleared.
     */
    abandoned_at: instant("abandoned_at"),
    /** When the last row was removed. */
    emptied_at: instant("emptied_at"),
    /**
     * Milliseconds that the environment's clock is ahead of real time. Only `clock_now` and ClockSetting read
     * it.
     */
    clock_offset_ms: money("clock_offset_ms").notNull().default(0),
    /** The clock's time while it advances: each thing that becomes due happens at its own instant. */
    clock_frozen_at: instant("clock_frozen_at"),
    /** The time that the clock is advancing to; null when it runs. */
    clock_advancing_to: instant("clock_advancing_to"),
    /** Why the last advance stopped early; null = it did not. */
    clock_failure: text("clock_failure"),
    /**
     * Real time until which no process moves the clock: the requests that began before, or another process's
     * lease.
     */
    clock_held_until: instant("clock_held_until"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the job that removes abandoned data. */
    index("environments_to_empty").on(table.abandoned_at).where(sql`abandoned_at is not null and emptied_at is null`),
    /** Serves the jobs of environments whose clock was moved. */
    index("environments_moved_clock").on(table.id).where(sql`clock_offset_ms > 0 or clock_advancing_to is not null`),
    unique("environments_merchant_mode").on(table.merchant_id, table.mode),
    check(
      "environments_tax",
      sql`(${table.tax_name} is null) = (${table.tax_rate} is null) and ${table.tax_rate} between 1 and ${sql.raw(String(MAX_TAX_RATE))}`,
    ),
    check(
      "environments_clock",
      sql`${table.clock_offset_ms} >= 0 and (${table.clock_frozen_at} is null) = (${table.clock_advancing_to} is null)`,
    ),
    /** Live environments have real time. */
    check(
      "environments_live_clock",
      sql`${table.mode} = 'test' or (${table.clock_offset_ms} = 0 and ${table.clock_advancing_to} is null)`,
    ),
    check("environments_fee", sql`${table.fee_basis_points} between 0 and 10000`),
  ],
);

/** Users who sign in: a merchant's members, or Cardlane's own staff (without a merchant). */
export const users = pgTable(
  "users",
  {
    id: uuid("id").primaryKey(),
    /** Null for support staff. */
    merchant_id: uuid("merchant_id").references(() => merchants.id),
    email: text("email").notNull(),
    /** When the user verified the address with a mailed link; null = not yet. */
    email_verified_at: instant("email_verified_at"),
    /**
     * True if this user signs in with the address: it is verified, or the user is older than e-mail
     * verification. A sign-up or an invitation does not claim an address.
     */
    owns_email: boolean("owns_email").notNull().default(false),
    name: text("name"),
    /** argon2id. */
    password_hash: text("password_hash").notNull(),
    role: text("role", { enum: USER_ROLES }).notNull(),
    /** Wrong passwords and codes since the last sign-in; the tenth locks the account temporarily. */
    failed_sign_ins: integer("failed_sign_ins").notNull().default(0),
    locked_until: instant("locked_until"),
    /** Failed re-authentications, counted separately so that unauthenticated callers cannot use them up. */
    failed_proofs: integer("failed_proofs").notNull().default(0),
    proofs_locked_until: instant("proofs_locked_until"),
    /**
     * Wrong second-factor codes, counted separately: a password reset needs only the mailbox, so it must not
     * clear them.
     */
    failed_codes: integer("failed_codes").notNull().default(0),
    codes_locked_until: instant("codes_locked_until"),
    /** Encrypted. In effect only once `totp_enabled_at` is set. */
    totp_secret: text("totp_secret"),
    totp_enabled_at: instant("totp_enabled_at"),
    /** Time step of the last accepted code, which makes each code single-use. */
    totp_last_step: bigint("totp_last_step", { mode: "number" }),
    preferences: jsonb("preferences").$type<Preferences>().notNull().default({}),
    last_sign_in_at: instant("last_sign_in_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** One user per e-mail address, case-insensitive. Serves the sign-in. */
    uniqueIndex("users_email_owner").on(sql`lower(${table.email})`).where(sql`owns_email`),
    /** Serves staff search: all users with an address, verified or not. */
    index("users_email").on(sql`lower(${table.email})`),
    /** Serves the search for abandoned sign-ups. */
    index("users_unproved").on(table.created_at).where(sql`not owns_email`),
    /** Serves the team list. */
    index("users_merchant").on(table.merchant_id),
    check("users_verified_owns", sql`${table.email_verified_at} is null or ${table.owns_email}`),
    check("users_merchant_or_staff", sql`(${table.role} = 'staff') = (${table.merchant_id} is null)`),
  ],
);
export type UserRow = typeof users.$inferSelect;

/** A signed-in browser. Its cookie holds only this row's id, so revoking takes effect immediately. */
export const userSessions = pgTable(
  "user_sessions",
  {
    id: uuid("id").primaryKey(),
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    address: text("address").notNull(),
    user_agent: text("user_agent"),
    /** Last use of the second factor; null = never in this session. */
    mfa_at: instant("mfa_at"),
    /** Last sign-in or re-authentication (second factor or password). */
    proved_at: instant("proved_at"),
    last_seen_at: instant("last_seen_at").notNull().default(sql`now()`),
    expires_at: instant("expires_at").notNull(),
    revoked_at: instant("revoked_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves listing and ending all of a user's sessions. */
    index("user_sessions_user").on(table.user_id),
  ],
);

/** One-time codes that replace a lost second factor. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    code_sha256: bytea("code_sha256").notNull(),
    used_at: instant("used_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.code_sha256] })],
);

/**
 * Mailed links for resetting a password, joining a team and verifying an address; also the ticket that signs
 * in the browser that opened an account, which is never mailed.
 */
export const userTokens = pgTable(
  "user_tokens",
  {
    id: uuid("id").primaryKey(),
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    purpose: text("purpose", { enum: ["reset_password", "invite", "verify_email", "first_sign_in"] }).notNull(),
    /** The address that the token verifies; null = the user's own. */
    email: text("email"),
    token_sha256: bytea("token_sha256").notNull(),
    expires_at: instant("expires_at").notNull(),
    used_at: instant("used_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("user_tokens_token").on(table.token_sha256), index("user_tokens_user").on(table.user_id)],
);

/** Dashboard refunds of a user since the last re-authentication, in US cents. */
export const refundAllowances = pgTable(
  "refund_allowances",
  {
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** USD; rows in other currencies come from earlier versions. */
    currency: text("currency").notNull(),
    spent: money("spent").notNull(),
    /** The allowance resets 24 hours after this. */
    since: instant("since").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.currency] })],
);

/** Outgoing mail, written in the commit that causes it. */
export const mailOutbox = pgTable(
  "mail_outbox",
  {
    id: uuid("id").primaryKey(),
    /**
     * Kinds other than `notice` share one limit per address, because unauthenticated callers can send them to
     * any mailbox.
     */
    kind: text("kind", { enum: ["notice", "reset_password", "invite", "verify_email", "receipt"] })
      .notNull()
      .default("notice"),
    recipient: text("recipient").notNull(),
    /** Sender name and reply address of a receipt; null = Cardlane. */
    sender_name: text("sender_name"),
    reply_to: text("reply_to"),
    subject: text("subject").notNull(),
    /** Plain text. */
    body: text("body").notNull(),
    attempts: integer("attempts").notNull().default(0),
    next_attempt_at: instant("next_attempt_at").notNull().default(sql`now()`),
    last_error: text("last_error"),
    sent_at: instant("sent_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the sender: due mails. */
    index("mail_outbox_due").on(table.next_attempt_at).where(sql`sent_at is null`),
    /**
     * Serves the limit per address. Notices are left out, since unauthenticated callers cannot trigger them.
     */
    index("mail_outbox_recipient").on(sql`lower(${table.recipient})`, table.created_at).where(sql`kind <> 'notice'`),
  ],
);

/**
 * Lookups and actions of support staff, across merchants. A merchant sees the rows about itself. Append-only.
 */
export const supportAuditLog = pgTable(
  "support_audit_log",
  {
    id: uuid("id").primaryKey(),
    staff_id: uuid("staff_id")
      .notNull()
      .references(() => users.id),
    /** `support.searched`, `support.viewed_payment`, `support.refunded` … */
    action: text("action").notNull(),
    /** The merchant concerned; null for a search that names none. */
    merchant_id: uuid("merchant_id").references(() => merchants.id),
    environment_id: uuid("environment_id"),
    /** Public id of the object viewed or changed. */
    object_id: text("object_id"),
    /** The search query, or the stated reason. */
    detail: jsonb("detail").$type<Record<string, unknown>>(),
    request_id: uuid("request_id"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** These serve the merchant's view of the log and the staff's own. */
    index("support_audit_log_merchant").on(table.merchant_id, table.id),
    index("support_audit_log_staff").on(table.staff_id, table.id),
  ],
);

/** A user's named filters, sort and columns for a list. */
export const savedViews = pgTable(
  "saved_views",
  {
    environment_id: uuid("environment_id").notNull(),
    id: uuid("id").notNull(),
    /** The creator, and the only user who may change it. */
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    list: oneOf("saved_view_list", SAVED_VIEW_LISTS)("list").notNull().default("transactions"),
    name: text("name").notNull(),
    /** The list's query string. */
    query: text("query").notNull(),
    /** Columns in order; null = the page's default. */
    columns: text("columns").array(),
    /** Visible to the whole team. */
    shared: boolean("shared").notNull().default(false),
    created_at: instant("created_at").notNull().default(sql`now()`),
    updated_at: instant("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    uniqueIndex("saved_views_name").on(table.environment_id, table.user_id, table.list, sql`lower(${table.name})`),
  ],
);
