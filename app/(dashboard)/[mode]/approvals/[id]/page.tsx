import type { Metadata } from "next";
import Link from "next/link";
import { ApprovalActions, ApprovalFacts } from "@/components/approvals/approval";
import { approvalTitle } from "@/components/approvals/approval-changes";
import { ApprovalChanges } from "@/components/approvals/settings-changes";
import { StatusBadge } from "@/components/ui/badge";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { cn } from "@/components/ui/styles";
import { RefreshEvery } from "@/components/ui/time";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import { AppError } from "@/lib/contract/errors";
import type { UserPermission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { getRequest } from "@/lib/domain/approvals/requests";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export const metadata: Metadata = { title: "Approval" };

type ApprovalPageProps = { params: Promise<{ mode: string; id: string }> };

const REFRESH_MS = 10_000;

type Place = { term: string; text: string; href: string; permission: UserPermission };

export default async function ApprovalPage({ params }: ApprovalPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  const canList = page.can("approval.request");
  const request = await orNotFound(getRequest(page.ctx, { id, user: page.user }).catch(asDenied));
  if (request === "denied") return <NoPermission what={canList ? "this request" : "approvals"} />;
  const { action, subject, result, status } = request;
  const place = placeOf(page.mode, request);
  return (
    <article>
      <PageHeader
        title={approvalTitle(request)}
        crumbs={[{ label: "Approvals", ...(canList && { href: `/${page.mode}/approvals` }) }]}
        badge={<StatusBadge status={status} />}
        description={<CopyId id={request.id} label="Copy request id" className="text-ink" />}
        actions={<ApprovalActions request={request} />}
      />
      {status === "PENDING" && <RefreshEvery ms={REFRESH_MS} />}
      <div className="flex max-w-2xl flex-col gap-4">
        <Card title="Request">
          <ApprovalFacts request={request} />
        </Card>
        <Card title={titleOfChanges(request)}>
          <ApprovalChanges parameters={request.parameters} />
        </Card>
        <Card title={action === "REFUND" ? "Payment" : "Where"}>
          <Facts
            items={[
              {
                term: place.term,
                value: page.can(place.permission) ? (
                  <Link
                    href={place.href}
                    prefetch={false}
                    className={cn("text-accent hover:underline", place.text === subject && "font-mono")}
                  >
                    {place.text}
                  </Link>
                ) : (
                  place.text
                ),
              },
              ...(result
                ? [
                    {
                      term: action === "REFUND" ? "Refund" : "New key",
                      value: <CopyId id={result} label={action === "REFUND" ? "Copy refund id" : "Copy key id"} />,
                    },
                  ]
                : []),
            ]}
          />
        </Card>
      </div>
    </article>
  );
}

function titleOfChanges({ action, status }: ApprovalRequest): string {
  if (status !== "PENDING") return "What was requested";
  return action === "REFUND" ? "What is requested" : "What would change";
}

/** A developer sees requests for keys, but not those for refunds; a viewer only those made in another role. */
function asDenied(error: unknown): "denied" {
  if (error instanceof AppError && error.code === "permission_denied") return "denied";
  throw error;
}

/** The page of what a request changes, and the permission to open it. */
function placeOf(mode: Mode, { action, subject, parameters }: ApprovalRequest): Place {
  switch (action) {
    case "REFUND":
      return { term: "Payment", text: subject, href: `/${mode}/payments/${subject}`, permission: "payment.read" };
    case "BANK_ACCOUNT":
      return { term: "Page", text: "Payouts", href: `/${mode}/payouts`, permission: "balance.read" };
    case "LIVE_KEY": {
      const keys = `/${mode}/developers/api-keys`;
      const permission = "api_key.manage";
      const isNew = "key" in parameters && parameters.key.act === "CREATE";
      return isNew
        ? { term: "Page", text: "API keys", href: keys, permission }
        : { term: "Key", text: subject, href: `${keys}/${subject}`, permission };
    }
    case "APPROVAL_RULE":
      return {
        term: "Page",
        text: "Settings → Approvals",
        href: `/${mode}/settings/approvals`,
        permission: "team.manage",
      };
    default:
      return action satisfies never;
  }
}
