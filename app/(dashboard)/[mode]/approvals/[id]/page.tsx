import type { Metadata } from "next";
import Link from "next/link";
import { ApprovalActions, ApprovalFacts } from "@/components/approvals/approval";
import { StatusBadge } from "@/components/ui/badge";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/time";
import { getRequest } from "@/lib/domain/approvals/requests";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export const metadata: Metadata = { title: "Approval" };

type ApprovalPageProps = { params: Promise<{ mode: string; id: string }> };

const REFRESH_MS = 10_000;

export default async function ApprovalPage({ params }: ApprovalPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("transaction.refund")) return <NoPermission what="approvals" />;
  const request = await orNotFound(getRequest(page.ctx, { id, user: page.user }));
  const { subject, result, status } = request;
  return (
    <article>
      <PageHeader
        title={
          <>
            Refund of <Money amount={request.parameters.amount} currency={request.parameters.currency} />
          </>
        }
        crumbs={[{ label: "Approvals", href: `/${page.mode}/approvals` }]}
        badge={<StatusBadge status={status} />}
        description={<CopyId id={request.id} label="Copy request id" className="text-ink" />}
        actions={<ApprovalActions request={request} />}
      />
      {status === "PENDING" && <RefreshEvery ms={REFRESH_MS} />}
      <div className="flex max-w-2xl flex-col gap-4">
        <Card title="Request">
          <ApprovalFacts request={request} />
        </Card>
        <Card title="Payment">
          <Facts
            items={[
              {
                term: "Payment",
                value: (
                  <Link
                    href={`/${page.mode}/payments/${subject}`}
                    prefetch={false}
                    className="font-mono text-accent hover:underline"
                  >
                    {subject}
                  </Link>
                ),
              },
              ...(result ? [{ term: "Refund", value: <CopyId id={result} label="Copy refund id" /> }] : []),
            ]}
          />
        </Card>
      </div>
    </article>
  );
}
