"use client";

import { useRouter } from "next/navigation";
import { SaveButton } from "@/components/accounts/account-form";
import { Checkbox } from "@/components/ui/checkbox";
import { Form, PriceField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { ApprovalRule, RequestedAct } from "@/lib/contract/approvals/approvals";
import {
  MAX_APPROVAL_USD,
  ROLES_BOUND_BY,
  type RoleRuleAction,
  RULE_ROLES,
  type RuleRole,
} from "@/lib/contract/approvals/words";
import { type MerchantRole, ROLE_LABELS } from "@/lib/contract/permissions";
import { readTypedAmount } from "@/lib/contract/typed-amount";
import { type ActToRequest, RequestApproval, useApprovalNeed } from "./request-approval";
import { RuleChanges } from "./settings-changes";

type Values = { roles: RuleRole[]; above_usd: string; day_usd: string; finance_decides: boolean };

/** Roles whose refunds need approval, and the amounts beyond which they do. */
export function RefundRuleForm({ rule }: { rule: ApprovalRule }) {
  const { mode } = useDashboard();
  const router = useRouter();
  const form = useForm<Values>(
    {
      ...rule,
      roles: RULE_ROLES.filter((role) => rule.roles.includes(role)),
      above_usd: typed(rule.above_usd),
      day_usd: typed(rule.day_usd),
    },
    { check: checkRule },
  );
  const { values } = form;
  const { need, orRequest, forget } = useApprovalNeed();

  async function save() {
    const body = {
      roles: RULE_ROLES.filter((role) => values.roles.includes(role)),
      above_usd: dollarsOf(values.above_usd),
      day_usd: dollarsOf(values.day_usd),
      finance_decides: values.finance_decides,
    };
    await orRequest({ action: "APPROVAL_RULE", parameters: { action: "REFUND", ...body } }, async () => {
      await callApi("PATCH /api/dashboard/{mode}/approval-rules/refund", { params: { mode }, body });
      form.keep();
      toast.success("Saved");
      router.refresh();
    });
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <RuleRequest need={need} rule={rule} onClose={forget} onRequested={form.discard} />
      <RoleChecks
        legend="Refunds need a colleague’s approval when made by:"
        of={RULE_ROLES}
        chosen={values.roles}
        onChange={(roles) => form.set({ roles })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <PriceField label="One refund over" optional currency="USD" {...form.field("above_usd")} />
        <PriceField label="All refunds of a day over" optional currency="USD" {...form.field("day_usd")} />
      </div>
      <p className="text-soft text-xs">
        Other currencies count at fixed rates that are slightly cautious. A day lasts 24 hours from a member’s first
        refund. Enter 0 to have every refund approved.
      </p>
      <Checkbox
        name="finance_decides"
        label="Finance may approve, too"
        description="Owners and admins always may. Nobody approves their own request."
        checked={values.finance_decides}
        onChange={({ target }) => form.set({ finance_decides: target.checked })}
      />
      <SaveButton pending={form.pending} disabled={!form.dirty}>
        Save rule
      </SaveButton>
    </Form>
  );
}

type RoleRuleFormProps = { action: RoleRuleAction; rule: ApprovalRule; legend: string; hint: string };

/** Roles that may not do something alone. */
export function RoleRuleForm({ action, rule, legend, hint }: RoleRuleFormProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const roles: readonly MerchantRole[] = ROLES_BOUND_BY[action];
  const form = useForm({ roles: roles.filter((role) => rule.roles.includes(role)) });
  const { need, orRequest, forget } = useApprovalNeed();

  async function save() {
    const body = { action, roles: roles.filter((role) => form.values.roles.includes(role)) } as RoleRule;
    await orRequest({ action: "APPROVAL_RULE", parameters: body }, async () => {
      await callApi("PATCH /api/dashboard/{mode}/approval-rules", { params: { mode }, body });
      form.keep();
      toast.success("Saved");
      router.refresh();
    });
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <RuleRequest need={need} rule={rule} onClose={forget} onRequested={form.discard} />
      <RoleChecks
        legend={legend}
        of={roles}
        chosen={form.values.roles}
        onChange={(chosen) => form.set({ roles: chosen })}
      />
      <p className="text-soft text-xs">{hint}</p>
      <SaveButton pending={form.pending} disabled={!form.dirty}>
        Save rule
      </SaveButton>
    </Form>
  );
}

type RuleRequestProps = {
  need: { detail: string; act: ActToRequest } | null;
  /** The rule in force. */
  rule: ApprovalRule;
  onRequested: () => void;
  onClose: () => void;
};

/** Requests approval for a rule, shown beside the one in force. */
function RuleRequest({ need, rule, ...on }: RuleRequestProps) {
  if (need?.act.action !== "APPROVAL_RULE") return null;
  const { action, ...after } = need.act.parameters;
  const shown = <RuleChanges action={action} before={rule} after={{ ...rule, ...after }} />;
  return <RequestApproval {...need} shown={shown} {...on} />;
}

type RoleRule = Extract<RequestedAct, { action: "APPROVAL_RULE" }>["parameters"] & { action: RoleRuleAction };

type RoleChecksProps<R extends MerchantRole> = {
  legend: string;
  of: readonly R[];
  chosen: readonly R[];
  onChange: (roles: R[]) => void;
};

function RoleChecks<R extends MerchantRole>({ legend, of, chosen, onChange }: RoleChecksProps<R>) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-[13px] text-soft">{legend}</legend>
      {of.map((role) => (
        <Checkbox
          key={role}
          name={role}
          label={ROLE_LABELS[role]}
          checked={chosen.includes(role)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, role] : chosen.filter((other) => other !== role))
          }
        />
      ))}
    </fieldset>
  );
}

const typed = (usd: number | null) => (usd === null ? "" : String(usd));

const dollarsOf = (text: string) => (text.trim() === "" ? null : (readTypedAmount(text, "USD").minor ?? 0) / 100);

function checkRule({ roles, above_usd, day_usd }: Values): Partial<Record<keyof Values, string>> {
  const isEmpty = above_usd.trim() === "" && day_usd.trim() === "";
  const above = amountError(above_usd) ?? (roles.length > 0 && isEmpty ? "Enter one of the two amounts." : undefined);
  const day = amountError(day_usd);
  return { ...(above && { above_usd: above }), ...(day && { day_usd: day }) };
}

function amountError(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  const read = readTypedAmount(text, "USD");
  if (read.minor === null) return read.message;
  if (read.minor % 100 !== 0) return "Enter whole dollars.";
  return read.minor > MAX_APPROVAL_USD * 100 ? "Enter up to 1,000,000." : undefined;
}
