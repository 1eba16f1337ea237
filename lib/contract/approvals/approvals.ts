import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { amount, humanText, timestamp } from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { merchantRole } from "@/lib/contract/permissions";
import { refundReason } from "@/lib/contract/transactions/transaction";
import { APPROVAL_ACTIONS, APPROVAL_DECISIONS, APPROVAL_STATUSES, MAX_APPROVAL_USD, RULE_ROLES } from "./words";

/** Acts that one member requests and another one decides. The dashboard alone has them; no API key does. */

/** The requested refund. */
const refundParameters = z.object({
  amount,
  currency: z.string(),
  reason: refundReason.nullable(),
  comment: z.string().nullable(),
  acknowledge_dispute: z.boolean(),
});
export type RefundParameters = z.infer<typeof refundParameters>;

const member = z.object({ id: idOf("user"), name: z.string() });

export const approvalRequest = z.object({
  id: idOf("approval"),
  object: z.literal("approval_request"),
  action: z.enum(APPROVAL_ACTIONS),
  /** The payment to refund. */
  subject: idOf("payment"),
  parameters: refundParameters,
  reason: z.string(),
  status: z.enum(APPROVAL_STATUSES),
  requested_by: member,
  decided_by: member.nullable(),
  decided_at: timestamp.nullable(),
  /** The approver's comment, or the reason for the failure. */
  comment: z.string().nullable(),
  /** The refund that an approval made. */
  result: idOf("transaction").nullable(),
  /** Actions that the viewer may take. */
  available_actions: z.array(z.enum(APPROVAL_DECISIONS)),
  expires_at: timestamp,
  created_at: timestamp,
});
export type ApprovalRequest = z.infer<typeof approvalRequest>;

const BASE = "/api/dashboard/{mode}/approval-requests";
const why = z.string().trim().pipe(humanText(500));

/** A payment's requests, newest first. */
export const listPaymentApprovals = dashboardEndpoint({
  name: "listPaymentApprovals",
  method: "GET",
  path: BASE,
  permission: "transaction.search",
  query: z.strictObject({ subject: idInput }),
  status: 200,
  response: z.object({ object: z.literal("list"), data: z.array(approvalRequest) }),
});

export const createApprovalRequest = dashboardEndpoint({
  name: "createApprovalRequest",
  method: "POST",
  path: BASE,
  permission: "transaction.refund",
  body: z.strictObject({
    action: z.literal("REFUND"),
    subject: idInput,
    parameters: z.strictObject({
      amount,
      reason: refundReason.optional(),
      comment: humanText(1_000).optional(),
      acknowledge_dispute: z.literal(true).optional(),
    }),
    reason: why,
  }),
  status: 201,
  response: approvalRequest,
});

/** Carries the act out, once, however often it is called. */
export const approveRequest = dashboardEndpoint({
  name: "approveRequest",
  method: "POST",
  path: `${BASE}/{id}/approve`,
  permission: "approval.decide",
  reauthentication: "always",
  status: 200,
  response: approvalRequest,
});

export const rejectRequest = dashboardEndpoint({
  name: "rejectRequest",
  method: "POST",
  path: `${BASE}/{id}/reject`,
  permission: "approval.decide",
  reauthentication: "always",
  body: z.strictObject({ comment: why.optional() }),
  status: 200,
  response: approvalRequest,
});

export const withdrawRequest = dashboardEndpoint({
  name: "withdrawRequest",
  method: "POST",
  path: `${BASE}/{id}/withdraw`,
  permission: "transaction.search",
  status: 200,
  response: approvalRequest,
});

const usd = z.int().min(0).max(MAX_APPROVAL_USD).nullable();

/** When a refund in the dashboard needs a second person. Without roles, nobody's does. */
export const refundRule = z.strictObject({
  roles: z
    .array(merchantRole.extract(RULE_ROLES))
    .max(RULE_ROLES.length)
    .refine((roles) => new Set(roles).size === roles.length, "Name each role once."),
  /** US dollars: one refund above it needs approval; null for no such limit. */
  above_usd: usd,
  /** US dollars: what a member may refund within a day without approval; null for no such limit. */
  day_usd: usd,
  /** Members with the role finance may decide, besides owners and admins. */
  finance_decides: z.boolean(),
});
export type RefundRule = z.infer<typeof refundRule>;

/** Only owners may: an admin whom the rule binds must not lift it. */
export const updateRefundRule = dashboardEndpoint({
  name: "updateRefundRule",
  method: "PATCH",
  path: "/api/dashboard/{mode}/approval-rules/refund",
  permission: "team.manage",
  reauthentication: "always",
  body: refundRule.refine(
    ({ roles, above_usd, day_usd }) => roles.length === 0 || above_usd !== null || day_usd !== null,
    { path: ["above_usd"], message: "Enter an amount for one refund or for a day." },
  ),
  status: 200,
  response: refundRule,
});
