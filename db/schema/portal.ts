import { foreignKey, index, pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import { bytea, environmentId, instant } from "../columns";
import { environments } from "./accounts";

/** A customer's visit to the portal. Any holder of its token acts as the customer until it expires. */
export const portalSessions = pgTable(
  "portal_sessions",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    token_sha256: bytea("token_sha256").notNull(),
    customer_id: text("customer_id").notNull(),
    return_url: text("return_url"),
    expires_at: instant("expires_at").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    /** Serves the portal's page, which knows only the token. */
    unique("portal_sessions_token").on(table.token_sha256),
    /** Serves the removal of expired sessions, oldest first. */
    index("portal_sessions_expired").on(table.expires_at),
  ],
);
export type PortalSessionRow = typeof portalSessions.$inferSelect;
