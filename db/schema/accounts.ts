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
import { DEFAULT_REFUND_LIMIT_USD, HIGHEST_REFUND_LIMIT_USD } from "@/lib/contract/accounts/proof";
import type { Appearance } from "@/lib/contract/checkout/appearance";
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
    /** Where the merchant's customers write to. */
    support_email: text("support_email"),
    /** IANA name; days of reports begin at its midnight. */
    time_zone: text("time_zone").notNull().default("UTC"),
    /** What a user may refund from the dashboard within a day without another proof, over all currencies. */
    refund_limit_usd: integer("refund_limit_usd").notNull().default(DEFAULT_REFUND_LIMIT_USD),
    /** While set, every key of the merchant answers 403 `merchant_suspended`. */
    suspended_at: instant("suspended_at"),
    /** What support staff gave as the reason. */
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

/** A merchant's logo, checked and stripped to the image itself. Not in the merchant's row, which every request reads. */
export const merchantLogos = pgTable(
  "merchant_logos",
  {
    merchant_id: uuid("merchant_id")
      .primaryKey()
      .references(() => merchants.id),
    /** Of the bytes. Two merchants may have the same picture. */
    sha256: bytea("sha256").notNull(),
    content_type: text("content_type").$type<LogoType>().notNull(),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    bytes: bytea("bytes").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the picture by its address. */
    index("merchant_logos_sha256").on(table.sha256),
    check("merchant_logos_size", sql`octet_length(${table.bytes}) <= ${sql.raw(String(MAX_LOGO_BYTES))}`),
  ],
);
export type LogoRow = typeof merchantLogos.$inferSelect;

/** The tenant. Crossing modes and crossing merchants are the same impossible thing. */
export const environments = pgTable(
  "environments",
  {
    id: uuid("id").primaryKey(),
    merchant_id: uuid("merchant_id")
      .notNull()
      .references(() => merchants.id),
    mode: oneOf("mode", MODES)("mode").notNull(),
    /** What Cardlane keeps of each captured amount, in hundredths of a percent, rounded half up. */
    fee_basis_points: money("fee_basis_points").notNull().default(0),
    /** The default appearance, for sessions without one of their own. */
    checkout_appearance: jsonb("checkout_appearance").$type<Appearance>(),
    /** Since then this is abandoned test data, to be removed. A trigger checks what may be marked; nothing takes it back. */
    abandoned_at: instant("abandoned_at"),
    /** When the last of it was removed. */
    emptied_at: instant("emptied_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the job that removes it. */
    index("environments_to_empty").on(table.abandoned_at).where(sql`abandoned_at is not null and emptied_at is null`),
    unique("environments_merchant_mode").on(table.merchant_id, table.mode),
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
    /** When the user proved, with a mailed link, that the address is theirs; null = not yet. */
    email_verified_at: instant("email_verified_at"),
    /**
     * Whether the address belongs to this user at the sign-in: since it was verified, or without that for users older than
     * verification. A sign-up or an invitation does not claim an address.
     */
    owns_email: boolean("owns_email").notNull().default(false),
    name: text("name"),
    /** argon2id. */
    password_hash: text("password_hash").notNull(),
    role: text("role", { enum: USER_ROLES }).notNull(),
    /** Wrong passwords and codes since the last sign-in; at ten the account is locked for a while. */
    failed_sign_ins: integer("failed_sign_ins").notNull().default(0),
    locked_until: instant("locked_until"),
    /** Wrong answers of a signed-in user who proves their identity, counted separately: strangers cannot use these up. */
    failed_proofs: integer("failed_proofs").notNull().default(0),
    proofs_locked_until: instant("proofs_locked_until"),
    /**
     * Wrong codes of the second factor, counted separately: a new password, which takes only the mailbox, does not reset
     * them.
     */
    failed_codes: integer("failed_codes").notNull().default(0),
    codes_locked_until: instant("codes_locked_until"),
    /** Sealed. Counts only once `totp_enabled_at` is set. */
    totp_secret: text("totp_secret"),
    totp_enabled_at: instant("totp_enabled_at"),
    /** Time step of the last code that was taken: a code works once. */
    totp_last_step: bigint("totp_last_step", { mode: "number" }),
    preferences: jsonb("preferences").$type<Preferences>().notNull().default({}),
    last_sign_in_at: instant("last_sign_in_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** An e-mail address leads to one user, whatever its case. Serves the sign-in. */
    uniqueIndex("users_email_owner").on(sql`lower(${table.email})`).where(sql`owns_email`),
    /** Serves the staff's search: all users with an address, proved or not. */
    index("users_email").on(sql`lower(${table.email})`),
    /** Serves the search for accounts that were opened and left. */
    index("users_unproved").on(table.created_at).where(sql`not owns_email`),
    /** Serves the team list. */
    index("users_merchant").on(table.merchant_id),
    check("users_verified_owns", sql`${table.email_verified_at} is null or ${table.owns_email}`),
    check("users_merchant_or_staff", sql`(${table.role} = 'staff') = (${table.merchant_id} is null)`),
  ],
);
export type UserRow = typeof users.$inferSelect;

/** A browser that is signed in. Its cookie holds only the id of this row, so that revoking works at once. */
export const userSessions = pgTable(
  "user_sessions",
  {
    id: uuid("id").primaryKey(),
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    address: text("address").notNull(),
    user_agent: text("user_agent"),
    /** When the second factor was given last; null = never in this session. */
    mfa_at: instant("mfa_at"),
    /** When the user last proved who they are: by signing in, or by second factor or password again. */
    proved_at: instant("proved_at"),
    last_seen_at: instant("last_seen_at").notNull().default(sql`now()`),
    expires_at: instant("expires_at").notNull(),
    revoked_at: instant("revoked_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the list of a user's sessions, and ending them all. */
    index("user_sessions_user").on(table.user_id),
  ],
);

/** One-time codes for when the second factor is lost. */
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
 * Links sent by mail: to choose a password after forgetting one, to join a team, to prove an address. And, never mailed, the
 * ticket with which the browser that opened an account is signed in.
 */
export const userTokens = pgTable(
  "user_tokens",
  {
    id: uuid("id").primaryKey(),
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    purpose: text("purpose", { enum: ["reset_password", "invite", "verify_email", "first_sign_in"] }).notNull(),
    /** The address that using it proves; null where that is the user's own. */
    email: text("email"),
    token_sha256: bytea("token_sha256").notNull(),
    expires_at: instant("expires_at").notNull(),
    used_at: instant("used_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("user_tokens_token").on(table.token_sha256), index("user_tokens_user").on(table.user_id)],
);

/** What a user has refunded from the dashboard since they last proved who they are, in US cents. */
export const refundAllowances = pgTable(
  "refund_allowances",
  {
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** USD; rows in others are of earlier versions. */
    currency: text("currency").notNull(),
    spent: money("spent").notNull(),
    /** It begins again a day later. */
    since: instant("since").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.currency] })],
);

/** Mail to send, written in the commit that made it necessary. */
export const mailOutbox = pgTable(
  "mail_outbox",
  {
    id: uuid("id").primaryKey(),
    /** Mails that share one limit per address, because strangers can have these sent to any mailbox. */
    kind: text("kind", { enum: ["notice", "reset_password", "invite", "verify_email", "receipt"] })
      .notNull()
      .default("notice"),
    recipient: text("recipient").notNull(),
    /** Who stands as the sender and gets the answers, of a receipt; null = Cardlane. */
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
    /** Serves the sender: mails that are due. */
    index("mail_outbox_due").on(table.next_attempt_at).where(sql`sent_at is null`),
    /** Serves the limits of one address; not the notices, which strangers cannot set off. */
    index("mail_outbox_recipient").on(sql`lower(${table.recipient})`, table.created_at).where(sql`kind <> 'notice'`),
  ],
);

/** What support staff looked up and did, across merchants. A merchant sees the rows about itself. Append-only. */
export const supportAuditLog = pgTable(
  "support_audit_log",
  {
    id: uuid("id").primaryKey(),
    staff_id: uuid("staff_id")
      .notNull()
      .references(() => users.id),
    /** `support.searched`, `support.viewed_payment`, `support.refunded` … */
    action: text("action").notNull(),
    /** The merchant whose data it was; null for a search that names none. */
    merchant_id: uuid("merchant_id").references(() => merchants.id),
    environment_id: uuid("environment_id"),
    /** Public id of what was viewed or changed. */
    object_id: text("object_id"),
    /** What was searched for, or the reason that was given. */
    detail: jsonb("detail").$type<Record<string, unknown>>(),
    request_id: uuid("request_id"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serve the merchant's view of it, and the staff's own. */
    index("support_audit_log_merchant").on(table.merchant_id, table.id),
    index("support_audit_log_staff").on(table.staff_id, table.id),
  ],
);

/** Filters, sort and columns of a list that a user keeps under a name. */
export const savedViews = pgTable(
  "saved_views",
  {
    environment_id: uuid("environment_id").notNull(),
    id: uuid("id").notNull(),
    /** Who made it; the only one who may change it. */
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    name: text("name").notNull(),
    /** The list's query string. */
    query: text("query").notNull(),
    /** Columns in order; null = the page's own. */
    columns: text("columns").array(),
    /** Whether the whole team sees it. */
    shared: boolean("shared").notNull().default(false),
    created_at: instant("created_at").notNull().default(sql`now()`),
    updated_at: instant("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    uniqueIndex("saved_views_name").on(table.environment_id, table.user_id, sql`lower(${table.name})`),
  ],
);
