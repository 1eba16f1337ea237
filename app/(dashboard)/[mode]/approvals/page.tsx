import { UserCheck } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { z } from "zod";
import { ApprovalTable } from "@/components/approvals/approval-table";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, TabLinks } from "@/components/ui/page-links";
import { pageParams } from "@/lib/contract/fields";
import { listRequests } from "@/lib/domain/approvals/requests";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Approvals" };

type ApprovalsPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

const pageQuery = z.strictObject({
  show: z.literal("ended").optional(),
  limit: pageParams.limit,
  offset: pageParams.offset,
});

export default async function ApprovalsPage({ params, searchParams }: ApprovalsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("approval.request")) return <NoPermission what="approvals" />;
  const path = `/${page.mode}/approvals`;
  const query = pageQuery.safeParse(await searchParams);
  const header = (
    <PageHeader title="Approvals" description="Requests from members that a colleague must approve or reject." />
  );
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="approvals" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { show, limit = 20, offset = 0 } = query.data;
  const isOpen = show === undefined;
  const list = await listRequests(page.ctx, { isOpen, limit, offset, user: page.user });
  return (
    <>
      {header}
      <TabLinks
        label="Requests"
        tabs={[
          { label: "Open", href: path, current: isOpen },
          { label: "Ended", href: `${path}?show=ended`, current: !isOpen },
        ]}
      />
      {list.data.length === 0 && offset === 0 ? (
        <EmptyState
          icon={<UserCheck aria-hidden="true" />}
          title={isOpen ? "No open requests" : "No requests have ended yet"}
          description="When something needs a second person, its request appears here."
          actions={
            page.can("team.manage") && (
              <Link href={`/${page.mode}/settings/approvals`} className="text-accent underline">
                Rules for approvals
              </Link>
            )
          }
        />
      ) : (
        <>
          <ApprovalTable requests={list.data} mode={page.mode} />
          <PageLinks what="requests" page={{ ...list, limit, offset }} href={isOpen ? path : `${path}?show=ended`} />
        </>
      )}
    </>
  );
}
