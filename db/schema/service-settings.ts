import { pgTable, text } from "drizzle-orm/pg-core";

/** What all instances on one database must agree on, when it is not configured. */
export const serviceSettings = pgTable("service_settings", {
  key: text("key").primaryKey(),
  value: text("value").notNull(),
});
