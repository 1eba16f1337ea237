import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { DEFAULT_REFUND_LIMIT_USD, HIGHEST_REFUND_LIMIT_USD } from "@/lib/contract/accounts/proof";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import { MODES } from "@/lib/contract/transactions/words";
import { instant, money, oneOf } from "../columns";

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
    /** What a person may refund from the dashboard within a day without another proof, or as much in another currency. */
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
    /** How the payment form looks for sessions that bring no appearance of their own. */
    checkout_appearance: jsonb("checkout_appearance").$type<Appearance>(),
    /** Since then this is test data of nobody, to be removed. A trigger says of what that may be said; nothing takes it back. */
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
