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
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { type Preferences, USER_ROLES } from "@/lib/contract/roles";
import { bytea, instant } from "../columns";
import { merchants } from "./merchants";

/** People who sign in: a merchant's, or Cardlane's own support staff (without a merchant). */
export const users = pgTable(
  "users",
  {
    id: uuid("id").primaryKey(),
    /** Null for support staff. */
    merchant_id: uuid("merchant_id").references(() => merchants.id),
    email: text("email").notNull(),
    name: text("name"),
    /** argon2id. */
    password_hash: text("password_hash").notNull(),
    role: text("role", { enum: USER_ROLES }).notNull(),
    /** Wrong passwords and codes since the last sign-in; at ten the account is locked for a while. */
    failed_sign_ins: integer("failed_sign_ins").notNull().default(0),
    locked_until: instant("locked_until"),
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
    /** An e-mail address belongs to one person, whatever its case. */
    uniqueIndex("users_email").on(sql`lower(${table.email})`),
    /** Serves the team list. */
    index("users_merchant").on(table.merchant_id),
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
    last_seen_at: instant("last_seen_at").notNull().default(sql`now()`),
    expires_at: instant("expires_at").notNull(),
    revoked_at: instant("revoked_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    /** Serves the list of a person's sessions, and ending them all. */
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

/** Links sent by mail that let a person choose a password: after forgetting one, or as a new member of a team. */
export const userTokens = pgTable(
  "user_tokens",
  {
    id: uuid("id").primaryKey(),
    user_id: uuid("user_id")
      .notNull()
      .references(() => users.id),
    purpose: text("purpose", { enum: ["reset_password", "invite"] }).notNull(),
    token_sha256: bytea("token_sha256").notNull(),
    expires_at: instant("expires_at").notNull(),
    used_at: instant("used_at"),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("user_tokens_token").on(table.token_sha256), index("user_tokens_user").on(table.user_id)],
);

/** Mail to send, written in the commit that made it necessary. */
export const mailOutbox = pgTable(
  "mail_outbox",
  {
    id: uuid("id").primaryKey(),
    recipient: text("recipient").notNull(),
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
    /** Serves the sender: what is due. */
    index("mail_outbox_due").on(table.next_attempt_at).where(sql`sent_at is null`),
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
    /** Whose data it was; null for a search that names nobody's. */
    merchant_id: uuid("merchant_id").references(() => merchants.id),
    environment_id: uuid("environment_id"),
    /** Public id of what was looked at or changed. */
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

/** Filters, sort and columns of a list that a person keeps under a name. */
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
