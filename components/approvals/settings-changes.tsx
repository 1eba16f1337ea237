import type { ReactNode } from "react";
import { Facts } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { PERMISSION_GROUPS } from "@/lib/client/api-keys/permission-words";
import { limitsText, overlapText } from "@/lib/contract/api-keys/limits-text";
import type { ApprovalRequest, ApprovalRule, ApprovedKeySettings } from "@/lib/contract/approvals/approvals";
import type { KeyAct } from "@/lib/contract/approvals/words";
import { moneyText } from "@/lib/contract/format";
import { type Permission, ROLE_LABELS } from "@/lib/contract/permissions";
import type { BankAccount } from "@/lib/contract/settlement/payout";
import { RefundChanges, type RULE_NAMES } from "./approval-changes";
import type { ActToRequest } from "./request-approval";

/** Shows the effect of an approval: the refund, or the values before and after. */
export function ApprovalChanges({ parameters }: Pick<ApprovalRequest, "parameters">) {
  if ("amount" in parameters) return <RefundChanges {...parameters} />;
  if ("bank_account" in parameters) return <BankAccountChanges {...parameters.bank_account} />;
  if ("key" in parameters) return <KeyChanges {...parameters.key} />;
  return <RuleChanges {...parameters.rule} />;
}

export function BankAccountChanges({ before, after }: { before: BankAccount | null; after: BankAccount }) {
  return (
    <Changes
      rows={[
        ["Account holder", before?.holder, after.holder],
        ["Bank", before?.bank_name, after.bank_name],
        ["Country", before?.country, after.country],
        ["Account number", before && `•••• ${before.last4}`, `•••• ${after.last4}`],
      ]}
    />
  );
}

type Text = ReactNode;

/** Values before and after; those that don't change are shown once. */
function Changes({
  rows,
}: {
  rows: readonly (readonly [name: string, before: Text | null | undefined, after: Text])[];
}) {
  return (
    <Facts
      items={rows.map(([term, before, after]) => ({
        term,
        value:
          before === null || before === undefined || before === after ? (
            after
          ) : (
            <>
              <span className="text-soft">{before}</span>
              <span aria-hidden="true" className="px-1.5 text-soft">
                →
              </span>
              <span className="sr-only"> becomes </span>
              <span className="font-medium">{after}</span>
            </>
          ),
      }))}
    />
  );
}

/** The settings that a dialog requests for a live key, beside its current ones. */
export function RequestedKeyChanges({ act, now }: { act: ActToRequest; now: ApprovedKeySettings | null }) {
  if (act.action !== "LIVE_KEY") return null;
  const { parameters } = act;
  const after = "permissions" in parameters ? { ...parameters, limits: parameters.limits ?? null } : now;
  if (after === null) return null;
  const overlap = parameters.act === "ROTATE" ? parameters.overlap_hours : null;
  return <KeyChanges act={parameters.act} before={now} after={after} overlap_hours={overlap} />;
}

type KeyChangesProps = {
  act: KeyAct;
  before: ApprovedKeySettings | null;
  after: ApprovedKeySettings;
  overlap_hours: number | null;
};

const LABELS = new Map(
  PERMISSION_GROUPS.flatMap(({ name, permissions }) =>
    permissions.map(({ permission, label }) => [permission, `${name}: ${label}`] as const),
  ),
);

function KeyChanges({ act, before, after, overlap_hours }: KeyChangesProps) {
  const expiry = (at: string | null) => (at === null ? "Never" : <Time at={at} />);
  const changed = act === "CHANGE" ? before : null;
  const addresses = (list: readonly string[]) => list.join(", ") || "Any address";
  const limits = (settings: ApprovedKeySettings) => (settings.limits && limitsText(settings.limits)) ?? "None";
  return (
    <>
      <Changes
        rows={[
          ["Name", changed?.name, after.name],
          [
            "Expires",
            changed && changed.expires_at !== after.expires_at ? expiry(changed.expires_at) : null,
            expiry(after.expires_at),
          ],
          ["Addresses", changed && addresses(changed.ip_allow_list), addresses(after.ip_allow_list)],
          ["Refund limits", changed && limits(changed), limits(after)],
          ...(overlap_hours === null ? [] : [["Old key works", null, overlapText(overlap_hours)] as const]),
        ]}
      />
      <h3 className="mt-3 border-t pt-3 font-medium">Permissions</h3>
      <ul className="mt-1 grid gap-x-8 gap-y-1 sm:grid-cols-2">
        {[...new Set([...(changed?.permissions ?? []), ...after.permissions])].map((permission) => (
          <li key={permission} className="flex items-baseline gap-2">
            <PermissionChange permission={permission} before={changed?.permissions ?? null} after={after.permissions} />
          </li>
        ))}
      </ul>
    </>
  );
}

type PermissionChangeProps = {
  permission: Permission;
  before: readonly Permission[] | null;
  after: readonly Permission[];
};

function PermissionChange({ permission, before, after }: PermissionChangeProps) {
  const label = LABELS.get(permission) ?? permission;
  if (!after.includes(permission)) {
    return (
      <span className="text-soft">
        <span className="line-through decoration-1">{label}</span> removed
      </span>
    );
  }
  return before !== null && !before.includes(permission) ? (
    <span>
      <span className="font-medium">{label}</span> <span className="text-amber">added</span>
    </span>
  ) : (
    <span>{label}</span>
  );
}

type RuleChangesProps = { action: keyof typeof RULE_NAMES; before: ApprovalRule; after: ApprovalRule };

export function RuleChanges({ action, before, after }: RuleChangesProps) {
  const roles = (rule: ApprovalRule) => rule.roles.map((role) => ROLE_LABELS[role]).join(", ") || "Nobody";
  const usd = (dollars: number | null) => (dollars === null ? "No limit" : moneyText(dollars * 100, "USD"));
  const yes = (is: boolean) => (is ? "Yes" : "No");
  return (
    <Changes
      rows={[
        ["Needs approval", roles(before), roles(after)],
        ...(action === "REFUND"
          ? ([
              ["One refund over", usd(before.above_usd), usd(after.above_usd)],
              ["Refunds of a day over", usd(before.day_usd), usd(after.day_usd)],
              ["Finance may approve", yes(before.finance_decides), yes(after.finance_decides)],
            ] as const)
          : []),
      ]}
    />
  );
}
