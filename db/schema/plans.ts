import { sql } from "drizzle-orm";
import { check, foreignKey, integer, pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import { PERIOD_UNITS, PLAN_STATUSES, PLAN_TYPES } from "@/lib/contract/plans/plan";
import { environmentId, instant, money, oneOf } from "../columns";
import { environments } from "./accounts";

/** A price and its billing schedule, in minor units; the API's decimals exist only at the edge. */
export const plans = pgTable(
  "plans",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    type: oneOf("plan_type", PLAN_TYPES)("type").notNull(),
    name: text("name").notNull(),
    currency: text("currency").notNull(),
    full_price: money("full_price").notNull(),
    status: oneOf("plan_status", PLAN_STATUSES)("status").notNull(),
    description: text("description"),
    billing_frequency_value: integer("billing_frequency_value"),
    billing_frequency_unit: text("billing_frequency_unit", { enum: [...PERIOD_UNITS] }),
    trial_period_value: integer("trial_period_value"),
    trial_period_unit: text("trial_period_unit", { enum: [...PERIOD_UNITS] }),
    trial_price: money("trial_price"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    unique("plans_name").on(table.environment_id, table.name),
    check("plans_prices", sql`${table.full_price} > 0 and (${table.trial_price} is null or ${table.trial_price} > 0)`),
  ],
);
export type PlanRow = typeof plans.$inferSelect;
