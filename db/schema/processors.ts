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

/** How far a connection's own list of reports was read, and what its address was last sent. */
const reporting = {
  /** Where to go on in the processor's list of reports, for messages that never arrived. */
  reports_place: text("reports_place"),
  /** When that list was last read. */
  reports_read_at: instant("reports_read_at"),
  /** Since when a report there cannot be taken in: for a day it holds up those after it. */
  reports_held_since: instant("reports_held_since"),
  last_webhook_at: instant("last_webhook_at"),
};

/**
 * A merchant's account at a processor. A row is never removed: payments name it. Connected again, the same account has the same
 * row, so that what was paid there can be refunded there.
 */
export const processorConnections = pgTable(
  "processor_connections",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    /** Key of the connector. */
    processor: text("processor").notNull(),
    /** The account's own id at the processor, as it said itself: credentials of another account are another connection. */
    account_id: text("account_id").notNull(),
    /** Its name there, for people. */
    account: text("account").notNull(),
    /** The merchant's own name for it. */
    label: text("label").notNull(),
    status: oneOf("connection_status", CONNECTION_STATUSES)("status").notNull(),
    /** JSON, sealed under the service's secret; null once it is disconnected. */
    credentials: text("credentials"),
    /** What is shown of them. */
    hint: text("hint").notNull(),
    /** Whether they have what messages are signed with: without it none is taken in. */
    takes_webhooks: boolean("takes_webhooks").notNull(),
    /** Card numbers may be given to it by our servers, where the operator allows that at all. */
    raw_cards: boolean("raw_cards").notNull(),
    /** The metadata that the processor gets with a payment, by its keys. */
    metadata_keys: text("metadata_keys").array().notNull().default(sql`'{}'`),
    /** Takes the payments that no rule names. */
    is_default: boolean("is_default").notNull(),
    /** Counts changes of what payments depend on; rules of the environment count, too. */
    revision: integer("revision").notNull().default(1),
    checked_at: instant("checked_at").notNull(),
    /** What was wrong at the last check, for people; null: it works. */
    check_problem: text("check_problem"),
    ...reporting,
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    foreignKey({ columns: [table.environment_id], foreignColumns: [environments.id] }),
    /** Serves the processors' messages, which name no environment. */
    unique("processor_connections_id").on(table.id),
    /** Two keys of one account are one connection: its messages would come twice. */
    unique("processor_connections_account").on(table.environment_id, table.processor, table.account_id),
    uniqueIndex("processor_connections_default").on(table.environment_id).where(sql`is_default`),
    /** Serves every process's look for changes, once a second, without reading rows. */
    index("processor_connections_revisions").on(table.environment_id, table.revision),
    /** Serves the job that reads lists of reports: those connected, the longest unread first. */
    index("processor_connections_unread").on(table.reports_read_at).where(sql`credentials is not null`),
    check(
      "processor_connections_connected",
      sql`(${table.status} = 'CONNECTED') = (${table.credentials} is not null) and (${table.status} = 'CONNECTED' or not ${table.is_default})`,
    ),
  ],
);
export type ConnectionRow = typeof processorConnections.$inferSelect;

/** Which connection takes a payment: the first rule that fits, else the default. */
export const processorRoutes = pgTable(
  "processor_routes",
  {
    environment_id: environmentId(),
    /** From 0, in order. */
    position: smallint("position").notNull(),
    /** Null: any. */
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
 * An account that the operator has configured for all merchants without a connection of their own. Its id follows from processor
 * and account, so that whatever was paid there is found there again, and nowhere else.
 */
export const operatorConnections = pgTable("operator_connections", {
  id: uuid("id").primaryKey(),
  processor: text("processor").notNull(),
  /** The account's own id. */
  account: text("account").notNull(),
  /** Keyed digest of the credentials that were last checked: the same ones need not be checked at every start. */
  credentials_digest: text("credentials_digest").notNull(),
  checked_at: instant("checked_at").notNull(),
  ...reporting,
});
export type OperatorConnectionRow = typeof operatorConnections.$inferSelect;

/**
 * What a connector must remember because its processor cannot be asked: what it sent, what was answered, what messages said.
 * A fact is written once; it holds no card data.
 */
export const processorJournal = pgTable(
  "processor_journal",
  {
    /** The connection's id. */
    connection: text("connection").notNull(),
    subject: text("subject").notNull(),
    name: text("name").notNull(),
    /** JSON, as the connector reads it. */
    fact: text("fact").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.connection, table.subject, table.name] }),
    /** Serves the removal of what is no longer needed, oldest first. */
    index("processor_journal_age").on(table.connection, table.name, table.created_at),
  ],
);
