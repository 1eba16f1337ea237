import type { Metadata } from "next";
import { InviteMember, RoleGuide, TeamTable } from "@/components/team/team-table";
import { NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { encodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import { listTeam } from "@/lib/domain/team/team";
import { mailRouteOfPage } from "@/lib/http/outbox";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Team" };

type TeamPageProps = { params: Promise<{ mode: string }> };

export default async function TeamPage({ params }: TeamPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("team.manage")) return <NoPermission what="the team" />;
  const members = await listTeam(page.ctx);
  return (
    <>
      <SectionHeader
        title="Team"
        description="People who can sign in to this account, in test and live mode."
        actions={<InviteMember mail={await mailRouteOfPage()} />}
      />
      <TeamTable
        members={members.map((member) => ({
          id: encodeId("user", member.id),
          email: member.email,
          name: member.name,
          role: member.role as MerchantRole,
          invited: member.invited,
          secondFactor: member.second_factor,
          lastSignInAt: member.last_sign_in_at,
          isSelf: member.id === page.user.userId,
        }))}
      />
      <RoleGuide />
    </>
  );
}
