"use client";

import { useRouter } from "next/navigation";
import { SaveButton } from "@/components/accounts/account-form";
import { Checkbox } from "@/components/ui/checkbox";
import { Form, PriceField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { RefundRule } from "@/lib/contract/approvals/approvals";
import { MAX_APPROVAL_USD, RULE_ROLES, type RuleRole } from "@/lib/contract/approvals/words";
import { ROLE_LABELS } from "@/lib/contract/permissions";
import { readTypedAmount } from "@/lib/contract/typed-amount";

type Values = { roles: RuleRole[]; above_usd: string; day_usd: string; finance_decides: boolean };

/** Roles whose refunds need approval, and the amounts beyond which they do. */
export function RefundRuleForm({ rule }: { rule: RefundRule }) {
  const { mode } = useDashboard();
  const router = useRouter();
  const form = useForm<Values>(
    { ...rule, above_usd: typed(rule.above_usd), day_usd: typed(rule.day_usd) },
    { check: checkRule },
  );
  const { values } = form;

  async function save() {
    const body = {
      roles: RULE_ROLES.filter((role) => values.roles.includes(role)),
      above_usd: dollarsOf(values.above_usd),
      day_usd: dollarsOf(values.day_usd),
      finance_decides: values.finance_decides,
    };
    await callApi("PATCH /api/dashboard/{mode}/approval-rules/refund", { params: { mode }, body });
    form.keep();
    toast.success("Saved");
    router.refresh();
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-[13px] text-soft">Refunds need a colleague’s approval when made by:</legend>
        {RULE_ROLES.map((role) => (
          <Checkbox
            key={role}
            name={role}
            label={ROLE_LABELS[role]}
            checked={values.roles.includes(role)}
            onChange={({ target }) =>
              form.set({
                roles: target.checked ? [...values.roles, role] : values.roles.filter((other) => other !== role),
              })
            }
          />
        ))}
      </fieldset>
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
