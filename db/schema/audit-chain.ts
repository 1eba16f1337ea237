import { sql } from "drizzle-orm";
import { bigint, date, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../columns";

/** The two logs that are chained: `audit_log` of the merchants, and `support_audit_log`. */
export const AUDIT_LOGS = ["merchant", "support"] as const;

/**
 * Rows of both logs that no chain holds yet, written by their triggers in the commit of the row. Chained in that commit they
 * would make every payment of a merchant wait for the one before. No index: it is read from its beginning, and soon empty.
 */
export const auditPending = pgTable("audit_pending", {
  log: text("log", { enum: AUDIT_LOGS }).notNull(),
  environment_id: uuid("environment_id"),
  row_id: uuid("row_id").notNull(),
  queued_at: instant("queued_at").notNull().default(sql`now()`),
});

/**
 * The chains: one per merchant, for both of its environments and what support staff did with it, and one (the nil UUID) for
 * staff acts without a merchant's data. Each hash covers the previous hash, the number and the row. The MAC covers the hash and
 * the newest seal: with the database alone, nobody can remove a link, or a seal that a link was made under. Append-only.
 */
export const auditLinks = pgTable(
  "audit_links",
  {
    chain_id: uuid("chain_id").notNull(),
    seq: bigint("seq", { mode: "number" }).notNull(),
    log: text("log", { enum: AUDIT_LOGS }).notNull(),
    environment_id: uuid("environment_id"),
    row_id: uuid("row_id").notNull(),
    hash: bytea("hash").notNull(),
    /** Prefixed with the id of its secret. */
    mac: text("mac").notNull(),
    /** Of the newest seal; 0 = there was none. */
    seal_number: bigint("seal_number", { mode: "number" }).notNull(),
    chained_at: instant("chained_at").notNull().default(sql`now()`),
  },
  /** Serves the end of a chain, and its walk. */
  (table) => [primaryKey({ columns: [table.chain_id, table.seq] })],
);

/**
 * The end of each chain at the end of each day, under a key that is not in the database. All seals are one sequence, in which
 * each covers the one before. Append-only.
 */
export const auditSeals = pgTable(
  "audit_seals",
  {
    chain_id: uuid("chain_id").notNull(),
    seq: bigint("seq", { mode: "number" }).notNull(),
    /** Of the secret that it was made under: a change of the secret seals again. */
    key_id: text("key_id").notNull(),
    day: date("day").notNull(),
    hash: bytea("hash").notNull(),
    mac: text("mac").notNull(),
    /** From 1, without gaps. */
    number: bigint("number", { mode: "number" }).notNull(),
    /** Of the seal of the number before; empty for the first. */
    previous_mac: text("previous_mac").notNull(),
    sealed_at: instant("sealed_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.chain_id, table.seq, table.key_id, table.number] }),
    /** Serves the last seal, and makes sure that there is one of each number. */
    uniqueIndex("audit_seals_number").on(table.number),
  ],
);
