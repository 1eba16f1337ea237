import type { Metadata } from "next";
import Link from "next/link";
import { RefundRuleForm, RoleRuleForm } from "@/components/approvals/rule-form";
import { Card } from "@/components/ui/card";
import { NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { getRule } from "@/lib/domain/approvals/rules";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Approvals" };

type ApprovalRulesPageProps = { params: Promise<{ mode: string }> };

export default async function ApprovalRulesPage({ params }: ApprovalRulesPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("team.manage")) return <NoPermission what="the rules for approvals" />;
  const [refunds, account, keys] = await Promise.all([
    getRule(page.ctx, "REFUND"),
    getRule(page.ctx, "BANK_ACCOUNT"),
    getRule(page.ctx, "LIVE_KEY"),
  ]);
  return (
    <>
      <SectionHeader
        title="Approvals"
        description={`What needs a second person in ${page.mode} mode. Each mode has its own rules.`}
      />
      <div className="flex max-w-xl flex-col gap-4">
        <Card title="Refunds">
          <RefundRuleForm key={page.mode} rule={refunds} />
        </Card>
        <Card title="Bank account">
          <RoleRuleForm
            key={page.mode}
            action="BANK_ACCOUNT"
            rule={account}
            legend="Changing the bank account for payouts needs a colleague’s approval when made by:"
            hint="Owners and admins approve, but never their own request."
          />
        </Card>
        {page.mode === "live" && (
          <Card title="Live keys">
            <RoleRuleForm
              action="LIVE_KEY"
              rule={keys}
              legend="Creating, rotating or enabling a live key, or giving one more rights, needs a colleague’s approval when done by:"
              hint="Disabling or revoking a key, and taking rights away, never waits. The member who requested a key collects its secret once, after the approval."
            />
          </Card>
        )}
        <Card title="What these rules don’t cover">
          <ul className="list-disc space-y-1.5 pl-4">
            <li>
              Requests with API keys. Limit what each key may refund under{" "}
              <Link href={`/${page.mode}/developers/api-keys`} className="text-accent underline">
                API keys
              </Link>
              . Members whose refunds need approval can’t create, change, rotate or enable keys that refund
              {page.mode === "live" && ", unless a colleague approves it"}.
            </li>
            <li>Refunds made at the processor instead of in Cardlane.</li>
            <li>
              Changes to a rule by owners to whom it doesn’t apply; the activity records them. Owners to whom it applies
              need approval to weaken it, unless the team has no other owner or admin.
            </li>
          </ul>
        </Card>
      </div>
    </>
  );
}
