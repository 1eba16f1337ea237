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
  const sessions = await listOwnSessions(page.ctx, { sessionId: page.person.sessionId });
  return (
    <>
      <SectionHeader
        title="Sessions"
        description="Browsers in which you are signed in. One that is signed out here is out at once."
      />
      <SessionList sessions={sessions.map((session) => ({ ...session, id: encodeId("session", session.id) }))} />
    </>
  );
}
