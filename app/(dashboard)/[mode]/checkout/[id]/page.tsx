import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { SessionPage } from "@/components/checkout/session-page";
import { NoPermission } from "@/components/ui/empty-state";
import { titleId } from "@/lib/contract/format";
import { getSessionDetail } from "@/lib/domain/checkout/client-sessions";
import { type DashboardPage, dashboardPage, orNull } from "@/lib/http/page";

type ClientSessionPageProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: ClientSessionPageProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return { title: "Client session" };
  const detail = await findSession(page, id);
  return { title: detail === null ? "Client session not found" : `Client session ${titleId(detail.session.id)}` };
}

export default async function ClientSessionPage({ params }: ClientSessionPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return <NoPermission what="client sessions" />;
  const detail = await findSession(page, id);
  if (detail === null) notFound();
  return (
    <SessionPage
      detail={detail}
      mode={page.mode}
      canWrite={page.can("client_session.create")}
      canStyle={page.can("settings.manage")}
    />
  );
}

/** Cached because the page and its title both need it. */
const findSession = cache((page: DashboardPage, id: string) => orNull(getSessionDetail(page.ctx, { id })));
