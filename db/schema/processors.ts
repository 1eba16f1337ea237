import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { CONNECTION_STATUSES } from "@/lib/contract/processors/connection";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import { environmentId, instant, oneOf } from "../columns";
import { environments } from "./accounts";

/** Progress in a connection's report list, and its last webhook. */
const reporting = {
  /** Cursor into the processor's report list, which recovers messages that never arrived. */
  reports_place: text("reports_place"),
  /** When that list was last read. */
  reports_read_at: instant("reports_read_at"),
  /** When a report first could not be processed; it blocks later ones for up to a day. */
  reports_held_since: instant("reports_held_since"),
  last_webhook_at: instant("last_webhook_at"),
};

/**
 * A merchant's account at a processor. Rows are never removed, because payments reference them. Reconnecting
 * the same account reuses its row, so earlier payments can still be refunded.
 */
export const processorConnections = pgTable(
  "processor_connections",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    /** Key of the connector. */
    processor: text("processor").notNull(),
    /** The account id that the processor returned: credentials of another account are another connection. */
    account_id: text("account_id").notNull(),
    /** The account's display name at the processor. */
    account: text("account").notNull(),
    /** The merchant's own label. */
    label: text("label").notNull(),
    status: oneOf("connection_status", CONNECTION_STATUSES)("status").notNull(),
    /** JSON, encrypted with the service's secret; null once disconnected. */
    credentials: text("credentials"),
    /** Masked hint of the credentials, for display. */
    hint: text("hint").notNull(),
    /** True if the credentials include the webhook signing secret; without it no message is accepted. */
    takes_webhooks: boolean("takes_webhooks").notNull(),
    /** Our servers may send it card numbers, if the operator allows that at all. */
    raw_cards: boolean("raw_cards").notNull(),
    /** Metadata keys that are passed to the processor with a payment. */
    metadata_keys: text("metadata_keys").array().notNull().default(sql`'{}'`),
    /** Takes payments that match no rule. */
    is_default: boolean("is_default").notNull(),
    /** Incremented by changes that affect payments, including the environment's routing rules. */
    revision: integer("revision").notNull().default(1),
    checked_at: instant("checked_at").notNull(),
    /** Problem found by the last check, as display text; null = it works. */
    check_problem: text("check_problem"),
    ...reporting,
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    /** Serves processors' messages, which name no environment. */
    unique("processor_connections_id").on(table.id),
    /** Two keys of one account are one connection; otherwise its messages would be processed twice. */
    unique("processor_connections_account").on(table.environment_id, table.processor, table.account_id),
    uniqueIndex("processor_connections_default").on(table.environment_id).where(sql`is_default`),
    /** Serves each process's check for changes, once per second, by an index-only scan. */
    index("processor_connections_revisions").on(table.environment_id, table.revision),
    /** Serves the job that reads report lists: connected accounts, longest unread first. */
    index("processor_connections_unread").on(table.reports_read_at).where(sql`credentials is not null`),
    check(
      "processor_connections_connected",
      sql`(${table.status} = 'CONNECTED') = (${table.credentials} is not null) and (${table.status} = 'CONNECTED' or not ${table.is_default})`,
    ),
  ],
);
export type ConnectionRow = typeof processorConnections.$inferSelect;

/** Routing rules: the first match selects the connection, else the default. */
export const processorRoutes = pgTable(
  "processor_routes",
  {
    environment_id: environmentId(),
    /** Order, from 0. */
    position: smallint("position").notNull(),
    /** Null = any. */
    currency: text("currency"),
    brand: oneOf("card_brand", CARD_BRANDS)("brand"),
    connection_id: uuid("connection_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.position] }),
    foreignKey({
      columns: [table.environment_id, table.connection_id],
      foreignColumns: [processorConnections.environment_id, processorConnections.id],
    }),
  ],
);
export type RouteRow = typeof processorRoutes.$inferSelect;

/**
 * An account that the operator configured for merchants without their own connection. Its id derives from
 * processor and account, so payments made there are found again after a reconfiguration.
 */
export const operatorConnections = pgTable("operator_connections", {
  id: uuid("id").primaryKey(),
  processor: text("processor").notNull(),
  /** The account's own id. */
  account: text("account").notNull(),
  /**
   * Keyed digest of the last checked credentials, which skips the check when a start finds them unchanged.
   */
  credentials_digest: text("credentials_digest").notNull(),
  checked_at: instant("checked_at").notNull(),
  ...reporting,
});
export type OperatorConnectionRow = typeof operatorConnections.$inferSelect;

/**
 * A connector's memory for processors without a lookup API: requests sent, responses and messages received.
 * Entries are written once and hold no card data.
 */
export const processorJournal = pgTable(
  "processor_journal",
  {
    /** The connection's id. */
    connection: text("connection").notNull(),
    subject: text("subject").notNull(),
    name: text("name").notNull(),
    /** JSON in the connector's own format. */
    fact: text("fact").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.connection, table.subject, table.name] }),
    /** Serves the clean-up, oldest first. */
    index("processor_journal_age").on(table.connection, table.name, table.created_at),
  ],
);
