import { Badge } from "@/components/ui/badge";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { fullTimeText } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";

const HEAD = "border-b px-4 py-2 text-left font-medium text-soft text-xs";
const CELL = "px-4 py-2.5 align-top max-sm:block max-sm:px-0 max-sm:py-0";

export function ActivityList({ items }: { items: ActivityItem[] }) {
  return (
    <div className="rounded-lg border">
      <table className="w-full text-[13px] max-sm:block">
        <caption className="sr-only">Account activity, newest first</caption>
        <thead className="max-sm:sr-only">
          <tr>
            {["Time", "Who", "What"].map((name) => (
              <th key={name} scope="col" className={HEAD}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {items.map((item) => (
            <ActivityRow key={item.id} item={item} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ActivityRow({ item }: { item: ActivityItem }) {
  const { actor, action, at, mode, objectId } = item;
  return (
    <tr className="not-last:border-b max-sm:flex max-sm:flex-col max-sm:gap-1 max-sm:px-4 max-sm:py-3">
      <td className={`${CELL} w-36 text-soft max-sm:w-full`}>
        <Time at={at} />
      </td>
      <td className={`${CELL} w-48 [overflow-wrap:anywhere] max-sm:w-full`}>
        {actor.type === "staff" ? <Badge tone="violet">{actor.name}</Badge> : actor.name}
      </td>
      <td className={CELL}>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{actionText(action)}</span>
          {mode && <Badge tone={mode === "test" ? "amber" : "neutral"}>{mode === "test" ? "Test" : "Live"}</Badge>}
        </span>
        {activityDetails(item).map((line) => (
          <span key={line} className="block text-soft text-xs leading-5 [overflow-wrap:anywhere]">
            {line}
          </span>
        ))}
        {objectId && <CopyId id={objectId} short className="text-soft" />}
      </td>
    </tr>
  );
}

export type ActivityItem = {
  id: string;
  at: string;
  actor: { type: "user" | "staff" | "api_key" | "shopper" | "system"; name: string };
  action: string;
  mode: Mode | null;
  objectId: string | null;
  detail: Record<string, unknown> | null;
};

const ACTIONS: Record<string, string> = {
  "api_key.created": "Created an API key",
  "api_key.updated": "Changed an API key",
  "api_key.disabled": "Disabled an API key",
  "api_key.enabled": "Enabled an API key",
  "api_key.revoked": "Revoked an API key",
  "api_key.rotated": "Rotated an API key",
  "settings.account_opened": "Created the account",
  "settings.account_closed": "Closed an unused account",
  "settings.business_updated": "Changed the business profile",
  "settings.fee_changed": "Changed the fee",
  "settings.checkout_appearance_updated": "Changed the payment form’s appearance",
  "settings.logo_updated": "Changed the logo",
  "settings.receipts_updated": "Changed receipt settings",
  "settings.bank_account_updated": "Changed the bank account",
  "settings.payout_retried": "Retried a payout",
  "settings.processor_connected": "Connected a processor",
  "settings.processor_changed": "Changed a processor connection",
  "settings.processor_disconnected": "Disconnected a processor",
  "settings.processor_rules_replaced": "Changed the routing rules",
  "settings.account_updated": "Changed their name or e-mail address",
  "settings.email_verified": "Confirmed their e-mail address",
  "settings.password_changed": "Changed their password",
  "settings.password_reset": "Reset their password by e-mail",
  "settings.second_factor_enabled": "Turned on two-factor authentication",
  "settings.second_factor_disabled": "Turned off two-factor authentication",
  "settings.recovery_codes_replaced": "Generated new recovery codes",
  "settings.recovery_code_used": "Signed in with a recovery code",
  "settings.signed_in": "Signed in",
  "settings.sign_in_failed": "Failed to sign in",
  "settings.identity_proved": "Confirmed identity",
  "settings.proof_failed": "Failed to confirm their identity",
  "settings.idempotency_key_viewed": "Viewed an idempotency key",
  "settings.transactions_exported": "Exported transactions",
  "settings.settlement_batch_exported": "Exported a settlement batch",
  "settings.sign_in_locked": "Locked a sign-in after ten failures",
  "settings.sessions_ended": "Signed out other browsers",
  "team.member_invited": "Invited a member to the team",
  "team.invitation_resent": "Sent an invitation again",
  "team.invitation_accepted": "Joined the team",
  "team.role_changed": "Changed a role",
  "team.member_removed": "Removed a member from the team",
  "support.searched": "Searched",
  "support.found": "Support search returned your data",
  "support.viewed_merchant": "Viewed the account",
  "support.viewed_payment": "Viewed a payment",
  "support.viewed_key": "Viewed an idempotency key",
  "support.viewed_request": "Viewed an API request",
  "support.viewed_audit": "Viewed the activity",
  "support.viewed_unknown_outcomes": "Viewed payments with an unknown outcome",
  "support.getPayment": "Read a payment",
  "support.listPayments": "Listed payments",
  "support.getTransaction": "Read a transaction",
  "support.listTransactions": "Listed transactions",
  "support.searchTransactions": "Searched transactions",
  "support.getPlan": "Read a subscription plan",
  "support.listPlans": "Listed subscription plans",
  "support.getPaymentMethod": "Read a stored card",
  "support.listPaymentMethods": "Listed stored cards",
  "support.getSubscription": "Read a subscription",
  "support.listSubscriptions": "Listed subscriptions",
  "support.previewSubscriptionChange": "Previewed a change of a subscription",
  "support.getInvoice": "Read an invoice",
  "support.listInvoices": "Listed invoices",
  "support.listCustomers": "Listed customers",
  "support.getCustomer": "Read a customer",
  "support.listEvents": "Listed events",
  "support.getEvent": "Read an event",
  "support.streamEvents": "Streamed events",
  "support.listWebhookEndpoints": "Listed webhook endpoints",
  "support.getWebhookEndpoint": "Read a webhook endpoint",
  "support.listWebhookDeliveries": "Listed webhook deliveries",
  "support.getWebhookDelivery": "Read a webhook delivery",
  "support.getBalance": "Read the balance",
  "support.listMovements": "Listed balance movements",
  "support.listPayouts": "Listed payouts",
  "support.getPayout": "Read a payout",
  "support.listSettlementBatches": "Listed settlement batches",
  "support.getSettlementBatch": "Read a settlement batch",
  "support.refundPayment": "Refunded a payment",
  "support.refundTransaction": "Refunded a transaction",
  "support.asked_again": "Checked an unknown outcome with the processor",
  "support.asked_processor": "Checked a payment with the processor",
  "support.suspended_merchant": "Suspended the account",
  "support.reinstated_merchant": "Reinstated the account",
  "support.unlocked_person": "Unlocked a sign-in",
};

/** Describes an action; one without a text of its own at least gets a readable name. */
export function actionText(action: string): string {
  const known = ACTIONS[action];
  if (known) return known;
  const words = action
    .slice(action.indexOf(".") + 1)
    .replace(/([A-Z])/g, " $1")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const FIELDS: Record<string, string> = {
  name: "Name",
  email: "E-mail",
  website: "Website",
  support_email: "Support e-mail",
  time_zone: "Time zone",
  refund_limit_usd: "Daily refunds without confirmation, US dollars",
  fee_basis_points: "Fee",
  logo: "Logo",
  receipts_on_capture: "Receipts of payments",
  receipts_on_refund: "Receipts of refunds",
  role: "Role",
  preset: "Style",
  theme: "Scheme",
  accent_color: "Accent",
  background_color: "Background",
  text_color: "Text",
  border_radius: "Corner radius",
  font_family: "Font",
  permissions: "Permissions",
  expires_at: "Expires",
  ip_allow_list: "Addresses",
};

/** Further details, one per line: the user concerned, the changes, the reason. */
export function activityDetails({ detail }: ActivityItem): string[] {
  if (detail === null) return [];
  const { email, role, name, count, reason, query, key, mode, batch, changes } = detail;
  const who = [name, email].filter((part) => typeof part === "string" && part !== "").join(", ");
  return [
    ...(who ? [who] : []),
    ...(typeof role === "string" ? [`Role: ${role}`] : []),
    ...(typeof count === "number" && count > 1 ? [`${count} sessions`] : []),
    ...(typeof mode === "string" ? [mode === "live" ? "Live mode" : "Test mode"] : []),
    ...(typeof batch === "string" ? [`Batch: ${batch}`] : []),
    ...changeLines(changes),
    ...(typeof query === "string" ? [`Searched for: ${query}`] : []),
    ...(typeof key === "string" ? [`Key: ${key}`] : []),
    ...(typeof reason === "string" ? [`Reason: ${reason}`] : []),
  ];
}

function changeLines(changes: unknown): string[] {
  if (typeof changes !== "object" || changes === null) return [];
  return Object.entries(changes).flatMap(([field, values]) =>
    Array.isArray(values) ? [`${FIELDS[field] ?? field}: ${shown(field, values[0])} → ${shown(field, values[1])}`] : [],
  );
}

/** Texts for keys without an expiry or an IP allow list. */
const NOTHING: Record<string, string> = { expires_at: "never", ip_allow_list: "any" };

function shown(field: string, value: unknown): string {
  if (value === null || value === "") return NOTHING[field] ?? "none";
  if (field === "fee_basis_points") return `${Number(value) / 100}%`;
  return field === "expires_at" ? fullTimeText(new Date(String(value)), "UTC") : String(value);
}
