import type { Metadata } from "next";
import Link from "next/link";
import { RefundRuleForm } from "@/components/approvals/rule-form";
import { Card } from "@/components/ui/card";
import { NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { getRefundRule } from "@/lib/domain/approvals/rules";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Approvals" };

type ApprovalRulesPageProps = { params: Promise<{ mode: string }> };

export default async function ApprovalRulesPage({ params }: ApprovalRulesPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("team.manage")) return <NoPermission what="the rules for approvals" />;
  const rule = await getRefundRule(page.ctx);
  return (
    <>
      <SectionHeader
        title="Approvals"
        description={`What needs a second person in ${page.mode} mode. Each mode has its own rule.`}
      />
      <div className="flex max-w-xl flex-col gap-4">
        <Card title="Refunds">
          <RefundRuleForm key={page.mode} rule={rule} />
        </Card>
        <Card title="What the rule doesn’t cover">
          <ul className="list-disc space-y-1.5 pl-4">
            <li>
              API keys. Limit what each may refund under{" "}
              <Link href={`/${page.mode}/developers/api-keys`} className="text-accent underline">
                API keys
              </Link>
              . Members whose refunds need approval can’t create, change, rotate or enable keys that refund.
            </li>
            <li>Refunds made at the processor instead of in Cardlane.</li>
            <li>An owner’s changes to this rule. The activity records them.</li>
          </ul>
        </Card>
      </div>
    </>
  );
}
