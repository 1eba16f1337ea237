/** Enums and rules of approvals, without zod: browsers load them. */
import type { MerchantRole } from "@/lib/contract/permissions";

export const APPROVAL_ACTIONS = ["REFUND"] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const APPROVAL_STATUSES = ["PENDING", "APPROVED", "REJECTED", "WITHDRAWN", "EXPIRED", "FAILED"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Actions that a viewer may take on a request. */
export const APPROVAL_DECISIONS = ["approve", "reject", "withdraw"] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** Life of a request that nobody decides. */
export const APPROVAL_DAYS = 7;

export const MAX_APPROVAL_USD = 1_000_000;

/** Roles that refund in the dashboard, so that a rule can bind them. */
export const RULE_ROLES = ["owner", "admin", "operator", "finance", "support"] as const satisfies MerchantRole[];
export type RuleRole = (typeof RULE_ROLES)[number];

/** True if a role may decide on refunds. Others see requests, and decide nothing. */
export const mayDecideRefunds = (role: string, rule: { finance_decides: boolean } | null): boolean =>
  role === "owner" || role === "admin" || (role === "finance" && rule?.finance_decides === true);

/** Member of a refusal's body: the act needs a second person. Only our own pages receive it. */
export const APPROVAL_REQUIRED = "approval_required";
