import { pgTable, text } from "drizzle-orm/pg-core";

/** Settings that all instances on one database must share when they are not configured. */
export const serviceSettings = pgTable("service_settings", {
  key: text("key").primaryKey(),
  value: text("value").notNull(),
});
