import { sql } from "drizzle-orm";
import { check, pgTable, text, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { MODES } from "@/lib/contract/transaction";
import { instant, money, oneOf } from "../columns";

/** A business account. It owns one environment per mode; all payment data belongs to an environment. */
export const merchants = pgTable("merchants", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  /** While set, every key of the merchant answers 403 `merchant_suspended`. */
  suspended_at: instant("suspended_at"),
  created_at: instant("created_at").notNull().default(sql`now()`),
});

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
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    unique("environments_merchant_mode").on(table.merchant_id, table.mode),
    check("environments_fee", sql`${table.fee_basis_points} between 0 and 10000`),
  ],
);

/** People who sign in. An e-mail address belongs to one person, whatever its case. */
export const users = pgTable(
  "users",
  {
    id: uuid("id").primaryKey(),
    merchant_id: uuid("merchant_id")
      .notNull()
      .references(() => merchants.id),
    email: text("email").notNull(),
    /** argon2id. */
    password_hash: text("password_hash").notNull(),
    role: text("role", { enum: ["owner"] }).notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("users_email").on(sql`lower(${table.email})`)],
);
