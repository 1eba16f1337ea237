import type { Metadata } from "next";
import { SessionList } from "@/components/accounts/session-list";
import { SectionHeader } from "@/components/ui/page-header";
import { encodeId } from "@/lib/contract/ids";
import { listOwnSessions } from "@/lib/domain/accounts/sessions";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Sessions" };

type SessionsPageProps = { params: Promise<{ mode: string }> };

export default async function SessionsPage({ params }: SessionsPageProps) {
  const page = await dashboardPage((await params).mode);
  const sessions = await listOwnSessions(page.ctx, { sessionId: page.user.sessionId });
  return (
    <>
      <SectionHeader
        title="Sessions"
        description="Browsers where you are signed in. Signing one out takes effect immediately."
      />
      <SessionList sessions={sessions.map((session) => ({ ...session, id: encodeId("session", session.id) }))} />
    </>
  );
}
