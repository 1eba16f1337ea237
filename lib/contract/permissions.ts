/** Permissions of API keys, and of users by role. */
import { z } from "zod";
import { EXPORT_FORMATS, isLocale } from "./reporting/export-formats";

/** Permissions of API keys. */
export const PERMISSIONS = [
  "payment.create",
  "payment.read",
  "transaction.read",
  "transaction.search",
  "transaction.capture",
  "transaction.void",
  "transaction.refund",
  "client_session.create",
  "subscription_plan.read",
  "subscription_plan.write",
  "webhook_endpoint.read",
  "webhook_endpoint.write",
  "event.read",
  "balance.read",
  "payment_method.read",
  "payment_method.write",
  "test_clock.write",
  "subscription.read",
  "subscription.write",
  "invoice.read",
  "invoice.write",
  "dispute.read",
  "dispute.write",
  "report.read",
] as const;
export const permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof permission>;

/** Roles of a merchant's users; `staff` is Cardlane's own, without a merchant. */
export const MERCHANT_ROLES = ["owner", "admin", "operator", "finance", "support", "developer", "viewer"] as const;
export const USER_ROLES = [...MERCHANT_ROLES, "staff"] as const;
export const merchantRole = z.enum(MERCHANT_ROLES);
export type MerchantRole = z.infer<typeof merchantRole>;
export type UserRole = (typeof USER_ROLES)[number];

/** Dashboard-only permissions: users can have them, API keys can't. */
const DASHBOARD_PERMISSIONS = [
  "api_key.manage",
  "settings.manage",
  "team.manage",
  "payout.retry",
  "saved_view.share",
  "note.write",
  "approval.request",
  "approval.decide",
] as const;
type DashboardPermission = (typeof DASHBOARD_PERMISSIONS)[number];
export type UserPermission = Permission | DashboardPermission;

const READING = [
  "payment.read",
  "transaction.read",
  "transaction.search",
  "subscription_plan.read",
  "event.read",
  "balance.read",
  "payment_method.read",
  "subscription.read",
  "invoice.read",
  "dispute.read",
  "report.read",
] as const;

/** Permissions of every member who may change anything. */
const OF_COLLEAGUES = ["saved_view.share", "note.write", "approval.request"] as const;

/** Permissions that show the balance. Events contain payouts and settlement batches. */
const OF_BALANCE: readonly Permission[] = ["balance.read", "report.read", "event.read"];

/** Role → permissions. */
export const ROLE_PERMISSIONS: Record<UserRole, readonly UserPermission[]> = {
  owner: [...PERMISSIONS, ...DASHBOARD_PERMISSIONS],
  operator: [
    ...READING,
    "payment.create",
    "transaction.capture",
    "transaction.void",
    "transaction.refund",
    "client_session.create",
    "subscription_plan.write",
    "payment_method.write",
    "test_clock.write",
    "subscription.write",
    "invoice.write",
    ...OF_COLLEAGUES,
  ],
  admin: [...PERMISSIONS, "api_key.manage", "settings.manage", "payout.retry", "approval.decide", ...OF_COLLEAGUES],
  finance: [...READING, "transaction.refund", "dispute.write", "payout.retry", "approval.decide", ...OF_COLLEAGUES],
  support: [
    ...READING.filter((permission) => !OF_BALANCE.includes(permission)),
    "transaction.refund",
    ...OF_COLLEAGUES,
  ],
  developer: [
    ...READING,
    "webhook_endpoint.read",
    "webhook_endpoint.write",
    "test_clock.write",
    "api_key.manage",
    ...OF_COLLEAGUES,
  ],
  viewer: READING,
  // Staff refund on a merchant's behalf from the support pages, and must give a reason.
  staff: [...READING, "transaction.refund"],
};

export const ROLE_LABELS: Record<MerchantRole, string> = {
  owner: "Owner",
  admin: "Admin",
  operator: "Operator",
  finance: "Finance",
  support: "Support",
  developer: "Developer",
  viewer: "Viewer",
};

/** Description of each role. */
export const ROLE_SENTENCES: Record<MerchantRole, string> = {
  owner: "Everything, including API keys, settings and the team.",
  operator:
    "Sees what a viewer sees. Captures, voids and refunds payments, stores and removes cards, makes payment links, edits plans and subscriptions, and advances the test clock.",
  admin: "Everything but the team: payments, plans, API keys, webhooks and all settings.",
  finance:
    "Sees what a viewer sees. Refunds payments, responds to disputes, sends receipts again and retries failed payouts.",
  support:
    "Sees what a viewer sees except the balance, payouts, reports and events. Refunds payments and sends receipts again.",
  developer:
    "Sees what a viewer sees. Manages API keys and webhooks and advances the test clock. Moves no money in the dashboard, and in live mode manages no keys that refund.",
  viewer:
    "Sees payments, disputes, customers, plans, subscriptions, invoices, the balance, reports and logs. Changes nothing and writes no notes; no API keys, webhooks or business settings.",
};

/** A user's own dashboard settings. */
export const preferences = z.strictObject({
  /** Time zone of displayed times: the business's (`local`) or UTC. */
  times: z.enum(["local", "utc"]).optional(),
  /** Single-key shortcuts on or off. */
  shortcuts: z.boolean().optional(),
  /** The user's last export format, and the locale of its separators. */
  export_format: z.enum(EXPORT_FORMATS).optional(),
  export_locale: z.string().max(35).refine(isLocale, "Use a locale such as en-US or de-DE.").optional(),
});
export type Preferences = z.infer<typeof preferences>;
