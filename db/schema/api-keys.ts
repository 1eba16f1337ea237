import { sql } from "drizzle-orm";
import {
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import type { KeyLimits } from "@/lib/contract/api-keys/api-keys";
import { bytea, environmentId, instant, money, oneOf } from "../columns";
import { environments } from "./accounts";

export const API_KEY_STATUSES = ["ACTIVE", "DISABLED", "REVOKED"] as const;

/**
 * API keys. Only a SHA-256 of the secret is stored: with 190 random bits it needs neither salt nor
 * stretching.
 */
export const apiKeys = pgTable(
  "api_keys",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    last4: text("last4").notNull(),
    secret_sha256: bytea("secret_sha256").notNull(),
    permissions: text("permissions").array().notNull(),
    status: oneOf("api_key_status", API_KEY_STATUSES)("status").notNull(),
    /** Addresses and CIDR blocks; empty = any address. */
    ip_allow_list: text("ip_allow_list").array().notNull().default(sql`'{}'`),
    expires_at: instant("expires_at"),
    last_used_at: instant("last_used_at"),
    last_used_ip: text("last_used_ip"),
    /** The key this one replaces. */
    rotated_from: uuid("rotated_from"),
    /** Limits of its refunds; null = none. */
    limits: jsonb("limits").$type<KeyLimits>(),
    /** The first key of its rotations, in whose row all of them count; null = its own. */
    limits_counted_in: uuid("limits_counted_in"),
    /** The day (UTC) of the two counters, which count what T1 reserved under limits. */
    limited_day: date("limited_day"),
    limited_refunds: integer("limited_refunds").notNull().default(0),
    limited_amount: money("limited_amount").notNull().default(0),
    created_at: instant("created_at").notNull().default(sql`now()`),
    updated_at: instant("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    foreignKey({
      name: "api_keys_rotated_from",
      columns: [table.environment_id, table.rotated_from],
      foreignColumns: [table.environment_id, table.id],
    }),
    foreignKey({
      name: "api_keys_limits_counted_in",
      columns: [table.environment_id, table.limits_counted_in],
      foreignColumns: [table.environment_id, table.id],
    }),
    check("api_keys_limited", sql`${table.limited_refunds} >= 0 and ${table.limited_amount} >= 0`),
    /**
     * Serves every request's lookup: the digest is all a caller presents, so it alone identifies the
     * environment.
     */
    unique("api_keys_secret").on(table.secret_sha256),
    /** Serves the dashboard's key list. */
    index("api_keys_list").on(table.environment_id, table.created_at, table.id),
  ],
);
