/** Enums and rules of approvals, without zod: browsers load them. */
import type { MerchantRole, UserPermission } from "@/lib/contract/permissions";

export const APPROVAL_ACTIONS = ["REFUND", "BANK_ACCOUNT", "LIVE_KEY", "APPROVAL_RULE"] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** Acts that a rule binds by role alone. Weakening a rule that binds its member needs no rule of its own. */
export type RoleRuleAction = Extract<ApprovalAction, "BANK_ACCOUNT" | "LIVE_KEY">;

/** Permission of those who may act, and who therefore may request the act and see its requests. */
export const APPROVAL_PERMISSIONS = {
  REFUND: "transaction.refund",
  BANK_ACCOUNT: "settings.manage",
  LIVE_KEY: "api_key.manage",
  APPROVAL_RULE: "team.manage",
} as const satisfies Record<ApprovalAction, UserPermission>;

/** Acts on a live key. */
export const KEY_ACTS = ["CREATE", "CHANGE", "ROTATE", "ENABLE"] as const;
export type KeyAct = (typeof KEY_ACTS)[number];

export const APPROVAL_STATUSES = ["PENDING", "APPROVED", "REJECTED", "WITHDRAWN", "EXPIRED", "FAILED"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Actions that a viewer may take on a request. */
export const APPROVAL_DECISIONS = ["approve", "reject", "withdraw", "collect"] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** Highest number of requests to decide that the menu and the overview show. */
export const MAX_COUNTED_REQUESTS = 99;

/** Life of a request that nobody decides. */
export const APPROVAL_DAYS = 7;

export const MAX_APPROVAL_USD = 1_000_000;

/** Roles that refund in the dashboard, so that a rule can bind them. */
export const RULE_ROLES = ["owner", "admin", "operator", "finance", "support"] as const satisfies MerchantRole[];
export type RuleRole = (typeof RULE_ROLES)[number];

/** Days in which the member who requested a key may collect its secret. */
export const COLLECT_DAYS = 7;

/** Roles that change the bank account, or manage keys. */
export const ROLES_BOUND_BY = {
  BANK_ACCOUNT: ["owner", "admin"],
  LIVE_KEY: ["owner", "admin", "developer"],
} as const satisfies Record<RoleRuleAction, readonly MerchantRole[]>;

/** Actions on which a role decides. Others see requests, and decide nothing. */
export function decidedBy(role: string, refundRule: { finance_decides: boolean } | null): readonly ApprovalAction[] {
  if (role === "owner" || role === "admin") return APPROVAL_ACTIONS;
  return role === "finance" && refundRule?.finance_decides === true ? ["REFUND"] : [];
}

/** Member of a refusal's body: the act needs a second person. Only our own pages receive it. */
export const APPROVAL_REQUIRED = "approval_required";
