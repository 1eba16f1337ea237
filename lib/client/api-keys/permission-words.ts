import type { Permission } from "@/lib/contract/permissions";

/** Texts for permissions, without zod. */

type PermissionWords = { permission: Permission; label: string; sentence: string };
type PermissionGroup = { name: string; permissions: readonly PermissionWords[] };

export const PERMISSION_GROUPS: readonly PermissionGroup[] = [
  {
    name: "Payments",
    permissions: [
      {
        permission: "payment.create",
        label: "Create payments",
        sentence: "Charges cards, immediately or with a later capture.",
      },
      { permission: "payment.read", label: "View payments", sentence: "Reads payments with all their transactions." },
    ],
  },
  {
    name: "Transactions",
    permissions: [
      {
        permission: "transaction.read",
        label: "View transactions",
        sentence: "Reads and lists charges and refunds.",
      },
      {
        permission: "transaction.search",
        label: "Search transactions",
        sentence: "Searches by card, customer, amount and more.",
      },
      { permission: "transaction.capture", label: "Capture", sentence: "Captures authorized payments." },
      {
        permission: "transaction.void",
        label: "Void",
        sentence: "Voids authorized payments that were not captured.",
      },
      {
        permission: "transaction.refund",
        label: "Refund",
        sentence: "Refunds payments, in full or in part.",
      },
    ],
  },
  {
    name: "Payment methods",
    permissions: [
      {
        permission: "payment_method.read",
        label: "View payment methods",
        sentence: "Reads and lists stored cards, without their numbers.",
      },
      {
        permission: "payment_method.write",
        label: "Change payment methods",
        sentence: "Stores cards for later payments, and removes them.",
      },
    ],
  },
  {
    name: "Plans",
    permissions: [
      {
        permission: "subscription_plan.read",
        label: "View plans",
        sentence: "Reads and lists plans with their prices.",
      },
      {
        permission: "subscription_plan.write",
        label: "Change plans",
        sentence: "Creates, edits, activates and deactivates plans.",
      },
    ],
  },
  {
    name: "Subscriptions",
    permissions: [
      {
        permission: "subscription.read",
        label: "View subscriptions",
        sentence: "Reads and lists subscriptions.",
      },
      {
        permission: "subscription.write",
        label: "Change subscriptions",
        sentence: "Creates, changes, pauses and cancels subscriptions, and charges stored cards for them.",
      },
      { permission: "invoice.read", label: "View invoices", sentence: "Reads and lists invoices." },
      {
        permission: "invoice.write",
        label: "Change invoices",
        sentence: "Charges invoices to stored cards, voids them and gives them up.",
      },
    ],
  },
  {
    name: "Disputes",
    permissions: [
      { permission: "dispute.read", label: "View disputes", sentence: "Reads and lists disputes." },
      {
        permission: "dispute.write",
        label: "Respond to disputes",
        sentence: "Uploads and submits evidence, and accepts disputes, which gives their amount up.",
      },
    ],
  },
  {
    name: "Client sessions",
    permissions: [
      {
        permission: "client_session.create",
        label: "Create client sessions",
        sentence: "Creates, reads and cancels sessions for the payment form.",
      },
    ],
  },
  {
    name: "Balance, payouts and reports",
    permissions: [
      {
        permission: "balance.read",
        label: "View the balance",
        sentence: "Reads the balance, its movements, payouts and settlement batches.",
      },
      { permission: "report.read", label: "Create reports", sentence: "Creates reports and reads their files." },
    ],
  },
  {
    name: "Test clock",
    permissions: [
      {
        permission: "test_clock.write",
        label: "Advance the test clock",
        sentence: "Reads and advances the sandbox’s clock. Live mode has none.",
      },
    ],
  },
  {
    name: "Webhooks and events",
    permissions: [
      {
        permission: "webhook_endpoint.read",
        label: "View webhook endpoints",
        sentence: "Reads webhook endpoints and their deliveries.",
      },
      {
        permission: "webhook_endpoint.write",
        label: "Change webhook endpoints",
        sentence: "Creates, edits and deletes endpoints.",
      },
      {
        permission: "event.read",
        label: "View events",
        sentence: "Reads events with the objects they concern.",
      },
    ],
  },
];

const WORDS = new Map(
  PERMISSION_GROUPS.flatMap((group) => group.permissions).map((words) => [words.permission, words]),
);

/** "payment.create" → "Create payments". */
const permissionLabel = (permission: Permission): string => WORDS.get(permission)?.label ?? permission;

const ALL = [...WORDS.keys()];

type PermissionPreset = { id: string; label: string; sentence: string; permissions: readonly Permission[] };

export const PERMISSION_PRESETS: readonly PermissionPreset[] = [
  {
    id: "payments",
    label: "Payments only",
    sentence: "Can create, capture, void and refund payments.",
    permissions: [
      ...(["payment.create", "payment.read", "transaction.read"] as const),
      ...(["transaction.capture", "transaction.void", "transaction.refund"] as const),
    ],
  },
  {
    id: "checkout",
    label: "Checkout server",
    sentence: "Can create client sessions and read payments and plans.",
    permissions: ["payment.read", "subscription_plan.read", "client_session.create"],
  },
  {
    id: "refunds",
    label: "Refund desk",
    sentence: "Can find and refund payments, nothing else.",
    permissions: ["payment.read", "transaction.read", "transaction.search", "transaction.refund"],
  },
  {
    id: "read_only",
    label: "Read-only",
    sentence: "Views payments, customers, plans and all other data.",
    permissions: ALL.filter((permission) => /\.(read|search)$/.test(permission)),
  },
  { id: "full", label: "Full access", sentence: "Everything the API can do.", permissions: ALL },
];

/** The preset with exactly these permissions. */
export function presetOf(permissions: readonly Permission[]): PermissionPreset | null {
  const given = new Set(permissions);
  const same = (preset: PermissionPreset) =>
    preset.permissions.length === given.size && preset.permissions.every((permission) => given.has(permission));
  return PERMISSION_PRESETS.find(same) ?? null;
}

/** "Full access", "Refund", "Create payments and 2 more". */
export function permissionSummary(permissions: readonly Permission[]): string {
  const preset = presetOf(permissions);
  if (preset) return preset.label;
  const [first, ...others] = ALL.filter((permission) => permissions.includes(permission)).map(permissionLabel);
  if (first === undefined) return "Nothing";
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
