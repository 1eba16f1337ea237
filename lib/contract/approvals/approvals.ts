import { z } from "zod";
import { apiKey, createApiKeyBody, keyLimits, OVERLAP_HOURS } from "@/lib/contract/api-keys/api-keys";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { amount, humanText, timestamp } from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { merchantRole, permission } from "@/lib/contract/permissions";
import { bankAccount, updateBankAccountBody } from "@/lib/contract/settlement/payout";
import { refundReason } from "@/lib/contract/transactions/transaction";
import {
  APPROVAL_ACTIONS,
  APPROVAL_DECISIONS,
  APPROVAL_STATUSES,
  KEY_ACTS,
  MAX_APPROVAL_USD,
  ROLES_BOUND_BY,
  type RoleRuleAction,
  RULE_ROLES,
} from "./words";

/** Acts that one member requests and another one decides. The dashboard alone has them; no API key does. */

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

/** A rule that binds roles has an amount, whether it is set alone or by a request. */
const withAmount = <S extends z.ZodType<RefundRule>>(schema: S) =>
  schema.refine(({ roles, above_usd, day_usd }) => roles.length === 0 || above_usd !== null || day_usd !== null, {
    path: ["above_usd"],
    message: "Enter an amount for one refund or for a day.",
  });

/** Any rule: those without amounts bind their roles always. */
const rule = refundRule.extend({ roles: z.array(merchantRole) });
export type ApprovalRule = z.infer<typeof rule>;

/** Roles whose members may not change the bank account, or manage live keys, alone. */
const roleRule = <const A extends RoleRuleAction>(action: A) =>
  z.strictObject({
    action: z.literal(action),
    roles: z
      .array(merchantRole.extract(ROLES_BOUND_BY[action]))
      .refine((roles) => new Set<string>(roles).size === roles.length, "Name each role once."),
  });
const bankAccountRule = roleRule("BANK_ACCOUNT");
const liveKeyRule = roleRule("LIVE_KEY");

/** The requested refund. */
const refundParameters = z.object({
  amount: amount.describe("In minor units."),
  currency: z.string().describe("ISO 4217 code, upper case."),
  reason: refundReason.nullable().describe("The refund's reason."),
  comment: z.string().nullable().describe("The refund's comment."),
  acknowledge_dispute: z.boolean().describe("Refund even though the payment is disputed."),
});
export type RefundParameters = z.infer<typeof refundParameters>;

const account = bankAccount.extend({ holder: z.string().describe("Name of its holder.") });

/** The requested bank account for payouts, and the one it replaces. */
const bankAccountParameters = z.object({
  bank_account: z
    .object({ before: account.nullable(), after: account })
    .describe("The account that new payouts go to, before and after."),
});

const keySettings = z.object({
  name: z.string(),
  permissions: z.array(permission),
  expires_at: timestamp.nullable(),
  ip_allow_list: z.array(z.string()),
  limits: keyLimits.nullable(),
});
export type ApprovedKeySettings = z.infer<typeof keySettings>;

/** A requested act on a live key. The key has no secret before it is collected. */
const keyParameters = z.object({
  key: z
    .object({
      act: z.enum(KEY_ACTS),
      before: keySettings.nullable().describe("Its settings; null for a new key."),
      after: keySettings,
      overlap_hours: z.literal(OVERLAP_HOURS).nullable().describe("Hours that a rotated key still works."),
    })
    .describe("The key's settings, before and after."),
});

const ruleParameters = z.object({
  rule: z
    .object({
      action: z.enum(APPROVAL_ACTIONS).exclude(["APPROVAL_RULE"]).describe("What the rule is for."),
      before: rule,
      after: rule,
    })
    .describe("The rule, before and after."),
});

const member = z.object({ id: idOf("user").describe("Their id."), name: z.string() });

/** A request, as events contain it: without names, and without what its viewer may do. */
export const approvalRequestObject = z
  .object({
    id: idOf("approval").describe("Unique id of the request."),
    object: z.literal("approval_request").describe("Always `approval_request`."),
    action: z.enum(APPROVAL_ACTIONS).describe("What needs a second person."),
    subject: z
      .union([idOf("payment"), idOf("apiKey"), idOf("environment")])
      .describe("The payment to refund, the API key, or the environment whose bank account or rule it is."),
    parameters: z
      .union([refundParameters, bankAccountParameters, keyParameters, ruleParameters])
      .describe("The act: the refund, or what changes."),
    reason: z.string().describe("Why it was requested."),
    status: z
      .enum(APPROVAL_STATUSES)
      .describe("It becomes `EXPIRED`, `WITHDRAWN` or `FAILED` without an event. `FAILED`: it is no longer possible."),
    requested_by: member.pick({ id: true }).describe("The member who requested it."),
    decided_by: member.pick({ id: true }).nullable().describe("The member who decided."),
    decided_at: timestamp.nullable().describe("When it was decided."),
    comment: z.string().nullable().describe("The comment of a rejection, or the reason for a failure."),
    result: z
      .union([idOf("transaction"), idOf("apiKey")])
      .nullable()
      .describe("The refund that the approval made, or the key once it is collected."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    expires_at: timestamp.describe("When it expires unless it is decided."),
    created_at: timestamp.describe("When it was requested."),
  })
  .meta({ id: "ApprovalRequest" });
export type ApprovalRequestObject = z.infer<typeof approvalRequestObject>;

/** The same for members of the team. */
export const approvalRequest = z.object({
  ...approvalRequestObject.shape,
  requested_by: member,
  decided_by: member.nullable(),
  /** Until when the requester may collect the key's secret; null if there is none to collect. */
  collect_before: timestamp.nullable(),
  /** Actions that the viewer may take. */
  available_actions: z.array(z.enum(APPROVAL_DECISIONS)),
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

const { attempt: _, ...newKey } = createApiKeyBody.shape;
const keySubject = { subject: idInput };

/** An act as its member would have made it alone. */
export const requestedAct = z.discriminatedUnion("action", [
  z.strictObject({
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
  z.strictObject({ action: z.literal("BANK_ACCOUNT"), parameters: updateBankAccountBody, reason: why }),
  z.strictObject({
    action: z.literal("LIVE_KEY"),
    parameters: z.discriminatedUnion("act", [
      z.strictObject({ act: z.literal("CREATE"), ...newKey }),
      z.strictObject({ act: z.literal("CHANGE"), ...keySubject, ...newKey }),
      z.strictObject({ act: z.literal("ROTATE"), ...keySubject, overlap_hours: z.literal(OVERLAP_HOURS) }),
      z.strictObject({ act: z.literal("ENABLE"), ...keySubject }),
    ]),
    reason: why,
  }),
  z.strictObject({
    action: z.literal("APPROVAL_RULE"),
    parameters: z.discriminatedUnion("action", [
      withAmount(z.strictObject({ action: z.literal("REFUND"), ...refundRule.shape })),
      bankAccountRule,
      liveKeyRule,
    ]),
    reason: why,
  }),
]);
export type RequestedAct = z.infer<typeof requestedAct>;

/** For members who may act, but not alone: which role may request what depends on the act. */
export const createApprovalRequest = dashboardEndpoint({
  name: "createApprovalRequest",
  method: "POST",
  path: BASE,
  permission: "approval.request",
  body: requestedAct,
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

/** Creates the approved key. Only the first response has its secret, and only its requester gets it. */
export const collectKey = dashboardEndpoint({
  name: "collectKey",
  method: "POST",
  path: `${BASE}/{id}/collect`,
  permission: "api_key.manage",
  reauthentication: "always",
  verified: "live",
  status: 200,
  response: z.object({ api_key: apiKey, secret: z.string() }),
});

/** Only owners may, and not alone if it weakens a rule that binds them. */
export const updateRefundRule = dashboardEndpoint({
  name: "updateRefundRule",
  method: "PATCH",
  path: "/api/dashboard/{mode}/approval-rules/refund",
  permission: "team.manage",
  reauthentication: "always",
  body: withAmount(refundRule),
  status: 200,
  response: refundRule,
});

export const updateRoleRule = dashboardEndpoint({
  name: "updateRoleRule",
  method: "PATCH",
  path: "/api/dashboard/{mode}/approval-rules",
  permission: "team.manage",
  reauthentication: "always",
  body: z.discriminatedUnion("action", [bankAccountRule, liveKeyRule]),
  status: 200,
  response: rule,
});
