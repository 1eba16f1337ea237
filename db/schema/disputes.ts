import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { DISPUTE_RESPONSES, type EvidenceText, FILE_TYPES } from "@/lib/contract/disputes/evidence";
import { DISPUTE_NOTICES, DISPUTE_REASONS, DISPUTE_STATUSES } from "@/lib/contract/disputes/statuses";
import { bytea, environmentId, instant, money, oneOf } from "../columns";
import type { ActorRecord } from "./operations";

/** Evidence as it is stored: members that have a value. `files` has UUIDs. */
export type StoredEvidence = { [Name in EvidenceText]?: string } & { shipped_at?: string; files?: string[] };

/** Author of the response, and their request. */
export type ResponseAuthor = { actor: ActorRecord; request_id: string };

/** Chargebacks and inquiries of cardholders' banks, as the processor last reported them. */
export const disputes = pgTable(
  "disputes",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The payment's charge, and the customer whom it names. */
    transaction_id: uuid("transaction_id").notNull(),
    customer_id: text("customer_id"),
    /** The processor that assigned `processor_dispute_id`. */
    processor: text("processor").notNull(),
    processor_dispute_id: text("processor_dispute_id").notNull(),
    /** Customer of the payment's charge, by `customer_uuid`; null if the charge names none. */
    customer: uuid("customer"),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    reason: oneOf("dispute_reason", DISPUTE_REASONS)("reason").notNull(),
    network_reason_code: text("network_reason_code"),
    /** The processor's, in the dispute's currency; null if it is not known. */
    fee: money("fee"),
    /** The bank took the amount back, at least for a time; false for an inquiry, which takes nothing. */
    withdrawn: boolean("withdrawn").notNull().default(true),
    /** Its page at the processor. */
    dashboard_url: text("dashboard_url"),
    status: oneOf("dispute_status", DISPUTE_STATUSES)("status").notNull(),
    respond_by: instant("respond_by"),
    /** The merchant's evidence: a draft until it is submitted. */
    evidence: jsonb("evidence").$type<StoredEvidence>().notNull().default({}),
    /** Its processor takes responses from us. */
    answerable: boolean("answerable").notNull().default(false),
    /** The response that was begun: written before the processor is called, and kept once it took effect. */
    response: oneOf("dispute_response", DISPUTE_RESPONSES)("response"),
    /** Reference of the response at the processor. */
    response_id: uuid("response_id"),
    response_by: jsonb("response_by").$type<ResponseAuthor>(),
    /** While its outcome is unknown: end of the lease of the process that sends it, or the next check. */
    response_due_at: instant("response_due_at"),
    /** The last notice mailed to the team. */
    last_notice: oneOf("dispute_notice", DISPUTE_NOTICES)("last_notice"),
    /**
     * When the status check was sent that returned this state; an older response never replaces a newer one.
     */
    read_at: instant("read_at").notNull(),
    /** When the bank opened it, according to the processor. */
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Keeps one row per dispute, though reports arrive late, duplicated and out of order. */
    uniqueIndex("disputes_processor").on(table.processor, table.processor_dispute_id),
    /** Serves the payment page, and GET /v1/disputes filtered by payment. */
    index("disputes_payment").on(table.environment_id, table.payment_id, table.id),
    /** Serves customer totals, and the list filtered by customer. */
    index("disputes_customer").on(table.environment_id, table.customer, table.id).where(sql`customer is not null`),
    /** Serves the list filtered by status; the primary key serves it unfiltered. */
    index("disputes_status").on(table.environment_id, table.status, table.id),
    /** Serves the list filtered by deadline. */
    index("disputes_respond_by")
      .on(table.environment_id, table.respond_by, table.id)
      .where(sql`respond_by is not null`),
    /** Serves the job that mails notices: disputes that may still need one, the next deadline first. */
    index("disputes_to_notify")
      .on(table.respond_by, table.environment_id, table.id)
      .where(sql`status in ('NEEDS_RESPONSE', 'UNDER_REVIEW') and last_notice is distinct from 'due_soon'`),
    /** Serves the job that finishes responses whose outcome is unknown. */
    index("disputes_responding")
      .on(table.response_due_at, table.environment_id, table.id)
      .where(sql`response_due_at is not null`),
    check("disputes_amount", sql`${table.amount} >= 0`),
    check(
      "disputes_response",
      sql`(${table.response} is null) = (${table.response_id} is null) and (${table.response} is null) = (${table.response_by} is null)
        and (${table.response_due_at} is null or ${table.response} is not null)`,
    ),
  ],
);
export type DisputeRow = typeof disputes.$inferSelect;

/**
 * Amounts that a dispute took from the available balance and returned to it: one row per report that moved
 * money, with its ledger lines under the row's id, in one commit. A later report moves only the difference.
 */
export const disputeMovements = pgTable(
  "dispute_movements",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    dispute_id: uuid("dispute_id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    currency: text("currency").notNull(),
    /** Changes of the available balance: negative when they leave it, zero when a dispute only ends. */
    amount: money("amount").notNull(),
    fee: money("fee").notNull(),
    /** The payout that accounts for it; null until one does. */
    payout_id: uuid("payout_id"),
    /** It was in a payout that failed. */
    payout_failed: boolean("payout_failed").notNull().default(false),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the next difference, and the dispute's page. */
    index("dispute_movements_dispute").on(table.environment_id, table.dispute_id, table.id),
    /** Serves the payment's page. */
    index("dispute_movements_payment").on(table.environment_id, table.payment_id, table.id),
    /** Serves payouts: what none of them accounts for. */
    index("dispute_movements_available")
      .on(table.environment_id, table.currency, table.id)
      .where(sql`payout_id is null and (amount <> 0 or fee <> 0)`),
  ],
);
export type DisputeMovementRow = typeof disputeMovements.$inferSelect;

/** Documents that merchants upload as evidence. A file belongs to at most one dispute. */
export const files = pgTable(
  "files",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    /** Read from the content. */
    type: oneOf("file_type", FILE_TYPES)("type").notNull(),
    size: integer("size").notNull(),
    bytes: bytea("bytes").notNull(),
    /** The dispute it is evidence for. */
    dispute_id: uuid("dispute_id"),
    /** When it is removed, unless its dispute is open then. Null if it was attached to one that has not ended. */
    remove_at: instant("remove_at").default(sql`now() + interval '1 day'`),
    created_by: jsonb("created_by").$type<ActorRecord>().notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves a dispute's page. */
    index("files_dispute").on(table.environment_id, table.dispute_id, table.id).where(sql`dispute_id is not null`),
    /** Serves the job that removes files. */
    index("files_removable").on(table.remove_at, table.environment_id, table.id).where(sql`remove_at is not null`),
    check("files_size", sql`${table.size} > 0 and ${table.size} = octet_length(${table.bytes})`),
  ],
);
export type FileRow = typeof files.$inferSelect;
