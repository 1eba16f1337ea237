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
] as const;
export const permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof permission>;

/** Roles of a merchant's users; `staff` is Cardlane's own, without a merchant. */
export const MERCHANT_ROLES = ["owner", "operator", "viewer"] as const;
export const USER_ROLES = [...MERCHANT_ROLES, "staff"] as const;
export const merchantRole = z.enum(MERCHANT_ROLES);
export type MerchantRole = z.infer<typeof merchantRole>;
export type UserRole = (typeof USER_ROLES)[number];

/** Dashboard-only permissions: users can have them, API keys can't. */
const DASHBOARD_PERMISSIONS = ["api_key.manage", "settings.manage", "team.manage"] as const;
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
] as const;

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
  ],
  viewer: READING,
  // Staff refund on a merchant's behalf from the support pages, and must give a reason.
  staff: [...READING, "transaction.refund"],
};

export const ROLE_LABELS: Record<MerchantRole, string> = {
  owner: "Owner",
  operator: "Operator",
  viewer: "Viewer",
};

/** Description of each role. */
export const ROLE_SENTENCES: Record<MerchantRole, string> = {
  owner: "Everything, including API keys, settings and the team.",
  operator:
    "What a viewer sees; captures, voids and refunds payments, stores and removes cards, makes payment links and edits plans.",
  viewer:
    "Sees payments, customers, plans, the balance and logs. Changes nothing; no API keys, webhooks or business settings.",
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
