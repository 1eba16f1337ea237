import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { SessionPage } from "@/components/checkout/session-page";
import { NoPermission } from "@/components/ui/empty-state";
import type { SessionDetail } from "@/lib/contract/checkout/operations";
import { AppError } from "@/lib/contract/errors";
import { getSessionDetail } from "@/lib/domain/checkout/client-sessions";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Client session" };

type ClientSessionPageProps = { params: Promise<{ mode: string; id: string }> };

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

async function findSession(page: DashboardPage, id: string): Promise<SessionDetail | null> {
  try {
    return await getSessionDetail(page.ctx, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") return null;
    throw error;
  }
}
