import { sql } from "drizzle-orm";
import {
  bigint,
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
import type { OverlapHours } from "@/lib/contract/api-keys/api-keys";
import type { ApprovalRule, ApprovedKeySettings } from "@/lib/contract/approvals/approvals";
import { APPROVAL_ACTIONS, APPROVAL_STATUSES, type ApprovalAction, type KeyAct } from "@/lib/contract/approvals/words";
import type { RefundReason } from "@/lib/contract/transactions/words";
import { environmentId, instant, money, oneOf } from "../columns";

/** When an act needs a second person: a row per action and environment, none while nobody is bound. */
export const approvalRules = pgTable(
  "approval_rules",
  {
    environment_id: environmentId(),
    action: oneOf("approval_action", APPROVAL_ACTIONS)("action").notNull(),
    /** Roles that may not act alone beyond the amounts. */
    roles: text("roles").array().notNull(),
    /** US dollars of one act, and of a member's acts within a day; null for no such limit. */
    above_usd: integer("above_usd"),
    day_usd: integer("day_usd"),
    finance_decides: boolean("finance_decides").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.action] }),
    check("approval_rules_amounts", sql`${table.above_usd} >= 0 and ${table.day_usd} >= 0`),
  ],
);
export type ApprovalRuleRow = typeof approvalRules.$inferSelect;

/** Refunds of a member whom a rule binds, made alone within a day; T1 counts them as the rule does. */
export const approvalAllowances = pgTable(
  "approval_allowances",
  {
    environment_id: environmentId(),
    user_id: uuid("user_id").notNull(),
    /** US cents. */
    spent: bigint("spent", { mode: "number" }).notNull(),
    since: instant("since").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.user_id] })],
);

/** Acts that a member requested and another one decides. Only the dashboard shows them. */
export const approvalRequests = pgTable(
  "approval_requests",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    action: oneOf("approval_action", APPROVAL_ACTIONS)("action").notNull(),
    /** The payment to refund, the key (also one not created yet), or the environment. */
    subject_id: uuid("subject_id").notNull(),
    /** Refunds only. */
    amount: money("amount"),
    currency: text("currency"),
    /** The other parameters of the act, and what they were before. */
    parameters: jsonb("parameters").$type<ApprovalParameters>().notNull(),
    reason: text("reason").notNull(),
    /** A PENDING one may have expired, or its payment may no longer allow it: reads show that. */
    status: oneOf("approval_status", APPROVAL_STATUSES)("status").notNull(),
    requested_by: uuid("requested_by").notNull(),
    /** Names at that time, because members can be removed. */
    requested_by_name: text("requested_by_name").notNull(),
    decided_by: uuid("decided_by"),
    decided_by_name: text("decided_by_name"),
    decided_at: instant("decided_at"),
    /** The approver's comment, or the reason for the failure. */
    comment: text("comment"),
    /** The operation that T1 wrote with the approval. */
    operation_id: uuid("operation_id"),
    /** The key that its requester collected after the approval. */
    key_id: uuid("key_id"),
    /** A mail is due: to those who may decide, or to the member who requested. */
    mail_due: boolean("mail_due").notNull().default(true),
    created_at: instant("created_at").notNull(),
    expires_at: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** One open request for a payment, and the index for their number. */
    uniqueIndex("approval_requests_open")
      .on(table.environment_id, table.action, table.subject_id)
      .where(sql`status = 'PENDING'`),
    /** Serves the requests of one payment, and their reconciliation. */
    index("approval_requests_subject").on(table.environment_id, table.subject_id, table.id),
    /** Serves the job that mails. Nearly empty. */
    index("approval_requests_mail_due").on(table.environment_id, table.id).where(sql`mail_due`),
    check(
      "approval_requests_amount",
      sql`case when ${table.action} = 'REFUND' then ${table.amount} > 0 and ${table.currency} is not null
        else ${table.amount} is null and ${table.currency} is null end`,
    ),
    /** The member who requested never decides. */
    check("approval_requests_second_person", sql`${table.decided_by} <> ${table.requested_by}`),
    check(
      "approval_requests_decided",
      sql`(${table.status} = 'APPROVED' and ${table.action} = 'REFUND') = (${table.operation_id} is not null)
        and (${table.key_id} is null or (${table.status} = 'APPROVED' and ${table.action} = 'LIVE_KEY'))
        and (${table.status} not in ('APPROVED', 'REJECTED') or (${table.decided_by} is not null and ${table.decided_at} is not null))`,
    ),
  ],
);
export type ApprovalRequestRow = typeof approvalRequests.$inferSelect;

export type RefundDetails = { reason: RefundReason | null; comment: string | null; acknowledge_dispute: boolean };
/** `before`: null while the merchant had set no account. */
export type BankAccountChange = { before: Destination | null; after: Destination };
type Destination = { holder: string; bank_name: string; country: string; last4: string };
export type KeyChange = {
  act: KeyAct;
  before: ApprovedKeySettings | null;
  after: ApprovedKeySettings;
  overlap_hours: OverlapHours | null;
  /** The key's version, as of which this was requested. */
  updated_at: string | null;
};
export type RuleChange = {
  action: Exclude<ApprovalAction, "APPROVAL_RULE">;
  before: ApprovalRule;
  after: ApprovalRule;
};
export type ApprovalParameters = RefundDetails | BankAccountChange | KeyChange | RuleChange;
