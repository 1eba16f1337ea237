import { sql } from "drizzle-orm";
import { bigint, date, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../columns";

/** The two chained logs: the merchants' `audit_log`, and `support_audit_log`. */
export const AUDIT_LOGS = ["merchant", "support"] as const;

/**
 * Rows of both logs not chained yet, written by triggers in the row's own commit. Chaining in that commit
 * would serialize a merchant's payments. No index: it is read from the start and soon empty.
 */
export const auditPending = pgTable("audit_pending", {
  log: text("log", { enum: AUDIT_LOGS }).notNull(),
  environment_id: uuid("environment_id"),
  row_id: uuid("row_id").notNull(),
  queued_at: instant("queued_at").notNull().default(sql`now()`),
});

/**
 * One chain per merchant (both environments, and what support staff did with them), and the nil UUID's for
 * other staff acts. A hash covers previous hash, number and row; the MAC covers hash and newest seal, so
 * database access alone cannot remove a link, or a seal that a link covers. Append-only.
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
    /** Prefixed with the id of the secret it was made with. */
    mac: text("mac").notNull(),
    /** Number of the newest seal; 0 = none yet. */
    seal_number: bigint("seal_number", { mode: "number" }).notNull(),
    chained_at: instant("chained_at").notNull().default(sql`now()`),
  },
  /** Serves reading the end of a chain, and walking it. */
  (table) => [primaryKey({ columns: [table.chain_id, table.seq] })],
);

/**
 * The end of each chain at the end of each day, sealed with a key that is not in the database. All seals form
 * one sequence in which each covers the previous one. Append-only.
 */
export const auditSeals = pgTable(
  "audit_seals",
  {
    chain_id: uuid("chain_id").notNull(),
    seq: bigint("seq", { mode: "number" }).notNull(),
    /** Id of the secret it was made with; changing the secret seals again. */
    key_id: text("key_id").notNull(),
    day: date("day").notNull(),
    hash: bytea("hash").notNull(),
    mac: text("mac").notNull(),
    /** Starts at 1, without gaps. */
    number: bigint("number", { mode: "number" }).notNull(),
    /** MAC of the previous seal; empty for the first. */
    previous_mac: text("previous_mac").notNull(),
    sealed_at: instant("sealed_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.chain_id, table.seq, table.key_id, table.number] }),
    /** Serves the lookup of the last seal, and keeps numbers unique. */
    uniqueIndex("audit_seals_number").on(table.number),
  ],
);
