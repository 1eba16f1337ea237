import type { Metadata } from "next";
import Link from "next/link";
import { RequestView } from "@/components/request-log/request-page";
import { SendAgain } from "@/components/request-log/send-again";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { titleId } from "@/lib/contract/format";
import { getRequest } from "@/lib/domain/request-log/read-requests";
import { dashboardPage, orNull } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Request ${titleId((await params).id)}` };
}

export default async function RequestPage({ params }: { params: Promise<{ mode: string; id: string }> }) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return <NoPermission what="requests" />;
  const path = `/${page.mode}/developers/requests`;
  const request = await orNull(getRequest(page.ctx, { id, can: page.can }));
  if (!request) {
    return (
      <EmptyState
        page
        title="No such request here"
        description={`Requests are kept for 30 days, and appear within seconds. This one doesn’t belong to ${page.mode} mode, or was a read in the dashboard, which is not logged.`}
        actions={
          <Link href={path} className={buttonStyles()}>
            All requests
          </Link>
        }
      />
    );
  }
  return (
    <>
      <PageHeader
        title={
          <span className="font-mono text-base">
            {request.method} {request.path}
          </span>
        }
        crumbs={[{ label: "Requests", href: path }]}
      />
      <RequestView request={request} mode={page.mode}>
        <SendAgain request={request} mode={page.mode} />
      </RequestView>
    </>
  );
}
